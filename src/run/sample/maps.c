#include "run/sample/maps.h"

#include <stdlib.h>
#include <string.h>

struct maps {
    size_t users;
    struct array ranges; /* of struct map_range */
};

struct maps *maps_make(void)
{
    struct maps *maps = memory_get(sizeof *maps);
    maps->users = 1;
    maps->ranges = ARRAY_OF(struct map_range);
    return maps;
}

struct maps *maps_share(struct maps *maps)
{
    maps->users++;
    return maps;
}

void maps_leave(struct maps *maps)
{
    if (!maps || --maps->users)
        return;
    array_free(&maps->ranges);
    free(maps);
}

size_t maps_count(const struct maps *maps)
{
    return maps->ranges.count;
}

size_t maps_shared_count(const struct maps *maps)
{
    return maps->users > 1 ? maps->ranges.count : 0;
}

static struct map_range *range_at(const struct maps *maps, size_t place)
{
    return ARRAY_AT(struct map_range, &maps->ranges, place);
}

/* The first that ends above the address. */
static size_t place_of(const struct maps *maps, uint64_t address)
{
    struct bisection search = {0, maps->ranges.count};
    while (bisect(&search))
        bisect_past(&search, range_at(maps, search.middle)->end <= address);
    return search.first;
}

static struct maps *own(struct maps *maps)
{
    if (maps->users == 1)
        return maps;
    struct maps *copy = maps_make();
    if (maps->ranges.count)
        memcpy(array_push_many(&copy->ranges, maps->ranges.count), maps->ranges.data,
               maps->ranges.count * maps->ranges.width);
    maps_leave(maps);
    return copy;
}

/* Puts `count` ranges to the place of those in [first, end). */
static void replace(struct maps *maps, size_t first, size_t end, const struct map_range *ranges, size_t count)
{
    size_t behind = maps->ranges.count - end;
    if (count > end - first)
        array_push_many(&maps->ranges, count - (end - first));
    else
        maps->ranges.count -= end - first - count;
    if (behind)
        memmove(range_at(maps, first + count), range_at(maps, end), behind * sizeof *ranges);
    if (count)
        memcpy(range_at(maps, first), ranges, count * sizeof *ranges);
}

void maps_put(struct maps **shared, const struct map_range *range)
{
    struct map_range pieces[3];
    size_t count = 0, first = place_of(*shared, range->start), end = first;
    if (range->start >= range->end)
        return;
    while (end < (*shared)->ranges.count && range_at(*shared, end)->start < range->end)
        end++;
    if (first == end && !range->code)
        return;
    struct maps *maps = *shared = own(*shared);
    if (first < end && range_at(maps, first)->start < range->start) {
        pieces[count] = *range_at(maps, first);
        pieces[count++].end = range->start;
    }
    if (range->code)
        pieces[count++] = *range;
    if (first < end && range_at(maps, end - 1)->end > range->end) {
        struct map_range *rest = &pieces[count++];
        *rest = *range_at(maps, end - 1);
        rest->offset += range->end - rest->start;
        rest->start = range->end;
    }
    replace(maps, first, end, pieces, count);
}

struct map_range *maps_at(const struct maps *maps, uint64_t address)
{
    size_t place = place_of(maps, address);
    return place < maps->ranges.count && range_at(maps, place)->start <= address ? range_at(maps, place)
                                                                                 : NULL;
}
