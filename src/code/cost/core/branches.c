/* Branches: a limited number per cycle, and fewer of them taken.

   In a loop the branch back is taken, and so is every branch whose next instruction lies elsewhere. In
   unrolled mode no branch is taken. A branch fused with a comparison counts once, as itself.

   On Neoverse V1 a jump without a condition and the jump that is taken after it go in one cycle
   (`jumps-pair`; measured: `b` and the branch back take 1 cycle, `cbz` and the branch back 2, two `b` and it
   2, three 2).

   If a 64-byte boundary cuts through either instruction of such a pair, a loop takes one more cycle on Golden
   Cove (measured: a loop of four instructions takes 2 cycles if the boundary cuts its last two, else 1). */
#include "code/cost/core/front_end.h"

#include <math.h>

static bool crosses(const struct cost_item *item, unsigned border)
{
    return item->address / border != (item->address + item->cost->size - 1) / border;
}

static bool pair_crosses(const struct cost_block *block, unsigned branch)
{
    unsigned border = block->machine->core.branch_border;
    const struct cost_item *item = &block->items[branch];
    return border && branch && item->is_absorbed && (crosses(item, border) || crosses(item - 1, border));
}

static bool is_taken(const struct cost_block *block, unsigned item)
{
    return block->items[item].cost->is_branch && front_jumps(block, item);
}

static bool always_jumps(const struct machine_cost *cost)
{
    return !cost->is_conditional && !cost->is_call && !cost->is_return;
}

/* Jumps that are taken in the cycle of the one before them. The first pair begins after a condition, so that
   pairs do not depend on where the block begins. */
static unsigned count_second_jumps(const struct cost_block *block)
{
    unsigned start = 0, seconds = 0;
    while (start < block->count && !(is_taken(block, start) && !always_jumps(block->items[start].cost)))
        start++;
    bool is_open = false;
    for (unsigned i = 1; i <= block->count; i++) {
        unsigned item = (start + i) % block->count;
        if (!is_taken(block, item))
            continue;
        seconds += is_open;
        is_open = !is_open && always_jumps(block->items[item].cost);
    }
    return seconds;
}

void cost_branches(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    const struct machine *machine = block->machine;
    unsigned branches = 0, taken = 0;
    for (unsigned i = 0; i < block->count; i++) {
        if (!block->items[i].cost->is_branch)
            continue;
        branches++;
        bool jumps = block->mode == cost_LOOP && front_jumps(block, i);
        taken += jumps + (jumps && pair_crosses(block, i));
        if (bound->marks)
            bound->marks[i] = 1;
    }
    if (machine->core.jumps_pair && taken)
        taken -= count_second_jumps(block);
    bound->cycles = 0;
    if (machine->branches > 0)
        bound->cycles = branches / machine->branches;
    if (machine->taken > 0)
        bound->cycles = fmax(bound->cycles, taken / machine->taken);
}
