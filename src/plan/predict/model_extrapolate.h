/* An answer where no whole run of anybody is known: the question's own probes, carried on to the whole size.
 */
#ifndef PLAN_PREDICT_MODEL_EXTRAPOLATE_H
#define PLAN_PREDICT_MODEL_EXTRAPOLATE_H
#include "plan/predict/model.h"

struct model_extrapolation {
    double seconds, lower, upper; /* the interval of nine in ten */
    double exponent, startup;     /* what is believed on average */
    bool is_from_identity;        /* there was no pair: the run will take at least about this */
};

/* exponent and its standard deviation: what is thought of it from the probes of other inputs; what bytes say
   is the question's own (directions).  false: the question has no usable probe. */
bool model_extrapolate(const struct model_case *question, double exponent, double exponent_sd,
                       struct model_extrapolation *extrapolation);
#endif
