/* The common part of the rules about code in bundles (Itanium): the mistakes of a compiler for a processor
   that issues in order and leaves scheduling, prefetching and renaming to it.

   Gains come from the model of code/cost/macs/anew.h: what the instructions take bundled anew, with the
   mistake and without. The difference is taken off the cycles of the path. A loop that is
   software-pipelined gets the difference of the fewest cycles, another one that of its cycles in order. */
#ifndef CODE_QUALITY_RULES_IA64_H
#define CODE_QUALITY_RULES_IA64_H
#include "code/quality/rules/rule.h"

/* Whether the question makes sense: bundles, known cycles, no call, a loop that does most of the work,
   optimised code. */
bool ia64_matters(const struct subject *subject);
/* Whether no register carries anything from iteration to iteration, not even a counter; or the options say
   so. */
bool ia64_is_unoptimised(const struct subject *subject);
/* NULL: the loop is not software-pipelined with rotating registers. */
const struct pipelined_loop *ia64_pipelined(const struct subject *subject);
/* The whole path bundled anew; false if unknown. */
bool ia64_anew(const struct subject *subject, struct anew *anew);
/* Memory for changes (enum anew_change by item): all stay. */
uint8_t *ia64_changes(const struct subject *subject);
/* Whether the loop would be faster with these changes; then sets the cycles of the remark. Otherwise the
   remark becomes a hint without a figure, which says what limits the loop. */
bool ia64_gains(const struct subject *subject, const uint8_t *changes, struct remark *remark);
/* Promises a path so many cycles at best, and points at its branches: how iterations follow each other. */
void ia64_promise(const struct subject *subject, double cycles, struct remark *remark);
/* "9 cycles for ports and bundles, 1 for the slowest chain from iteration to iteration" */
void ia64_say_limits(const struct anew *anew, struct remark *remark);

/* Who reads what, by data flow, which knows rotating registers. An item of OUTSIDE is no item of the path. */
enum { IA64_OUTSIDE = UINT32_MAX };
struct ia64_read {
    uint32_t definition, use, register_; /* items; the full register as the use names it */
    bool is_sole;                        /* no other definition reaches the use by this register */
};
/* All reads of results of the path, by use. Memory of the subject's arena. */
const struct ia64_read *ia64_reads(const struct subject *subject, unsigned *count);
/* Iterations each time the loop is entered: the constant in ar.lc before it, plus one, or what metrics
   find; 0: unknown. */
int64_t ia64_trips(const struct subject *subject);
/* By its alloc: registers that the function takes of the 96 that are stacked; 0: it has none. */
unsigned ia64_stacked(const struct subject *subject);
/* Spills and fills of the loop: is_about_full, in a function that takes nearly all stacked registers, and
   else in one that leaves some of them unused. Fills the remark. */
bool ia64_find_spills(const struct subject *subject, struct remark *remark, bool is_about_full);
#endif
