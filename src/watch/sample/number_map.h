/* Numbers by number: a table that finds a row by a key of 64 bits. */
#ifndef WATCH_SAMPLE_NUMBER_MAP_H
#define WATCH_SAMPLE_NUMBER_MAP_H
#include <stddef.h>
#include <stdint.h>

struct number_map {
    struct number_pair *pairs;
    size_t count, slots;
};
/* The number of a key, to be read or set; 0 for a new key, which the caller sets to something else before the
   next call. */
uint32_t *number_map_at(struct number_map *map, uint64_t key);
void number_map_free(struct number_map *map);
#endif
