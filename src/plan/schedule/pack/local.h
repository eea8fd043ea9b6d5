/* Local search: small changes of one plan, on its critical path first, accepted by late acceptance.

   The critical path is the chain of tasks that ends last, each waiting for the one before, because it needs
   it or because it used the same processors. A change moves a task to another place, swaps two, gives one
   more or fewer processors, or binds it to a host. It stays if the plan is no worse than it was, or than it
   was some changes ago (late acceptance), so that the search can leave a valley. */
#ifndef PLAN_SCHEDULE_PACK_LOCAL_H
#define PLAN_SCHEDULE_PACK_LOCAL_H
#include "plan/schedule/pack/evaluate.h"
#include "plan/schedule/pack/random.h"

enum { LOCAL_HISTORY = 64 };

struct local {
    struct evaluator evaluator;
    struct plan plan; /* where the search is */
    struct plan best; /* since local_begin */
    struct random *random;
    double history[LOCAL_HISTORY];
    uint32_t memory;          /* how many changes ago counts: 1 … LOCAL_HISTORY */
    uint64_t tried, improved; /* changes since local_begin; the last that gave a new best */
    uint32_t *critical;
    uint32_t critical_count;
    bool critical_is_old, is_known_elsewhere;
    uint64_t *old_set; /* of a task whose set is changed */
};

void local_make(struct local *local, const struct pack_case *the_case, const struct pack_aims *aims,
                struct random *random);
void local_free(struct local *local);
/* From local->plan, which need not be evaluated. */
void local_begin(struct local *local);
/* The same for a plan that was evaluated elsewhere: this evaluator looks at it with the first step. */
void local_begin_known(struct local *local);
void local_step(struct local *local);
#endif
