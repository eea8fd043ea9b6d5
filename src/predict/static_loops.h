/* Loops of a run that `assay run -o FILE` recorded, with their cycles on another processor: what the static
   route (static_route.h) computes from. */
#ifndef PREDICT_STATIC_LOOPS_H
#define PREDICT_STATIC_LOOPS_H
#include "base/error.h"
#include "cost/loops.h"
#include "predict/static_ledger.h"
#include "predict/static_route.h"

/* The tables that it reads, up to NULL. */
extern const char *const static_tables[];

/* The last run of the model.  path is of the database, for messages: one without a run is an error, and so is
   one without hot loops. */
bool static_run_take(const struct model *model, const char *path, const struct loop_machines *there,
                     unsigned threads, double size, struct static_run *run, struct error *error);
/* The instruction set of the code that took most of the time; isa_NONE: nobody knows. */
enum isa static_run_isa(const struct model *model);
/* The file with the code that took most of the time; path NULL: nobody knows. */
void static_run_program(const struct model *model, struct static_program *program);
#endif
