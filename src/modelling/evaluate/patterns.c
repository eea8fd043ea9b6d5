/* Patterns of all ranks, on their clocks: the same times as their sends and receives (activity_expand), in a
   fraction of the work.

   Each function below moves crowd->clocks and adds to crowd->busy what the processor did; what is left of the
   time that passed was waiting. */
#include "modelling/evaluate/crowd.h"

#include <math.h>
#include <string.h>

static const struct network_region *region_of(const struct crowd *crowd, int32_t from, int32_t to,
                                              double bytes)
{
    return network_region(crowd->network, network_between(crowd->network, from, to), bytes);
}

/* A blocking message from one rank to another, both of whose clocks stand where it begins. */
static void pass(struct crowd *crowd, int32_t from, int32_t to, double bytes)
{
    const struct network_region *region = region_of(crowd, from, to, bytes);
    double begun = crowd->clocks[from], ready = crowd->clocks[to],
           send_busy = network_send_busy(region, bytes), receive_busy = network_receive_busy(region, bytes),
           left;
    if (region->is_rendezvous) {
        left = network_agreed(region, bytes, begun, ready);
        crowd->clocks[from] = fmax(left, begun + send_busy);
        crowd->busy[from] +=
            send_busy + fmin(region->send_per_byte * bytes, crowd->clocks[from] - begun - send_busy);
    } else {
        left = network_left(region, bytes, begun);
        crowd->clocks[from] = begun + send_busy;
        crowd->busy[from] += send_busy;
    }
    crowd->clocks[to] = fmax(ready, network_arrival(region, bytes, left)) + receive_busy;
    crowd->busy[to] += receive_busy;
    crowd->messages++;
}

/* isend, receive, wait of all ranks below `count` at once; partners by a function. */
typedef int32_t partner_function(int32_t rank, int32_t count, int32_t step, bool is_receive);

static void exchange(struct crowd *crowd, int32_t count, int32_t step, partner_function *partner,
                     double bytes)
{
    double *begun = crowd->room[0], *ready = crowd->room[1], *free_at = crowd->room[2];
    for (int32_t rank = 0; rank < count; rank++) {
        const struct network_region *region =
            region_of(crowd, rank, partner(rank, count, step, false), bytes);
        double busy = network_send_busy(region, bytes);
        begun[rank] = crowd->clocks[rank];
        ready[rank] = begun[rank] + busy;
        crowd->busy[rank] += busy;
    }
    for (int32_t rank = 0; rank < count; rank++) {
        int32_t from = partner(rank, count, step, true);
        const struct network_region *region = region_of(crowd, from, rank, bytes);
        double left = region->is_rendezvous ? network_agreed(region, bytes, begun[from], ready[rank])
                                            : network_left(region, bytes, begun[from]);
        double busy = network_receive_busy(region, bytes);
        free_at[from] = region->is_rendezvous ? left : ready[from];
        crowd->clocks[rank] = fmax(ready[rank], network_arrival(region, bytes, left)) + busy;
        crowd->busy[rank] += busy;
    }
    for (int32_t rank = 0; rank < count; rank++)
        crowd->clocks[rank] = fmax(crowd->clocks[rank], free_at[rank]);
    crowd->messages += (uint64_t)count;
}

static int32_t around(int32_t rank, int32_t count, int32_t step, bool is_receive)
{
    return (int32_t)(((int64_t)rank + (is_receive ? -step : step) + count) % count);
}

static int32_t across(int32_t rank, int32_t count, int32_t step, bool is_receive)
{
    (void)count, (void)is_receive;
    return rank ^ step;
}

static void barrier(struct crowd *crowd)
{
    for (int64_t step = 1; step < crowd->count; step *= 2)
        exchange(crowd, crowd->count, (int32_t)step, around, 0);
}

static void allreduce(struct crowd *crowd, double bytes)
{
    int32_t core = 1;
    while (core <= crowd->count / 2)
        core *= 2;
    for (int32_t rank = core; rank < crowd->count; rank++)
        pass(crowd, rank, rank - core, bytes);
    for (int32_t bit = 1; bit < core; bit *= 2)
        exchange(crowd, core, bit, across, bytes);
    for (int32_t rank = core; rank < crowd->count; rank++)
        pass(crowd, rank - core, rank, bytes);
}

/* All to all has as many rounds as ranks.  Beyond some thousand ranks the rounds settle: each takes as long
   as the one before, but for ranks that wait for others at the beginning; then the rest is multiplied. */
