/* Figures of the inputs: what a description asks for, and their values. */
#ifndef PLAN_PREDICT_FIGURES_H
#define PLAN_PREDICT_FIGURES_H
#include "plan/predict/describe.h"

/* The settings `features` and `size`. */
bool predict_take_features(struct predict_description *description, struct error *error);
/* paths: absolute, by input. */
bool predict_feature_value(const struct predict_description *description,
                           const struct predict_feature *feature, const char *const *paths, double *value,
                           struct error *error);
/* The product of the numbers in a text; false: it has none, or something else. */
bool predict_product(const char *text, double *value);
#endif
