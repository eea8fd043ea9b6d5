/* Weights. Without frequencies every block counts once: an iteration is assumed to pass through all of them.
   With the compiler's frequencies a block counts as often as it runs for one run of the header.

   Order. Blocks are in the order of the code. It does not matter if the loop is entered elsewhere than at its
   first block: only the steady state counts. */
#include "code/cost/macs/body.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 1 << 16 };

void body_begin(struct bodies *bodies, const struct model *model, const struct machine *machine)
{
    *bodies = (struct bodies){
        .model = model, .blocks = ARRAY_OF(struct body_block), .items = ARRAY_OF(struct schedule_item)};
    operations_begin(&bodies->operations, model, machine);
    if (model->compiler_blocks.count <= 1)
        return;
    bodies->compiler_block = memory_get((model->blocks.count + 1) * sizeof *bodies->compiler_block);
    for (uint32_t id = 1; id < model->compiler_blocks.count; id++) {
        uint32_t block = model_compiler_block(model, id)->block;
        if (block < model->blocks.count && !bodies->compiler_block[block])
            bodies->compiler_block[block] = id;
    }
}

void body_end(struct bodies *bodies)
{
    operations_end(&bodies->operations);
    free(bodies->compiler_block);
    array_free(&bodies->blocks);
    array_free(&bodies->items);
}

static double frequency_of(const struct bodies *bodies, uint32_t block)
{
    uint32_t row = bodies->compiler_block ? bodies->compiler_block[block] : 0;
    return row ? model_compiler_block(bodies->model, row)->frequency : NAN;
}

/* If a block has no frequency, all frequencies are ignored. */
static void weigh(struct bodies *bodies, uint32_t header)
{
    double base = frequency_of(bodies, header);
    bool is_usable = isfinite(base) && base > 0, is_uneven = false;
    for (size_t i = 0; i < bodies->blocks.count && is_usable; i++) {
        struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        row->weight = frequency_of(bodies, row->block) / base;
        is_usable = isfinite(row->weight) && row->weight >= 0 && row->weight < 1e6;
        is_uneven = is_uneven || fabs(row->weight - 1) > 1e-9;
    }
    bodies->is_weighted = is_usable && is_uneven;
    for (size_t i = 0; i < bodies->blocks.count && !bodies->is_weighted; i++)
        ARRAY_AT(struct body_block, &bodies->blocks, i)->weight = 1;
}

static struct body_block *find_block(struct bodies *bodies, uint32_t block)
{
    size_t low = array_first_not_below(&bodies->blocks, 0, offsetof(struct body_block, block), block);
    struct body_block *found = ARRAY_AT(struct body_block, &bodies->blocks, low);
    return low < bodies->blocks.count && found->block == block ? found : NULL;
}

static bool ends_in_check(struct bodies *bodies, uint32_t id)
{
    const struct block *block = model_block(bodies->model, id);
    if (!block->instruction_count)
        return false;
    uint32_t last = block->first_instruction + block->instruction_count - 1;
    return operations_of(&bodies->operations, model_instruction(bodies->model, last)->encoding)->is_check;
}

/* Blocks that only a chk that jumps reaches. */
static void leave_out_recovery(struct bodies *bodies, uint32_t header)
{
    const struct model *model = bodies->model;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < bodies->blocks.count; i++) {
            uint32_t block = ARRAY_AT(struct body_block, &bodies->blocks, i)->block;
            bool is_check = ends_in_check(bodies, block);
            for (uint32_t k = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
                 k < model->edges.count && model_edge(model, k)->source == block; k++) {
                const struct edge *edge = model_edge(model, k);
                struct body_block *target = find_block(bodies, edge->target);
                bool is_jump = is_check && edge->kind == edge_kind_TAKEN && edge->target != header;
                if (target && is_jump && !round)
                    target->is_recovery = true;
                if (target && !is_jump && round)
                    target->is_recovery = false;
            }
        }
    for (size_t i = 0; i < bodies->blocks.count; i++) {
        struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        if (row->is_recovery)
            row->weight = 0;
        bodies->recovery_count += row->is_recovery;
    }
}

static bool has_edge(const struct model *model, uint32_t from, uint32_t to)
{
    for (uint32_t k = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), from);
         k < model->edges.count && model_edge(model, k)->source == from; k++)
        if (model_edge(model, k)->target == to)
            return true;
    return false;
}

