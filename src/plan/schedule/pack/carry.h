/* What was known before a change, as plans of the problem after it: tasks and hosts are found by their keys.
 */
#ifndef PLAN_SCHEDULE_PACK_CARRY_H
#define PLAN_SCHEDULE_PACK_CARRY_H
#include "plan/schedule/pack/plan.h"

struct carry {
    const struct pack_case *old_case, *new_case;
    uint32_t *task; /* new number by old one; UINT32_MAX: gone */
    uint32_t *host;
    double *ranks; /* of new tasks */
    uint32_t *size;
};
void carry_make(struct carry *carry, const struct pack_case *old_case, const struct pack_case *new_case);
void carry_free(struct carry *carry);
/* Fills a plan that was made for the new case; valid, not evaluated.  New tasks go where as many tasks are
   before them as have a longer way to the end. */
void carry_plan(const struct carry *carry, const struct plan *old_plan, struct plan *plan);
#endif
