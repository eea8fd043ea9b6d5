/* Least squares: parameters of a function that come closest to measured values.

   Levenberg's and Marquardt's method, with derivatives by differences.  Problems here have a handful of
   parameters and dozens of points, and each value of the function is the run of a model; a library would
   bring more than it saves. */
#ifndef PLAN_MODELLING_FIT_H
#define PLAN_MODELLING_FIT_H
#include "base/error.h"

#include <stddef.h>

enum { FIT_MOST = 20 }; /* parameters */

struct fit_problem {
    size_t parameters, points;
    /* The difference of what is computed and measured, for each point. */
    bool (*differences)(void *context, const double *values, double *differences, struct error *error);
    void *context;
    size_t left_out;         /* a point that does not count; `points`: none */
    const bool *is_positive; /* of each parameter: it stays at least 0 */
};
struct fit_result {
    double values[FIT_MOST];
    double deviations[FIT_MOST]; /* standard deviations; NaN: points cannot tell */
    double correlations[FIT_MOST][FIT_MOST];
    double spread;  /* of the differences: root of their squares over the freedom */
    size_t freedom; /* points less parameters */
    unsigned steps;
};
/* From the values in `result` on. */
bool fit_run(const struct fit_problem *problem, struct fit_result *result, struct error *error);
/* What a symmetric interval of 95 % has in standard deviations. */
double fit_student(size_t freedom);
#endif
