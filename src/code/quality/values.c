/* Two walks over the path: the first finds the last writer of each register, the second gives it to every
   reader before the next writer. */
#include "code/quality/values.h"

#include <stddef.h>

static void note_writes(const struct subject *subject, unsigned item, uint32_t *writers)
{
    const struct subject_item *row = &subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++)
        if (value_is_written(&row->uses[u]))
            writers[model_full_register(subject->model, row->uses[u].register_)] = item + 1;
}

/* Whether the result of an item depends on nothing: xor eax, eax. */
static bool is_idiom(const struct subject *subject, unsigned item)
{
    const struct machine_cost *cost = ARRAY_AT(struct cost_item, &subject->work->items, item)->cost;
    return cost->write_count && !cost->flow_count;
}

void values_find(struct values *values, const struct subject *subject)
{
    size_t registers = subject->model->registers.count;
    uint32_t *writers = arena_get(subject->arena, registers * sizeof *writers);
    uint32_t *earlier = arena_get(subject->arena, registers * sizeof *earlier);
    uint32_t count = 0;
    *values = (struct values){.subject = subject};
    values->first = arena_get(subject->arena, (subject->item_count + 1) * sizeof *values->first);
    for (unsigned i = 0; i < subject->item_count; i++) {
        values->first[i] = count;
        count += subject->items[i].use_count;
        note_writes(subject, i, earlier);
    }
    values->first[subject->item_count] = count;
    values->sources = arena_get(subject->arena, (count + 1) * sizeof *values->sources);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *row = &subject->items[i];
        bool reads = !is_idiom(subject, i);
        for (unsigned u = 0; u < row->use_count; u++) {
            struct value_source *source = &values->sources[values->first[i] + u];
            uint32_t full = model_full_register(subject->model, row->uses[u].register_);
            source->item = VALUE_OUTSIDE;
            if (!reads || !value_is_read(&row->uses[u]) || !earlier[full])
                continue;
            source->is_earlier = !writers[full];
            source->item = (source->is_earlier ? earlier : writers)[full] - 1;
        }
        note_writes(subject, i, writers);
    }
}

struct value_source values_of_register(const struct values *values, unsigned item, uint32_t register_row)
{
    const struct subject_item *row = &values->subject->items[item];
    uint32_t full = model_full_register(values->subject->model, register_row);
    for (unsigned u = 0; full && u < row->use_count; u++)
        if (value_is_read(&row->uses[u]) &&
            model_full_register(values->subject->model, row->uses[u].register_) == full)
            return values_source(values, item, u);
    return (struct value_source){VALUE_OUTSIDE, false};
}

static void note_encoding(const struct subject *subject, uint32_t encoding, uint8_t *is_written)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; at < model->register_uses.count; at++) {
        const struct register_use *use = model_register_use(model, (uint32_t)at);
        if (use->encoding != encoding)
            break;
        if (value_is_written(use))
            is_written[model_full_register(subject->model, use->register_)] = 1;
    }
}

static void find_written(struct values *values)
{
    const struct subject *subject = values->subject;
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    values->is_written = arena_get(subject->arena, model->registers.count);
    for (; at < model->loop_blocks.count; at++) {
        const struct loop_block *row = model_loop_block(model, (uint32_t)at);
        if (row->loop != subject->loop)
            break;
        const struct block *block = model_block(model, row->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            note_encoding(subject, model_instruction(model, block->first_instruction + i)->encoding,
                          values->is_written);
    }
}

bool values_stays(struct values *values, uint32_t register_row)
{
    if (!values->is_written)
        find_written(values);
    return !values->is_written[model_full_register(values->subject->model, register_row)];
}

/* Whether an item adds a constant to a register. */
static bool steps(const struct subject *subject, const struct subject_item *item, uint32_t full)
{
    enum operation operation = item->row->operation;
    bool reads = false, writes = false,
         has_constant = operation == operation_INCREMENT || operation == operation_DECREMENT;
    if (!has_constant && operation != operation_ADD && operation != operation_SUBTRACT)
        return false;
    for (unsigned u = 0; u < item->use_count; u++) {
        bool is_it = model_full_register(subject->model, item->uses[u].register_) == full;
        reads |= is_it && value_is_read(&item->uses[u]);
        writes |= is_it && value_is_written(&item->uses[u]);
    }
    for (unsigned i = 0; i < item->operand_count; i++)
        has_constant |= item->operands[i].kind == operand_kind_IMMEDIATE;
    return reads && writes && has_constant;
}

bool values_counts(const struct subject *subject, uint32_t register_row)
{
    uint32_t full = model_full_register(subject->model, register_row);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (steps(subject, &subject->items[i], full))
            return true;
    return false;
}

const struct subject_access *values_access(const struct subject *subject, unsigned item)
{
    struct bisection search = {0, subject->access_count};
    while (bisect(&search))
        bisect_past(&search, subject->accesses[search.middle].item < item);
    const struct subject_access *access = &subject->accesses[search.first];
    return search.first < subject->access_count && access->item == item ? access : NULL;
}
