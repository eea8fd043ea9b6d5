/* Branches: a limited number per cycle, and fewer of them taken.

   In a loop the branch back is taken, and so is every branch whose next instruction lies elsewhere. In
   unrolled mode no branch is taken. A branch fused with a comparison counts once, as itself.

   If a 64-byte boundary cuts through either instruction of such a pair, a loop takes one more cycle on Golden
   Cove (measured: a loop of four instructions takes 2 cycles if the boundary cuts its last two, else 1). */
#include "cost/core/front_end.h"

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

void cost_branches(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    const struct machine *machine = block->machine;
    unsigned branches = 0, taken = 0;
    for (unsigned i = 0; i < block->count; i++) {
        if (!block->items[i].cost->is_branch)
            continue;
        branches++;
        bool is_taken = block->mode == cost_LOOP && front_jumps(block, i);
        taken += is_taken + (is_taken && pair_crosses(block, i));
        if (bound->marks)
            bound->marks[i] = 1;
    }
    bound->cycles = 0;
    if (machine->branches > 0)
        bound->cycles = branches / machine->branches;
    if (machine->taken > 0)
        bound->cycles = fmax(bound->cycles, taken / machine->taken);
}
