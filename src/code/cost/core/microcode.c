/* Microcode: instructions whose µops come from the microcode sequencer, not from the decoders.

   The sequencer yields four µops a cycle (Abel and Reineke, uiCA); switching to it and back costs cycles, a
   different number for the decoders than for the µop cache. Some sequences take far longer than their µops,
   because these wait for each other: the measured reciprocal throughput is a lower bound. */
#include "code/cost/core/front_end.h"

#include <math.h>

enum { SEQUENCER_WIDTH = 4 };

unsigned front_microcode_cycles(const struct cost_item *item)
{
    return (item->cost->microcoded + SEQUENCER_WIDTH - 1u) / SEQUENCER_WIDTH;
}

void cost_microcode(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    const struct machine_core *core = &block->machine->core;
    unsigned cached = front_cached_items(block);
    double delivered = 0, measured = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        if (!item->cost->microcoded)
            continue;
        if (item->cost->throughput > 0)
            measured += item->cost->throughput;
        delivered += front_microcode_cycles(item);
        delivered += i < cached ? core->microcode_switch_cached : core->microcode_switch;
        if (bound->marks)
            bound->marks[i] = 1;
    }
    bound->cycles = fmax(delivered, measured);
}
