#include "base/hash_index.h"

#include <stdlib.h>

static void put(struct hash_index *index, struct hash_index_slot slot)
{
    size_t mask = index->slot_count - 1, at = slot.hash & mask;
    while (index->slots[at].place)
        at = (at + 1) & mask;
    index->slots[at] = slot;
}

void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t place)
{
    if (index->count + 1 > index->slot_count - index->slot_count / 4) {
        struct hash_index larger = {.slot_count = index->slot_count ? index->slot_count * 2 : 64,
                                    .count = index->count};
        larger.slots = memory_get(larger.slot_count * sizeof *larger.slots);
        for (size_t i = 0; i < index->slot_count; i++)
            if (index->slots[i].place)
                put(&larger, index->slots[i]);
        free(index->slots);
        *index = larger;
    }
    index->count++;
    put(index, (struct hash_index_slot){hash_index_part(hash), place + 1});
}

void hash_index_free(struct hash_index *index)
{
    free(index->slots);
    *index = (struct hash_index){0};
}
