#include "structure/keys.h"

#include <stdlib.h>
#include <string.h>

enum { FRONT_COUNT = 8192 };

struct key_front {
    struct key key; /* size 0: none yet */
    uint32_t number;
};

_Static_assert(sizeof(struct key) == 16, "a key is two words");

static inline uint64_t hash_key(const struct key *key)
{
    uint64_t words[2];
    memcpy(words, key, sizeof words);
    uint64_t hash = (words[0] ^ (words[1] * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

static inline bool same_key(const struct key *a, const struct key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void grow(struct key_table *table)
{
    free(table->slots);
    table->slot_count = table->slot_count ? table->slot_count * 2 : 4096;
    table->slots = memory_get(table->slot_count * sizeof *table->slots);
    for (uint32_t number = 0; number < table->keys.count; number++) {
        size_t at = hash_key(array_at(&table->keys, number)) & (table->slot_count - 1);
        while (table->slots[at])
            at = (at + 1) & (table->slot_count - 1);
        table->slots[at] = number + 1;
    }
}

/* A few thousand keys make up most of any program: they are found here without a miss of the cache. */
static struct key_front *front_of(struct key_table *table, uint64_t hash)
{
    return &table->front[(hash >> 40) % FRONT_COUNT];
}

static uint32_t add_behind(struct key_table *table, const struct key *key, uint64_t hash)
{
    size_t at = hash & (table->slot_count - 1);
    while (table->slots[at]) {
        if (same_key(array_at(&table->keys, table->slots[at] - 1), key))
            return table->slots[at] - 1;
        at = (at + 1) & (table->slot_count - 1);
    }
    *(struct key *)array_add(&table->keys) = *key;
    table->slots[at] = (uint32_t)table->keys.count;
    return table->slots[at] - 1;
}

uint32_t key_table_add(struct key_table *table, const struct key *key)
{
    if (!table->front) {
        table->keys = ARRAY_OF(struct key);
        table->front = memory_get(FRONT_COUNT * sizeof *table->front);
    }
    uint64_t hash = hash_key(key);
    struct key_front *front = front_of(table, hash);
    if (same_key(&front->key, key))
        return front->number;
    if ((table->keys.count + 1) * 2 > table->slot_count)
        grow(table);
    front->key = *key;
    return front->number = add_behind(table, key, hash);
}

void key_table_free(struct key_table *table)
{
    array_free(&table->keys);
    free(table->slots);
    free(table->front);
    *table = (struct key_table){0};
}
