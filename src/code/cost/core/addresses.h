/* Which loads of a block read bytes that one of its stores wrote, as far as the code alone proves it. */
#ifndef CODE_COST_CORE_ADDRESSES_H
#define CODE_COST_CORE_ADDRESSES_H
#include "code/machine/resolve.h"

struct cost_block;

/* A value relative to an unknown start: symbol + offset. Symbols are numbers: 0 is nothing, so the value is
   the offset itself; below MOST_RESOURCES, that resource at the start of the iteration; from there on, values
   that instructions of this iteration made, those that come from loaded data with a mark. */
struct place_value {
    uint32_t symbol;
    int64_t offset;
};

struct cost_place {
    uint32_t base, index; /* symbols */
    uint8_t scale;
    bool is_known;
    int64_t offset;
};

/* An access of an item, in the order of the code. */
struct cost_reference {
    uint32_t item;
    uint16_t bytes;
    bool loads, stores, is_vector, is_pair, is_aligned;
    uint8_t lanes;       /* of a gather or scatter, whose place does not say where they are; else 0 */
    bool may_be_renamed; /* judged by the access alone: see renames() */
    struct cost_place place;
};

/* A load, or a piece of one, and the last store before it that wrote some of its bytes. */
struct cost_meeting {
    uint32_t load, store; /* items */
    uint32_t distance;    /* iterations from the store to the load */
    bool fits;            /* the load is within the store, where the machine forwards from */
    bool is_vector;
    bool is_renamed; /* on a machine that renames memory */
};

struct cost_addresses {
    uint32_t epoch;
    uint32_t stamps[MOST_RESOURCES]; /* epoch: the value belongs to this block */
    struct place_value values[MOST_RESOURCES];
    uint32_t symbol_count;
    bool repeats;  /* asked for: tables whose index is loaded are assumed to have the same one every time */
    bool is_alike; /* asked for: memory, and the registers below, hold one value at the start */
    uint8_t starts_alike[MOST_RESOURCES];
    uint8_t stays_alike[MOST_RESOURCES]; /* those that hold it at the start of each iteration */
    struct array references;             /* of struct cost_reference */
    struct array meetings;               /* of struct cost_meeting */
};

void cost_find_meetings(const struct cost_block *block, struct cost_addresses *addresses);
/* Whether a store goes to a table whose index is loaded. */
bool cost_writes_table(const struct cost_addresses *addresses);
/* Whether one place is always the same number of bytes after another. */
bool cost_is_apart(const struct cost_place *one, const struct cost_place *other, int64_t *bytes);
/* The same place in terms of the previous iteration; false if unknown. */
bool cost_earlier_place(const struct cost_addresses *addresses, struct cost_place *place);
/* What registers hold after these instructions, in terms of what they held before: for cost_enter_place. */
void cost_follow(struct cost_addresses *addresses, const struct machine_cost *const *costs, unsigned count);
/* A place of a loop in terms of registers before the instructions that lead into it, which were followed. */
void cost_enter_place(const struct cost_addresses *entry, struct cost_place *place);
void cost_addresses_free(struct cost_addresses *addresses);
#endif
