/* Patterns of all ranks, on their clocks: the same times as their sends and receives (activity_expand), in a
   fraction of the work.

   Each function below moves crowd->clocks and adds to crowd->busy what the processor did; what is left of the
   time that passed was waiting. */
#include "plan/modelling/evaluate/crowd.h"

#include "base/interrupt.h"

#include <math.h>

/* A blocking message from one rank to another, both of whose clocks stand where it begins. */
static void pass(struct crowd *crowd, int32_t from, int32_t to, const struct message_cost *costs)
{
    const struct message_cost *cost = &costs[crowd_distance(crowd, from, to)];
    double begun = crowd->clocks[from], ready = crowd->clocks[to], left = message_left(cost, begun, ready);
    crowd->clocks[from] = begun + cost->busy;
    crowd->busy[from] += cost->busy;
    if (cost->is_rendezvous && left > crowd->clocks[from]) {
        crowd->busy[from] += fmin(cost->copy, left - crowd->clocks[from]);
        crowd->clocks[from] = left;
    }
    crowd->clocks[to] = fmax(ready, left + cost->transfer) + cost->receive;
    crowd->busy[to] += cost->receive;
    crowd->messages++;
}

static void barrier(struct crowd *crowd)
{
    struct message_cost costs[network_DISTANCES];
    crowd_message_costs(crowd, 0, costs);
    for (int64_t step = 1; step < crowd->count; step *= 2)
        exchange_around(crowd, (int32_t)step, costs);
}

static void allreduce(struct crowd *crowd, double bytes)
{
    int32_t core = 1;
    struct message_cost costs[network_DISTANCES];
    crowd_message_costs(crowd, bytes, costs);
    while (core <= crowd->count / 2)
        core *= 2;
    for (int32_t rank = core; rank < crowd->count; rank++)
        pass(crowd, rank, rank - core, costs);
    for (int32_t bit = 1; bit < core; bit *= 2)
        exchange_across(crowd, core, bit, costs);
    for (int32_t rank = core; rank < crowd->count; rank++)
        pass(crowd, rank - core, rank, costs);
}

/* All to all has as many rounds as ranks.  Beyond some thousand ranks the rounds settle: each takes as long
   as the one before, but for ranks that wait for others at the beginning; then the rest is multiplied. */
static void alltoall(struct crowd *crowd, double bytes)
{
    enum { EXACT = 2048 };
    int32_t rounds = crowd->count - 1, exact = rounds < EXACT ? rounds : EXACT;
    struct message_cost costs[network_DISTANCES];
    crowd_message_costs(crowd, bytes, costs);
    for (int32_t step = 1; step < exact && !interrupt_came(); step++)
        exchange_around(crowd, step, costs);
    if (rounds < 1)
        return;
    double latest = -INFINITY, latest_before = -INFINITY;
    for (int32_t rank = 0; rank < crowd->count; rank++)
        latest_before = fmax(latest_before, crowd->clocks[rank]);
    exchange_around(crowd, exact, costs);
    for (int32_t rank = 0; rank < crowd->count; rank++)
        latest = fmax(latest, crowd->clocks[rank]);
    for (int32_t rank = 0; rank < crowd->count && rounds > exact; rank++)
        crowd->clocks[rank] += (latest - latest_before) * (rounds - exact);
}

static void tree(struct crowd *crowd, const struct activity *activity)
{
    int32_t ranks = crowd->count;
    struct message_cost costs[network_DISTANCES];
    crowd_message_costs(crowd, activity->bytes, costs);
    bool is_broadcast = activity->kind == activity_BROADCAST;
    for (int32_t i = 0; i < ranks; i++) {
        int64_t own = is_broadcast ? i : ranks - 1 - i, bit = 1;
        int32_t rank = (int32_t)((own + activity->partner) % ranks);
        while (bit < ranks && !(own & bit))
            bit *= 2;
        if (is_broadcast) {
            for (int64_t child = bit / 2; child >= 1; child /= 2)
                if (own + child < ranks)
                    pass(crowd, rank, (int32_t)((own + child + activity->partner) % ranks), costs);
        } else {
            for (int64_t child = 1; child < bit; child *= 2)
                if (own + child < ranks)
                    pass(crowd, (int32_t)((own + child + activity->partner) % ranks), rank, costs);
        }
    }
}

void pattern_apply(struct crowd *crowd, const struct activity *activity)
{
    switch (activity->kind) {
    case activity_BARRIER:
        barrier(crowd);
        return;
    case activity_ALLREDUCE:
        allreduce(crowd, activity->bytes);
        return;
    case activity_ALLTOALL:
        alltoall(crowd, activity->bytes);
        return;
    case activity_HALO:
        halo_apply(crowd, activity);
        return;
    case activity_WAVEFRONT:
        wavefront_apply(crowd, activity);
        return;
    default: /* broadcast and reduce */
        tree(crowd, activity);
    }
}
