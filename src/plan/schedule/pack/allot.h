/* How many processors each task gets, before anything is placed: the first of the two phases of scheduling
   moldable tasks. More processors make a task shorter and its work (processors × seconds) larger, so each way
   here is a family from "least work" to "shortest", and the seeds try several members. */
#ifndef PLAN_SCHEDULE_PACK_ALLOT_H
#define PLAN_SCHEDULE_PACK_ALLOT_H
#include "plan/schedule/pack/case.h"

/* The least work that takes at most this long; the shortest time where nothing does. */
void allot_within(const struct pack_case *the_case, double seconds, uint32_t *size);
/* The least of work + price × processors of all × time: what tasks on long chains want. */
void allot_priced(const struct pack_case *the_case, double price, uint32_t *size);
/* A member of the second family where the longest chain takes as long as all work over all processors. */
void allot_balanced(const struct pack_case *the_case, uint32_t *size);
/* Time to the end of all that follows, with these sizes, at the fastest speed; the rank of HEFT. */
void allot_ranks(const struct pack_case *the_case, const uint32_t *size, double *ranks);
#endif
