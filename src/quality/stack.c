/* What an iteration does to the stack.

   stack_accesses has the accesses whose place in the frame is known, each with its register.  An access
   through the stack pointer that has no row there, such as one with an index, is a reference all the same.
   Places at or above the stack pointer at entry belong to the caller: loads of arguments are no fills.
   Arithmetic on a place in the frame is a fill where it reads it and a spill where it writes it. */
#include "quality/metrics.h"

#include <stddef.h>

static bool is_based_on_stack(const struct subject_item *item, const struct units *units)
{
    if (units->stack == NO_UNIT)
        return false;
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_MEMORY && item->operands[i].base_register &&
            units_of(units, item->operands[i].base_register) == units->stack)
            return true;
    return item->row->class == class_PUSH || item->row->class == class_POP;
}

/* Rows of an instruction; whether there are any. */
static bool count_rows(const struct model *model, const struct subject_item *item, struct loop_metric *metric)
{
    const struct array *rows = &model->stack_accesses;
    uint32_t instruction = item->instruction;
    bool does_both = item->row->load_bytes && item->row->store_bytes;
    size_t first = array_first_not_below(rows, 0, offsetof(struct stack_access, instruction), instruction);
    size_t i = first;
    for (; i < rows->count; i++) {
        const struct stack_access *row = model_stack_access(model, (uint32_t)i);
        if (row->instruction != instruction)
            break;
        metric->stack_reference_count++;
        if (row->offset >= 0)
            continue;
        metric->spill_count += row->is_store && (row->register_ || does_both);
        metric->fill_count += !row->is_store || does_both;
    }
    return i > first;
}

static bool is_useless(const struct model *model, uint32_t instruction)
{
    const struct array *rows = &model->useless_accesses;
    size_t at = array_first_not_below(rows, 0, offsetof(struct useless_access, instruction), instruction);
    return at < rows->count && model_useless_access(model, (uint32_t)at)->instruction == instruction;
}

void metric_stack(const struct subject *subject, struct loop_metric *metric)
{
    const struct units *units = &subject->facts->units[subject->items[0].row->isa];
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        bool accesses = item->row->load_bytes || item->row->store_bytes;
        if (!accesses || (item->row->flow != flow_NEXT))
            continue;
        if (!count_rows(subject->model, item, metric) && units->of_register)
            metric->stack_reference_count += is_based_on_stack(item, units);
        metric->useless_stack_count += is_useless(subject->model, item->instruction);
    }
}
