#include "compare/keys.h"

#include <stdlib.h>

void compare_key_add(struct array *keys, uint64_t hash, uint32_t row)
{
    if (hash)
        *(struct compare_key *)array_push(keys) = (struct compare_key){hash, row};
}

static int by_hash(const void *a, const void *b)
{
    const struct compare_key *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

void compare_keys_sort(struct array *keys)
{
    if (keys->count)
        qsort(keys->data, keys->count, sizeof(struct compare_key), by_hash);
}
