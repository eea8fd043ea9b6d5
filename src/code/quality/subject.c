/* The rows of an instruction are found once for each item; its operand types and its purpose follow from its
   encoding and from its neighbours. */
#include "code/quality/subject.h"

#include "code/flow/units.h"
#include "code/quality/motion/trips.h"

#include <stddef.h>
#include <math.h>
#include <stdlib.h>

/* Where the rows of an encoding start, and how many there are. */
struct encoding_rows {
    uint32_t first_operand, first_use;
    uint16_t operand_count, use_count;
    bool is_known;
};

static unsigned count_rows(const struct array *table, size_t first, size_t offset, uint32_t encoding)
{
    size_t end = first;
    while (end < table->count && *(uint32_t *)((char *)array_at(table, end) + offset) == encoding)
        end++;
    return (unsigned)(end - first);
}

static struct encoding_rows find_rows(const struct model *model, uint32_t encoding)
{
    size_t in_operand = offsetof(struct operand, encoding), in_use = offsetof(struct register_use, encoding);
    size_t operand = array_first_not_below(&model->operands, 0, in_operand, encoding);
    size_t use = array_first_not_below(&model->register_uses, 0, in_use, encoding);
    return (struct encoding_rows){
        .first_operand = (uint32_t)operand,
        .first_use = (uint32_t)use,
        .operand_count = (uint16_t)count_rows(&model->operands, operand, in_operand, encoding),
        .use_count = (uint16_t)count_rows(&model->register_uses, use, in_use, encoding),
        .is_known = true};
}

static void fill_item(const struct model *model, struct subject_item *item, uint32_t instruction,
                      const struct encoding_rows *rows)
{
    item->instruction = instruction;
    item->encoding = model_instruction(model, instruction)->encoding;
    item->row = model_encoding(model, item->encoding);
    item->operands = model_operand(model, rows->first_operand);
    item->operand_count = rows->operand_count;
    item->uses = model_register_use(model, rows->first_use);
    item->use_count = rows->use_count;
}

void subject_item_take(const struct model *model, struct subject_item *item, uint32_t instruction)
{
    struct encoding_rows rows = find_rows(model, model_instruction(model, instruction)->encoding);
    *item = (struct subject_item){0};
    fill_item(model, item, instruction, &rows);
}

/* Rows are searched once for each encoding. */
static void take_items(struct subject *subject, struct subject_work *work)
{
    const struct model *model = subject->model;
    const struct block_costs *costs = subject->work;
    struct array *known = &work->encoding_rows;
    known->width = sizeof(struct encoding_rows);
    if (known->count < model->encodings.count)
        array_add_many(known, model->encodings.count - known->count);
    work->items.width = sizeof(struct subject_item);
    work->items.count = 0;
    array_add_many(&work->items, costs->items.count);
    for (size_t i = 0; i < costs->items.count; i++) {
        uint32_t encoding = *ARRAY_AT(uint32_t, &costs->encodings, i);
        struct encoding_rows *rows = ARRAY_AT(struct encoding_rows, known, encoding);
        if (!rows->is_known)
            *rows = find_rows(model, encoding);
        fill_item(model, ARRAY_AT(struct subject_item, &work->items, i),
                  ARRAY_AT(struct cost_item, &costs->items, i)->id, rows);
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

static void add_conventions(struct subject_registers *registers, const struct machine_costs *costs,
                            enum isa isa)
{
    struct units units = {0};
    units_make(&units, costs->model, isa);
    for (uint16_t unit = 0; unit < units.count; unit++) {
        uint32_t row = units.registers[unit];
        uint16_t resource = row < costs->register_count ? costs->resource_of[row] : (uint16_t)RESOURCE_NONE;
        if (resource && units.abi[unit] & ABI_CLOBBERED && registers->clobbered_count < MOST_RESOURCES)
            registers->clobbered[registers->clobbered_count++] = resource;
        if (resource && units.abi[unit] & ABI_ARGUMENT && registers->argument_count < MOST_RESOURCES)
            registers->arguments[registers->argument_count++] = resource;
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
            add_conventions(registers, costs, isa);
    return registers;
}

void subject_find_dependences(const struct subject *subject)
{
    struct block_costs *work = subject->work;
    /* Without a call of cost_predict, the scratch belongs to another block. */
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
                                .look = arena_get(&work->arena, 1),
                                .spare = &work->spare,
                                .made = &work->made,
                                .registers = work->registers[machine->isa]};
    loop_path_take(model, path, costs);
    loop_path_note(costs, block_costs_predict(costs, cost_LOOP, cost_MARKS), path);
    if (!costs->items.count)
        return false;
    take_items(subject, work);
    subject_find_dependences(subject);
    subject_find_elements(subject, work->items.data);
    take_accesses(subject, work);
    subject_find_purposes(subject, work->items.data);
    subject->trips = motion_trips(subject);
    subject->counted_trips = subject->trips ? NAN : motion_counted_trips(model, path->loop);
    if (isfinite(subject->counted_trips))
        subject->trips = llround(subject->counted_trips);
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
    array_free(&work->encoding_rows);
    array_free(&work->accesses);
    arena_free(&work->arena);
    cost_scratch_end(&work->spare);
    machine_costs_end(&work->made);
}

const struct operand *subject_item_memory(const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_MEMORY)
            return &item->operands[i];
    return NULL;
}

bool subject_always_takes(const struct subject *subject, uint32_t block)
{
    const struct model *model = subject->model;
    uint32_t header = model_loop(model, subject->loop)->header;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        uint32_t last = model_loop_block(model, (uint32_t)at)->block;
        size_t edge = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), last);
        for (; edge < model->edges.count && model_edge(model, (uint32_t)edge)->source == last; edge++)
            if (model_edge(model, (uint32_t)edge)->target == header && !model_dominates(model, block, last))
                return false;
    }
    return true;
}
