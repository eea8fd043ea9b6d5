#include "base/number_map.h"

#include "base/strings.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LEAST_SLOTS = 64 }; /* a power of two */

struct number_slot {
    uint64_t key;
    uint32_t number;
    bool is_used;
};

static struct number_slot *slot_of(const struct number_map *map, uint64_t key)
{
    size_t mask = map->slot_count - 1, at = hash_mix(0, key) & mask;
    while (map->slots[at].is_used && map->slots[at].key != key)
        at = (at + 1) & mask;
    return &map->slots[at];
}

static void widen(struct number_map *map)
{
    struct number_map wider = {.count = map->count,
                               .slot_count = map->slot_count ? map->slot_count * 2 : LEAST_SLOTS};
    wider.slots = memory_get(wider.slot_count * sizeof *wider.slots);
    for (size_t i = 0; i < map->slot_count; i++)
        if (map->slots[i].is_used)
            *slot_of(&wider, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = wider;
}

uint32_t *number_map_at(struct number_map *map, uint64_t key)
{
    if (map->count * 2 >= map->slot_count)
        widen(map);
    struct number_slot *slot = slot_of(map, key);
    if (!slot->is_used) {
        *slot = (struct number_slot){.key = key, .is_used = true};
        map->count++;
    }
    return &slot->number;
}

void number_map_free(struct number_map *map)
{
    free(map->slots);
    *map = (struct number_map){0};
}
