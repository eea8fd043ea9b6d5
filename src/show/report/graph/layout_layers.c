/* Layers of a level.

   Links that close a cycle are found by a search in depth, from where the level is entered, so that in a
   loop they are those back to its header.  Without them a vertex stands one layer below the lowest one that
   leads to it.  A layer that would be far wider than the level is high is continued in the next one: the
   cases of a large switch become several rows.

   A link over several layers has a lane in each layer that it passes.  Links to the same end share lanes.
   There is a limit on lanes: beyond it the longest links run straight, without a place of their own. */
#include "show/report/graph/layout_level.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LANES = 60000, LEAST_WIDTH = 1500, LANE_WIDTH = 2 };

/* Links by vertex. */
struct adjacency {
    uint32_t *starts, *links;
};

static struct adjacency links_by_source(const struct level *level)
{
    size_t count = level->vertices.count;
    struct adjacency by = {memory_get((count + 2) * sizeof *by.starts),
                           memory_get((level->links.count + 1) * sizeof *by.links)};
    for (size_t i = 0; i < level->links.count; i++)
        by.starts[level_link(level, i)->from + 2]++;
    for (size_t i = 2; i < count + 2; i++)
        by.starts[i] += by.starts[i - 1];
    for (uint32_t i = 0; i < level->links.count; i++)
        by.links[by.starts[level_link(level, i)->from + 1]++] = i;
    return by;
}

enum { UNSEEN, OPEN, DONE };

static void search_from(struct level *level, const struct adjacency *by, uint32_t root, uint8_t *states,
                        uint32_t *next, uint32_t *stack)
{
    if (states[root] != UNSEEN)
        return;
    uint32_t depth = 0;
    stack[depth++] = root;
    states[root] = OPEN;
    next[root] = by->starts[root];
    while (depth) {
        uint32_t at = stack[depth - 1];
        if (next[at] == by->starts[at + 1]) {
            states[at] = DONE;
            depth--;
            continue;
        }
        struct link *link = level_link(level, by->links[next[at]++]);
        if (states[link->to] == OPEN) {
            link->is_back = true;
        } else if (states[link->to] == UNSEEN) {
            states[link->to] = OPEN;
            next[link->to] = by->starts[link->to];
            stack[depth++] = link->to;
        }
    }
}

static void cut_cycles(struct level *level, const struct adjacency *by)
{
    size_t count = level->vertices.count;
    autofree uint8_t *states = memory_get(count + 1);
    autofree bool *has_source = memory_get(count + 1);
    autofree uint32_t *next = memory_get((count + 1) * sizeof *next),
                      *stack = memory_get((count + 1) * sizeof *stack);
    for (size_t i = 0; i < level->links.count; i++)
        has_source[level_link(level, i)->to] |= level_link(level, i)->from != level_link(level, i)->to;
    for (uint32_t i = 0; i < count; i++)
        if (!has_source[i])
            search_from(level, by, i, states, next, stack);
    for (uint32_t i = 0; i < count; i++)
        search_from(level, by, i, states, next, stack);
}

/* How wide layers may be: not much wider than the level is high. */
static double widest_layer(const struct level *level)
{
    double area = 0, widest = LEAST_WIDTH;
    for (size_t i = 0; i < level->vertices.count; i++) {
        const struct vertex *it = level_vertex(level, i);
        area += (it->width + BOX_SPACE) * (it->height + LAYER_SPACE);
        widest = fmax(widest, it->width);
    }
    return fmax(widest, 1.7 * sqrt(area));
}

/* Vertices such that links that go down lead to later ones; their layers. */
static uint32_t *choose_layers(struct level *level, const struct adjacency *by)
{
    size_t count = level->vertices.count, done = 0, found = 0;
    uint32_t *order = memory_get((count + 1) * sizeof *order),
             *waiting = memory_get((count + 1) * sizeof *waiting);
    double *used = memory_get((2 * count + 3) * sizeof *used), most = widest_layer(level);
    bool has_entries = count && level_vertex(level, 0)->kind == vertex_ENTRY;
    for (size_t i = 0; i < level->links.count; i++)
        waiting[level_link(level, i)->to] += !level_link(level, i)->is_back;
    for (uint32_t i = 0; i < count; i++) {
        struct vertex *it = level_vertex(level, i);
        it->layer = it->kind == vertex_ENTRY ? 0 : has_entries;
        if (!waiting[i])
            order[found++] = i;
    }
    while (done < found) {
        uint32_t at = order[done++];
        struct vertex *it = level_vertex(level, at);
        if (it->kind != vertex_ENTRY && it->kind != vertex_EXIT) {
            while (used[it->layer] > 0 && used[it->layer] + it->width > most)
                it->layer++;
            used[it->layer] += it->width + BOX_SPACE;
        }
        for (uint32_t i = by->starts[at]; i < by->starts[at + 1]; i++) {
            const struct link *link = level_link(level, by->links[i]);
            struct vertex *to = level_vertex(level, link->to);
            if (link->is_back)
                continue;
            if (to->layer <= it->layer)
                to->layer = it->layer + 1;
            if (!--waiting[link->to])
                order[found++] = link->to;
        }
    }
    free(waiting);
    free(used);
    return order;
}

