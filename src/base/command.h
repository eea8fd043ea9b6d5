/* Other programs, run as a part of ours: an assembler, a preprocessor, a compiler's front end.

   No shell is involved.  Files that the program reads or writes are files in memory (memfd), named to it as
   /proc/self/fd/N: nothing is left behind however the process ends, and nobody else can meddle with them. */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H
#include "base/error.h"
#include "base/memory.h"

struct command_file {
    int descriptor;
    char path[32]; /* for the words of a command */
};
/* size bytes of data; 0 for a file that the command writes. */
bool command_file_make(struct command_file *file, const void *data, size_t size, struct error *error);
/* What is in it now, to be freed; an empty file gives memory too. */
bool command_file_read(const struct command_file *file, char **data, size_t *size, struct error *error);
void command_file_close(struct command_file *file);

struct command_result {
    bool is_missing;         /* there is no such program */
    int status;              /* exit status; 128 + the signal that ended it */
    char *output, *messages; /* standard output and standard error, with a zero at the end */
    size_t output_size, messages_size;
};
/* What a command may use; 0 is no limit. */
struct command_limits {
    uint64_t memory, file_size; /* bytes */
    unsigned seconds;           /* of processor time, and in all */
};
/* words end with NULL; the first is looked for in PATH.  Standard input is empty; messages are in English.
   Output beyond most bytes is thrown away.  false, with error set, only where it could not be run for another
   reason than that it is missing. */
bool command_run(const char *const *words, size_t most, struct command_result *result, struct error *error);
/* The same; a command that goes beyond its limits ends by a signal. */
bool command_run_within(const char *const *words, size_t most, const struct command_limits *limits,
                        struct command_result *result, struct error *error);
void command_free(struct command_result *result);
#endif
