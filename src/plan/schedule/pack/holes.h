/* Gaps: when each processor is busy, as intervals, for tasks that are put into what is left between others.
 */
#ifndef PLAN_SCHEDULE_PACK_HOLES_H
#define PLAN_SCHEDULE_PACK_HOLES_H
#include "plan/schedule/pack/plan.h"

struct hole_interval {
    double begin, end;
};
struct holes {
    const struct pack_case *the_case;
    struct array *busy; /* by processor: of hole_interval, in order, apart */
    struct array times; /* of double: ends of intervals, in order, where something may become free */
    uint32_t *chosen;
    double *free_from; /* by processor: begin of the gap that a search is in; room */
};

void holes_make(struct holes *holes, const struct pack_case *the_case);
void holes_free(struct holes *holes);
/* Whatever a plan's task has: begins, ends and set. */
void holes_add(struct holes *holes, const struct plan *plan, uint32_t task);
/* The earliest beginning of a task of this size, not before `least`, on one host or over all as its seat and
   the task say; fills begins, ends and set of the plan.  false: nowhere. */
bool holes_place(struct holes *holes, struct plan *plan, uint32_t task, double least);
#endif