/* What nothing leads to stands just above what it leads to. */
static void pull_down(struct level *level, const struct adjacency *by, const uint32_t *order)
{
    autofree bool *has_source = memory_get(level->vertices.count + 1);
    for (size_t i = 0; i < level->links.count; i++)
        has_source[level_link(level, i)->to] |= !level_link(level, i)->is_back;
    for (size_t i = level->vertices.count; i-- > 0;) {
        struct vertex *it = level_vertex(level, order[i]);
        uint32_t least = UINT32_MAX;
        for (uint32_t j = by->starts[order[i]]; j < by->starts[order[i] + 1]; j++) {
            const struct link *link = level_link(level, by->links[j]);
            if (!link->is_back && level_vertex(level, link->to)->layer < least)
                least = level_vertex(level, link->to)->layer;
        }
        if (!has_source[order[i]] && it->kind != vertex_ENTRY && least != UINT32_MAX)
            it->layer = least - 1;
    }
}

/* Exits are at the bottom. */
static void finish_layers(struct level *level)
{
    uint32_t last = 0;
    bool has_exits = false, has_others = false;
    for (size_t i = 0; i < level->vertices.count; i++) {
        const struct vertex *it = level_vertex(level, i);
        has_exits |= it->kind == vertex_EXIT;
        has_others |= it->kind != vertex_EXIT;
        if (it->kind != vertex_EXIT && it->layer > last)
            last = it->layer;
    }
    if (has_exits && has_others)
        last++;
    for (size_t i = 0; i < level->vertices.count; i++)
        if (level_vertex(level, i)->kind == vertex_EXIT)
            level_vertex(level, i)->layer = last;
    level->layer_count = level->vertices.count ? last + 1 : 0;
}

/* Links that have one end, and the layers that they pass. */
struct group {
    uint32_t link, count, first, last;
};

