/* A plan: the order of the real tasks and a set of processors for each, the thesis's representation.

   Each task's set is a bitmap. How far it binds is its `seat`: exactly these processors; any of one host; or
   any at all. Where it does not bind, evaluation chooses `count` processors anew (the earliest, and of those
   the last released, so that gaps are small) and writes them into the bitmap. So a change of order or count
   early in the plan does not leave the tasks after it on processors that were good before.

   An order is kept valid at all times: by class, each task after those that it needs. */
#ifndef PLAN_SCHEDULE_PACK_PLAN_H
#define PLAN_SCHEDULE_PACK_PLAN_H
#include "plan/schedule/pack/case.h"

enum { SEAT_ANY = UINT32_MAX, SEAT_SET = UINT32_MAX - 1 }; /* else the number of a host */

struct plan_figures {
    double makespan, idle, late, waiting, fitness; /* seconds; idle and waiting as pack_aims says */
};

struct plan {
    uint32_t count; /* real tasks: arrays by task have speculative ones, too */
    uint32_t tasks, words;
    uint32_t *order, *place; /* task by place, place by task */
    uint32_t *size;          /* processors, by task */
    uint32_t *seat;          /* by task */
    uint64_t *sets;          /* `words` for each task */
    double *begins, *ends;   /* by task, once evaluated */
    double work;             /* processor seconds at speed 1, as the sizes are; what evaluation can rely on is
                                `evaluate`'s */
    struct plan_figures figures;
};

void plan_make(struct plan *plan, const struct pack_case *the_case);
void plan_free(struct plan *plan);
void plan_copy(struct plan *to, const struct plan *from);
size_t plan_bytes(const struct pack_case *the_case);
/* Makes any order of all real tasks valid, changing as little as possible: what may go first by the order
   that was, goes first. */
void plan_mend_order(const struct pack_case *the_case, struct plan *plan);
/* Makes a task's size, seat and set agree with each other and with where it may run. */
void plan_mend_seat(const struct pack_case *the_case, struct plan *plan, uint32_t task);
/* Between which places a task may be moved while the others keep their order. */
void plan_range(const struct pack_case *the_case, const struct plan *plan, uint32_t task, uint32_t *first,
                uint32_t *last);
void plan_move(struct plan *plan, uint32_t from, uint32_t to);

static inline uint64_t *plan_set(const struct plan *plan, uint32_t task)
{
    return plan->sets + (size_t)task * plan->words;
}
#endif
