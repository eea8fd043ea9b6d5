/* Options of assay predict. */
#include "base/settings.h"
#include "cli/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSORS = 1 << 20 };

static bool take_seconds(const struct invocation *invocation, enum option_id id, double *seconds,
                         struct error *error)
{
    const char *text = options_value(invocation, id);
    return !text || settings_parse_seconds(text, seconds) ||
           error_set(error, NULL, "--%s takes a time such as 90, 60s, 15m, 2h or 1:30:00, not '%s'",
                     option_described(id)->name, text);
}

/* 1,2,4 */
static bool take_scaling(struct predict_work *work, const char *text, struct error *error)
{
    for (const char *at = text; work->scaling_count < PREDICT_MOST_POINTS; at++) {
        char *end;
        unsigned long number = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (!number || number > MOST_PROCESSORS || (*end && *end != ','))
            break;
        work->scaling[work->scaling_count++] = (unsigned)number;
        at = end;
        if (!*at)
            return true;
    }
    return error_set(error, NULL, "--scaling takes numbers of processors such as 1,2,4, not '%s'", text);
}

bool predict_take_options(struct predict_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *scaling = options_value(invocation, OPTION_SCALING);
    bool is_history = options_has(invocation, OPTION_HISTORY);
    work->budget = INFINITY;
    work->has_took = options_has(invocation, OPTION_TOOK);
    if (!is_history && !invocation->operands.count)
        return error_set(error, NULL,
                         "predict needs the file that describes the program, and its inputs: assay "
                         "predict FILE -- NAME=FILE…");
    if (!is_history && options_has(invocation, OPTION_PLOT))
        return error_set(error, NULL, "--plot draws what --history lists: add --history");
    if (work->has_took && options_has(invocation, OPTION_RUN_IT))
        return error_set(error, NULL, "choose one of --run and --took");
    if (!take_seconds(invocation, OPTION_BUDGET, &work->budget, error) ||
        !take_seconds(invocation, OPTION_TOOK, &work->took, error))
        return false;
    if (work->has_took && !(work->took > 0))
        return error_set(error, NULL, "--took takes a time above 0");
    return !scaling || take_scaling(work, scaling, error);
}

bool predict_take_processors(struct predict_work *work, struct error *error)
{
    unsigned least = predict_least_processors(work->query), most = predict_most_processors(work->query);
    int64_t number;
    if (!options_number(work->session.invocation, OPTION_PROCESSORS, least, &number, error))
        return false;
    if (number < least || number > most)
        return error_set(error, NULL,
                         "--processors %lld: the description allows %u..%u (its setting `processors`)",
                         (long long)number, least, most);
    work->processors = (unsigned)number;
    for (size_t i = 0; i < work->scaling_count; i++)
        if (work->scaling[i] < least || work->scaling[i] > most)
            return error_set(error, NULL,
                             "--scaling %u: the description allows %u..%u (its setting `processors`)",
                             work->scaling[i], least, most);
    return true;
}
