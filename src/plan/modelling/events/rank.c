/* What a rank does with an activity: its clock moves, or it waits for another rank.

   Times follow the rules of network.h. Every second of a rank's clock belongs to a cause and a kind:
   overheads are SEND, what passes beyond them WAIT. */
#include "plan/modelling/events/events.h"

#include <math.h>
#include <string.h>

enum { TURN = 256, TILES = 8 };      /* activities in a row; tiles, or rounds, that are expanded at once */
enum { MOST_MESSAGES = 1000000000 }; /* of one pattern: ten minutes */

/* Numbers from 0 to 1 (both excluded): splitmix64. */
static double draw(uint64_t *random)
{
    uint64_t mixed = *random += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    return ((double)(mixed >> 11) + 0.5) * 0x1p-53;
}

/* Mean 1: pareto with shape 2.5, whose long interruptions are rare and long. */
static double draw_length(const char *distribution, uint64_t *random)
{
    return *distribution == 'f'   ? 1
           : *distribution == 'e' ? -log(draw(random))
                                  : 0.6 * pow(draw(random), -1 / 2.5);
}

static double event_compute_seconds(const struct network *network, int32_t rank, double seconds,
                                    uint64_t *random)
{
    if (!network)
        return seconds;
    seconds /= network_speed(network, rank);
    if (!network->noise_distribution || !(network->noise_rate > 0))
        return seconds;
    double noise = 0, expected = network->noise_rate * seconds;
    if (expected > 1000) /* so many that only their mean is left */
        return seconds + expected * network->noise_seconds;
    for (double at = -log(draw(random)); at < expected; at -= log(draw(random)))
        noise += network->noise_seconds * draw_length(network->noise_distribution, random);
    return seconds + noise;
}

static void spend(struct events *events, int32_t rank, uint32_t cause, enum evaluated_kind kind,
                  double seconds)
{
    events->seconds[((size_t)rank * events->cause_count + cause) * evaluated_KINDS + kind] += seconds;
    events->ranks[rank].clock += seconds;
}

/* To a time, if it is later: waiting, the last `busy` seconds of it overhead. */
static void pass_until(struct events *events, int32_t rank, uint32_t cause, double time, double busy)
{
    double wait = time - busy - events->ranks[rank].clock;
    if (wait > 0)
        spend(events, rank, cause, evaluated_WAIT, wait);
    spend(events, rank, cause, evaluated_SEND, busy);
}

static const struct network_region *region_of(const struct events *events, int32_t sender, int32_t receiver,
                                              double bytes)
{
    return network_region(events->network, network_between(events->network, sender, receiver), bytes);
}

static bool is_flow(const struct events *events, int32_t sender, int32_t receiver)
{
    return events->flows && network_between(events->network, sender, receiver) == distance_FAR;
}

static void wake(struct events *events, int32_t rank)
{
    events->ranks[rank].state = event_READY;
    event_order_add(&events->order, events->ranks[rank].clock, rank, events->ranks[rank].ticket);
}

/* One side learns when it is done: a request is marked, a blocked rank goes on. */
void event_rank_settle(struct events *events, const struct event_side *side,
                       const struct network_region *region, double time, bool is_own)
{
    struct event_rank *rank = &events->ranks[side->rank];
    if (side->request >= 0) {
        for (size_t i = 0; i < rank->requests.count; i++) {
            struct event_request *request = ARRAY_AT(struct event_request, &rank->requests, i);
            if (request->number == side->request && !request->is_known) {
                request->is_known = true;
                request->time = time;
                request->bytes = side->bytes;
                request->region = region;
                break;
            }
        }
        if (rank->state == event_WAITING)
            wake(events, side->rank);
        return;
    }
    uint32_t cause = rank->activity.cause;
    if (side->is_send)
        pass_until(events, side->rank, cause, time,
                   fmin(region->send_per_byte * side->bytes, fmax(0, time - rank->clock)));
    else {
        double busy = network_receive_busy(region, side->bytes);
        pass_until(events, side->rank, cause, fmax(rank->clock, time) + busy, busy);
    }
    if (!is_own)
        wake(events, side->rank);
}