static int compare_ends(const void *left, const void *right)
{
    const struct link *a = *(struct link *const *)left, *b = *(struct link *const *)right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->to_port != b->to_port)
        return a->to_port < b->to_port ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int compare_lengths(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    uint32_t first = a->last - a->first, second = b->last - b->first;
    if (first != second)
        return first < second ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

/* Groups of the links that go back, or of those that pass layers downwards; shortest first. */
static struct array group_links(const struct level *level, bool is_back, struct link **sorted)
{
    struct array groups = ARRAY_OF(struct group);
    uint32_t count = 0;
    for (size_t i = 0; i < level->links.count; i++) {
        struct link *link = level_link(level, i);
        uint32_t from = level_vertex(level, link->from)->layer, to = level_vertex(level, link->to)->layer;
        if (link->is_back == is_back && (is_back || to > from + 1))
            sorted[count++] = link;
    }
    qsort(sorted, count, sizeof *sorted, compare_ends);
    for (uint32_t i = 0; i < count; i++) {
        const struct link *link = sorted[i];
        uint32_t from = level_vertex(level, link->from)->layer, to = level_vertex(level, link->to)->layer;
        struct group *last = groups.count ? ARRAY_AT(struct group, &groups, groups.count - 1) : NULL;
        if (!last || sorted[i - 1]->to != link->to || sorted[i - 1]->to_port != link->to_port) {
            last = array_add(&groups);
            *last =
                (struct group){.link = i, .first = is_back ? to : from + 1, .last = is_back ? from : to - 1};
        }
        last->count++;
        if (is_back && from > last->last)
            last->last = from;
        if (!is_back && from + 1 < last->first)
            last->first = from + 1;
    }
    if (groups.count)
        qsort(groups.data, groups.count, groups.width, compare_lengths);
    return groups;
}

static void add_lanes(struct level *level, struct link **sorted)
{
    struct array groups = group_links(level, false, sorted);
    size_t lanes = 0;
    for (size_t i = 0; i < groups.count; i++) {
        const struct group *group = ARRAY_AT(struct group, &groups, i);
        lanes += group->last - group->first + 1;
        if (lanes > MOST_LANES)
            break;
        int32_t chain = (int32_t)level->chains.count;
        *(struct chain *)array_add(&level->chains) =
            (struct chain){(uint32_t)level->vertices.count, group->first, group->last, 0};
        for (uint32_t layer = group->first; layer <= group->last; layer++)
            *(struct vertex *)array_add(&level->vertices) =
                (struct vertex){.kind = vertex_LANE, .width = LANE_WIDTH, .layer = layer};
        for (uint32_t j = 0; j < group->count; j++)
            sorted[group->link + j]->chain = chain;
    }
    array_free(&groups);
}

/* Links that go back have a track on the left, the shortest nearest to the boxes. */
static void choose_tracks(struct level *level, struct link **sorted)
{
    struct array groups = group_links(level, true, sorted);
    for (size_t i = 0; i < groups.count; i++) {
        const struct group *group = ARRAY_AT(struct group, &groups, i);
        uint32_t track = 0;
        for (size_t j = 0; j < i; j++) {
            const struct group *other = ARRAY_AT(struct group, &groups, j);
            uint32_t taken = sorted[other->link]->track;
            if (taken >= track && other->first <= group->last && group->first <= other->last)
                track = taken + 1;
        }
        for (uint32_t j = 0; j < group->count; j++)
            sorted[group->link + j]->track = track;
        if (track >= level->track_count)
            level->track_count = track + 1;
    }
    array_free(&groups);
}

static void add_segment(struct level *level, uint32_t upper, uint32_t lower, double weight, int32_t link,
                        bool is_start, bool is_end)
{
    const struct link *it = link == LAYOUT_NONE ? NULL : level_link(level, (size_t)link);
    struct segment *segment = array_add(&level->segments);
    *segment = (struct segment){.upper = upper,
                                .lower = lower,
                                .weight = weight,
                                .link = link,
                                .upper_offset = is_start ? it->from_offset : 0,
                                .lower_offset = is_end ? it->to_offset : 0,
                                .is_link_start = is_start,
                                .is_link_end = is_end};
}

static void add_segments(struct level *level)
{
    enum { PLAIN = 1, JOIN = 2, LANES = 8 };
    autofree bool *is_ended = memory_get(level->chains.count + 1);
    for (size_t i = 0; i < level->chains.count; i++) {
        const struct chain *chain = ARRAY_AT(struct chain, &level->chains, i);
        for (uint32_t j = 0; j < chain->last - chain->first; j++)
            add_segment(level, chain->first_lane + j, chain->first_lane + j + 1, LANES, LAYOUT_NONE, false,
                        false);
    }
    for (size_t i = 0; i < level->links.count; i++) {
        const struct link *link = level_link(level, i);
        uint32_t from = level_vertex(level, link->from)->layer, to = level_vertex(level, link->to)->layer;
        if (link->is_back)
            continue;
        if (to == from + 1) {
            add_segment(level, link->from, link->to, PLAIN, (int32_t)i, true, true);
            continue;
        }
        if (link->chain == LAYOUT_NONE)
            continue;
        const struct chain *chain = ARRAY_AT(struct chain, &level->chains, (size_t)link->chain);
        add_segment(level, link->from, chain->first_lane + from + 1 - chain->first, JOIN, (int32_t)i, true,
                    false);
        if (!is_ended[link->chain])
            add_segment(level, chain->first_lane + chain->last - chain->first, link->to, JOIN, (int32_t)i,
                        false, true);
        is_ended[link->chain] = true;
    }
}

void level_make_layers(struct level *level)
{
    for (size_t i = 0; i < level->links.count; i++)
        level_link(level, i)->chain = LAYOUT_NONE;
    struct adjacency by = links_by_source(level);
    cut_cycles(level, &by);
    autofree uint32_t *order = choose_layers(level, &by);
    pull_down(level, &by, order);
    free(by.starts);
    free(by.links);
    finish_layers(level);
    struct link **sorted = memory_get((level->links.count + 1) * sizeof(struct link *));
    add_lanes(level, sorted);
    choose_tracks(level, sorted);
    free(sorted);
    add_segments(level);
}
