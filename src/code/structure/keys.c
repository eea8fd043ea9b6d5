#include "code/structure/keys.h"

#include <stdlib.h>
#include <string.h>

struct key_slot {
    struct key key;
    uint32_t number; /* plus 1; 0 for a free slot */
};

_Static_assert(sizeof(struct key) == 16, "a key is two words");

static inline uint64_t hash_key(const struct key *key)
{
    uint64_t words[2];
    memcpy(words, key, sizeof words);
    /* Both halves of a long product: every byte of the key reaches the low bits, also the last ones of a
       constant, in which keys that follow each other differ. */
    unsigned __int128 product =
        (unsigned __int128)(words[0] ^ 0x9e3779b97f4a7c15u) * (words[1] ^ 0xff51afd7ed558ccdu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
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
        const struct key *key = array_at(&table->keys, number);
        size_t at = hash_key(key) & (table->slot_count - 1);
        while (table->slots[at].number)
            at = (at + 1) & (table->slot_count - 1);
        table->slots[at] = (struct key_slot){*key, number + 1};
    }
}

static uint32_t add_hashed(struct key_table *table, const struct key *key, uint64_t hash)
{
    if (!table->keys.width)
        table->keys = ARRAY_OF(struct key);
    if ((table->keys.count + 1) * 2 > table->slot_count)
        grow(table);
    size_t at = hash & (table->slot_count - 1);
    for (; table->slots[at].number; at = (at + 1) & (table->slot_count - 1))
        if (same_key(&table->slots[at].key, key))
            return table->slots[at].number - 1;
    *(struct key *)array_push(&table->keys) = *key;
    table->slots[at] = (struct key_slot){*key, (uint32_t)table->keys.count};
    return table->slots[at].number - 1;
}

uint32_t key_table_add(struct key_table *table, const struct key *key)
{
    return add_hashed(table, key, hash_key(key));
}

void key_table_fetch(const struct key_table *table, const struct key *key)
{
    if (table->slots)
        __builtin_prefetch(&table->slots[hash_key(key) & (table->slot_count - 1)]);
}

void key_table_free(struct key_table *table)
{
    array_free(&table->keys);
    free(table->slots);
    *table = (struct key_table){0};
}

static void take(struct key_queue *queue, const struct queued_key *queued)
{
    *queue->number_at(queue->context, queued->place) = add_hashed(&queue->table, &queued->key, queued->hash);
}

void key_queue_add(struct key_queue *queue, const struct key *key, size_t place)
{
    struct queued_key *queued = &queue->waiting[queue->count % KEY_QUEUE];
    if (queue->count >= KEY_QUEUE)
        take(queue, queued);
    queued->key = *key;
    queued->hash = hash_key(key);
    queued->place = place;
    queue->count++;
    if (queue->table.slots)
        __builtin_prefetch(&queue->table.slots[queued->hash & (queue->table.slot_count - 1)]);
}

void key_queue_finish(struct key_queue *queue)
{
    size_t waiting = queue->count < KEY_QUEUE ? queue->count : KEY_QUEUE;
    for (size_t i = queue->count - waiting; i != queue->count; i++)
        take(queue, &queue->waiting[i % KEY_QUEUE]);
    queue->count = 0;
}
