/* Evaluation: the times of a plan, from its order and sets (te, ts and tr of the thesis), and its fitness.

   A search changes little at a time, so an evaluator stays with one plan: it keeps the board at every few
   places and, after a change, begins at the last one that is still right. A trial can be taken back. It ends
   early once it cannot be better than `limit` any more. */
#ifndef PLAN_SCHEDULE_PACK_EVALUATE_H
#define PLAN_SCHEDULE_PACK_EVALUATE_H
#include "plan/schedule/pack/board.h"

struct evaluator {
    const struct pack_case *the_case;
    struct pack_aims aims;
    struct board board;
    struct board *kept; /* the board before place i * every */
    uint32_t every, kept_count, kept_valid;
    /* To take a trial back: what the places from `changed` on had. */
    uint32_t changed, seen;
    uint32_t *old_tasks;
    double *old_begins, *old_ends;
    uint64_t *old_sets;
    double used_before, last_release; /* what others still use, and until when */
};

void evaluator_make(struct evaluator *evaluator, const struct pack_case *the_case,
                    const struct pack_aims *aims);
void evaluator_free(struct evaluator *evaluator);
/* All of a plan. */
void evaluate(struct evaluator *evaluator, struct plan *plan);
/* A plan that was evaluated here last and then changed at places from `first` on.  false: its fitness is not
   below limit, and figures and times are not all known.  Then evaluate_keep or evaluate_undo; before the
   undo, the caller takes its change of order, sizes and seats back.  plan->work follows sizes, too. */
bool evaluate_from(struct evaluator *evaluator, struct plan *plan, uint32_t first, double limit);
void evaluate_keep(struct evaluator *evaluator);
void evaluate_undo(struct evaluator *evaluator, struct plan *plan);
#endif
