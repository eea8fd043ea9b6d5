/* The plans that a search begins with: list scheduling with several allotments and several orders. */
#ifndef PLAN_SCHEDULE_PACK_SEEDS_H
#define PLAN_SCHEDULE_PACK_SEEDS_H
#include "plan/schedule/pack/evaluate.h"

/* The best `most` of so many tries, best first, evaluated; fewer where fewer differ.  plans has room for
   them, not made yet.  Returns how many there are: at least one. */
uint32_t seeds_make(struct evaluator *evaluator, struct plan *plans, uint32_t most, uint32_t tries);
/* Orders a plan's tasks by class and falling figure. */
void seeds_order(const struct pack_case *the_case, struct plan *plan, const double *figures);
#endif
