/* A codelet: one call of a function, taken out of a real run with the memory it works on, to be run alone
   with other code.

   Capture (capture.c): the program runs under ptrace up to the wished call of the function; its registers,
   its mappings and the contents of their pages that are there go into a file.  Then the program goes on
   undisturbed or is ended.

   Replay (runtime/replay, a small program that is linked with each variant): maps those pages at the same
   addresses, gives the function the same registers, stack and thread pointer, and calls it. Names that the
   variant needs (data, functions of the program and of its libraries) are given to the linker as addresses of
   the captured process, whose code is mapped as well; so a callee is the very code that ran.  Replaying the
   program's *own* code gives the results to compare with, and tells which pages are touched: the rest are
   dropped from the file.  Between two calls written pages are restored, outside the timed part.

   What cannot be replayed is told: calls that start threads, wait for others, or make system calls. Then
   whole programs are measured. */
#ifndef CHANGE_OPTIMISE_REPLAY_REPLAY_H
#define CHANGE_OPTIMISE_REPLAY_REPLAY_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct capture_request {
    const char *const *words; /* the program and its arguments; NULL at the end */
    const char *folder;       /* where it runs; NULL: here */
    const char *runtime;      /* folder of the replay program (cli/folders.h) */
    const char *function;     /* symbol */
    const char *object;       /* file that has it, NULL: the program itself */
    uint64_t call;            /* which call, 1 is the first; 0: chosen by a run before (calls.h) */
    uint64_t memory_limit;    /* bytes of the process that are saved at most, before trimming; 0: no limit */
    double seconds;           /* that a run may take until the call; 0: no limit */
    bool is_silent;   /* the program's standard error is dropped, too; its standard output always is */
    const char *path; /* of the codelet */
};
struct capture_facts {
    uint64_t call, calls;  /* which one it is; seen in the run that chose it, or until then */
    bool is_every_call;    /* that run saw all of them */
    uint64_t bytes, pages; /* in the file */
    double seconds;        /* that the original code takes in replay */
    bool is_absent;        /* there is no such function, or the run did not call it: it may be inlined */
    bool is_out_of_time;   /* the program did not come to the call in the seconds that it had */
};
bool capture_call(const struct capture_request *request, struct capture_facts *facts, struct error *error);

enum replay_verdict {
    replay_SAME,   /* bit for bit */
    replay_WITHIN, /* of the tolerance */
    replay_NEAR,   /* beyond the tolerance, but by the last digits only: half of them, or fewer */
    replay_DIFFERENT,
    replay_CRASHED,
    replay_SLOW,    /* ended: many times slower than the original */
    replay_UNLINKED /* it needs what the captured process does not have: it can only be measured in the whole
                       program */
};
struct replay_request {
    const char *codelet;
    const char *runtime;  /* folder of the replay program (cli/folders.h) */
    const char *object;   /* object file with the variant's function; NULL: the original alone */
    const char *function; /* its symbol there; NULL: that of the codelet */
    const char *source;   /* name of its source file, to tell static names of several files apart; NULL */
    double tolerance;     /* relative, for floating-point words; 0: bit for bit */
    double ulps;          /* and in units in the last place of the largest element of the same array */
    double budget;        /* seconds */
    int processor;        /* to run on; -1: any */
};
struct replay_result {
    enum replay_verdict verdict;
    /* Of one call: the mean of the middle half of all samples, and half the distance of their quartiles; 0
       where it was not measured. Data is warm: the pages that a call writes were put back just before. */
    double seconds, spread;
    double original_seconds, original_spread; /* in the same run, in turn */
    uint64_t calls;                           /* of each that were timed */
    uint64_t in_a_row;                        /* calls in a sample: 1, but for short ones */
    bool is_processor_time;                   /* else by a clock of the processor */
    bool has_result; /* results in registers were compared, or there are none; else the type is not known */
    double largest_error;   /* relative, where verdict is WITHIN, NEAR or DIFFERENT */
    double largest_ulps;    /* the same, of the largest element; 0: not known */
    bool is_strange;        /* what differs is not all numbers: no tolerance accepts it */
    uint64_t differing;     /* words */
    uint64_t first_address; /* of a difference */
    uint64_t compared;      /* words of 8 bytes */
    char *where; /* a sentence: which argument or variable, which element, both values; why it ended; NULL */
};
/* "1e-12", relative, or "8ulp"; false: it is neither. */
bool replay_parse_tolerance(const char *text, double *relative, double *ulps);
bool replay_run(const struct replay_request *request, struct replay_result *result, struct error *error);
void replay_result_free(struct replay_result *result);
#endif
