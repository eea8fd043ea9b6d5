/* The divider does one division or square root after the other, each for the time that the machine file
   gives. A microcoded division occupies it several times, in µops whose figures are less exact than a
   measurement of the whole instruction; then the measurement counts. */
#include "cost/core/core.h"

void cost_divider(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    double cycles = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        if (!(cost->divider > 0))
            continue;
        /* NaN if nothing was measured. */
        cycles += (double)(cost->throughput > cost->divider ? cost->throughput : cost->divider);
        if (bound->marks)
            bound->marks[i] = 1;
    }
    bound->cycles = cycles;
}
