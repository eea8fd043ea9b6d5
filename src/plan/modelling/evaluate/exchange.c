/* Messages of all ranks at once, to partners that are equally far away: the rounds of collectives.

   On 65,536 ranks a single allreduce is a million messages, so what a message costs is looked up once for
   each distance, and the loops below do nothing but add and compare.  Where partners are further apart than a
   node has ranks, all messages of a round cost the same; only the first rounds ask where ranks are. */
#include "plan/modelling/evaluate/crowd.h"

#include <stdlib.h>
#include <string.h>

void crowd_message_costs(const struct crowd *crowd, double bytes,
                         struct message_cost costs[network_DISTANCES])
{
    for (unsigned i = 0; i < network_DISTANCES; i++) {
        const struct network_region *region = network_region(crowd->network, (enum network_distance)i, bytes);
        costs[i] = (struct message_cost){.busy = network_send_busy(region, bytes),
                                         .receive = network_receive_busy(region, bytes),
                                         .left = network_left(region, bytes, 0),
                                         .request = region->overhead_send,
                                         .agree = region->handshake + region->send_per_byte * bytes,
                                         .copy = region->send_per_byte * bytes,
                                         .transfer = network_arrival(region, bytes, 0),
                                         .is_rendezvous = region->is_rendezvous};
    }
}

static double later(double one, double other)
{
    return one > other ? one : other;
}

/* isend, receive, wait of two ranks with each other. */
static void swap(const struct message_cost *cost, double *restrict one, double *restrict other)
{
    double ready = *one + cost->busy, other_ready = *other + cost->busy;
    if (cost->is_rendezvous) {
        double left = message_left(cost, *one, other_ready), other_left = message_left(cost, *other, ready);
        *one = later(later(ready, other_left + cost->transfer) + cost->receive, left);
        *other = later(later(other_ready, left + cost->transfer) + cost->receive, other_left);
    } else {
        double there = *other + cost->left + cost->transfer, other_there = *one + cost->left + cost->transfer;
        *one = later(ready, there) + cost->receive;
        *other = later(other_ready, other_there) + cost->receive;
    }
}

/* The same for a row of ranks with the row after it, all equally far apart. */
static void swap_rows(const struct message_cost *cost, double *restrict ones, double *restrict others,
                      int32_t count)
{
    double busy = cost->busy, receive = cost->receive, way = cost->left + cost->transfer;
    if (cost->is_rendezvous) {
        for (int32_t i = 0; i < count; i++)
            swap(cost, &ones[i], &others[i]);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        double one = ones[i], other = others[i];
        ones[i] = later(one + busy, other + way) + receive;
        others[i] = later(other + busy, one + way) + receive;
    }
}

static void add_to_all(double *values, int32_t count, double value)
{
    for (int32_t i = 0; i < count; i++)
        values[i] += value;
}

void exchange_across(struct crowd *crowd, int32_t count, int32_t bit, const struct message_cost *costs)
{
    bool is_far = bit >= crowd->of_node;
    for (int32_t first = 0; first < count; first += 2 * bit) {
        double *ones = crowd->clocks + first, *others = ones + bit;
        if (is_far) {
            swap_rows(&costs[distance_FAR], ones, others, bit);
            continue;
        }
        for (int32_t i = first; i < first + bit; i++) {
            const struct message_cost *cost = &costs[crowd_distance(crowd, i, i + bit)];
            swap(cost, &crowd->clocks[i], &crowd->clocks[i + bit]);
            crowd->busy[i] += cost->busy + cost->receive;
            crowd->busy[i + bit] += cost->busy + cost->receive;
        }
    }
    if (is_far)
        add_to_all(crowd->busy, count, costs[distance_FAR].busy + costs[distance_FAR].receive);
    crowd->messages += (uint64_t)count;
}

/* A part of a ring whose senders are a row of ranks, too; no handshakes, all equally far apart. */
static void shift_row(const struct message_cost *cost, double *restrict clocks, const double *restrict own,
                      const double *restrict senders, int32_t count)
{
    double busy = cost->busy, receive = cost->receive, way = cost->left + cost->transfer;
    for (int32_t i = 0; i < count; i++)
        clocks[i] = later(own[i] + busy, senders[i] + way) + receive;
}

static int32_t in_ring(int64_t rank, int32_t count)
{
    return (int32_t)(rank >= count ? rank - count : rank < 0 ? rank + count : rank);
}

void exchange_around(struct crowd *crowd, int32_t step, const struct message_cost *costs)
{
    int32_t count = crowd->count, way_back = count - step;
    double *begun = crowd->room[0], *ready = crowd->room[1];
    memcpy(begun, crowd->clocks, (size_t)count * sizeof *begun);
    crowd->messages += (uint64_t)count;
    const struct message_cost *far = &costs[distance_FAR];
    if (step >= crowd->of_node && way_back >= crowd->of_node && !far->is_rendezvous) {
        shift_row(far, crowd->clocks, begun, begun + way_back, step);
        shift_row(far, crowd->clocks + step, begun + step, begun, way_back);
        add_to_all(crowd->busy, count, far->busy + far->receive);
        return;
    }
    for (int32_t rank = 0; rank < count; rank++) {
        const struct message_cost *cost =
            &costs[crowd_distance(crowd, rank, in_ring((int64_t)rank + step, count))];
        ready[rank] = begun[rank] + cost->busy;
        crowd->busy[rank] += cost->busy;
    }
    for (int32_t rank = 0; rank < count; rank++) {
        int32_t from = in_ring((int64_t)rank - step, count), to = in_ring((int64_t)rank + step, count);
        const struct message_cost *in = &costs[crowd_distance(crowd, from, rank)],
                                  *out = &costs[crowd_distance(crowd, rank, to)];
        double left = message_left(in, begun[from], ready[rank]);
        double end = later(ready[rank], left + in->transfer) + in->receive;
        crowd->clocks[rank] =
            out->is_rendezvous ? later(end, message_left(out, begun[rank], ready[to])) : end;
        crowd->busy[rank] += in->receive;
    }
}
