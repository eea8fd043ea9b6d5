/* Waits in queues as series: seconds from the submission of a job to its beginning, in the order of
   beginnings.

   From the ledger: attempts of assay schedule. From Slurm's accounting: all jobs of all users, as sacct tells
   them. */
#ifndef PLAN_FORECAST_WAITS_H
#define PLAN_FORECAST_WAITS_H
#include "plan/forecast/series.h"
#include "ledger/ledger.h"

/* engine NULL: all.  An empty series is no error here. */
bool waits_of_ledger(struct series *series, struct ledger *ledger, const char *engine, struct error *error);
bool waits_of_slurm(struct series *series, struct error *error);
/* What sacct printed, for tests: lines of SUBMIT|START. */
bool waits_parse(struct series *series, const char *text, struct error *error);
#endif
