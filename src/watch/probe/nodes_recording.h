/* Recordings of programs with nodes say themselves what their subjects are. */
#ifndef WATCH_NODES_RECORDING_H
#define WATCH_NODES_RECORDING_H
#include "watch/probe/plan.h"

/* Whether a file is a recording with subjects of its own. */
bool nodes_have_recorded(const char *path);
/* Rows and a plan from what a recording says: an empty model gets programs, functions, loops and instructions
   for its subjects, and the plan the subjects with the recording's numbers.  recording_add takes both. */
bool nodes_recording(struct model *model, struct watch_plan *plan, const char *path, struct error *error);
#endif
