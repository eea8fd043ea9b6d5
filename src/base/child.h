/* Work on hostile text in a process of its own: assemblers, preprocessors and compilers crash, loop for ever
   and eat memory on bad input, and none of that may happen to Assay.  child.c says how. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>

enum child_end {
    child_end_DONE,    /* the work returned 0 */
    child_end_FAILED,  /* it returned something else, which is the status */
    child_end_MISSING, /* there is no such program */
    child_end_CRASHED, /* a signal ended it, which is the status */
    child_end_SLOW,    /* it took longer than allowed */
    child_end_LARGE    /* it wrote more than allowed */
};

struct child_limits {
    uint64_t memory;    /* bytes: of the program; of work of ours, beyond what Assay has when it starts */
    uint64_t file_size; /* bytes of each file that it writes */
    size_t output;      /* bytes on standard output; more end it */
    unsigned seconds;   /* of processor time, and in all */
};

/* The current directory of the work.  It is ours only where that cannot be helped, since a stranger may have
   put files there that programs look for; so names of files are absolute. */
enum child_place {
    child_place_ROOT,
    child_place_PRIVATE, /* a new folder, removed afterwards whatever happens */
    child_place_PRESENT
};

/* A function of ours, a program, or first one and then, where it returned 0, the other.  No shell is
   involved; standard input is empty. */
struct child_job {
    int (*work)(void *context);
    void *context;
    /* End with NULL.  The first is looked for in the absolute folders of PATH; none may start with @, which
       asks most compilers to read options from a file.  Messages are in English. */
    const char *const *words;
    enum child_place place;
    struct child_limits limits;
};

struct child_answer {
    enum child_end end;
    int status;
    struct array output, messages; /* of char: standard output and standard error, a zero behind each */
};

/* false only where no process could be made, or where the program is there but cannot be executed. */
bool child_run(const struct child_job *job, struct child_answer *answer, struct error *error);
void child_answer_free(struct child_answer *answer);
/* Whether it met one of its limits, as far as can be told: where memory ends, GNU programs say so. */
bool child_met_limit(const struct child_answer *answer);
/* The program of a name in the absolute folders of PATH, to be freed; NULL where there is none. */
char *child_find_program(const char *name);
/* For work that runs programs of its own: the process becomes this one, or ends. */
_Noreturn void child_execute(const char *const *words);
#endif
