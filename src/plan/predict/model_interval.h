/* Intervals that hold nine truths in ten, from the errors that were made on rows that were left out.

   With nine rows and more it is conformal: the question's error is as likely to have any rank among those
   of the rows as another, whatever its distribution is, so that the interval reaches as far as the ninth
   tenth of them did, with one added for the question itself. With fewer rows there is no such tenth, and a
   Student distribution stands in, with what was thought of the error before. */
#ifndef PLAN_PREDICT_MODEL_INTERVAL_H
#define PLAN_PREDICT_MODEL_INTERVAL_H
#include <stddef.h>

struct model_interval {
    double below, above; /* of ln seconds, both above zero: subtract and add */
};

/* errors: ln predicted - ln measured, in units of their own spread.  noise: of the error before any was
   seen. */
struct model_interval model_interval(const double *errors, size_t count, double noise);
/* The value that 19 of 20 are below, for these degrees of freedom. */
double model_student(double freedom);
#endif
