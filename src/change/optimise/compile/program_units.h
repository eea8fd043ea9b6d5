/* The sources of a program, and how each is compiled: by its debug information, which names them, and
   compile_commands.json or the options that the compiler noted.  That does for programs whose sources are there
   and whose libraries are shared. */
#ifndef CHANGE_OPTIMISE_COMPILE_PROGRAM_UNITS_H
#define CHANGE_OPTIMISE_COMPILE_PROGRAM_UNITS_H
#include "change/optimise/compile/compilation.h"

struct launch_program;
struct program_unit {
    char *name;                     /* of the source, as the debug information has it */
    struct compilation compilation; /* its source is an absolute path without links */
    bool is_guessed;                /* by the debug information */
};
/* Adds all units but assembler (of struct program_unit).  commands: a compile_commands.json; NULL: one near each
   source, if there is. */
bool program_units_list(const struct launch_program *program, const char *commands, struct array *units,
                        struct error *error);
void program_units_free(struct array *units);
/* Compiles it with more words, up to NULL, after its own. */
bool program_units_compile(const struct program_unit *unit, const char *const *more, const char *object,
                           struct error *error);
/* Adds words for the linker, of char * to be freed: the libraries that the program loads. */
void program_units_add_libraries(const struct launch_program *program, struct array *words);
#endif
