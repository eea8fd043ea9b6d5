/* The common part of the rules about vectors: when they fire, how certain they are, and how they describe
   obstacles. */
#ifndef CODE_QUALITY_RULES_VECTOR_ADVICE_H
#define CODE_QUALITY_RULES_VECTOR_ADVICE_H
#include "code/quality/rules/rule.h"
#include "code/quality/vector/moved.h"
#include "code/quality/vector/vectorise.h"

struct vector_advice {
    const struct subject *subject;
    const struct vectorising *vectorising;
    unsigned bits;                        /* of the vectors that are promised; 0: cannot be */
    double cycles, speedup;               /* with these; NaN: cannot be */
    double longest;                       /* cycles with the machine's longest vectors */
    double native;                        /* compiled for this processor as well; NaN: no further gain */
    bool needs_native;                    /* the present target's vectors gain nothing */
    unsigned scalar_count, vector_count;  /* instructions that work on one number, on vectors */
    unsigned access_count, lane_accesses; /* accesses of data, and those that are not contiguous */
    unsigned lane_stores;                 /* lane accesses that store, with a known stride */
    unsigned strided_accesses;            /* lane accesses whose distance is the same in every iteration */
    bool computes;                        /* and does not only move numbers */
    enum moved_kind moved;                /* if it does not compute */
};

/* Whether the loop is worth reporting; then fills its figures. */
bool vector_advice_find(struct vector_advice *advice, const struct subject *subject);
/* Whether the gain is worth reporting; then sets the level and the cycles of the remark. */
bool vector_advice_gains(const struct vector_advice *advice, struct remark *remark);
/* Whether the file has longer vectors elsewhere and the options are unknown: then short ones may be intended.
 */
bool vector_advice_may_be_older(const struct vector_advice *advice);
/* Whether vectors gain, and take no more than these cycles: then advice that they include anyway, or that
   needs the same options, is not reported beside it. */
bool vector_advice_covers(const struct subject *subject, double cycles);
/* What prevents the compiler from vectorising: sentences, and remedies for them. */
void vector_advice_reasons(const struct vector_advice *advice, struct remark *remark);
/* Whether options and declarations can help: not before subscripts that wrap around are gone. */
bool vector_advice_options_help(const struct subject *subject);
/* "With 128-bit vectors, the work of an iteration would take 1.00 cycles instead of 2.00." And what the
   processor's own vectors would bring. */
void vector_advice_promise(const struct vector_advice *advice, struct remark *remark);
/* Numbers of the loop's kind that a vector of the machine holds, and what they are called. */
unsigned vector_advice_lanes(const struct vector_advice *advice);
const char *vector_advice_numbers(const struct vector_advice *advice);
#endif
