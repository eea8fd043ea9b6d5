/* Rows of one build by a key that both builds can make: a hash of what identifies a row, whatever its id. */
#ifndef COMPARE_KEYS_H
#define COMPARE_KEYS_H
#include "base/memory.h"

struct compare_key {
    uint64_t hash;
    uint32_t row;
};

/* Adds a key, unless the hash is 0: then the row has none. */
void compare_key_add(struct array *keys, uint64_t hash, uint32_t row);
/* By hash, then by row. */
void compare_keys_sort(struct array *keys);
static inline const struct compare_key *compare_key_at(const struct array *keys, size_t place)
{
    return ARRAY_AT(struct compare_key, keys, place);
}
#endif
