/* The genetic operators of the thesis (2.4), and a population. */
#ifndef PLAN_SCHEDULE_PACK_GENETIC_H
#define PLAN_SCHEDULE_PACK_GENETIC_H
#include "plan/schedule/pack/plan.h"
#include "plan/schedule/pack/random.h"

/* The beginning of the first parent's order and the end of the second's, with duplicates replaced by what
   is missing; sizes, seats and sets are spliced likewise, at a place of their own.  The child is valid, and
   not evaluated. */
void genetic_cross(const struct pack_case *the_case, const struct plan *first, const struct plan *second,
                   struct plan *child, struct random *random);
/* Swaps tasks, flips processors of sets, binds and frees. */
void genetic_mutate(const struct pack_case *the_case, struct plan *plan, uint32_t changes,
                    struct random *random);

struct population {
    struct plan *plans; /* in no order */
    uint32_t count, most;
};
void population_make(struct population *population, uint32_t most);
void population_free(struct population *population);
/* A copy goes in if there is room, or in place of the worst if it is better; not if an equal one is there. */
void population_offer(struct population *population, const struct pack_case *the_case,
                      const struct plan *plan);
/* The better of two drawn at random. */
const struct plan *population_draw(const struct population *population, struct random *random);
const struct plan *population_best(const struct population *population);
#endif
