#include "cli/shown_block.h"

#include "show/report/cycles.h"

void shown_block_print(void *context, uint32_t loop, uint32_t path, const char *const *notes, FILE *out)
{
    struct shown_block *block = context;
    const struct model *model = block->model;
    const struct machine *machine = loop_machine(block->machines, model, loop);
    struct array paths = ARRAY_OF(struct loop_path);
    loop_paths_list(model, loop, &paths);
    for (size_t i = 0; machine && i < paths.count; i++) {
        struct loop_path *it = ARRAY_AT(struct loop_path, &paths, i);
        if (it->path != path)
            continue;
        struct block_costs *costs = &block->costs[machine->isa];
        if (!costs->costs.machine)
            block_costs_begin(costs, machine, model);
        loop_path_take(model, it, costs);
        loop_path_note(costs, block_costs_predict(costs, cost_LOOP, cost_MARKS), it);
        struct cycles_view view = {.model = model,
                                   .machine = machine,
                                   .path = it,
                                   .mode = cost_LOOP,
                                   .notes = notes,
                                   .is_short = block->is_short};
        struct cycles_details details;
        cycles_details_begin(&details, &view, costs);
        report_cycles_block(&view, block->style, out);
        cycles_details_end(&details);
    }
    array_free(&paths);
}

void shown_block_end(struct shown_block *block)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (block->costs[isa].costs.machine)
            block_costs_end(&block->costs[isa]);
    *block = (struct shown_block){0};
}
