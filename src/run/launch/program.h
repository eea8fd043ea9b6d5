/* The program that a command line names. */
#ifndef RUN_LAUNCH_PROGRAM_H
#define RUN_LAUNCH_PROGRAM_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

/* The program that a word names, as a shell would find it. */
struct launch_program {
    char *path;         /* absolute, or as given if it has a slash */
    char *code;         /* ELF file that runs: itself, or the interpreter of a script; NULL: unknown */
    bool is_script;     /* code is its interpreter */
    bool is_static;     /* no library can be loaded into it */
    bool is_movable;    /* it runs at any address (PIE) */
    bool is_emulator;   /* it runs a program of another machine, which gets its environment */
    bool is_privileged; /* setuid or setgid: it cannot be watched */
    bool has_id_bits;   /* setuid or setgid, for whatever user */
    bool is_unreadable; /* it may be run, not read */
    unsigned bits;      /* 32 or 64; 0: unknown */
};
/* The error says why it cannot be run. */
bool launch_find_program(const char *word, struct launch_program *program, struct error *error);
void launch_free_program(struct launch_program *program);
/* libraries.c: adds, of char * to be freed, all libraries that its dynamic linker would load, in that order.
 */
void launch_list_libraries(const struct launch_program *program, struct array *paths);
/* The same: adds, of char * to be freed, libraries of the program that have debug information in them. */
void launch_find_libraries(const struct launch_program *program, struct array *paths);
#endif
