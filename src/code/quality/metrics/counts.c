/* Instructions by class and by type.

   Every instruction is in the count of its class. Loads and stores are also counted separately, because an
   arithmetic instruction may have one; so are x87 instructions, which have classes like all others. The type
   is that of the numbers that an instruction loads, stores, moves or computes with. */
#include "code/quality/metrics/metrics.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

/* Where an instruction of a class is counted; a class that is not named here goes to other_count. */
static const size_t class_counts[class_COUNT] = {
    [class_ADD] = offsetof(struct loop_metric, add_count),
    [class_MULTIPLY] = offsetof(struct loop_metric, multiply_count),
    [class_FMA] = offsetof(struct loop_metric, fma_count),
    [class_DIVIDE] = offsetof(struct loop_metric, divide_count),
    [class_SQRT] = offsetof(struct loop_metric, sqrt_count),
    [class_ESTIMATE] = offsetof(struct loop_metric, estimate_count),
    [class_COMPARE] = offsetof(struct loop_metric, compare_count),
    [class_MINMAX] = offsetof(struct loop_metric, compare_count),
    [class_CONVERT] = offsetof(struct loop_metric, convert_count),
    [class_SHUFFLE] = offsetof(struct loop_metric, shuffle_count),
    [class_LOGIC] = offsetof(struct loop_metric, logic_count),
    [class_SHIFT] = offsetof(struct loop_metric, logic_count),
    [class_BIT] = offsetof(struct loop_metric, logic_count),
    [class_MOVE] = offsetof(struct loop_metric, move_count),
    [class_ADDRESS] = offsetof(struct loop_metric, address_count),
    [class_BRANCH] = offsetof(struct loop_metric, branch_count),
    [class_CALL] = offsetof(struct loop_metric, call_count),
    [class_GATHER] = offsetof(struct loop_metric, gather_count),
    [class_SCATTER] = offsetof(struct loop_metric, scatter_count),
};

/* The classes that only access memory. */
static bool is_load(enum class class)
{
    return class == class_LOAD || class == class_POP || class == class_GATHER;
}

static bool is_store(enum class class)
{
    return class == class_STORE || class == class_PUSH || class == class_SCATTER;
}

static void count_class(const struct subject_item *item, struct loop_metric *metric)
{
    enum class class = item->row->class;
    bool loads = item->row->load_bytes || is_load(class), stores = item->row->store_bytes || is_store(class);
    metric->load_count += loads;
    metric->store_count += stores;
    if (class_counts[class])
        ++*(uint32_t *)((char *)metric + class_counts[class]);
    else if (!is_load(class) && !is_store(class))
        metric->other_count++;
}

static void count_type(const struct subject_item *item, struct loop_metric *metric)
{
    switch (item->purpose == purpose_IDLE ? 0 : item->element_bits) {
    case 8:
        metric->int8_count += !item->is_fp;
        break;
    case 16:
        *(item->is_fp ? &metric->fp16_count : &metric->int16_count) += 1;
        break;
    case 32:
        *(item->is_fp ? &metric->fp32_count : &metric->int32_count) += 1;
        break;
    case 64:
        *(item->is_fp ? &metric->fp64_count : &metric->int64_count) += 1;
        break;
    default:
        break;
    }
}

/* Whether an instruction names a register of some kinds, as bits. */
static bool names(const struct model *model, const struct subject_item *item, unsigned kinds)
{
    for (unsigned i = 0; i < item->use_count; i++)
        if (kinds >> model_register(model, item->uses[i].register_)->kind & 1)
            return true;
    return false;
}

bool metric_is_scalar_integer(const struct model *model, const struct subject_item *item)
{
    const unsigned others = 1U << register_kind_VECTOR | 1U << register_kind_X87 | 1U << register_kind_MASK |
                            1U << register_kind_MATRIX;
    enum class class = item->row->class;
    return item->purpose != purpose_IDLE && class != class_BRANCH && class != class_CALL &&
           class != class_RETURN && !item->is_fp && names(model, item, 1U << register_kind_GENERAL) &&
           !names(model, item, others);
}

static uint32_t issue_slots(const struct subject *subject)
{
    const struct block_costs *work = subject->work;
    if (work->is_bundled)
        return subject->item_count;
    if (subject_is_timed(subject))
        return work->block.issued;
    uint32_t slots = 0;
    for (unsigned i = 0; i < subject->item_count; i++)
        slots += ARRAY_AT(struct cost_item, &work->items, i)->cost->fused;
    return slots;
}

/* NaN: unknown. */
static double elements(const struct subject *subject)
{
    double found = NAN;
    if (subject->role && subject->role->iterations > 0)
        return subject->role->iterations;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        unsigned bits = subject->items[access->item].element_bits;
        if (access->pattern != access_pattern_STRIDE_ONE || access->is_stack)
            continue;
        double walked = bits ? fabs((double)access->stride) * CHAR_BIT / bits : 0;
        if (!(walked >= 1) || (!isnan(found) && found != walked))
            return NAN;
        found = walked;
    }
    return found;
}

void metric_counts(const struct subject *subject, struct loop_metric *metric)
{
    metric->trips = isnan(subject->counted_trips) ? subject->trips : 0;
    metric->element_count = elements(subject);
    metric->uop_count = issue_slots(subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        metric->code_bytes += item->row->size;
        count_class(item, metric);
        count_type(item, metric);
        metric->x87_count +=
            item->row->element == element_X87 || names(subject->model, item, 1U << register_kind_X87);
        metric->scalar_integer_count += metric_is_scalar_integer(subject->model, item);
    }
}
