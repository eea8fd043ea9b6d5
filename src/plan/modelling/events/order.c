/* A heap of ranks by their clocks, and of flows by when they leave. */
#include "plan/modelling/events/events.h"

static bool is_before(struct event_turn left, struct event_turn right)
{
    return left.time < right.time || (left.time == right.time && left.rank < right.rank);
}

void event_order_add(struct event_order *order, double time, int32_t rank, uint32_t ticket)
{
    struct event_turn turn = {time, rank, ticket};
    size_t place = order->turns.count;
    array_push(&order->turns);
    struct event_turn *turns = order->turns.data;
    for (size_t above; place && is_before(turn, turns[above = (place - 1) / 2]); place = above)
        turns[place] = turns[above];
    turns[place] = turn;
}

struct event_turn event_order_take(struct event_order *order)
{
    struct event_turn *turns = order->turns.data, first = turns[0], last = turns[--order->turns.count];
    size_t place = 0, count = order->turns.count;
    for (size_t below; (below = 2 * place + 1) < count; place = below) {
        below += below + 1 < count && is_before(turns[below + 1], turns[below]);
        if (!is_before(turns[below], last))
            break;
        turns[place] = turns[below];
    }
    turns[place] = last;
    return first;
}
