/* Finds the instructions that may have written a place last: a search backwards from an entry of a function,
   along all known jumps. */
#ifndef CODE_STRUCTURE_BACKWARD_H
#define CODE_STRUCTURE_BACKWARD_H
#include "code/structure/switches.h"

/* A whole register, or memory at an address of a simple form. */
struct place {
    bool is_memory;
    uint32_t full;         /* register: row of its widest form */
    uint32_t base;         /* memory: row of the base register's widest form, or 0 */
    uint64_t displacement; /* from the base, or the address */
    uint32_t bytes;
};

enum { MOST_DEPTH = 24 }; /* of a value that is put together from others */

struct backward {
    const struct switch_context *context;
    const struct isa_reader *reader;
    uint64_t section_start;
    uint32_t *seen;  /* by entry: number of the last search that came to it */
    uint32_t search; /* number of the search */
    uint32_t *queue; /* entries that the search has yet to look at */
    size_t queue_size;
    uint64_t steps_given, steps_left; /* of all searches for one jump together */
    struct array found;               /* of uint32_t: the entries of all definitions so far */
    bool met_dead_end; /* some path began at a block that nothing known leads to: resolving more jumps may
                          help */
    bool heeds_calls;  /* calls change memory, except what only this function can name */
    bool passed_call;  /* the last search went past a call that may have changed the place */
    struct active {
        struct place place;
        uint32_t entry;
    } active[MOST_DEPTH]; /* writers whose value is being put together */
    unsigned active_count;
    unsigned lowest_circle;     /* of active: the first that a value came back to; UINT_MAX: none */
    struct known_value *memory; /* values.c: values that were put together before */
};

void backward_init(struct backward *backward, const struct switch_context *context);
void backward_free(struct backward *backward);

static inline uint64_t backward_address(const struct backward *backward, uint32_t entry)
{
    return backward->section_start + backward->context->entries[entry].offset;
}
const struct encoding *backward_encoding(const struct backward *backward, uint32_t entry);
const struct operand *backward_operands(const struct backward *backward, uint32_t entry, unsigned *count);
/* Row of the widest form of a register; 0 for 0. */
uint32_t backward_full(const struct backward *backward, uint32_t register_row);
/* The place that a memory operand names, if its form is simple: no index. */
bool backward_memory(const struct backward *backward, uint32_t entry, const struct operand *operand,
                     struct place *place);
/* Whether control may continue with the next entry. */
bool backward_falls(const struct backward *backward, uint32_t entry);
/* The jumps that lead to an entry: context->jumps[*first … *end-1]. */
void backward_jumps_to(const struct backward *backward, uint32_t entry, uint32_t *first, uint32_t *end);

enum { FUNCTION_ENTRY = UINT32_MAX };
struct definitions {
    uint32_t first, count; /* in backward->found, ascending; FUNCTION_ENTRY: the value that it came with */
    bool is_complete;      /* no path was left out */
};
static inline const uint32_t *backward_entries(const struct backward *backward,
                                               const struct definitions *definitions)
{
    return (const uint32_t *)backward->found.data + definitions->first;
}
bool backward_same_place(const struct place *a, const struct place *b);
/* The entries that may have written the place last before this entry. */
void backward_find(struct backward *backward, const struct place *place, uint32_t before,
                   struct definitions *definitions);
/* Whether the call at this entry puts its return address into the register, as position-independent i386 code
   does to find its address. */
bool backward_call_gives_address(const struct backward *backward, uint32_t entry, uint32_t full);
#endif
