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
#ifndef OPTIMISE_REPLAY_H
#define OPTIMISE_REPLAY_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct capture_request {
    const char *const *words; /* the program and its arguments; NULL at the end */
    const char *folder;
    const char *function; /* symbol */
    const char *object;   /* file that has it, NULL: the program itself */
    uint64_t call;        /* which call, 1 is the first; 0: chosen by capture.c (documented there) */
    uint64_t memory_limit;
    const char *path; /* of the codelet */
};
struct capture_facts {
    uint64_t calls;        /* seen until then */
    uint64_t bytes, pages; /* in the file */
    double seconds;        /* that the original code takes in replay */
};
bool capture_call(const struct capture_request *request, struct capture_facts *facts, struct error *error);

enum replay_verdict {
    replay_SAME,   /* bit for bit */
    replay_WITHIN, /* of the tolerance */
    replay_DIFFERENT,
    replay_CRASHED,
    replay_SLOW /* ended: many times slower than the original */
};
struct replay_request {
    const char *codelet;
    const char *object;   /* object file with the variant's function */
    const char *function; /* its symbol there */
    double tolerance;     /* relative, for floating-point words; 0: bit for bit */
    double budget;        /* seconds */
    int processor;        /* to run on; -1: any */
};
struct replay_result {
    enum replay_verdict verdict;
    double seconds, spread; /* of one call: median of processor time; of the original in the same run: */
    double original_seconds, original_spread;
    double largest_error;   /* relative, where verdict is WITHIN or DIFFERENT */
    uint64_t differing;     /* words */
    uint64_t first_address; /* of a difference */
    char *where;            /* a sentence about it: variable or argument, index, both values; NULL */
};
bool replay_run(const struct replay_request *request, struct replay_result *result, struct error *error);
void replay_result_free(struct replay_result *result);
#endif
