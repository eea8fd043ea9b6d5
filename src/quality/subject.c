/* The rows of an instruction are found once for each item; what it works on follows from its encoding. */
#include "quality/subject.h"

#include <stddef.h>

static void find_rows(const struct model *model, struct subject_item *item)
{
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
        item->instruction = ARRAY_AT(struct cost_item, &costs->items, i)->id;
        item->encoding = *ARRAY_AT(uint32_t, &costs->encodings, i);
        item->row = model_encoding(subject->model, item->encoding);
        find_rows(subject->model, item);
    }
    subject->items = work->items.data;
    subject->item_count = (unsigned)work->items.count;
    subject_find_purposes(subject, work->items.data);
}

bool subject_take(struct subject *subject, struct subject_work *work, const struct model *model,
                  const struct machine *machine, struct loop_path *path)
{
    struct block_costs *costs = &work->costs[machine->isa];
    if (costs->costs.machine != machine)
        block_costs_begin(costs, machine, model);
    arena_empty(&work->arena);
    *subject = (struct subject){.model = model,
                                .machine = machine,
                                .path = path,
                                .loop = path->loop,
                                .work = costs,
                                .arena = &work->arena,
                                .spare = &work->spare};
    loop_path_take(model, path, costs);
    loop_path_note(costs, block_costs_predict(costs, cost_LOOP, true), path);
    if (!costs->items.count)
        return false;
    take_items(subject, work);
    work->accesses.width = sizeof(struct subject_access);
    work->accesses.count = 0;
    subject_find_accesses(subject, &work->accesses);
    subject->accesses = work->accesses.data;
    subject->access_count = (unsigned)work->accesses.count;
    return true;
}

void subject_work_end(struct subject_work *work)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (work->costs[isa].costs.machine)
            block_costs_end(&work->costs[isa]);
    array_free(&work->items);
    array_free(&work->accesses);
    arena_free(&work->arena);
    cost_scratch_end(&work->spare);
}
