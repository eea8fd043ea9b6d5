#include "watch/sample/number_map.h"

#include "base/memory.h"
#include "base/strings.h"

#include <stdlib.h>

enum { LEAST_SLOTS = 64 }; /* a power of two */

struct number_pair {
    uint64_t key;
    uint32_t number; /* 0: free */
};

static struct number_pair *slot_of(const struct number_map *map, uint64_t key)
{
    size_t slot = hash_mix(0, key) & (map->slots - 1);
    while (map->pairs[slot].number && map->pairs[slot].key != key)
        slot = (slot + 1) & (map->slots - 1);
    return &map->pairs[slot];
}

static void widen(struct number_map *map)
{
    struct number_map wider = {.count = map->count, .slots = map->slots ? map->slots * 2 : LEAST_SLOTS};
    wider.pairs = memory_get(wider.slots * sizeof *wider.pairs);
    for (size_t i = 0; i < map->slots; i++)
        if (map->pairs[i].number)
            *slot_of(&wider, map->pairs[i].key) = map->pairs[i];
    free(map->pairs);
    *map = wider;
}

uint32_t *number_map_at(struct number_map *map, uint64_t key)
{
    if (map->count * 2 >= map->slots)
        widen(map);
    struct number_pair *pair = slot_of(map, key);
    if (!pair->number) {
        pair->key = key;
        map->count++;
    }
    return &pair->number;
}

void number_map_free(struct number_map *map)
{
    free(map->pairs);
    *map = (struct number_map){0};
}
