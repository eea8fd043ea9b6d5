/* Loads: so many a cycle; one that is wider than the way from the cache takes it for as many cycles as it has
   pieces (256 bits on Sandy Bridge and Ivy Bridge, which have ways of 128: Intel's optimisation guide). */
#include "cost/core.h"

void cost_loads(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    unsigned bytes = block->machine->core.load_bytes;
    double turns = 0;
    if (!(block->machine->loads > 0))
        return;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        for (unsigned a = 0; a < cost->access_count; a++) {
            if (!cost->accesses[a].loads)
                continue;
            turns +=
                bytes && cost->accesses[a].bytes > bytes ? (cost->accesses[a].bytes + bytes - 1) / bytes : 1;
            if (bound->marks)
                bound->marks[i] = 1;
        }
    }
    bound->cycles = turns / block->machine->loads;
}
