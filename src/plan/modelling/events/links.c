/* See links.h. A heap has the next event of each flow: the end of its latency, or its end at the rate that it
 * has now. */
#include "plan/modelling/events/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct member { /* a flow on a link */
    int32_t flow;
    uint32_t step; /* of its route */
};

struct link {
    double bandwidth;
    struct array members; /* of struct member */
    double left, weight;  /* while rates are found: what is not given away; of whom that is */
    uint32_t unknown;     /* members without a rate */
    uint32_t seen;        /* the round of settling that looked at it */
    bool is_dirty;
};

struct flow {
    const struct links_route *route;
    uint32_t *places; /* by step of the route: its place among the link's members */
    uint32_t place_count, heap_place;
    double when;               /* its next event */
    double bytes, rate, since; /* bytes that were left then */
    double share;              /* of a link, beside others: 1 / latency */
    double found;              /* while rates are found; below 0: not yet */
    uint32_t seen;
    bool is_moving; /* its latency is over */
};

struct links {
    struct array links;              /* of struct link */
    struct array flows;              /* of struct flow */
    struct array heap;               /* of int32_t */
    struct array dirty;              /* of int32_t: links whose flows need new rates */
    struct array group, group_links; /* of int32_t: connected ones */
    uint32_t round;
};

static struct flow *flow_at(const struct links *links, int32_t number)
{
    return ARRAY_AT(struct flow, &links->flows, (size_t)number);
}

static struct link *link_at(const struct links *links, int32_t number)
{
    return ARRAY_AT(struct link, &links->links, (size_t)number);
}

struct links *links_begin(void)
{
    struct links *links = memory_get(sizeof *links);
    *links = (struct links){.links = ARRAY_OF(struct link),
                            .flows = ARRAY_OF(struct flow),
                            .heap = ARRAY_OF(int32_t),
                            .dirty = ARRAY_OF(int32_t),
                            .group = ARRAY_OF(int32_t),
                            .group_links = ARRAY_OF(int32_t)};
    return links;
}

void links_end(struct links *links)
{
    if (!links)
        return;
    for (size_t i = 0; i < links->links.count; i++)
        array_free(&ARRAY_AT(struct link, &links->links, i)->members);
    for (size_t i = 0; i < links->flows.count; i++)
        free(ARRAY_AT(struct flow, &links->flows, i)->places);
    array_free(&links->links);
    array_free(&links->flows);
    array_free(&links->heap);
    array_free(&links->dirty);
    array_free(&links->group);
    array_free(&links->group_links);
    free(links);
}

int32_t links_add(struct links *links, double bandwidth)
{
    *(struct link *)array_add(&links->links) =
        (struct link){.bandwidth = bandwidth, .members = ARRAY_OF(struct member)};
    return (int32_t)links->links.count - 1;
}

/* --- the heap --- */

static void put(struct links *links, size_t place, int32_t number)
{
    *ARRAY_AT(int32_t, &links->heap, place) = number;
    flow_at(links, number)->heap_place = (uint32_t)place;
}

static void rise(struct links *links, size_t place, int32_t number)
{
    double when = flow_at(links, number)->when;
    while (place) {
        size_t above = (place - 1) / 2;
        int32_t other = *ARRAY_AT(int32_t, &links->heap, above);
        if (flow_at(links, other)->when <= when)
            break;
        put(links, place, other);
        place = above;
    }
    put(links, place, number);
}

static void sink(struct links *links, size_t place, int32_t number)
{
    double when = flow_at(links, number)->when;
    size_t count = links->heap.count;
    const int32_t *heap = links->heap.data;
    for (size_t below; (below = 2 * place + 1) < count; place = below) {
        if (below + 1 < count && flow_at(links, heap[below + 1])->when < flow_at(links, heap[below])->when)
            below++;
        if (flow_at(links, heap[below])->when >= when)
            break;
        put(links, place, heap[below]);
    }
    put(links, place, number);
}

static void move(struct links *links, int32_t number, double when)
{
    struct flow *flow = flow_at(links, number);
    bool is_earlier = when < flow->when;
    flow->when = when;
    if (is_earlier)
        rise(links, flow->heap_place, number);
    else
        sink(links, flow->heap_place, number);
}

