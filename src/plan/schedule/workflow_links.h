/* How the tasks of a workflow depend on each other: by name, and by files. */
#ifndef PLAN_SCHEDULE_WORKFLOW_LINKS_H
#define PLAN_SCHEDULE_WORKFLOW_LINKS_H
#include "plan/schedule/workflow.h"

/* Reads `after`, `inputs` and `outputs` of all tasks; finds duplicate names, unknown tasks, missing files and
   cycles. */
bool workflow_link(struct workflow *workflow, struct error *error);
#endif
