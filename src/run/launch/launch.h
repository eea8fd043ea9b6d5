/* How a program is started under a runtime: its words and its environment.

   A launch starts empty (launch_init); words and variables are added, then run/launch/run.h runs it. */
#ifndef RUN_LAUNCH_LAUNCH_H
#define RUN_LAUNCH_LAUNCH_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

struct launch {
    char *file;               /* to be executed; searched in PATH if it has no slash */
    struct array words;       /* of char * */
    struct array environment; /* of char *: assignments */
    bool is_diverted;         /* the program's standard output goes to standard error */
    bool is_silent;           /* its standard output and standard error go nowhere */
    bool has_no_input;        /* its standard input is empty */
};

void launch_init(struct launch *launch);
void launch_free(struct launch *launch);

/* A word, which the launch frees, such as memory_format(…); or copies of many, with NULL after the last. */
void launch_add_word(struct launch *launch, char *word);
void launch_add_words(struct launch *launch, const char *const *words);

/* Our own environment without these variables (NULL after the last). */
void launch_inherit(struct launch *launch, const char *const *without);
/* "NAME=value", which the launch frees. */
void launch_assign(struct launch *launch, char *assignment);

/* The folder that ASSAY_RUNTIME names, in messages. */
#define LAUNCH_RUNTIME                                                                                       \
    "with Assay's runtimes (runtime in a build, assay among the libraries of an installation)"
/* A file of a runtime: FOLDER/NAME if installed, FOLDER/PART/NAME in a build; NULL if missing. */
char *launch_find_part(const char *folder, const char *part, const char *name);

/* Has the library `name` loaded into the program, before what LD_PRELOAD of our environment has (which
   launch_inherit has to leave out).  `folder` gets links to its versions: wide for programs of our own kind,
   narrow for 32 bits (NULL: none). */
bool launch_preload(struct launch *launch, const char *folder, const char *name, const char *wide,
                    const char *narrow, struct error *error);
/* After that: another version for programs of a machine (x86_64, aarch64). */
bool launch_preload_for(const char *folder, const char *name, const char *machine, const char *library,
                        struct error *error);
#endif