static int32_t take_first(struct links *links)
{
    int32_t first = *ARRAY_AT(int32_t, &links->heap, 0),
            last = *ARRAY_AT(int32_t, &links->heap, --links->heap.count);
    if (links->heap.count)
        sink(links, 0, last);
    return first;
}

/* --- who is on which link --- */

static void enter(struct links *links, int32_t number)
{
    struct flow *flow = flow_at(links, number);
    const int32_t *shared = flow->route->shared.data;
    for (uint32_t i = 0; i < flow->route->shared.count; i++) {
        struct array *members = &link_at(links, shared[i])->members;
        flow->places[i] = (uint32_t)members->count;
        *(struct member *)array_push(members) = (struct member){number, i};
    }
}

static void leave(struct links *links, int32_t number)
{
    struct flow *flow = flow_at(links, number);
    const int32_t *shared = flow->route->shared.data;
    for (uint32_t i = 0; i < flow->route->shared.count; i++) {
        struct array *members = &link_at(links, shared[i])->members;
        struct member last = *ARRAY_AT(struct member, members, --members->count);
        if (flow->places[i] < members->count) {
            *ARRAY_AT(struct member, members, flow->places[i]) = last;
            flow_at(links, last.flow)->places[last.step] = flow->places[i];
        }
    }
}

/* True: somebody else is on one of its links, and rates have to be found anew. */
static bool mark_shared(struct links *links, const struct flow *flow, size_t own)
{
    bool is_any = false;
    const int32_t *shared = flow->route->shared.data;
    for (size_t i = 0; i < flow->route->shared.count; i++) {
        struct link *link = link_at(links, shared[i]);
        if (link->members.count <= own)
            continue;
        is_any = true;
        if (!link->is_dirty)
            *(int32_t *)array_push(&links->dirty) = shared[i];
        link->is_dirty = true;
    }
    return is_any;
}

/* --- rates --- */

static void set_rate(struct links *links, int32_t number, double rate, double now)
{
    struct flow *flow = flow_at(links, number);
    if (rate == flow->rate)
        return;
    flow->bytes = fmax(0, flow->bytes - flow->rate * (now - flow->since));
    flow->since = now;
    flow->rate = rate;
    move(links, number, now + flow->bytes / rate);
}

/* All that is connected with a link by flows and their links. */
static void gather(struct links *links, int32_t first)
{
    links->group.count = links->group_links.count = 0;
    link_at(links, first)->seen = links->round;
    *(int32_t *)array_push(&links->group_links) = first;
    for (size_t i = 0; i < links->group_links.count; i++) {
        struct link *link = link_at(links, *ARRAY_AT(int32_t, &links->group_links, i));
        link->left = link->bandwidth;
        link->weight = 0;
        link->unknown = (uint32_t)link->members.count;
        for (size_t k = 0; k < link->members.count; k++) {
            int32_t number = ARRAY_AT(struct member, &link->members, k)->flow;
            struct flow *flow = flow_at(links, number);
            link->weight += flow->share;
            if (flow->seen == links->round)
                continue;
            flow->seen = links->round;
            flow->found = -1;
            *(int32_t *)array_push(&links->group) = number;
            const int32_t *shared = flow->route->shared.data;
            for (size_t step = 0; step < flow->route->shared.count; step++)
                if (link_at(links, shared[step])->seen != links->round) {
                    link_at(links, shared[step])->seen = links->round;
                    *(int32_t *)array_push(&links->group_links) = shared[step];
                }
        }
    }
}

static void give(struct links *links, struct flow *flow, double rate)
{
    const int32_t *shared = flow->route->shared.data;
    flow->found = rate;
    for (size_t step = 0; step < flow->route->shared.count; step++) {
        struct link *link = link_at(links, shared[step]);
        link->left = fmax(0, link->left - rate);
        link->weight -= flow->share;
        link->unknown--;
    }
}

static bool is_full(const struct links *links, const struct flow *flow, double level)
{
    const int32_t *shared = flow->route->shared.data;
    for (size_t step = 0; step < flow->route->shared.count; step++) {
        const struct link *link = link_at(links, shared[step]);
        if (link->left <= level * link->weight * (1 + 1e-9))
            return true;
    }
    return false;
}

