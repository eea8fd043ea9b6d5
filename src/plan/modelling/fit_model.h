/* Free parameters of a model, fitted to measured times: a table of runs, one a row.

       procs,n,seconds
       1,1000,12.31
       2,1000,6.52

   The columns are parameters of the model, in the units of their declarations or with a unit of their own
   (35us); `seconds` is what was measured.  What is made small is the relative error: runs of a second count
   as much as those of an hour. */
#ifndef PLAN_MODELLING_FIT_MODEL_H
#define PLAN_MODELLING_FIT_MODEL_H
#include "plan/modelling/fit.h"
#include "plan/modelling/language/language.h"

struct network;

struct fitted_parameter {
    char *name, *unit;
    double start, value, deviation; /* deviation: NaN where the rows cannot tell */
    bool is_at_zero;                /* it would be below 0 */
};
struct fitted_row {
    uint32_t line;
    double measured, predicted;
    double without; /* predicted by a fit that does not know this row; NaN: there was none */
};
struct model_fit {
    struct array parameters;             /* of struct fitted_parameter */
    struct array rows;                   /* of struct fitted_row */
    double error, worst;                 /* mean and largest |predicted / measured - 1| */
    double error_without, worst_without; /* the same for `without`: leave one out */
    double width;                        /* of the 95 % intervals, in deviations */
    size_t judged;                       /* rows whose `without` is known; fewer than all: Ctrl-C came */
    char *alike; /* two parameters that the rows hardly tell apart: "a and b"; NULL: none */
};
/* text: the table; path: for messages. */
bool model_fit_run(struct language_model *model, const struct network *network, const char *path,
                   const char *text, struct model_fit *fit, struct error *error);
void model_fit_free(struct model_fit *fit);
#endif
