/* The loop buffer: a loop whose µops fit the queue before renaming is replayed from there.

   The last µop of an iteration and the first of the next do not leave the queue in the same cycle, so an
   iteration takes whole cycles. Small loops are therefore kept as several copies, and only all copies
   together take whole cycles (Abel and Reineke, uiCA). Loops with microcode or with moves of the stack
   pointer are not replayed. */
#include "code/cost/core/front_end.h"

static unsigned replayed_uops(const struct cost_block *block)
{
    unsigned uops = 0;
    for (unsigned i = 0; i < block->count; i++)
        uops += block->items[i].is_absorbed ? 0 : front_uops(&block->items[i]);
    return uops;
}

bool cost_is_replayed(const struct cost_block *block)
{
    const struct machine_core *core = &block->machine->core;
    if (block->mode != cost_LOOP || !core->loop_buffer || !block->count)
        return false;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        if (cost->leaves_loop_buffer || cost->microcoded || cost->uses_stack_engine)
            return false;
    }
    if (replayed_uops(block) > core->loop_buffer)
        return false;
    return !core->cache_width || cost_is_cached(block);
}

void cost_loop_buffer(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    const struct machine_core *core = &block->machine->core;
    bound->cycles = 0;
    if (!core->issue || !cost_is_replayed(block))
        return;
    unsigned uops = replayed_uops(block), copies = 1;
    if (uops < MOST_LOOP_COPIES && core->loop_copies[uops])
        copies = core->loop_copies[uops];
    unsigned cycles = (uops * copies + core->issue - 1) / core->issue;
    bound->cycles = (double)cycles / copies;
    front_mark_all(block, 0, bound);
}
