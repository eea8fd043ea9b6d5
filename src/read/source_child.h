/* Work on hostile text in a process of its own: compilers crash, loop for ever and eat memory on bad input,
   and none of that may happen to Assay.  source_child.c says how. */
#ifndef READ_SOURCE_CHILD_H
#define READ_SOURCE_CHILD_H
#include "base/error.h"
#include "base/memory.h"

enum child_end {
    child_end_DONE,    /* the work returned 0 */
    child_end_FAILED,  /* it returned something else, which is the status */
    child_end_CRASHED, /* a signal ended it */
    child_end_SLOW,    /* it took longer than allowed */
    child_end_LARGE    /* it wrote more than allowed */
};

struct child_job {
    int (*work)(void *context); /* runs in the child; may exec */
    void *context;
    bool wants_folder; /* the current directory is a new private one, removed afterwards whatever happens */
    unsigned seconds;
    size_t most_output;
};

struct child_answer {
    enum child_end end;
    int status;
    struct array output, messages; /* of char: standard output and standard error */
};

/* false only where no process could be made. */
bool child_run(const struct child_job *job, struct child_answer *answer, struct error *error);
void child_answer_free(struct child_answer *answer);
#endif
