/* What both evaluators do with their answer. */
#include "plan/modelling/activity.h"
#include "plan/modelling/evaluate.h"

#include <math.h>
#include <stdlib.h>

enum evaluated_kind evaluated_kind_of(const struct language_model *model, uint32_t cause)
{
    switch (activity_cause(model, cause)->purpose) {
    case activity_for_MESSAGES:
        return evaluated_SEND;
    case activity_for_WAITING:
        return evaluated_WAIT;
    default:
        return evaluated_COMPUTE;
    }
}

int32_t evaluation_last(const double *clocks, size_t stride, int32_t count)
{
    static const double rounding = 1e-12;
    double latest = 0;
    for (int32_t i = 0; i < count; i++)
        latest = fmax(latest, *(const double *)((const char *)clocks + (size_t)i * stride));
    for (int32_t i = 0; i < count; i++)
        if (*(const double *)((const char *)clocks + (size_t)i * stride) >= latest * (1 - rounding))
            return i;
    return 0;
}

bool evaluation_too_many_wait(struct error *error)
{
    return error_set(error, NULL,
                     "more than %d million messages wait for the other side at once: does each rank receive "
                     "as many as are "
                     "sent to it?",
                     MOST_WAITING_MESSAGES / 1000000);
}

static int by_seconds(const void *left, const void *right)
{
    double a = ((const struct evaluated_cause *)left)->seconds,
           b = ((const struct evaluated_cause *)right)->seconds;
    return (a < b) - (a > b);
}

void evaluation_sort(struct evaluation *evaluation)
{
    if (evaluation->causes.count)
        qsort(evaluation->causes.data, evaluation->causes.count, sizeof(struct evaluated_cause), by_seconds);
}

void evaluation_free(struct evaluation *evaluation)
{
    array_free(&evaluation->causes);
}
