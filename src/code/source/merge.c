/* Merges the loops of a template and of its instances, which are at the same place in the text.

   A macro can also put several loops at one place, so a loop is identified by its place and by the number of
   loops before it there in the same function.  Instances have types, so the template itself does not count if
   there is one.  The instance with the most operations represents all of them. */
#include "code/source/count.h"

#include <stdlib.h>

struct key {
    const struct counted_loop *loop;
    uint32_t index;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_by_visit(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_numbers(a->loop->is_elsewhere, b->loop->is_elsewhere);
    if (!order)
        order = compare_numbers(a->loop->offset, b->loop->offset);
    if (!order)
        order = compare_numbers(a->loop->visit, b->loop->visit);
    return order ? order : compare_numbers(a->index, b->index);
}

static int compare_by_place(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_numbers(a->loop->is_elsewhere, b->loop->is_elsewhere);
    if (!order)
        order = compare_numbers(a->loop->offset, b->loop->offset);
    if (!order)
        order = compare_numbers(a->loop->ordinal, b->loop->ordinal);
    return order ? order : compare_numbers(a->index, b->index);
}

static bool is_same_place(const struct counted_loop *a, const struct counted_loop *b)
{
    return a->offset == b->offset && a->ordinal == b->ordinal && a->is_elsewhere == b->is_elsewhere;
}

static void merge(struct counted_loop *into, const struct counted_loop *from)
{
    if (from->is_dependent && !into->is_dependent)
        return;
    bool is_better = (into->is_dependent && !from->is_dependent) || from->loop.floating > into->loop.floating;
    if (!is_better)
        return;
    into->loop.floating = from->loop.floating;
    into->loop.memory = from->loop.memory;
    into->loop.branches = from->loop.branches;
    into->is_dependent = from->is_dependent;
}

/* keys by visit: tells the ordinals. */
static void number_loops(struct counting *counting, const struct key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct counted_loop *before = keys[i - 1].loop;
        struct counted_loop *loop = ARRAY_AT(struct counted_loop, &counting->loops, keys[i].index);
        if (before->is_elsewhere == loop->is_elsewhere && before->offset == loop->offset &&
            before->visit == loop->visit)
            loop->ordinal = before->ordinal + 1;
    }
}

/* The nearest loop around it that is in the file. */
static uint32_t parent_in_file(const struct counting *counting, uint32_t parent)
{
    while (parent) {
        const struct counted_loop *loop = ARRAY_AT(struct counted_loop, &counting->loops, parent - 1);
        if (!loop->is_elsewhere)
            break;
        parent = loop->loop.parent;
    }
    return parent;
}

void counting_finish(struct counting *counting, struct array *loops, uint32_t *templates)
{
    size_t count = counting->loops.count;
    struct key *keys = memory_get(count * sizeof *keys + 1);
    uint32_t *first_of = memory_get(count * sizeof *first_of + 1),
             *place = memory_get(count * sizeof *place + 1);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct key){ARRAY_AT(struct counted_loop, &counting->loops, i), i};
    qsort(keys, count, sizeof *keys, compare_by_visit);
    number_loops(counting, keys, count);
    qsort(keys, count, sizeof *keys, compare_by_place);
    for (size_t i = 0; i < count; i++) {
        bool is_same = i && is_same_place(keys[i - 1].loop, keys[i].loop);
        uint32_t first = is_same ? first_of[keys[i - 1].index] : keys[i].index;
        first_of[keys[i].index] = first;
        if (is_same)
            merge(ARRAY_AT(struct counted_loop, &counting->loops, first), keys[i].loop);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct counted_loop *loop = ARRAY_AT(struct counted_loop, &counting->loops, i);
        if (loop->is_elsewhere || first_of[i] != i)
            continue;
        struct found_loop *found = array_add(loops);
        *found = loop->loop;
        uint32_t parent = parent_in_file(counting, loop->loop.parent);
        found->parent = parent ? place[first_of[parent - 1]] : 0;
        place[i] = (uint32_t)loops->count;
        *templates += loop->is_dependent;
    }
    free(keys);
    free(first_of);
    free(place);
}
