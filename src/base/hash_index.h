/* A hash table of places in an array: slots hold the place and a part of the hash, the array has the keys.
   So the array stays in the order in which keys came, other keys are rarely looked at, and growing does not
   look at any.  The hash may be a poor one (strings_hash of short texts, a number): it is mixed once more. */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H
#include "base/strings.h"

struct hash_index_slot {
    uint32_t hash;
    uint32_t place; /* + 1; 0: empty */
};
struct hash_index {
    struct hash_index_slot *slots;
    size_t slot_count, count;
};
static inline uint32_t hash_index_part(uint64_t hash)
{
    return (uint32_t)(hash_mix(hash, 0) >> 32);
}
/* The first slot of the hash, or the next one after a slot that was another's: its place is UINT32_MAX where
   there is none. *slot starts as SIZE_MAX. */
static inline uint32_t hash_index_next(const struct hash_index *index, uint64_t hash, size_t *slot)
{
    uint32_t part = hash_index_part(hash);
    if (!index->slot_count)
        return UINT32_MAX;
    size_t mask = index->slot_count - 1, at = *slot == SIZE_MAX ? part & mask : (*slot + 1) & mask;
    while (index->slots[at].place && index->slots[at].hash != part)
        at = (at + 1) & mask;
    *slot = at;
    return index->slots[at].place - 1;
}
/* Another place for the key of this slot. */
static inline void hash_index_set(struct hash_index *index, size_t slot, uint32_t place)
{
    index->slots[slot].place = place + 1;
}
/* For a hash whose key is not there yet. */
void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t place);
void hash_index_free(struct hash_index *index);
#endif
