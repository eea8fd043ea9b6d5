/* Two signs, found separately; a loop with both divides complex numbers. */
#include "code/quality/rules/scaled.h"

#include "model/elements.h"
#include "code/quality/values.h"

/* Absolute values: by clearing the sign, or an instruction of their own. */
static bool is_absolute(const struct subject_item *item)
{
    return element_is_fp((enum element)item->row->element) &&
           (item->row->operation == operation_AND || item->row->operation == operation_ABSOLUTE);
}

/* A comparison of two absolute values, with them in front of it. */
static bool find_comparison(const struct values *values, struct scaled *scaled)
{
    const struct subject *subject = values->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        unsigned absolute = 0, others = 0;
        if (item->row->class != class_COMPARE || !item->is_fp)
            continue;
        for (unsigned u = 0; u < item->use_count; u++) {
            struct value_source source = values_source(values, i, u);
            if (!value_is_read(&item->uses[u]))
                continue;
            if (source.item == VALUE_OUTSIDE || !is_absolute(&subject->items[source.item]))
                others++;
            else if (absolute++ < 2)
                scaled->items[absolute - 1] = source.item;
        }
        scaled->items[2] = i;
        if (absolute == 2 && !others)
            return true;
    }
    return false;
}

/* The first division: its result is in one divisor of at least two later quotients, the real and the
   imaginary part. The divisor is the last operand, on every instruction set. A square root on the way means a
   rotation: the length of a vector, scaled in the same way. */
static unsigned find_ratio(const struct values *values)
{
    const struct subject *subject = values->subject;
    uint32_t *from = arena_get(subject->arena, (subject->item_count + 1) * sizeof *from);
    unsigned *quotients = arena_get(subject->arena, (subject->item_count + 1) * sizeof *quotients);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        for (unsigned u = 0; u < item->use_count && item->row->class != class_SQRT; u++) {
            struct value_source source = values_source(values, i, u);
            if (source.item != VALUE_OUTSIDE && !source.is_earlier && from[source.item])
                from[i] = from[source.item];
        }
        if (item->row->class != class_DIVIDE || !item->is_fp || !item->operand_count)
            continue;
        const struct operand *divisor = &item->operands[item->operand_count - 1];
        struct value_source source = values_of_register(values, i, divisor->register_);
        if (source.item != VALUE_OUTSIDE && !source.is_earlier && from[source.item]) {
            quotients[source.item] += item->is_vectorised ? 2 : 1;
            if (quotients[source.item] >= 2)
                return from[source.item] - 1;
        }
        from[i] = i + 1;
    }
    return VALUE_OUTSIDE;
}

bool scaled_find(const struct subject *subject, struct scaled *scaled)
{
    struct values values;
    if (subject->metric->divide_count < 2 || !subject_is_timed(subject) || subject->metric->call_count)
        return false;
    values_find(&values, subject);
    if (!find_comparison(&values, scaled))
        return false;
    scaled->items[3] = find_ratio(&values);
    return scaled->items[3] != VALUE_OUTSIDE;
}
