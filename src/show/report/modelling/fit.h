/* A fitted model: its parameters with their uncertainty, and how far it is off on what it was fitted to, and
   on what it was not. */
#ifndef SHOW_REPORT_MODELLING_FIT_H
#define SHOW_REPORT_MODELLING_FIT_H
#include "plan/modelling/fit_model.h"
#include "show/report/common/style.h"

void report_model_fit(const struct model_fit *fit, const struct report_style *style, FILE *out);
#endif
