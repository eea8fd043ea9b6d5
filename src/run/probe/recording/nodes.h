/* Recordings of programs with nodes say themselves what their subjects are. */
#ifndef RUN_PROBE_RECORDING_NODES_H
#define RUN_PROBE_RECORDING_NODES_H
#include "run/probe/plan/plan.h"

/* Whether a file is a recording with subjects of its own. */
bool nodes_have_recorded(const char *path);
/* Rows and a plan from what a recording says.  A model with the listings that the nodes were put into has the
   rows already; an empty model gets programs, functions, loops and instructions
   for its subjects.  The plan gets the subjects with the recording's numbers.  recording_add takes both. */
bool nodes_recording(struct model *model, struct probe_plan *plan, const char *path, struct error *error);
#endif
