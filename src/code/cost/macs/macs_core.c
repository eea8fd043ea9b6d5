#include "code/cost/macs/macs_core.h"

#include <math.h>

bool macs_core_serves(const struct machine *machine)
{
    return machine->forms.count && !machine->bundles;
}

static bool is_counted(struct bodies *bodies, uint32_t encoding)
{
    const struct operation_counts *counts = &operations_of(&bodies->operations, encoding)->counts;
    return counts->floating > 0 || counts->memory > 0 || counts->branches > 0;
}

/* Makes the body's instructions, or only the counted ones, the current block. */
static void take_body(struct block_costs *costs, struct bodies *bodies, bool takes_all)
{
    const struct model *model = bodies->model;
    block_costs_clear(costs);
    for (size_t i = 0; i < bodies->blocks.count && !costs->is_cut; i++) {
        const struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        const struct block *block = model_block(model, row->block);
        for (uint32_t k = 0; k < block->instruction_count && row->weight >= 0.5; k++) {
            uint32_t id = block->first_instruction + k;
            const struct instruction *instruction = model_instruction(model, id);
            if (takes_all || is_counted(bodies, instruction->encoding))
                block_costs_add(costs, instruction->encoding, id, block->address + instruction->offset,
                                instruction->target);
        }
    }
}

typedef void cost_part(const struct cost_block *, struct cost_scratch *, struct cost_bound *);

/* The largest bound of some parts; NaN if the machine lacks an instruction. */
static double largest(struct block_costs *costs, cost_part *const *parts, size_t count)
{
    double cycles = 0;
    if (costs->missing || costs->is_cut || !costs->items.count)
        return NAN;
    costs->block.items = costs->items.data;
    costs->block.count = (unsigned)costs->items.count;
    costs->block.mode = cost_LOOP;
    arena_empty(&costs->scratch.arena);
    costs->scratch.block_number++;
    cost_prepare(&costs->block);
    for (size_t i = 0; i < count; i++) {
        struct cost_bound bound = {0};
        parts[i](&costs->block, &costs->scratch, &bound);
        cycles = fmax(cycles, bound.cycles);
    }
    return cycles;
}

/* Only the whole body shows which branches are taken and where loads and stores go. With instructions left
   out, code seems to jump over them and addresses seem not to move. */
double macs_core_operations(struct block_costs *costs, struct bodies *bodies)
{
    static cost_part *const placed[] = {cost_branches, cost_loads, cost_stores};
    static cost_part *const counted[] = {cost_issue, cost_ports, cost_divider};
    if (bodies->is_weighted)
        return NAN;
    take_body(costs, bodies, true);
    double whole = largest(costs, placed, sizeof placed / sizeof *placed);
    take_body(costs, bodies, false);
    double cycles = largest(costs, counted, sizeof counted / sizeof *counted);
    return isnan(whole) || isnan(cycles) ? NAN : fmax(whole, cycles);
}

bool macs_core_schedule(struct block_costs *costs, struct bodies *bodies)
{
    take_body(costs, bodies, true);
    return !bodies->is_weighted && block_costs_predict(costs, cost_LOOP, cost_ANSWER);
}
