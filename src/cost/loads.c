/* Loads: so many a cycle; one that is wider than the way from the cache takes it for as many cycles as it has
   pieces (256 bits on Sandy Bridge and Ivy Bridge, which have ways of 128: Intel's optimisation guide).

   Banks.  Where the first-level cache has single-ported banks, two loads that need the same bank of different
   lines do not go together (the same guide on Sandy Bridge: bits 2 to 5 of the addresses are the same, and
   the sets are not).  That is certain only of addresses whose distance is known, and it costs time only where
   a load finds no other partner: so it counts where every load of the block meets every other one. */
#include "cost/core.h"

enum { BANK_BYTES = 8, SET_BYTES = 4096, MOST_LOADS = 16 };

/* Whether two loads need the same bank of different lines.  line: bytes of all banks. */
static bool meet(const struct cost_reference *one, const struct cost_reference *other, int64_t line)
{
    int64_t apart;
    if (!cost_is_apart(&one->place, &other->place, &apart))
        return false;
    bool is_other_line = apart >= line || apart <= -line;
    int64_t offset = ((apart % line) + line) % line;
    return is_other_line && apart % SET_BYTES && (offset < one->bytes || offset + other->bytes > line);
}

/* Whether no two loads of the block go together. */
static bool all_meet(const struct cost_block *block, struct cost_scratch *scratch)
{
    const struct cost_reference *loads[MOST_LOADS];
    unsigned count = 0;
    int64_t line = (int64_t)block->machine->core.load_banks * BANK_BYTES;
    cost_find_dependences(block, scratch);
    const struct array *references = &scratch->addresses.references;
    for (size_t i = 0; i < references->count; i++) {
        const struct cost_reference *load = ARRAY_AT(struct cost_reference, references, i);
        if (!load->loads)
            continue;
        if (count == MOST_LOADS)
            return false;
        for (unsigned other = 0; other < count; other++)
            if (!meet(loads[other], load, line))
                return false;
        loads[count++] = load;
    }
    return true;
}

void cost_loads(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    unsigned bytes = block->machine->core.load_bytes;
    double turns = 0, loads = 0;
    if (!(block->machine->loads > 0))
        return;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        for (unsigned a = 0; a < cost->access_count; a++) {
            if (!cost->accesses[a].loads)
                continue;
            loads++;
            turns +=
                bytes && cost->accesses[a].bytes > bytes ? (cost->accesses[a].bytes + bytes - 1) / bytes : 1;
            if (bound->marks)
                bound->marks[i] = 1;
        }
    }
    bound->cycles = turns / block->machine->loads;
    if (block->machine->core.load_banks && loads > 1 && turns == loads && all_meet(block, scratch))
        bound->cycles = turns;
}
