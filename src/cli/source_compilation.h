/* How a source is compiled, by what the user says: the words after --, --compile-commands, or a
   compile_commands.json near the source. Shared by assay optimise and explore. */
#ifndef CLI_SOURCE_COMPILATION_H
#define CLI_SOURCE_COMPILATION_H
#include "change/optimise/compile/compilation.h"
#include "cli/options.h"

/* The file of --compile-commands; to be freed; NULL: none. */
char *source_compilation_commands(const struct invocation *invocation);
/* how: the command as an example in the error, up to the compile command: "assay optimise --line FILE:LINE". */
bool source_compilation_take(const struct invocation *invocation, const char *file, const char *how,
                             struct compilation *compilation, struct error *error);
#endif
