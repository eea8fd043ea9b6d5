/* The flow of a C source as a model (PACE's capp). */
#ifndef SHOW_REPORT_MODELLING_FROM_SOURCE_H
#define SHOW_REPORT_MODELLING_FROM_SOURCE_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* steps: of struct source_step.  *unsaid: how many parameters stand for what the source does not say.  false: no function. */
bool report_model_from_source(const char *path, const struct array *steps, FILE *out, uint32_t *unsaid,
                              struct error *error);
#endif
