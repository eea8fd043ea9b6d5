/* A plan as the schedule that callers get: speculative tasks in its gaps, tasks in order of their beginning.
 */
#ifndef PLAN_SCHEDULE_PACK_RESULT_H
#define PLAN_SCHEDULE_PACK_RESULT_H
#include "plan/schedule/pack/plan.h"

/* The plan has times of all real tasks; those of speculative ones are filled in. */
void result_fill(const struct pack_case *the_case, const struct pack_aims *aims, struct plan *plan,
                 struct pack_schedule *schedule);
#endif
