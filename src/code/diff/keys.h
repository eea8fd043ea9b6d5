/* Rows of one build by a key that both builds can make: a hash of what identifies a row, whatever its id. */
#ifndef CODE_DIFF_KEYS_H
#define CODE_DIFF_KEYS_H
#include "base/memory.h"

struct diff_key {
    uint64_t hash;
    uint32_t row;
};

/* Adds a key, unless the hash is 0: then the row has none. */
void diff_key_add(struct array *keys, uint64_t hash, uint32_t row);
/* By hash, then by row. */
void diff_keys_sort(struct array *keys);
static inline const struct diff_key *diff_key_at(const struct array *keys, size_t place)
{
    return ARRAY_AT(struct diff_key, keys, place);
}
#endif
