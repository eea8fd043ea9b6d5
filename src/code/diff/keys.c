#include "code/diff/keys.h"

#include <stdlib.h>

void diff_key_add(struct array *keys, uint64_t hash, uint32_t row)
{
    if (hash)
        *(struct diff_key *)array_push(keys) = (struct diff_key){hash, row};
}

static int by_hash(const void *a, const void *b)
{
    const struct diff_key *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

void diff_keys_sort(struct array *keys)
{
    if (keys->count)
        qsort(keys->data, keys->count, sizeof(struct diff_key), by_hash);
}
