/* Built-in functions of models, and their chance. */
#ifndef PLAN_MODELLING_LANGUAGE_WALKER_MATH_H
#define PLAN_MODELLING_LANGUAGE_WALKER_MATH_H
#include "plan/modelling/language/code.h"

/* *problem: why there is no value. */
double walker_math(enum built_in which, const double *arguments, unsigned count, const char **problem);
/* From 0 to below 1: the same for the same three numbers. */
double walker_random(uint64_t seed, uint64_t who, uint64_t number);
#endif
