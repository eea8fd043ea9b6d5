/* Retirement: µops leave in order, a limited number per cycle; fused µops count as one. */
#include "code/cost/core/front_end.h"

void cost_retire(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    unsigned width = block->machine->core.retire;
    bound->cycles = width ? (double)block->issued / width : 0;
    if (width)
        front_mark_all(block, 0, bound);
}
