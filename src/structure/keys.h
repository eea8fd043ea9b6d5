/* Distinct instruction keys, numbered from 0 in the order in which they were added. */
#ifndef STRUCTURE_KEYS_H
#define STRUCTURE_KEYS_H
#include "read/isa.h"

struct key_table {
    struct array keys; /* of struct key */
    uint32_t *slots;   /* number + 1, 0 for free */
    size_t slot_count;
    struct key_front *front;
};

uint32_t key_table_add(struct key_table *table, const struct key *key);
void key_table_free(struct key_table *table);
#endif
