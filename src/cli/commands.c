/* The table of commands. */
#include "cli/commands.h"

#define LIST(...) .least = 1, .most = 1, .arguments = "FILE", .run = command_list, .options = {__VA_ARGS__}

#define FILE_DETAILS                                                                                         \
    "FILE is an executable, a shared object, an object file, an archive or an assembly listing for "         \
    "x86-64, i386, AArch64 or IA-64, or a database written by assay db."

const struct command commands[] = {
#include "cli/commands_program.def"
#include "cli/commands_machine.def"
#include "cli/commands_rows.def"
#include "cli/commands_cluster.def"
};
const unsigned command_count = sizeof commands / sizeof commands[0];