/* Both sides are there.  Returns whether the message is, too, as far as it is known now. */
static bool meet(struct events *events, const struct event_side *send, const struct event_side *receive,
                 bool is_sender)
{
    const struct network_region *region = region_of(events, send->rank, receive->rank, send->bytes);
    double left = send->left, arrival;
    int32_t flight = send->flight;
    struct event_side arrived = *receive;
    arrived.bytes = send->bytes;
    events->messages++;
    if (receive->request < 0)
        walker_told(events->ranks[receive->rank].walker, send->rank, send->value);
    if (region->is_rendezvous) {
        left = network_agreed(region, send->bytes, send->begun, receive->begun);
        event_rank_settle(events, send, region,
                          fmax(left, send->begun + network_send_busy(region, send->bytes)), is_sender);
        if (is_flow(events, send->rank, receive->rank))
            flight = 1 + event_flow_leave(events, send->rank, receive->rank, send->bytes, left);
    }
    if (!flight)
        arrival = network_arrival(region, send->bytes, left);
    else if (!event_flow_receive(events, flight - 1, &arrived, region, &arrival))
        return false;
    event_rank_settle(events, &arrived, region, arrival, !is_sender);
    return true;
}

/* Returns whether the rank goes on. */
static bool begin_send(struct events *events, int32_t rank, const struct activity *activity)
{
    struct event_rank *own = &events->ranks[rank];
    const struct network_region *region = region_of(events, rank, activity->partner, activity->bytes);
    bool is_blocking = activity->kind == activity_SEND;
    struct event_side side = {.begun = own->clock,
                              .left = network_left(region, activity->bytes, own->clock),
                              .bytes = activity->bytes,
                              .value = activity->value,
                              .rank = rank,
                              .request = is_blocking ? -1 : activity->request,
                              .line = activity->line,
                              .is_send = true},
                      other;
    if (!is_blocking)
        *(struct event_request *)array_add(&own->requests) =
            (struct event_request){.number = activity->request,
                                   .is_send = true,
                                   .is_known = !region->is_rendezvous,
                                   .region = region};
    if (!region->is_rendezvous && is_flow(events, rank, activity->partner))
        side.flight = 1 + event_flow_leave(events, rank, activity->partner, activity->bytes, side.left);
    spend(events, rank, activity->cause, evaluated_SEND, network_send_busy(region, activity->bytes));
    own->activity = *activity;
    if (event_match_meet(&events->match, rank, activity->partner, activity->tag, &side, &other)) {
        meet(events, &side, &other, true);
        return true;
    }
    double there = region->is_rendezvous ? side.begun + region->overhead_send
                   : side.flight         ? NAN
                                         : network_arrival(region, side.bytes, side.left);
    event_any_sent(events, &side, activity->partner, activity->tag, there);
    if (is_blocking && region->is_rendezvous)
        own->state = event_SENDING;
    return own->state == event_READY;
}

static bool begin_receive(struct events *events, int32_t rank, const struct activity *activity)
{
    struct event_rank *own = &events->ranks[rank];
    bool is_blocking = activity->kind == activity_RECEIVE;
    int32_t sender = activity->partner;
    if (sender == ACTIVITY_ANY && !event_any_choose(events, rank, activity, &sender))
        return false;
    struct event_side side = {.begun = own->clock,
                              .bytes = activity->bytes,
                              .rank = rank,
                              .request = is_blocking ? -1 : activity->request,
                              .line = activity->line},
                      other;
    if (!is_blocking)
        *(struct event_request *)array_add(&own->requests) =
            (struct event_request){.number = activity->request, .bytes = activity->bytes};
    own->activity = *activity;
    own->activity.partner = sender;
    if (event_match_meet(&events->match, sender, rank, activity->tag, &side, &other)) {
        event_any_taken(events, rank, sender, activity->tag);
        if (meet(events, &other, &side, false))
            return true;
    }
    if (is_blocking)
        own->state = event_RECEIVING;
    return !is_blocking;
}

static void finish(struct events *events, int32_t rank, const struct activity *activity,
                   const struct event_request *request)
{
    double clock = events->ranks[rank].clock;
    double busy = request->is_send ? 0 : network_receive_busy(request->region, request->bytes);
    pass_until(events, rank, activity->cause, fmax(clock, request->time) + busy, busy);
}

static bool begin_wait(struct events *events, int32_t rank, const struct activity *activity)
{
    struct event_rank *own = &events->ranks[rank];
    for (size_t i = 0; i < own->requests.count;) {
        struct event_request *request = ARRAY_AT(struct event_request, &own->requests, i);
        if (activity->request >= 0 && request->number != activity->request) {
            i++;
            continue;
        }
        if (!request->is_known) {
            own->state = event_WAITING;
            own->activity = *activity;
            own->has_activity = true;
            return false;
        }
        finish(events, rank, activity, request);
        memmove(request, request + 1, (own->requests.count - i - 1) * sizeof *request);
        own->requests.count--;
        if (activity->request >= 0)
            return true;
    }
    if (activity->request >= 0)
        error_set(events->error, NULL, "line %u: rank %d waits for request %d, which was not begun",
                  activity->line, rank, activity->request);
    return activity->request < 0;
}

