/* Loops of a run that `assay run -o FILE` recorded, with their cycles on another processor: what the static
   route (static_route.h) computes from. */
#ifndef PLAN_PREDICT_STATIC_LOOPS_H
#define PLAN_PREDICT_STATIC_LOOPS_H
#include "base/error.h"
#include "model/model.h"
#include "plan/predict/static_ledger.h"
#include "plan/predict/static_route.h"

/* The tables that it reads, up to NULL. */
extern const char *const static_tables[];

/* The cycles of a path through a loop on the other processor; NaN: nobody knows. */
struct static_path {
    uint32_t loop, path; /* path: its position */
    double cycles;
};

/* The loops whose cycles on the other processor are wanted, added to an array of uint32_t: those of the last
   run that took time and are innermost. */
void static_run_wanted(const struct model *model, struct array *loops);
/* The last run of the model.  path is of the database, for messages: one without a run is an error, and so is
   one without hot loops.  there: of struct static_path. */
bool static_run_take(const struct model *model, const char *path, const struct array *there, double size,
                     struct static_run *run, struct error *error);
/* The instruction set of the code that took most of the time; isa_NONE: nobody knows. */
enum isa static_run_isa(const struct model *model);
/* The file with the code that took most of the time; path NULL: nobody knows. */
void static_run_program(const struct model *model, struct static_program *program);
#endif