static void alltoall(struct crowd *crowd, double bytes)
{
    enum { EXACT = 2048 };
    int32_t rounds = crowd->count - 1, exact = rounds < EXACT ? rounds : EXACT;
    for (int32_t step = 1; step < exact; step++)
        exchange(crowd, crowd->count, step, around, bytes);
    if (rounds < 1)
        return;
    double latest = -INFINITY, latest_before = -INFINITY;
    for (int32_t rank = 0; rank < crowd->count; rank++)
        latest_before = fmax(latest_before, crowd->clocks[rank]);
    exchange(crowd, crowd->count, exact, around, bytes);
    for (int32_t rank = 0; rank < crowd->count; rank++)
        latest = fmax(latest, crowd->clocks[rank]);
    for (int32_t rank = 0; rank < crowd->count && rounds > exact; rank++)
        crowd->clocks[rank] += (latest - latest_before) * (rounds - exact);
}

static void tree(struct crowd *crowd, const struct activity *activity)
{
    int32_t ranks = crowd->count;
    bool is_broadcast = activity->kind == activity_BROADCAST;
    for (int32_t i = 0; i < ranks; i++) {
        int64_t own = is_broadcast ? i : ranks - 1 - i, bit = 1;
        int32_t rank = (int32_t)((own + activity->partner) % ranks);
        while (bit < ranks && !(own & bit))
            bit *= 2;
        if (is_broadcast) {
            for (int64_t child = bit / 2; child >= 1; child /= 2)
                if (own + child < ranks)
                    pass(crowd, rank, (int32_t)((own + child + activity->partner) % ranks), activity->bytes);
        } else {
            for (int64_t child = 1; child < bit; child *= 2)
                if (own + child < ranks)
                    pass(crowd, (int32_t)((own + child + activity->partner) % ranks), rank, activity->bytes);
        }
    }
}

/* When the k-th send of a halo exchange begins: after those to the neighbours before. */
static double send_begins(const struct crowd *crowd, const struct activity *activity, int32_t rank,
                          unsigned direction)
{
    double begins = crowd->room[0][rank];
    for (unsigned i = 0; i < direction; i++) {
        int32_t other =
            activity_neighbour(activity, rank, activity_directions[i][0], activity_directions[i][1]);
        double bytes = i < 2 ? activity->bytes : activity->other_bytes;
        if (other >= 0)
            begins += network_send_busy(region_of(crowd, rank, other, bytes), bytes);
    }
    return begins;
}

/* When the message to this neighbour leaves: a rendezvous needs the neighbour's receive, begun with its halo.
 */
static double halo_leaves(const struct crowd *crowd, const struct activity *activity, int32_t rank,
                          int32_t other, unsigned direction, double bytes)
{
    const struct network_region *region = region_of(crowd, rank, other, bytes);
    double begins = send_begins(crowd, activity, rank, direction);
    return region->is_rendezvous ? network_agreed(region, bytes, begins, crowd->room[0][other])
                                 : network_left(region, bytes, begins);
}

static void halo(struct crowd *crowd, const struct activity *activity)
{
    memcpy(crowd->room[0], crowd->clocks, (size_t)crowd->count * sizeof *crowd->clocks);
    for (int32_t rank = 0; rank < crowd->count; rank++) {
        double now = send_begins(crowd, activity, rank, 4);
        crowd->busy[rank] += now - crowd->clocks[rank];
        for (unsigned i = 0; i < 4; i++) {
            int32_t other =
                activity_neighbour(activity, rank, activity_directions[i][0], activity_directions[i][1]);
            double bytes = i < 2 ? activity->bytes : activity->other_bytes;
            if (other < 0)
                continue;
            const struct network_region *region = region_of(crowd, other, rank, bytes);
            double arrival =
                network_arrival(region, bytes, halo_leaves(crowd, activity, other, rank, i ^ 1, bytes));
            now = fmax(now, arrival) + network_receive_busy(region, bytes);
            crowd->busy[rank] += network_receive_busy(region, bytes);
            crowd->messages++;
        }
        for (unsigned i = 0; i < 4; i++) {
            int32_t other =
                activity_neighbour(activity, rank, activity_directions[i][0], activity_directions[i][1]);
            double bytes = i < 2 ? activity->bytes : activity->other_bytes;
            if (other >= 0 && region_of(crowd, rank, other, bytes)->is_rendezvous)
                now = fmax(now, halo_leaves(crowd, activity, rank, other, i, bytes));
        }
        crowd->clocks[rank] = now;
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
        halo(crowd, activity);
        return;
    case activity_WAVEFRONT:
        wavefront_apply(crowd, activity);
        return;
    default: /* broadcast and reduce */
        tree(crowd, activity);
    }
}
