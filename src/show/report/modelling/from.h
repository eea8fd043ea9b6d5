/* A first model, written from a recorded run. */
#ifndef SHOW_REPORT_MODELLING_FROM_H
#define SHOW_REPORT_MODELLING_FROM_H
#include "show/report/common/ask.h"

#include <stdio.h>

/* Writes the model; *loops gets how many loops it has.  An error if the database has no run. */
bool report_model_from(const struct asked *asked, FILE *out, size_t *loops, struct error *error);
#endif