/* Max-min: the link that has least for each share is given away, or flows get what they can take at most. */
static void find_rates(struct links *links)
{
    size_t unknown = links->group.count;
    while (unknown) {
        double level = INFINITY, lowest = INFINITY;
        for (size_t i = 0; i < links->group_links.count; i++) {
            const struct link *link = link_at(links, *ARRAY_AT(int32_t, &links->group_links, i));
            if (link->unknown)
                level = fmin(level, link->left / link->weight);
        }
        for (size_t i = 0; i < links->group.count; i++) {
            const struct flow *flow = flow_at(links, *ARRAY_AT(int32_t, &links->group, i));
            if (flow->found < 0)
                lowest = fmin(lowest, flow->route->bound / flow->share);
        }
        bool is_bound = lowest < level;
        size_t before = unknown;
        for (size_t i = 0; i < links->group.count; i++) {
            struct flow *flow = flow_at(links, *ARRAY_AT(int32_t, &links->group, i));
            if (flow->found >= 0 || !(is_bound ? flow->route->bound / flow->share <= lowest
                                               : flow->seen == links->round && is_full(links, flow, level)))
                continue;
            flow->seen = links->round - 1; /* chosen; given below, so that the level holds for all */
            unknown--;
        }
        for (size_t i = 0; i < links->group.count; i++) {
            struct flow *flow = flow_at(links, *ARRAY_AT(int32_t, &links->group, i));
            if (flow->found < 0 && (flow->seen != links->round || unknown == before))
                give(links, flow, is_bound ? flow->route->bound : level * flow->share);
        }
        if (unknown == before)
            return;
    }
}

static void settle(struct links *links, double now)
{
    if (!links->dirty.count)
        return;
    links->round += 2;
    for (size_t i = 0; i < links->dirty.count; i++) {
        int32_t number = *ARRAY_AT(int32_t, &links->dirty, i);
        link_at(links, number)->is_dirty = false;
        if (link_at(links, number)->seen == links->round)
            continue;
        gather(links, number);
        find_rates(links);
        for (size_t k = 0; k < links->group.count; k++) {
            int32_t flow = *ARRAY_AT(int32_t, &links->group, k);
            flow_at(links, flow)->seen = links->round;
            set_rate(links, flow, flow_at(links, flow)->found, now);
        }
    }
    links->dirty.count = 0;
}

/* --- */

void links_start(struct links *links, int32_t number, double now, double bytes,
                 const struct links_route *route)
{
    while ((size_t)number >= links->flows.count)
        array_add(&links->flows);
    struct flow *flow = flow_at(links, number);
    if (flow->place_count < route->shared.count) {
        free(flow->places);
        flow->place_count = (uint32_t)route->shared.count;
        flow->places = memory_get(flow->place_count * sizeof *flow->places);
    }
    flow->route = route;
    flow->bytes = bytes;
    flow->rate = 0;
    flow->share = route->latency > 0 ? 1 / route->latency : 1;
    flow->is_moving = false;
    flow->when = now + route->latency;
    array_push(&links->heap);
    rise(links, links->heap.count - 1, number);
}

static double alone(const struct links *links, const struct links_route *route)
{
    double rate = route->bound;
    const int32_t *shared = route->shared.data;
    for (size_t i = 0; i < route->shared.count; i++)
        rate = fmin(rate, link_at(links, shared[i])->bandwidth);
    return rate;
}

double links_next(struct links *links)
{
    return links->heap.count ? flow_at(links, *ARRAY_AT(int32_t, &links->heap, 0))->when : INFINITY;
}

void links_step(struct links *links, struct array *ended)
{
    double now = links_next(links);
    while (links_next(links) <= now) {
        int32_t number = *ARRAY_AT(int32_t, &links->heap, 0);
        struct flow *flow = flow_at(links, number);
        if (flow->is_moving) {
            take_first(links);
            leave(links, number);
            mark_shared(links, flow, 0);
            *(int32_t *)array_push(ended) = number;
            continue;
        }
        flow->is_moving = true;
        flow->since = now;
        enter(links, number);
        bool is_shared = mark_shared(links, flow, 1);
        flow->rate = alone(links, flow->route);
        move(links, number, fmax(now + flow->bytes / flow->rate, nextafter(now, INFINITY)));
        if (is_shared)
            flow->rate = 0;
    }
    settle(links, now);
}
