/* A loop without rotating registers whose iterations could overlap. */
#include "code/quality/rules/ia64.h"
#include "code/quality/without.h"

#include <math.h>
#include <stddef.h>

/* Other ways through an iteration would have to become predicates first. */
static bool has_one_way(const struct subject *subject)
{
    const struct model *model = subject->model;
    unsigned ways = 0;
    for (size_t i = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), subject->loop);
         i < model->paths.count && model_path(model, (uint32_t)i)->loop == subject->loop; i++)
        ways += !model_path(model, (uint32_t)i)->is_exit;
    return ways == 1;
}

/* Of an iteration, with the pipeline filled and drained once each time the loop is entered. */
static double pipelined_cycles(const struct subject *subject, const struct anew *anew)
{
    double trips = (double)ia64_trips(subject), stages = ceil(anew->latency / anew->fewest);
    return trips > 0 ? anew->fewest * (trips + stages - 1) / trips : anew->fewest;
}

static bool stores(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->store_bytes)
            return true;
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct anew anew;
    char buffer[32];
    if (!ia64_matters(subject) || ia64_pipelined(subject) || !has_one_way(subject) ||
        !ia64_anew(subject, &anew))
        return false;
    double cycles = pipelined_cycles(subject, &anew);
    if (!without_gains(subject, cycles))
        return false;
    ia64_promise(subject, cycles, remark);
    remark_say(
        remark,
        "An iteration starts when the one before it has ended, after %.3g cycles. Overlapping iterations "
        "could be %s apart: ",
        subject->path->cycles, remark_count(buffer, sizeof buffer, (unsigned)anew.fewest, "cycle", "cycles"));
    ia64_say_limits(&anew, remark);
    remark_say(remark, ".");
    if (stores(subject))
        remark_say(remark, " This holds if no iteration loads what one shortly before it stores.");
    return true;
}

const struct rule rule_ia64_not_pipelined = {
    .name = "ia64-not-pipelined",
    .title = "Itanium: the loop is not software-pipelined",
    .meaning =
        "Itanium issues instructions in order, so whatever waits for a load or for arithmetic holds up all "
        "that stands after it. Rotating registers and br.ctop or br.wtop let iterations overlap without "
        "copies of the code: while one waits, others work. It pays in loops with more than a few iterations.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, "-fmodulo-sched",
          "Compile with -O3 -fmodulo-sched -funroll-loops, which overlap and unroll iterations, though "
          "without rotating registers.",
          action_PIPELINE},
         {audience_INTEL, NULL,
          "Compile with -O2 or -O3, and put #pragma swp before the loop (Fortran: !DEC$ SWP); #pragma ivdep "
          "if its iterations are independent.",
          action_PIPELINE},
         {audience_C, NULL,
          "Declare pointers to arrays that do not overlap restrict (Intel: or -fno-alias): a store that may "
          "change the next load keeps the compiler from overlapping iterations.",
          action_RESTRICT},
         {0}},
    .find = find,
};
