/* Loops that are unrolled so much that they run out of registers.

   The unroll factor must be known, and each copy must have brought a spill of its own: a value or two on the
   stack are usual, and would be there without unrolling. The figure has the cycles of the loop with its
   values in registers; a smaller unroll factor has the same work for each source iteration. Code that
   outgrows the µop cache is not reported: machine files do not have its size. */
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <math.h>

/* Two copies are hardly too many. */
enum { LEAST_UNROLL = 4 };
static const double WORTH_A_WORD = 1.1;

static bool find(const struct subject *subject, struct remark *remark)
{
    struct without without;
    const struct loop_metric *metric = subject->metric;
    const struct loop_role_row *role = subject->role;
    if (!without_matters(subject) || !role || role->unroll == NO_NUMBER || role->unroll < LEAST_UNROLL ||
        metric->spill_count < (uint32_t)role->unroll)
        return false;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].is_stack)
            without_memory(&without, subject->accesses[i].item);
    double cycles = without_cycles(&without);
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].is_stack)
            remark_point(remark, subject->accesses[i].item);
    remark->cycles = cycles;
    remark_say(remark,
               "The loop is unrolled %d times, and its values do not fit into the registers: an iteration "
               "spills %u to the stack and loads %u from there.",
               role->unroll, metric->spill_count, metric->fill_count);
    return true;
}

const struct rule rule_unrolled_too_much = {
    .name = "unrolled-too-much",
    .title = "The loop is unrolled too much",
    .meaning = "Unrolling saves loop overhead, but every copy needs registers. When they run out, values are "
               "spilled to memory and loaded again, and the loop is slower than with fewer copies.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, NULL,
          "#pragma GCC unroll 2 (or 4) above the loop, which overrides -funroll-loops; Fortran: !GCC$ unroll "
          "2.",
          action_UNROLL_LESS},
         {audience_CLANG, NULL, "#pragma clang loop unroll_count(2) interleave_count(2) above the loop.",
          action_UNROLL_LESS},
         {audience_INTEL, NULL, "#pragma unroll(2) (Fortran: !DIR$ UNROLL(2)) above the loop.",
          action_UNROLL_LESS},
         {audience_ANY, NULL,
          "If the source itself is unrolled (by hand, macros or templates), do fewer elements per "
          "iteration.",
          action_UNROLL_LESS}},
    .find = find,
};
