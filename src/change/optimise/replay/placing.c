/* Where the replay program lives: in a hole of the captured process's addresses near the function, so that
   the variant's code reaches the program's data and functions as the original did (2 GiB on x86, 128 MiB for
   calls and 4 GiB for data on AArch64); and where it has the rest of its memory: in the largest hole of all.
 */
#include "change/optimise/replay/placing.h"

#include <inttypes.h>

enum { STEP = 1 << 16 };
static const uint64_t lowest = 1 << 20, wished_room = 64 << 20, least_room = 4 << 20;

static uint64_t distance_of(uint64_t place, uint64_t size, uint64_t entry)
{
    return place > entry ? place + size - entry : entry - place;
}

/* Does not cross a border of 4 GiB (runtime/replay/guard.c relies on it). */
static bool is_in_one_part(uint64_t start, uint64_t size)
{
    return start >> 32 == (start + size - 1) >> 32;
}

static void try_place(struct hole *best, uint64_t start, uint64_t size, uint64_t entry)
{
    if (is_in_one_part(start, size) &&
        (!best->size || distance_of(start, size, entry) < distance_of(best->start, best->size, entry)))
        *best = (struct hole){start, size};
}

static struct hole nearest(const struct codelet_region *regions, size_t count, uint64_t entry, uint64_t size)
{
    struct hole best = {0, 0};
    for (size_t i = 0; i <= count; i++) {
        uint64_t from = i ? regions[i - 1].end : lowest;
        uint64_t to = i < count ? regions[i].start : regions[count - 1].end;
        from = (from + 2 * STEP - 1) / STEP * STEP;
        to = to > STEP ? to / STEP * STEP - STEP : 0;
        if (to <= from || to - from < size)
            continue;
        try_place(&best, from, size, entry);
        try_place(&best, to - size, size, entry);
        if (!best.size)
            try_place(&best, (from + (UINT64_C(1) << 32)) >> 32 << 32, size, entry);
    }
    return best;
}

struct hole placing_near(const struct codelet_region *regions, size_t count, uint64_t entry)
{
    for (uint64_t size = wished_room; count && size >= least_room; size /= 2) {
        struct hole found = nearest(regions, count, entry, size);
        if (found.size)
            return found;
    }
    return (struct hole){0, 0};
}

struct hole placing_largest(const struct codelet_region *regions, size_t count, struct hole without)
{
    struct hole best = {0, 0};
    for (size_t i = 0; i < count; i++) {
        uint64_t from = i ? regions[i - 1].end : lowest, to = regions[i].start;
        if (without.start >= from && without.start < to) {
            if (without.start - from > to - (without.start + without.size))
                to = without.start;
            else
                from = without.start + without.size;
        }
        from = (from + 2 * STEP - 1) / STEP * STEP;
        to = to > STEP ? to / STEP * STEP - STEP : 0;
        if (to > from && to - from > best.size)
            best = (struct hole){from, to - from};
    }
    return best;
}
