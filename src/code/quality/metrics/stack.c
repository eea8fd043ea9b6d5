/* The stack accesses of an iteration.

   stack_accesses has the accesses whose place in the frame is known, each with its register. An access
   through the stack pointer that has no row there, such as one with an index, still counts as a reference.
   Places at or above the stack pointer at entry belong to the caller: loads of arguments are not fills.
   Arithmetic on a place in the frame is a fill where it reads it and a spill where it writes it. */
#include "code/quality/metrics/metrics.h"

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

/* The rows of a table from one instruction to another, both included; their numbers are at this offset. */
struct rows {
    const struct array *table;
    size_t first, end, offset;
};

static struct rows rows_between(const struct array *table, size_t offset, uint32_t from, uint32_t to)
{
    struct rows rows = {.table = table, .offset = offset};
    rows.first = array_first_not_below(table, 0, offset, from);
    rows.end =
        rows.first == table->count ? rows.first : array_first_not_below(table, rows.first, offset, to + 1);
    return rows;
}

static uint32_t instruction_at(const struct rows *rows, size_t index)
{
    return *(const uint32_t *)((const char *)array_at(rows->table, index) + rows->offset);
}

/* Where the rows of an instruction start, or would. */
static size_t find_row(const struct rows *rows, uint32_t instruction)
{
    struct bisection search = {rows->first, rows->end};
    while (bisect(&search))
        bisect_past(&search, instruction_at(rows, search.middle) < instruction);
    return search.first;
}

/* Rows of an instruction; whether there are any. */
static bool count_rows(const struct rows *rows, const struct subject_item *item, struct loop_metric *metric)
{
    bool does_both = item->row->load_bytes && item->row->store_bytes;
    size_t first = find_row(rows, item->instruction), i = first;
    for (; i < rows->end && instruction_at(rows, i) == item->instruction; i++) {
        const struct stack_access *row = array_at(rows->table, i);
        metric->stack_reference_count++;
        if (row->offset >= 0)
            continue;
        metric->spill_count += row->is_store && (row->register_ || does_both);
        metric->fill_count += !row->is_store || does_both;
    }
    return i > first;
}

void metric_stack(const struct subject *subject, struct loop_metric *metric)
{
    const struct model *model = subject->model;
    const struct units *units = &subject->facts->units[subject->items[0].row->isa];
    uint32_t from = UINT32_MAX, to = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint32_t instruction = subject->items[i].instruction;
        from = instruction < from ? instruction : from;
        to = instruction > to ? instruction : to;
    }
    struct rows accesses =
        rows_between(&model->stack_accesses, offsetof(struct stack_access, instruction), from, to);
    struct rows useless =
        rows_between(&model->useless_accesses, offsetof(struct useless_access, instruction), from, to);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if ((!item->row->load_bytes && !item->row->store_bytes) || item->row->flow != flow_NEXT)
            continue;
        if (!count_rows(&accesses, item, metric) && units->of_register)
            metric->stack_reference_count += is_based_on_stack(item, units);
        size_t at = find_row(&useless, item->instruction);
        metric->useless_stack_count += at < useless.end && instruction_at(&useless, at) == item->instruction;
    }
}
