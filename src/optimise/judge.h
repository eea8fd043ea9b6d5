/* What a variant's code is worth before it runs: it is compiled, its loop is found, and the model of the core
   says its cycles.

   Variants are compiled by several processes at a time. Code that was seen before (the bytes of the function,
   without addresses) is not judged again. Cycles of different unrolling and vector widths are compared per
   iteration of the *source* loop: the judge divides by how many of them one iteration of the compiled loop
   does (compare/ knows how) and says when it cannot. */
#ifndef OPTIMISE_JUDGE_H
#define OPTIMISE_JUDGE_H
#include "machine/machine.h"
#include "optimise/extract.h"

struct judgement {
    bool is_compiled;
    char *problem;       /* the compiler's first error; NULL: none */
    char digest[65];     /* of the function's code */
    bool is_seen;        /* judged before: figures are the earlier ones */
    double cycles;       /* per iteration of the source loop, in steady state; NaN: no answer */
    double entry_cycles; /* around it, per entry of the loop: prologue, remainder loops; NaN: not known */
    double iterations;   /* of the source loop in one of the compiled loop */
    char *object;        /* path of the object file while the judge lives */
};

struct judge;
bool judge_begin(const struct extract *extract, const struct choices *choices, const struct machine *machine,
                 unsigned processes, struct judge **judge, struct error *error);
/* All of them, in their order; false only if nothing can be judged at all. Ctrl-C (base/interrupt) leaves the
 * rest undone. */
bool judge_variants(struct judge *judge, const struct variant *variants, size_t count,
                    struct judgement *judgements, struct error *error);
void judge_end(struct judge *judge);
#endif
