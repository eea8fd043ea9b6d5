/* The recordings of a run become rows of the tables probe_…, keyed by the model's ids: subjects of the plan
   say which.  Recordings are hostile: they may be cut short or damaged. */
#ifndef RUN_PROBE_RECORDING_RECORDING_H
#define RUN_PROBE_RECORDING_RECORDING_H
#include "run/probe/plan/plan.h"
#include "run/launch/run.h"

/* A recording for each process: `paths` (of char *).  The tables get a row of probe_runs for each process
   that reached a probe or loaded a planned file, and rows of the other tables; unreadable ones are counted in
   probe_limits. */
bool recording_add(struct model *model, const struct probe_plan *plan, const struct array *paths,
                   struct error *error);

/* How the program's own process ended, for its last row: a process that is killed cannot record it. */
void recording_ended(struct model *model, const struct launch_run *run);

/* setup_cycles of loops where the recording alone does not give them: from rows of loop_cycles, if they are
   there. */
void recording_conclude(struct model *model);
#endif
