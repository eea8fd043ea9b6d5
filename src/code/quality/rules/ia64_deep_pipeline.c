/* A software-pipelined loop with few iterations, which mostly fills and drains its pipeline. */
#include "code/quality/rules/ia64.h"

static const double LEAST_USEFUL = 0.75;

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct pipelined_loop *pipelined = ia64_matters(subject) ? ia64_pipelined(subject) : NULL;
    if (!pipelined || pipelined->stages == NO_NUMBER || pipelined->stages < 2 || !pipelined->is_counted)
        return false;
    int64_t trips = ia64_trips(subject);
    double filling = pipelined->stages - 1, useful = (double)trips / ((double)trips + filling);
    if (trips <= 0 || useful >= LEAST_USEFUL)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].instruction == pipelined->branch)
            remark_point(remark, i);
    remark_say(
        remark,
        "The loop does %lld iterations in a pipeline of %d stages: each time it is entered it turns %lld "
        "times, %.0f of them only to fill and drain the pipeline, so %.0f %% of its time does whole work.",
        (long long)trips, pipelined->stages, (long long)trips + pipelined->stages - 1, filling, 100 * useful);
    return true;
}

const struct rule rule_ia64_deep_pipeline = {
    .name = "ia64-deep-pipeline",
    .title = "Itanium: the software pipeline is too deep for few iterations",
    .meaning =
        "A software pipeline works at full speed once all its stages are filled. A loop that ends after a "
        "few iterations spends most of its time before that. Straight code for the usual number of "
        "iterations has no pipeline to fill.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Write the iterations out for the usual number (if (n == 5) { … } else loop): the compiler makes "
          "predicated code of them.",
          action_TRIP_COUNT},
         {audience_INTEL, NULL, "Tell the compiler: #pragma loop count(5), #pragma noswp, #pragma unroll.",
          action_PIPELINE},
         {0}},
    .find = find,
};
