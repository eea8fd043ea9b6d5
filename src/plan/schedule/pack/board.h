/* The board: when each processor is free, while tasks are put on it one after the other.

   Besides the releases by processor (tr of the thesis) it keeps them sorted: for each host where tasks stay
   on one host, and over all where tasks span hosts. So "when are n of them free?" is one look, and taking n
   of them is moving a block of the list.

   Memory is released like processors: a task begins when what tasks before it in the order have beyond that
   moment leaves room, so no gaps are looked for. */
#ifndef PLAN_SCHEDULE_PACK_BOARD_H
#define PLAN_SCHEDULE_PACK_BOARD_H
#include "plan/schedule/pack/plan.h"

/* Memory that a task has on a host until it ends; those of a host are a chain. */
struct board_hold {
    double until, memory;
    uint32_t next; /* number of the next one, plus 1 */
};

struct board {
    double *release;    /* by processor */
    double *host_times; /* sorted in the range of each host */
    uint32_t *host_ids;
    double *all_times; /* sorted */
    uint32_t *all_ids;
    double end; /* of all tasks so far: of the last of them */
    double late, waiting, risk, busy;
    double free_sum; /* of releases */
    bool by_host, over_all;
    struct board_hold *holds; /* where memory matters */
    uint32_t hold_count, hold_room;
    uint32_t *first_hold; /* by host: number plus 1 */
    /* room for one task's search */
    uint32_t *chosen;
    double *ready_at; /* by host */
    uint32_t *candidates;
};

void board_make(struct board *board, const struct pack_case *the_case);
void board_free(struct board *board);
void board_clear(struct board *board, const struct pack_case *the_case);
void board_copy(struct board *to, const struct board *from, const struct pack_case *the_case);
/* Puts the next task of a plan on the board: its beginning and end, and its set where the seat leaves it
   open, go into the plan. */
void board_put(struct board *board, const struct pack_case *the_case, struct plan *plan, uint32_t task);
/* The same for a task whose beginning, end and set are known to be right. */
void board_repeat(struct board *board, const struct pack_case *the_case, const struct plan *plan,
                  uint32_t task);
#endif
