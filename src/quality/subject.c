/* The rows of an instruction are found once for each item; what it works on and what it is there for follow
   from its encoding and from its neighbours. */
#include "quality/subject.h"

#include "flow/units.h"

#include <stddef.h>
#include <stdlib.h>

void subject_item_take(const struct model *model, struct subject_item *item, uint32_t instruction)
{
    *item = (struct subject_item){.instruction = instruction,
                                  .encoding = model_instruction(model, instruction)->encoding};
    item->row = model_encoding(model, item->encoding);
    size_t first =
        array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), item->encoding);
    size_t end = array_first_not_below(&model->operands, first, offsetof(struct operand, encoding),
                                       item->encoding + 1);
    item->operands = model_operand(model, (uint32_t)first);
    item->operand_count = (unsigned)(end - first);
    first = array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding),
                                  item->encoding);
    end = array_first_not_below(&model->register_uses, first, offsetof(struct register_use, encoding),
                                item->encoding + 1);
    item->uses = model_register_use(model, (uint32_t)first);
    item->use_count = (unsigned)(end - first);
}

static void take_items(struct subject *subject, struct subject_work *work)
{
    const struct block_costs *costs = subject->work;
    work->items.width = sizeof(struct subject_item);
    work->items.count = 0;
    for (size_t i = 0; i < costs->items.count; i++) {
        struct subject_item *item = array_add(&work->items);
        subject_item_take(subject->model, item, ARRAY_AT(struct cost_item, &costs->items, i)->id);
    }
    subject->items = work->items.data;
    subject->item_count = (unsigned)work->items.count;
}

static void take_accesses(struct subject *subject, struct subject_work *work)
{
    work->accesses.width = sizeof(struct subject_access);
    work->accesses.count = 0;
    subject_find_accesses(subject, &work->accesses);
    subject->accesses = work->accesses.data;
    subject->access_count = (unsigned)work->accesses.count;
}

static void add_clobbered(struct subject_registers *registers, const struct machine_costs *costs,
                          enum isa isa)
{
    struct units units = {0};
    units_make(&units, costs->model, isa);
    for (uint16_t unit = 0; unit < units.count; unit++) {
        uint32_t row = units.registers[unit];
        uint16_t resource = row < costs->register_count ? costs->resource_of[row] : (uint16_t)RESOURCE_NONE;
        if (resource && units.abi[unit] & ABI_CLOBBERED && registers->clobbered_count < MOST_RESOURCES)
            registers->clobbered[registers->clobbered_count++] = resource;
    }
    units_free(&units);
}

/* i386 code runs on x86-64 machines, and has resources of its own there. */
static struct subject_registers *find_registers(const struct machine_costs *costs)
{
    struct subject_registers *registers = memory_get(sizeof *registers);
    for (uint32_t row = 1; row < costs->register_count; row++) {
        const struct register_ *reg = model_register(costs->model, row);
        registers->kind[costs->resource_of[row]] = reg->kind;
        if (reg->full == row)
            registers->row[costs->resource_of[row]] = row;
    }
    for (enum isa isa = isa_NONE + 1; isa < isa_COUNT; isa++)
        if (machine_runs(costs->machine, isa))
            add_clobbered(registers, costs, isa);
    return registers;
}

void subject_find_dependences(const struct subject *subject)
{
    struct block_costs *work = subject->work;
    /* Where cost_predict was not asked, what is in the scratch is of another block. */
    if (work->missing || work->is_cut || work->is_bundled)
        work->scratch.block_number++;
    cost_find_dependences(&work->block, &work->scratch);
}

bool subject_take(struct subject *subject, struct subject_work *work, const struct model *model,
                  const struct machine *machine, struct loop_path *path)
{
    struct block_costs *costs = &work->costs[machine->isa];
    if (costs->costs.machine != machine) {
        block_costs_begin(costs, machine, model);
        work->registers[machine->isa] = find_registers(&costs->costs);
    }
    arena_empty(&work->arena);
    machine_costs_clear(&work->made);
    *subject = (struct subject){.model = model,
                                .machine = machine,
                                .path = path,
                                .loop = path->loop,
                                .work = costs,
                                .arena = &work->arena,
                                .spare = &work->spare,
                                .made = &work->made,
                                .registers = work->registers[machine->isa]};
    loop_path_take(model, path, costs);
    loop_path_note(costs, block_costs_predict(costs, cost_LOOP, true), path);
    if (!costs->items.count)
        return false;
    take_items(subject, work);
    subject_find_dependences(subject);
    subject_find_elements(subject, work->items.data);
    take_accesses(subject, work);
    subject_find_purposes(subject, work->items.data);
    return true;
}

void subject_work_end(struct subject_work *work)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        if (work->costs[isa].costs.machine)
            block_costs_end(&work->costs[isa]);
        free(work->registers[isa]);
    }
    array_free(&work->items);
    array_free(&work->accesses);
    arena_free(&work->arena);
    cost_scratch_end(&work->spare);
    machine_costs_end(&work->made);
}
