/* See model_interval.h. */
#include "plan/predict/model_interval.h"
#include "base/memory.h"
#include "plan/predict/model_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows with which there is a choice, for a quantile of distances, and for one of each side. */
enum { ROWS_TO_CHOOSE = 3, ROWS_FOR_RANKS = 9, ROWS_FOR_SIDES = 59 };
/* What was thought of the noise counts as so many rows. */
static const double THOUGHT = 2;
/* The errors are of fits that shared all rows but one, and a form was chosen from many by them: both make
   them a little too small, by less the more rows there are.  tests/unit/plan/model_coverage.c found it. */
static const double CHOICE = 1.5;
/* Even the same run twice is not the same time. */
static const double LEAST = 0.02;

double model_student(double freedom)
{
    static const double whole[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
    if (freedom <= 1)
        return whole[0];
    if (freedom >= 10) /* Cornish and Fisher: right to a hundredth from here on */
        return 1.645 + 1.524 / freedom + 1.42 / (freedom * freedom);
    unsigned below = (unsigned)freedom;
    double part = freedom - below;
    return whole[below - 1] * (1 - part) + whole[below] * part;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The rank that the conformal argument gives, from 1; count at most. */
static size_t rank_of(size_t count, double share)
{
    size_t rank = (size_t)ceil(share * (double)(count + 1));
    return rank < count ? rank : count;
}

struct model_interval model_interval(const double *errors, size_t count, double noise)
{
    struct model_interval interval;
    double *sorted = memory_get((count + 1) * sizeof *sorted);
    memcpy(sorted, errors, count * sizeof *sorted);
    if (count >= ROWS_FOR_SIDES) {
        /* predicted too high by much: the truth is far below */
        qsort(sorted, count, sizeof *sorted, by_number);
        interval.below = sorted[rank_of(count, 0.95) - 1];
        interval.above = -sorted[count - rank_of(count, 0.95)];
    } else if (count >= ROWS_FOR_RANKS) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = fabs(sorted[i]);
        qsort(sorted, count, sizeof *sorted, by_number);
        interval.below = interval.above = sorted[rank_of(count, 0.9) - 1];
    } else {
        double sum = THOUGHT * noise * noise;
        for (size_t i = 0; i < count; i++)
            sum += errors[i] * errors[i];
        double freedom = THOUGHT + (double)count;
        interval.below = interval.above = model_student(freedom) * sqrt(sum / freedom);
    }
    free(sorted);
    double wider = count < ROWS_TO_CHOOSE ? 1 : 1 + CHOICE / (double)(count + 1);
    interval.below = fmax(interval.below * wider, LEAST);
    interval.above = fmax(interval.above * wider, LEAST);
    return interval;
}
