/* Which evaluator answers when nobody asks for one. */
#include "plan/modelling/activity.h"
#include "plan/modelling/evaluate.h"
#include "plan/modelling/network.h"

bool evaluate_usual(const struct language_model *model, int32_t ranks, const struct network *network,
                    struct evaluation *evaluation, struct error *error)
{
    if (!activity_receives_from_any(model))
        return evaluate_analytic(model, ranks, network, evaluation, error);
    struct network quiet = {0};
    if (network) {
        quiet = *network; /* what it points to stays the caller's */
        quiet.noise_distribution = NULL;
        quiet.platform = NULL;
    }
    return evaluate_events(model, ranks, network ? &quiet : NULL, 0, evaluation, error);
}
