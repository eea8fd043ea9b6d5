/* How a program is started under a runtime: its words and its environment.

   A launch starts empty (watch_launch_init); words and variables are added, then watch/run.h runs it. */
#ifndef WATCH_LAUNCH_H
#define WATCH_LAUNCH_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

struct watch_launch {
    char *file;               /* to be executed; searched in PATH if it has no slash */
    struct array words;       /* of char * */
    struct array environment; /* of char *: assignments */
    bool is_diverted;         /* the program's standard output goes to standard error */
    bool is_silent;           /* its standard output and standard error go nowhere */
    bool has_no_input;        /* its standard input is empty */
};

void watch_launch_init(struct watch_launch *launch);
void watch_launch_free(struct watch_launch *launch);

/* A word, which the launch frees, such as memory_format(…); or copies of many, with NULL after the last. */
void watch_add_word(struct watch_launch *launch, char *word);
void watch_add_words(struct watch_launch *launch, const char *const *words);

/* Our own environment without these variables (NULL after the last). */
void watch_inherit(struct watch_launch *launch, const char *const *without);
/* "NAME=value", which the launch frees. */
void watch_assign(struct watch_launch *launch, char *assignment);

/* A file of a runtime: FOLDER/NAME if installed, FOLDER/PART/NAME in a build; NULL if missing. */
char *watch_find_part(const char *folder, const char *part, const char *name);

/* Has the library `name` loaded into the program, before what LD_PRELOAD of our environment has (which
   watch_inherit has to leave out).  `folder` gets links to its versions: wide for programs of our own kind,
   narrow for 32 bits (NULL: none). */
bool watch_preload(struct watch_launch *launch, const char *folder, const char *name, const char *wide,
                   const char *narrow, struct error *error);
/* After that: another version for programs of a machine (x86_64, aarch64). */
bool watch_preload_for(const char *folder, const char *name, const char *machine, const char *library,
                       struct error *error);
#endif