/* Second halves of gathers: what follows the first half and leads back to it. */
static void leave_out_repeats(struct bodies *bodies)
{
    const struct model *model = bodies->model;
    for (size_t i = 0; i + 1 < bodies->blocks.count; i++) {
        struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        struct body_block *next = ARRAY_AT(struct body_block, &bodies->blocks, i + 1);
        if (!model_block(model, row->block)->most_repeats || !next->weight ||
            !has_edge(model, row->block, next->block) || !has_edge(model, next->block, row->block))
            continue;
        next->weight = 0;
        bodies->repeat_count++;
    }
}

static bool has_checks(struct bodies *bodies)
{
    for (size_t i = 0; i < bodies->blocks.count; i++)
        if (ends_in_check(bodies, ARRAY_AT(struct body_block, &bodies->blocks, i)->block))
            return true;
    return false;
}

void body_take(struct bodies *bodies, uint32_t loop)
{
    const struct model *model = bodies->model;
    bodies->blocks.count = bodies->items.count = 0;
    bodies->is_cut = false;
    for (uint32_t i = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
         i < model->loop_blocks.count && model_loop_block(model, i)->loop == loop; i++) {
        struct body_block *row = array_add(&bodies->blocks);
        row->block = model_loop_block(model, i)->block;
    }
    weigh(bodies, model_loop(model, loop)->header);
    bodies->recovery_count = bodies->repeat_count = 0;
    if (has_checks(bodies))
        leave_out_recovery(bodies, model_loop(model, loop)->header);
    leave_out_repeats(bodies);
}

void body_take_path(struct bodies *bodies, const struct path_block *blocks, size_t count)
{
    bodies->blocks.count = bodies->items.count = 0;
    bodies->is_cut = bodies->is_weighted = false;
    bodies->recovery_count = bodies->repeat_count = 0;
    for (size_t i = 0; i < count; i++)
        *(struct body_block *)array_add(&bodies->blocks) =
            (struct body_block){.block = blocks[i].block, .weight = 1};
}

void body_count(struct bodies *bodies, struct operation_counts *counts)
{
    const struct model *model = bodies->model;
    for (size_t i = 0; i < bodies->blocks.count; i++) {
        const struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        const struct block *block = model_block(model, row->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + k)->encoding;
            operations_add(counts, &operations_of(&bodies->operations, encoding)->counts, row->weight);
        }
    }
}

bool body_compiler_cycles(const struct bodies *bodies, double *cycles)
{
    const struct model *model = bodies->model;
    *cycles = 0;
    bool is_any = false;
    for (size_t i = 0; i < bodies->blocks.count; i++) {
        const struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        const struct block *block = model_block(model, row->block);
        uint32_t end = block->first_instruction + block->instruction_count;
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (uint32_t k = array_first_not_below(&model->listing_instructions, 0,
                                                offsetof(struct listing_instruction, instruction),
                                                block->first_instruction);
             k < model->listing_instructions.count && model_listing_instruction(model, k)->instruction < end;
             k++) {
            int32_t cycle = model_listing_instruction(model, k)->cycle;
            if (cycle == NO_NUMBER)
                continue;
            first = cycle < first ? cycle : first;
            last = cycle > last ? cycle : last;
        }
        if (first <= last) {
            *cycles += row->weight * (double)(last - first + 1);
            is_any = true;
            continue;
        }
        if (row->is_recovery)
            continue;
        for (uint32_t k = block->first_instruction; k < end; k++)
            if (model_encoding(model, model_instruction(model, k)->encoding)->class != class_NOP)
                return false;
    }
    return is_any;
}

/* The last number of the function's alloc: registers that rotate. */
static unsigned rotating_of(struct bodies *bodies, uint32_t function)
{
    const struct model *model = bodies->model;
    if (bodies->function == function)
        return bodies->rotating;
    const struct function *row = model_function(model, function);
    string_id name = strings_find(&model->strings, "alloc");
    bodies->function = function;
    bodies->rotating = 0;
    uint32_t first = model_block(model, row->first_block)->first_instruction;
    for (uint32_t id = first; name && id < model->code.count && id < first + row->instruction_count; id++) {
        uint32_t encoding = model_instruction(model, id)->encoding;
        if (model_encoding(model, encoding)->name != name)
            continue;
        for (uint32_t k =
                 array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
             k < model->operands.count && model_operand(model, k)->encoding == encoding; k++) {
            const struct operand *operand = model_operand(model, k);
            if (operand->kind == operand_kind_IMMEDIATE)
                bodies->rotating = operand->value > 0 && operand->value <= 96 ? (unsigned)operand->value : 0;
        }
        break;
    }
    return bodies->rotating;
}

