/* The order of points: by instruction; before it, after it, on its way; entry actions first, then by their
   order, and points without an action last.

   Points come subject by subject, in hundreds of thousands.  They are sorted by the bytes of their
   instruction (each round keeps the order of the one before), then the few points of each instruction among
   themselves. Only keys are sorted; the points themselves move once. */
#include "run/probe/window/parts.h"

#include <stdlib.h>
#include <string.h>

struct sorting_key {
    uint32_t instruction, order, number;
    uint8_t where, rank;
};

static int compare_keys(const struct sorting_key *x, const struct sorting_key *y)
{
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    if (x->where != y->where)
        return x->where < y->where ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_place(const void *a, const void *b)
{
    return compare_keys(a, b);
}

/* Entry actions come first; points without an action last. */
static uint8_t rank_of(const struct probe_point *point)
{
    return point->is_entry ? 0 : point->is_past_entry ? 2 : 1;
}

/* By the instruction; `other` has as many keys.  Gives the one of the two that is sorted. */
static struct sorting_key *sort_by_instruction(struct sorting_key *keys, struct sorting_key *other,
                                               uint32_t count)
{
    enum { ROUND_BITS = 11, PLACES = 1 << ROUND_BITS };
    for (unsigned shift = 0; shift < 32; shift += ROUND_BITS) {
        uint32_t starts[PLACES + 1] = {0};
        for (uint32_t i = 0; i < count; i++)
            starts[(keys[i].instruction >> shift) % PLACES + 1]++;
        for (unsigned i = 0; i < PLACES; i++)
            starts[i + 1] += starts[i];
        for (uint32_t i = 0; i < count; i++)
            other[starts[(keys[i].instruction >> shift) % PLACES]++] = keys[i];
        struct sorting_key *sorted = other;
        other = keys;
        keys = sorted;
    }
    return keys;
}

static void sort_keys(struct sorting_key **keys, struct sorting_key **other, uint32_t count)
{
    struct sorting_key *sorted = sort_by_instruction(*keys, *other, count);
    if (sorted != *keys) {
        *other = *keys;
        *keys = sorted;
    }
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sorted[end].instruction == sorted[first].instruction; end++)
            ;
        if (end - first > 1)
            qsort(sorted + first, end - first, sizeof *sorted, by_place);
    }
}

void windows_sort_points(struct array *points)
{
    uint32_t count = (uint32_t)points->count;
    struct sorting_key *keys = memory_get(count * sizeof *keys), *other = memory_get(count * sizeof *keys);
    const struct probe_point *all = points->data;
    bool is_sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (struct sorting_key){all[i].instruction, all[i].order, i, all[i].where, rank_of(&all[i])};
        is_sorted &= !i || compare_keys(&keys[i - 1], &keys[i]) < 0;
    }
    if (!is_sorted) {
        sort_keys(&keys, &other, count);
        struct array sorted = ARRAY_OF(struct probe_point);
        struct probe_point *to = array_push_many(&sorted, count);
        for (uint32_t i = 0; i < count; i++)
            to[i] = all[keys[i].number];
        array_free(points);
        *points = sorted;
    }
    free(keys);
    free(other);
}
