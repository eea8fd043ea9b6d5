/* A hash table of places in an array: slots hold the place and a part of the hash, the array has the keys. */
#ifndef WATCH_SAMPLE_PLACE_TABLE_H
#define WATCH_SAMPLE_PLACE_TABLE_H
#include "base/memory.h"

struct place_slot {
    uint32_t hash;
    uint32_t place; /* + 1; 0: empty */
};
struct place_table {
    struct place_slot *slots;
    size_t slot_count, count;
};
/* The first slot of the hash, or the next one after a slot that was another's: its place is UINT32_MAX where
   there is none. *slot starts as SIZE_MAX. */
static inline uint32_t place_table_next(const struct place_table *table, uint64_t hash, size_t *slot)
{
    uint32_t part = (uint32_t)(hash >> 32);
    if (!table->slot_count)
        return UINT32_MAX;
    size_t mask = table->slot_count - 1, at = *slot == SIZE_MAX ? part & mask : (*slot + 1) & mask;
    while (table->slots[at].place && table->slots[at].hash != part)
        at = (at + 1) & mask;
    *slot = at;
    return table->slots[at].place - 1;
}
/* Another place for the key of this slot. */
static inline void place_table_set(struct place_table *table, size_t slot, uint32_t place)
{
    table->slots[slot].place = place + 1;
}
/* For a hash whose key is not there yet. */
void place_table_add(struct place_table *table, uint64_t hash, uint32_t place);
void place_table_free(struct place_table *table);
#endif
