/* Numbers by number: finds a row by a key of 64 bits, such as an address.  Unlike those of hash_index.h, slots
   hold the keys: one cache line is enough for a look, which takes half the time in a large table. */
#ifndef BASE_NUMBER_MAP_H
#define BASE_NUMBER_MAP_H
#include <stddef.h>
#include <stdint.h>

struct number_map {
    struct number_slot *slots;
    size_t slot_count, count;
};
/* The number of a key, to be read or set until the next call; 0 for a new key. */
uint32_t *number_map_at(struct number_map *map, uint64_t key);
void number_map_free(struct number_map *map);
#endif
