/* The divider does one division or square root after the other, each for the time that the machine file
   gives. A microcoded division occupies it several times, in µops whose figures are less exact than a
   measurement of the whole instruction; then the measurement counts.

   Arm's cores divide integers and floats in different units (measured on Neoverse V1: four sdiv take 20
   cycles, four fdiv 10, all eight 20). With `dividers-apart`, divisions share a unit if their µops have a
   port in common, and the bound is that of the unit that is busy for longest. */
#include "code/cost/core/core.h"

static uint32_t ports_of(const struct cost_item *item)
{
    uint32_t ports = 0;
    for (unsigned i = 0; i < item->port_count; i++)
        ports |= item->ports[i].ports;
    return ports;
}

static bool divides(const struct cost_item *item, uint32_t ports)
{
    return item->cost->divider > 0 && (!ports || ports_of(item) & ports);
}

/* Cycles of the divisions on these ports; 0: of all. */
static double cycles_on(const struct cost_block *block, uint32_t ports)
{
    double cycles = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        /* NaN if nothing was measured. */
        if (divides(&block->items[i], ports))
            cycles += (double)(cost->throughput > cost->divider ? cost->throughput : cost->divider);
    }
    return cycles;
}

/* All ports of divisions that share a unit with these. */
static uint32_t unit_of(const struct cost_block *block, uint32_t ports)
{
    uint32_t before;
    do {
        before = ports;
        for (unsigned i = 0; i < block->count; i++)
            ports |= divides(&block->items[i], ports) ? ports_of(&block->items[i]) : 0;
    } while (ports != before);
    return ports;
}

void cost_divider(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    uint32_t unit = 0, seen = 0;
    bound->cycles = 0;
    if (!block->machine->core.dividers_apart)
        bound->cycles = cycles_on(block, 0);
    for (unsigned i = 0; block->machine->core.dividers_apart && i < block->count; i++) {
        uint32_t ports = ports_of(&block->items[i]);
        if (!divides(&block->items[i], 0) || (ports & seen))
            continue;
        ports = unit_of(block, ports);
        seen |= ports;
        double cycles = cycles_on(block, ports);
        if (cycles > bound->cycles) {
            bound->cycles = cycles;
            unit = ports;
        }
    }
    for (unsigned i = 0; bound->marks && i < block->count; i++)
        if (divides(&block->items[i], unit))
            bound->marks[i] = 1;
}
