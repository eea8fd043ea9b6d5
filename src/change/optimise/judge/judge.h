/* What a variant's code is worth before it runs: it is compiled, its loop is found, and the model of the core
   says its cycles.

   Variants are compiled by several processes at a time. Code that was seen before (the code and the constants
   of the function, without addresses) is not judged again. Cycles of different unrolling and vector widths
   are compared per iteration of the *source* loop: the judge compiles the loop once more without vectors and
   unrolling, and divides by how many times that work is in one iteration of a variant's loop
   (code/quality/footprint.h); where these amounts contradict each other, by what the loops of the variant
   show (code/quality/families.h), else by the largest amount alone, and says that it did.

   A loop that the compiler split is the sum of its parts. A loop that is gone (unrolled completely, a call of
   memcpy in its place) has no cycles, and its problem says so; it can still be measured. */
#ifndef CHANGE_OPTIMISE_JUDGE_JUDGE_H
#define CHANGE_OPTIMISE_JUDGE_JUDGE_H
#include "code/machine/machine.h"
#include "change/optimise/extract/extract.h"

struct judgement {
    bool is_compiled;
    char *problem;       /* the compiler's first error, or why there are no cycles; NULL: none */
    char digest[65];     /* of the function's code */
    bool is_seen;        /* judged before: figures are the earlier ones */
    double cycles;       /* per iteration of the source loop, in steady state; NaN: no answer */
    double entry_cycles; /* per entry of the loop, for what remains of it: peel and tail loops; NaN: not known
                          */
    double iterations;   /* of the source loop in one of the compiled loop */
    uint64_t loop;       /* a hash of its instructions, without jumps; 0: no loop */
    bool is_rough;       /* iterations is a guess by one amount of work */
    char *object;        /* path of the object file while the judge lives; NULL: not compiled */
};

struct judge;
bool judge_begin(const struct extract *extract, const struct choices *choices, const struct machine *machine,
                 unsigned processes, struct judge **judge, struct error *error);
/* All of them, in their order; false only if nothing can be judged at all. Ctrl-C (base/interrupt.h) leaves
   the rest undone: neither compiled nor with a problem. */
bool judge_variants(struct judge *judge, const struct variant *variants, size_t count,
                    struct judgement *judgements, struct error *error);
/* Rules of the report (code/quality/rules/rules.def) that speak about the loop in an object file: of char *,
   to be freed each. */
void judge_advice(const struct judge *judge, const char *object, struct array *names);
/* Files of the judge's private folder, which goes with it: where other parts of a search may put theirs. */
const char *judge_folder(const struct judge *judge);
void judge_end(struct judge *judge);
void judgement_free(struct judgement *judgement);
#endif
