/* Branches: so many a cycle, and fewer that are taken.

   In a loop the branch back is taken, and so is one after which the code goes on elsewhere; in a block that
   is repeated without a branch none is.  A branch fused with a comparison counts once, as itself. */
#include "cost/front_end.h"

#include <math.h>

void cost_branches(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    const struct machine *machine = block->machine;
    unsigned branches = 0, taken = 0;
    for (unsigned i = 0; i < block->count; i++) {
        if (!block->items[i].cost->is_branch)
            continue;
        branches++;
        taken += block->mode == cost_LOOP && front_jumps(block, i);
        if (bound->marks)
            bound->marks[i] = 1;
    }
    bound->cycles = 0;
    if (machine->branches > 0)
        bound->cycles = branches / machine->branches;
    if (machine->taken > 0)
        bound->cycles = fmax(bound->cycles, taken / machine->taken);
}
