/* A first model, written from a recorded run. */
#ifndef SHOW_REPORT_MODELLING_FROM_H
#define SHOW_REPORT_MODELLING_FROM_H
#include "show/report/common/ask.h"

#include <stdio.h>

/* Writes the model; *loops gets how many loops it has.  An error if the database has no run. */
bool report_model_from(const struct asked *asked, FILE *out, size_t *loops, struct error *error);
/* A text that cannot end the comment or the string it stands in; to be freed. */
char *report_model_tame(const char *text);
/* The statement that stands for a function of MPI, as far as its name says. */
const char *report_model_statement(const char *name);
#endif
