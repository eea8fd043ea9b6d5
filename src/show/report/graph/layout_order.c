/* Order of the vertices of each layer.

   A search in depth gives the first order, which draws trees without crossings.  Then each layer is sorted by
   the mean place of what its vertices are linked with, downwards and upwards in turn; the order with the
   fewest crossings stays. */
#include "show/report/graph/layout_level.h"

#include <stdlib.h>
#include <string.h>

static void index_segments(struct level *level)
{
    size_t vertices = level->vertices.count, count = level->segments.count;
    level->upper_starts = memory_get((vertices + 2) * sizeof *level->upper_starts);
    level->lower_starts = memory_get((vertices + 2) * sizeof *level->lower_starts);
    level->upper = memory_get((count + 1) * sizeof *level->upper);
    level->lower = memory_get((count + 1) * sizeof *level->lower);
    for (size_t i = 0; i < count; i++) {
        level->upper_starts[level_segment(level, i)->lower + 2]++;
        level->lower_starts[level_segment(level, i)->upper + 2]++;
    }
    for (size_t i = 2; i < vertices + 2; i++) {
        level->upper_starts[i] += level->upper_starts[i - 1];
        level->lower_starts[i] += level->lower_starts[i - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        level->upper[level->upper_starts[level_segment(level, i)->lower + 1]++] = i;
        level->lower[level->lower_starts[level_segment(level, i)->upper + 1]++] = i;
    }
}

static void place(struct level *level, uint32_t *filled, uint32_t at)
{
    struct vertex *it = level_vertex(level, at);
    it->position = filled[it->layer]++;
    level->order[level->layer_starts[it->layer] + it->position] = at;
}

/* By a search in depth along segments. */
static void order_first(struct level *level)
{
    size_t count = level->vertices.count;
    autofree uint32_t *filled = memory_get((level->layer_count + 1) * sizeof *filled);
    autofree uint32_t *stack = memory_get((count + 1) * sizeof *stack),
                      *next = memory_get((count + 1) * sizeof *next);
    autofree bool *is_seen = memory_get(count + 1);
    for (uint32_t root = 0; root < 2 * count; root++) {
        uint32_t at = (uint32_t)(root % count), depth = 0;
        bool is_top = level->upper_starts[at] == level->upper_starts[at + 1];
        if (is_seen[at] || (root < count && !is_top))
            continue;
        is_seen[at] = true;
        place(level, filled, at);
        next[at] = level->lower_starts[at];
        stack[depth++] = at;
        while (depth) {
            at = stack[depth - 1];
            if (next[at] == level->lower_starts[at + 1]) {
                depth--;
                continue;
            }
            uint32_t below = level_segment(level, level->lower[next[at]++])->lower;
            if (is_seen[below])
                continue;
            is_seen[below] = true;
            place(level, filled, below);
            next[below] = level->lower_starts[below];
            stack[depth++] = below;
        }
    }
}

struct wish {
    double value;
    uint32_t vertex, position;
};

static int compare_wishes(const void *left, const void *right)
{
    const struct wish *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

static double place_at(const struct vertex *vertex, double offset)
{
    return vertex->position + 0.9 * offset / (vertex->width + 1);
}

static double mean_place(const struct level *level, uint32_t at, bool is_downwards)
{
    const uint32_t *starts = is_downwards ? level->upper_starts : level->lower_starts;
    const uint32_t *segments = is_downwards ? level->upper : level->lower;
    double sum = 0;
    for (uint32_t i = starts[at]; i < starts[at + 1]; i++) {
        const struct segment *segment = level_segment(level, segments[i]);
        sum += is_downwards ? place_at(level_vertex(level, segment->upper), segment->upper_offset)
                            : place_at(level_vertex(level, segment->lower), segment->lower_offset);
    }
    return starts[at] == starts[at + 1] ? level_vertex(level, at)->position
                                        : sum / (starts[at + 1] - starts[at]);
}

static void sort_layer(struct level *level, uint32_t layer, bool is_downwards, struct wish *wishes)
{
    uint32_t start = level->layer_starts[layer], count = level->layer_starts[layer + 1] - start;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = level->order[start + i];
        wishes[i] = (struct wish){mean_place(level, at, is_downwards), at, i};
    }
    qsort(wishes, count, sizeof *wishes, compare_wishes);
    for (uint32_t i = 0; i < count; i++) {
        level->order[start + i] = wishes[i].vertex;
        level_vertex(level, wishes[i].vertex)->position = i;
    }
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Crossings between a layer and the next: pairs of segments in the wrong order, by a tree of counts. */
static uint64_t count_between(const struct level *level, uint32_t layer, uint32_t *counts, uint32_t *ends)
{
    uint32_t below = level->layer_starts[layer + 2] - level->layer_starts[layer + 1];
    uint64_t crossings = 0, seen = 0;
    memset(counts, 0, (below + 1) * sizeof *counts);
    for (uint32_t i = level->layer_starts[layer]; i < level->layer_starts[layer + 1]; i++) {
        uint32_t at = level->order[i], many = 0;
        for (uint32_t j = level->lower_starts[at]; j < level->lower_starts[at + 1]; j++)
            ends[many++] = level_vertex(level, level_segment(level, level->lower[j])->lower)->position;
        qsort(ends, many, sizeof *ends, compare_numbers);
        for (uint32_t j = 0; j < many; j++) {
            uint64_t before = 0;
            for (uint32_t k = ends[j] + 1; k; k &= k - 1)
                before += counts[k];
            crossings += seen - before;
        }
        for (uint32_t j = 0; j < many; j++)
            for (uint32_t k = ends[j] + 1; k <= below; k += k & -k)
                counts[k]++;
        seen += many;
    }
    return crossings;
}

static uint64_t count_crossings(const struct level *level, uint32_t *counts, uint32_t *ends)
{
    uint64_t crossings = 0;
    for (uint32_t layer = 0; layer + 1 < level->layer_count; layer++)
        crossings += count_between(level, layer, counts, ends);
    return crossings;
}

static void improve(struct level *level)
{
    size_t count = level->vertices.count;
    autofree struct wish *wishes = memory_get((count + 1) * sizeof *wishes);
    autofree uint32_t *counts = memory_get((count + 2) * sizeof *counts),
                      *ends = memory_get((level->segments.count + 1) * sizeof *ends),
                      *best = memory_get((count + 1) * sizeof *best);
    memcpy(best, level->order, count * sizeof *best);
    uint64_t fewest = count_crossings(level, counts, ends);
    unsigned rounds = count > 20000 ? 4 : count > 3000 ? 8 : 24, idle = 0;
    for (unsigned round = 0; round < rounds && fewest && idle < 6; round++) {
        bool is_downwards = round % 2 == 0;
        for (uint32_t i = 1; i < level->layer_count; i++)
            sort_layer(level, is_downwards ? i : level->layer_count - 1 - i, is_downwards, wishes);
        uint64_t crossings = count_crossings(level, counts, ends);
        idle++;
        if (crossings < fewest) {
            fewest = crossings;
            memcpy(best, level->order, count * sizeof *best);
            idle = 0;
        }
    }
    memcpy(level->order, best, count * sizeof *best);
    for (uint32_t layer = 0; layer < level->layer_count; layer++)
        for (uint32_t i = level->layer_starts[layer]; i < level->layer_starts[layer + 1]; i++)
            level_vertex(level, level->order[i])->position = i - level->layer_starts[layer];
}

void level_make_order(struct level *level)
{
    index_segments(level);
    level->layer_starts = memory_get((level->layer_count + 2) * sizeof *level->layer_starts);
    level->order = memory_get((level->vertices.count + 1) * sizeof *level->order);
    for (size_t i = 0; i < level->vertices.count; i++)
        level->layer_starts[level_vertex(level, i)->layer + 1]++;
    for (uint32_t i = 0; i < level->layer_count; i++)
        level->layer_starts[i + 1] += level->layer_starts[i];
    order_first(level);
    improve(level);
}