/* Stops of instructions outside bundles: the ones in the listing. */
static void mark_listed_stops(struct bodies *bodies, const struct block *block, struct schedule_item *items)
{
    const struct model *model = bodies->model;
    uint32_t end = block->first_instruction + block->instruction_count;
    for (uint32_t k = array_first_not_below(&model->listing_instructions, 0,
                                            offsetof(struct listing_instruction, instruction),
                                            block->first_instruction);
         k < model->listing_instructions.count && model_listing_instruction(model, k)->instruction < end; k++)
        if (model_listing_instruction(model, k)->is_stop)
            items[model_listing_instruction(model, k)->instruction - block->first_instruction].stops = true;
}

/* A block may begin in the middle of a bundle. The bundle starts there only if the instructions before were
   not listed. */
static void mark_bundle(struct bodies *bodies, const struct bundle *bundle, const struct block *block,
                        bool follows, struct schedule_item *items)
{
    const struct model *model = bodies->model;
    int template = machine_template(bodies->operations.machine, model_text(model, bundle->template));
    bool has_noop_branch = true;
    for (uint32_t slot = 0; slot < bundle->instruction_count; slot++) {
        uint32_t encoding = model_instruction(model, bundle->first_instruction + slot)->encoding;
        if (operations_of(&bodies->operations, encoding)->counts.branches)
            has_noop_branch = false;
    }
    for (uint32_t slot = 0; slot < bundle->instruction_count; slot++) {
        uint32_t id = bundle->first_instruction + slot;
        if (id < block->first_instruction || id >= block->first_instruction + block->instruction_count)
            continue;
        struct schedule_item *item = &items[id - block->first_instruction];
        item->template = (int8_t) template;
        item->starts_bundle = slot == 0 || (id == block->first_instruction && !follows);
        item->has_noop_branch = has_noop_branch;
        /* With a long instruction the second of two has the last place. */
        unsigned place = bundle->instruction_count == 2 && slot == 1 ? 2 : slot;
        item->stops = item->stops || bundle->stops >> place & 1;
    }
}

static void list_block(struct bodies *bodies, const struct block *block)
{
    const struct model *model = bodies->model;
    struct schedule_item *items = array_add_many(&bodies->items, block->instruction_count);
    bool follows = bodies->listed_end && bodies->listed_end == block->first_instruction;
    bodies->listed_end = block->first_instruction + block->instruction_count;
    for (uint32_t k = 0; k < block->instruction_count; k++) {
        uint32_t encoding = model_instruction(model, block->first_instruction + k)->encoding;
        items[k].operation = operations_of(&bodies->operations, encoding);
        items[k].template = -1;
    }
    if (bodies->operations.machine->bundles) {
        mark_listed_stops(bodies, block, items);
        /* The bundle before may reach into the block. */
        uint32_t first = array_first_not_below(&model->bundles, 0, offsetof(struct bundle, first_instruction),
                                               block->first_instruction);
        for (uint32_t k = first ? first - 1 : 0;
             k < model->bundles.count &&
             model_bundle(model, k)->first_instruction < block->first_instruction + block->instruction_count;
             k++)
            mark_bundle(bodies, model_bundle(model, k), block, follows, items);
    }
}

unsigned body_list_items(struct bodies *bodies, uint32_t loop)
{
    const struct model *model = bodies->model;
    bool rotates = false;
    bodies->items.count = 0;
    bodies->listed_end = 0;
    for (size_t i = 0; i < bodies->blocks.count && !bodies->is_cut; i++) {
        const struct body_block *row = ARRAY_AT(struct body_block, &bodies->blocks, i);
        const struct block *block = model_block(model, row->block);
        if (row->weight < 0.5 || !block->instruction_count)
            continue;
        bodies->is_cut = bodies->items.count + block->instruction_count > MOST_ITEMS;
        if (!bodies->is_cut)
            list_block(bodies, block);
    }
    for (size_t i = 0; i < bodies->items.count && !rotates; i++)
        rotates = ARRAY_AT(struct schedule_item, &bodies->items, i)->operation->rotates;
    return rotates ? rotating_of(bodies, model_loop(model, loop)->function) : 0;
}
