/* Islands: several searches that begin alike, go on with random numbers of their own, and now and then give
   their best to a neighbour.

   There are always as many islands, whatever the number of threads: they meet after a fixed number of steps,
   so the result depends on the seed and the steps alone. A step is one change of a plan that is tried. */
#ifndef PLAN_SCHEDULE_PACK_ISLANDS_H
#define PLAN_SCHEDULE_PACK_ISLANDS_H
#include "plan/schedule/pack/genetic.h"
#include "plan/schedule/pack/local.h"

enum { ISLANDS = 4 };

struct island {
    struct local local;
    struct population population;
    struct random random;
};

struct islands {
    const struct pack_case *the_case;
    struct island island[ISLANDS];
    unsigned threads;
    uint32_t round_steps; /* on each island until they meet */
    uint64_t rounds, steps;
};

/* Seeds, evaluated and the best first, are dealt to all islands. */
void islands_make(struct islands *islands, const struct pack_case *the_case, const struct pack_aims *aims,
                  uint64_t seed, unsigned threads, const struct plan *seeds, uint32_t seed_count);
void islands_free(struct islands *islands);
/* until: on the clock that does not go back, INFINITY: only steps count.  Where time or *stop ends it, some
   islands may have done fewer steps. */
void islands_run(struct islands *islands, uint64_t steps, double until, const volatile int *stop);
const struct plan *islands_best(const struct islands *islands);
#endif
