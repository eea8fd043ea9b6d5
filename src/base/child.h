/* Work on hostile text in a separate process: assemblers, preprocessors and compilers crash, loop for ever
   and exhaust memory on bad input, and none of that may happen to Assay. child.c describes the design. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

enum child_end {
    child_end_DONE,    /* the work returned 0 */
    child_end_FAILED,  /* it returned something else, in status */
    child_end_MISSING, /* program not found */
    child_end_CRASHED, /* killed by the signal in status */
    child_end_SLOW,    /* it took longer than allowed */
    child_end_LARGE,   /* it wrote more than allowed, or than whoever takes it wants */
    child_end_STOPPED  /* Ctrl-C came, and the job says that it ends by it */
};

struct child_limits {
    uint64_t memory;    /* bytes: of the program; for a function, beyond Assay's own use at its start */
    uint64_t file_size; /* bytes of each file that it writes */
    size_t output;      /* bytes on standard output; writing more ends it */
    unsigned seconds;   /* of processor time; of wall-clock time; 0: no limit */
};

/* The current directory of the work. It is Assay's own only if unavoidable, since an attacker may have put
   files there that programs look for; so file names must be absolute. */
enum child_place {
    child_place_ROOT,
    child_place_PRIVATE, /* a new folder, always removed afterwards */
    child_place_PRESENT
};

/* A function, a program, or first the function and then, if it returned 0, the program. No shell is involved;
   standard input is empty. */
struct child_job {
    int (*work)(void *context);
    void *context;
    /* End with NULL. The first is looked up in the absolute folders of PATH; none may start with @, which
       makes most compilers read options from a file. Messages are in English. */
    const char *const *words;
    enum child_place place;
    struct child_limits limits;
    /* The function is confined (base/confine.h): of what is open it keeps files to read, and this descriptor
       (0: none). */
    bool is_confined;
    int kept;
    /* The first Ctrl-C that interrupt_catch notes ends it: by SIGTERM, and two seconds later by force. What
       it wrote until then is in the answer. */
    bool ends_by_interrupt;
    /* Asked ten times a second, instead of interrupt_catch, whether it has to end in that way; NULL: nobody
     * is.
     */
    bool (*must_end)(void *taker);
    /* Takes the output as it comes, of any length, instead of the answer; false ends it. NULL: nobody does.
       The second takes its messages. */
    bool (*take)(void *taker, const char *bytes, size_t count);
    bool (*take_messages)(void *taker, const char *bytes, size_t count);
    void *taker;
    /* Told of what it wrote so far, whenever it wrote something; NULL: nobody is. */
    void (*tell)(const struct array *output);
};

struct child_answer {
    enum child_end end;
    int status;
    struct array output, messages; /* of char: standard output and standard error, each zero-terminated */
};

/* false only if no process could be created, or if the program exists but cannot be executed. */
bool child_run(const struct child_job *job, struct child_answer *answer, struct error *error);
void child_answer_free(struct child_answer *answer);
/* Whether it hit one of its limits, as far as we can see: out of memory, GNU programs say so. */
bool child_met_limit(const struct child_answer *answer);
/* Looks a program up in the absolute folders of PATH; to be freed; NULL if not found. */
char *child_find_program(const char *name);
/* For a function: all of it to standard output, which is its answer. */
bool child_write(const void *data, size_t size);
/* A stream that does the same with what is printed to it; NULL: there is no memory. */
FILE *child_stream(void);
/* For a function that runs a program itself: replaces the process or ends it. */
_Noreturn void child_execute(const char *const *words);
#endif
