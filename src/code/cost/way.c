/* A way through a loop, as its instructions were executed, one after the other: which of its jumps were
   taken?

   Bytes in order of execution do not show it: after `b.ls +16` the next instruction may be the one after it
   in memory or the one 16 bytes further. But an iteration ends where it began. The sizes of its instructions
   and the distances of the jumps that were taken, forwards and backwards, are 0 together. Jumps without a
   condition were taken; of the others the smallest set that closes the way is. A way that no set closes
   is left without holes, and so is one with too many conditions to try. */
#include "code/cost/loops.h"

enum { MOST_CONDITIONS = 14 };

struct way {
    struct cost_item *items;
    unsigned count;
    unsigned conditions[MOST_CONDITIONS], condition_count; /* items */
    int64_t missing;                                       /* bytes until the way is closed */
};

static bool jumps_directly(const struct cost_item *item)
{
    return item->cost->is_branch && !item->cost->is_call && !item->cost->is_return;
}

/* From the end of a jump to its target. */
static int64_t distance(const struct cost_item *item)
{
    return (int64_t)(item->target - item->address - item->cost->size);
}

static bool take_jumps(struct way *way)
{
    for (unsigned i = 0; i < way->count; i++) {
        const struct cost_item *item = &way->items[i];
        way->missing -= item->cost->size;
        if (!jumps_directly(item))
            continue;
        if (!item->cost->is_conditional)
            way->missing -= distance(item);
        else if (way->condition_count < MOST_CONDITIONS)
            way->conditions[way->condition_count++] = i;
        else
            return false;
    }
    return true;
}

static bool closes(const struct way *way, unsigned set)
{
    int64_t missing = way->missing;
    for (unsigned i = 0; i < way->condition_count; i++)
        missing -= set >> i & 1 ? distance(&way->items[way->conditions[i]]) : 0;
    return !missing;
}

static bool find_taken(const struct way *way, unsigned *taken)
{
    unsigned fewest = MOST_CONDITIONS + 1;
    for (unsigned set = 0; set < 1u << way->condition_count; set++) {
        unsigned count = (unsigned)__builtin_popcount(set);
        if (count < fewest && closes(way, set)) {
            fewest = count;
            *taken = set;
        }
    }
    return fewest <= MOST_CONDITIONS;
}

void block_costs_close(struct block_costs *work)
{
    struct way way = {.items = work->items.data, .count = (unsigned)work->items.count};
    unsigned taken, number = 0;
    if (!take_jumps(&way) || !find_taken(&way, &taken))
        return;
    uint64_t moved = 0;
    for (unsigned i = 0; i < way.count; i++) {
        struct cost_item *item = &way.items[i];
        uint64_t jump = jumps_directly(item) ? (uint64_t)distance(item) : 0;
        if (item->cost->is_conditional)
            jump = taken >> number++ & 1 ? jump : 0;
        item->address += moved;
        item->target += item->target ? moved : 0;
        moved += jump;
    }
}
