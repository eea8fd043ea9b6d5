#include "watch/sample/place_table.h"

#include <stdlib.h>

static void put(struct place_table *table, struct place_slot slot)
{
    size_t mask = table->slot_count - 1, at = slot.hash & mask;
    while (table->slots[at].place)
        at = (at + 1) & mask;
    table->slots[at] = slot;
}

void place_table_add(struct place_table *table, uint64_t hash, uint32_t place)
{
    if (table->count + 1 > table->slot_count - table->slot_count / 4) {
        struct place_table larger = {.slot_count = table->slot_count ? table->slot_count * 2 : 64,
                                     .count = table->count};
        larger.slots = memory_get(larger.slot_count * sizeof *larger.slots);
        for (size_t i = 0; i < table->slot_count; i++)
            if (table->slots[i].place)
                put(&larger, table->slots[i]);
        free(table->slots);
        *table = larger;
    }
    table->count++;
    put(table, (struct place_slot){(uint32_t)(hash >> 32), place + 1});
}

void place_table_free(struct place_table *table)
{
    free(table->slots);
    *table = (struct place_table){0};
}