/* Ranks come to a shared disc in the order of their clocks: whoever is not the earliest gives way first. */
static bool use_disc(struct events *events, int32_t rank, const struct activity *activity)
{
    struct event_rank *own = &events->ranks[rank];
    const struct network *network = events->network;
    double begin = own->clock, took = network_disc_seconds(network, activity->bytes);
    if (network->is_disc_shared && events->order.turns.count &&
        event_order_first(&events->order)->time < own->clock) {
        own->activity = *activity;
        own->has_activity = true;
        event_order_add(&events->order, own->clock, rank, own->ticket);
        return false;
    }
    if (network->is_disc_shared) {
        begin = fmax(begin, events->disc_free);
        events->disc_free = begin + took;
    }
    spend(events, rank, activity->cause, evaluated_DISC, begin + took - own->clock);
    return true;
}

/* The first piece of an exchange of all with all, which is as many messages as there are pairs of ranks. */
static bool begin_rounds(struct events *events, struct activity *activity)
{
    double ranks = events->rank_count, messages = ranks * (ranks - 1);
    if (activity->tiles)
        return true;
    activity->tiles = events->rank_count - 1;
    return messages <= MOST_MESSAGES ||
           error_set(
               events->error, NULL,
               "line %u: an alltoall among %d ranks is %.3g messages; --events follows each of them, and "
               "%d at most. Without --events a formula answers",
               activity->line, events->rank_count, messages, MOST_MESSAGES);
}

static bool next_activity(struct events *events, int32_t rank, struct activity *activity)
{
    struct event_rank *own = &events->ranks[rank];
    for (;;) {
        if (own->has_activity) {
            *activity = own->activity;
            own->has_activity = false;
            return true;
        }
        if (own->next_part < own->parts.count) {
            *activity = *ARRAY_AT(struct activity, &own->parts, own->next_part++);
            return true;
        }
        if (own->pattern.tiles > 0) {
            *activity = own->pattern;
        } else {
            if (!walker_next(own->walker, activity, events->error))
                return false;
            events->activities++;
            own->within = activity->kind;
            if (activity->kind < activity_BARRIER || activity->kind > activity_WAVEFRONT)
                return true;
        }
        if (activity->kind == activity_ALLTOALL && !begin_rounds(events, activity))
            return false;
        /* Tiles of a wavefront are all alike, and so are rounds: a few at a time will do. */
        own->pattern.tiles = 0;
        if (activity->tiles > TILES) {
            own->pattern = *activity;
            own->pattern.tiles -= TILES;
            own->pattern.rounds_before += TILES;
            activity->tiles = TILES;
        }
        size_t before = own->parts.capacity;
        own->parts.count = own->next_part = 0;
        activity_expand(activity, rank, events->rank_count, &own->parts);
        events->pattern_bytes += (own->parts.capacity - before) * own->parts.width;
    }
}

/* Interruptions and slow nodes are about computing. */
static void spend_seconds(struct events *events, int32_t rank, const struct activity *activity,
                          uint64_t *random)
{
    enum evaluated_kind kind = evaluated_kind_of(events->model, activity->cause);
    spend(events, rank, activity->cause, kind,
          kind == evaluated_COMPUTE ? event_compute_seconds(events->network, rank, activity->seconds, random)
                                    : activity->seconds);
}

bool event_rank_go_on(struct events *events, int32_t rank)
{
    struct event_rank *own = &events->ranks[rank];
    /* Flows must leave in order, so ranks do not run ahead of them. */
    for (unsigned i = 0; i < (events->flows ? 1 : TURN); i++) {
        struct activity activity;
        bool goes_on = true;
        if (!next_activity(events, rank, &activity))
            return false;
        if (!events->network && activity.kind != activity_COMPUTE && activity.kind != activity_END)
            return error_set(events->error, NULL,
                             "line %u: the model sends messages or uses the disc, so it needs a network",
                             activity.line);
        switch (activity.kind) {
        case activity_COMPUTE:
            spend_seconds(events, rank, &activity, &own->random);
            break;
        case activity_SEND:
        case activity_ISEND:
            goes_on = begin_send(events, rank, &activity);
            break;
        case activity_RECEIVE:
        case activity_IRECEIVE:
            goes_on = begin_receive(events, rank, &activity);
            break;
        case activity_WAIT:
            goes_on = begin_wait(events, rank, &activity);
            break;
        case activity_READ:
        case activity_WRITE:
            goes_on = use_disc(events, rank, &activity);
            break;
        default:
            own->state = event_ENDED;
            return true;
        }
        if (!goes_on)
            return !events->error->set;
    }
    event_order_add(&events->order, own->clock, rank, own->ticket);
    return true;
}
