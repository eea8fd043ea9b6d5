/* See walk.h.  Steps are a tree: each knows the one before it. */
#include "run/ways/walk.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_STEPS = 1 << 16, LONGEST_WAY = 4096, NO_STEP = UINT32_MAX };

struct step {
    uint32_t node, before; /* before: a step, or NO_STEP */
    uint32_t length;
    unsigned walkers;
};

struct walking {
    const struct way_region *region;
    struct ways *ways;
    struct array steps; /* of struct step: those that are done, then those that wait */
    uint64_t chance;
};

/* The same numbers each time (xorshift). */
static double draw(struct walking *walking)
{
    walking->chance ^= walking->chance << 13;
    walking->chance ^= walking->chance >> 7;
    walking->chance ^= walking->chance << 17;
    return (double)(walking->chance >> 11) * 0x1p-53;
}

static void arrive(struct walking *walking, uint32_t step, unsigned walkers)
{
    struct ways *ways = walking->ways;
    uint32_t length = ARRAY_AT(struct step, &walking->steps, step)->length;
    struct way *way = array_add(&ways->all);
    *way = (struct way){.first = (uint32_t)ways->nodes.count, .count = length, .walkers = walkers};
    uint32_t *nodes = array_add_many(&ways->nodes, length);
    for (uint32_t at = length; at--;) {
        const struct step *row = ARRAY_AT(struct step, &walking->steps, step);
        nodes[at] = row->node;
        step = row->before;
    }
    ways->walkers += walkers;
}

static void go(struct walking *walking, uint32_t step, uint32_t to, unsigned walkers)
{
    uint32_t length = ARRAY_AT(struct step, &walking->steps, step)->length;
    if (!walkers || length >= LONGEST_WAY || walking->steps.count >= MOST_STEPS)
        return;
    if (to == WAY_END)
        arrive(walking, step, walkers);
    else
        *(struct step *)array_push(&walking->steps) =
            (struct step){.node = to, .before = step, .length = length + 1, .walkers = walkers};
}

/* Each edge gets the whole part of what it should have; who is left over chooses by the rest. */
static void part(struct walking *walking, uint32_t step)
{
    const struct step row = *ARRAY_AT(struct step, &walking->steps, step);
    const struct way_node *node = way_node(walking->region, row.node);
    uint32_t count = node->end - node->first;
    unsigned left = row.walkers;
    autofree unsigned *whole = memory_get((count + 1) * sizeof *whole);
    double rests = 0;
    for (uint32_t i = 0; i < count; i++) {
        double wanted = way_edge(walking->region, node->first + i)->share * row.walkers;
        whole[i] = (unsigned)fmin(floor(wanted + 1e-9), left);
        left -= whole[i];
        rests += fmax(0, wanted - whole[i]);
    }
    for (; left; left--) {
        double place = draw(walking) * rests;
        uint32_t chosen = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct way_edge *edge = way_edge(walking->region, node->first + i);
            double rest = fmax(0, edge->share * row.walkers - floor(edge->share * row.walkers + 1e-9));
            chosen = rest > 0 ? i : chosen;
            place -= rest;
            if (place < 0)
                break;
        }
        whole[chosen]++;
    }
    for (uint32_t i = 0; i < count; i++)
        go(walking, step, way_edge(walking->region, node->first + i)->to, whole[i]);
}

void ways_walk(struct ways *ways, const struct way_region *region)
{
    *ways = (struct ways){.all = ARRAY_OF(struct way), .nodes = ARRAY_OF(uint32_t)};
    struct walking walking = {
        .region = region, .ways = ways, .steps = ARRAY_OF(struct step), .chance = 0x9e3779b97f4a7c15};
    *(struct step *)array_push(&walking.steps) =
        (struct step){.node = region->entry, .before = NO_STEP, .length = 1, .walkers = WAY_WALKERS};
    for (uint32_t i = 0; i < walking.steps.count; i++)
        part(&walking, i);
    array_free(&walking.steps);
}

void ways_free(struct ways *ways)
{
    array_free(&ways->all);
    array_free(&ways->nodes);
}
