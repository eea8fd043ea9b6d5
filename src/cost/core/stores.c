/* Stores: a limited number per cycle. A store that is wider than the path to the cache takes one cycle for
   each piece (256 bits on Sandy Bridge and Ivy Bridge, whose paths have 128: Intel's optimisation guide).

   Lines. Stores go to the cache in the order of the code. From Ice Lake on, Intel's cores take two per cycle,
   but only two consecutive ones in the same line (Intel's optimisation guide; measured on Golden Cove: a, b,
   a, b in two lines takes 4 cycles, a, a, b, b takes 2). Stores at unknown distances are assumed to be in
   different lines, as in different arrays. Stores at known distances are assumed to share a line if possible,
   as in aligned data. */
#include "cost/core/core.h"
#include "cost/core/repetition.h"

enum { FRACTIONS = 1024 }; /* parts of a store: the number per cycle may be a fraction */

static bool may_share_line(const struct cost_reference *one, const struct cost_place *place, unsigned bytes,
                           unsigned line)
{
    int64_t apart;
    if (!cost_is_apart(&one->place, place, &apart))
        return false;
    if (apart >= (int64_t)line || apart <= -(int64_t)line)
        return false;
    return apart >= 0 ? apart + bytes <= line : -apart + one->bytes <= line;
}

/* The cycle that stores are put into. */
struct way {
    const struct cost_reference *last; /* the store before; NULL for none */
    double free;                       /* stores that its cycle can still take */
    uint64_t cycles;
};

static void store_iteration(const struct cost_block *block, const struct cost_addresses *addresses,
                            struct way *way)
{
    const struct machine_core *core = &block->machine->core;
    bool is_first = true;
    for (size_t i = 0; i < addresses->references.count; i++) {
        const struct cost_reference *store = ARRAY_AT(struct cost_reference, &addresses->references, i);
        if (!store->stores)
            continue;
        struct cost_place place = store->place;
        bool is_known = !is_first || cost_earlier_place(addresses, &place);
        unsigned needs = cost_pieces(core->store_bytes, store->bytes);
        if (!way->last || way->free < needs || !is_known ||
            !may_share_line(way->last, &place, store->bytes, core->store_line)) {
            way->free = block->machine->stores;
            way->cycles++;
        }
        way->free = needs < way->free ? way->free - needs : 0;
        way->last = store;
        is_first = false;
    }
}

/* An iteration starts with the last cycle of the iteration before full or not; all but the first follow the
   same store. */
static double cycles_of_lines(const struct cost_block *block, struct cost_scratch *scratch)
{
    struct cost_repetition repetition = {0};
    struct way way = {0};
    double cycles;
    cost_find_dependences(block, scratch);
    do {
        store_iteration(block, &scratch->addresses, &way);
    } while (!cost_repeats(&repetition, (uint64_t)(way.free * FRACTIONS), way.cycles, &cycles));
    return cycles;
}

void cost_stores(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    double turns = 0, stores = 0;
    if (!(block->machine->stores > 0))
        return;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        for (unsigned a = 0; a < cost->access_count; a++) {
            if (!cost->accesses[a].stores)
                continue;
            stores++;
            turns += cost_pieces(block->machine->core.store_bytes, cost->accesses[a].bytes);
            if (bound->marks)
                bound->marks[i] = 1;
        }
    }
    bound->cycles = turns / block->machine->stores;
    if (block->machine->core.store_line && stores > 1) {
        double cycles = cycles_of_lines(block, scratch);
        bound->cycles = cycles > bound->cycles ? cycles : bound->cycles;
    }
}
