/* Distinct instruction keys, numbered from 0 in the order in which they were added.

   The table of a large program is far larger than the processor's caches, and almost every instruction needs
   a lookup.  So a slot holds the key itself (one cache line suffices), and key_queue hashes keys early and
   prefetches their slots. */
#ifndef CODE_STRUCTURE_KEYS_H
#define CODE_STRUCTURE_KEYS_H
#include "code/read/isa.h"

struct key_table {
    struct array keys; /* of struct key, by number */
    struct key_slot *slots;
    size_t slot_count;
};

uint32_t key_table_add(struct key_table *table, const struct key *key);
/* Prefetches its slot, because a lookup follows soon. */
void key_table_fetch(const struct key_table *table, const struct key *key);
void key_table_free(struct key_table *table);

/* Keys queued for a table.  The number is written some additions after its key was queued: to
 *number_at(context, place), with the place that was given with the key. */
enum { KEY_QUEUE = 16 };
struct key_queue {
    struct key_table table;
    struct queued_key {
        struct key key;
        uint64_t hash;
        size_t place;
    } waiting[KEY_QUEUE];
    size_t count; /* keys ever queued */
    uint32_t *(*number_at)(void *context, size_t place);
    void *context;
};

void key_queue_add(struct key_queue *queue, const struct key *key, size_t place);
/* Writes the numbers that are still pending. */
void key_queue_finish(struct key_queue *queue);
#endif
