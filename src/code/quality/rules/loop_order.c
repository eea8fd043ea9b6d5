/* Innermost loops that jump from row to row, inside a loop that walks along the rows: a matrix read column by
   column.

   Each access is judged as it is and as it would be with both loops exchanged: from one iteration of the loop
   around it to the next (motion/outer.h). Accesses that stay or go on within a cache line are good, all
   others need a new line each time. The rule speaks if exchanging leaves fewer bad ones. So it is silent
   about a transposition, which has one bad access either way, and about small rows, which stay in the L1
   cache. Rows that are reached through an array of pointers count like others: the pointers are loaded in
   order, and the place in the row is the same for all of them.

   How much it gains depends on where the data is, which the code does not show. */
#include "code/quality/motion/outer.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/without.h"
#include "model/loops.h"

#include <stddef.h>
#include <stdlib.h>

/* Few or short rows stay in the L1 cache; long vectors work on all columns of a cache line already; nobody
   exchanges loops with much between or in them. */
enum { LINE = 64, WIDEST = 16, LEAST_ROW = 128, LEAST_ROWS = 64, MOST_ITEMS = 200 };
enum { MOST_AROUND = 40, MOST_BLOCKS = 10, MOST_KINDS = 16 };

/* Copies of an access in an unrolled loop move in the same way and count once. */
struct kind {
    enum access_pattern pattern;
    int64_t stride;
    struct motion outer;
};

struct order {
    const struct subject *subject;
    struct values values;
    struct kind bad[MOST_KINDS], bad_exchanged[MOST_KINDS];
    unsigned bad_count, bad_exchanged_count;
    unsigned mended, rows; /* rows: those of them that go through pointers */
    unsigned width;        /* of that access, in bytes */
    int64_t row, element;  /* bytes of a step, of the first mended access; 0: unknown */
};

static bool is_small(int64_t step, int64_t least)
{
    return step > -least && step < least;
}

/* Whether an indirect access goes through pointers that are loaded one after the other. */
static bool has_pointers_in_order(const struct order *order, const struct subject_access *access)
{
    const struct subject_item *item = &order->subject->items[access->item];
    for (unsigned i = 0; i < item->use_count; i++) {
        if (!item->uses[i].is_address || !value_is_read(&item->uses[i]))
            continue;
        struct value_source source = values_source(&order->values, access->item, i);
        if (source.item == VALUE_OUTSIDE || source.is_earlier)
            continue;
        const struct subject_access *pointer = values_access(order->subject, source.item);
        if (order->subject->items[source.item].row->class == class_LOAD && pointer &&
            pointer->pattern == access_pattern_STRIDE_ONE && pointer->bytes == sizeof(uint64_t))
            return true;
    }
    return false;
}

static unsigned count_kind(struct kind *kinds, unsigned count, struct kind kind)
{
    for (unsigned i = 0; i < count; i++)
        if (kinds[i].pattern == kind.pattern && kinds[i].stride == kind.stride &&
            kinds[i].outer.kind == kind.outer.kind && kinds[i].outer.step == kind.outer.step)
            return count;
    if (count == MOST_KINDS)
        return count;
    kinds[count] = kind;
    return count + 1;
}

static void look(struct order *order, const struct subject_access *access, struct remark *remark)
{
    const struct subject *subject = order->subject;
    const struct cost_access *place = &((const struct cost_item *)subject->work->items.data)[access->item]
                                           .cost->accesses[access->position - 1];
    bool is_strided = access->pattern == access_pattern_CONSTANT_STRIDE,
         is_indirect = access->pattern == access_pattern_INDIRECT;
    struct motion outer = motion_outer(subject, access->item, place);
    bool is_bad = is_indirect || access->pattern == access_pattern_UNKNOWN ||
                  (is_strided && (!access->stride || !is_small(access->stride, LINE)));
    bool is_bad_exchanged = outer.kind > motion_STEPS || !is_small(outer.step, LINE);
    struct kind kind = {.pattern = access->pattern, .stride = access->stride, .outer = outer};
    if (is_bad)
        order->bad_count = count_kind(order->bad, order->bad_count, kind);
    if (is_bad_exchanged)
        order->bad_exchanged_count = count_kind(order->bad_exchanged, order->bad_exchanged_count, kind);
    if (!is_bad || is_bad_exchanged || outer.kind != motion_STEPS || llabs(outer.step) < access->bytes ||
        access->bytes > WIDEST || subject->items[access->item].purpose != purpose_DATA)
        return;
    if (is_strided ? access->stride && is_small(access->stride, LEAST_ROW)
                   : !is_indirect || !has_pointers_in_order(order, access))
        return;
    if (!order->mended++) {
        order->row = access->stride;
        order->element = outer.step;
        order->width = access->bytes;
    }
    order->rows += is_indirect;
    remark_point(remark, access->item);
}

/* Whether the number of iterations is known to be small, or a counter is compared with a constant that it soon reaches. */
static bool has_few_iterations(const struct subject *subject)
{
    if (subject->trips && subject->trips < LEAST_ROWS)
        return true;
    const struct cost_item *costs = subject->work->items.data;
    const uint16_t *resource_of = subject->work->costs.resource_of;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->class != class_COMPARE || item->operand_count < 2 ||
            item->operands[item->operand_count - 1].kind != operand_kind_IMMEDIATE)
            continue;
        for (unsigned k = 0; k < item->use_count; k++)
            for (unsigned s = 0; s < subject->item_count; s++) {
                const struct cost_step *step = &costs[s].cost->step;
                if (step->to && step->to == step->from && step->constant &&
                    step->to == resource_of[item->uses[k].register_] &&
                    llabs(item->operands[item->operand_count - 1].value / step->constant) < LEAST_ROWS)
                    return true;
            }
    }
    return false;
}

/* Who prefetches knows where the data is. */
static bool has_prefetch(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_PREFETCH)
            return true;
    return false;
}

/* Whether the loop around contains no call, and no loop that is not made from the same source loop. */
static bool is_alone(const struct subject *subject, uint32_t around)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, around)->function;
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
    for (; at < model->calls.count && model_call(model, (uint32_t)at)->caller == function; at++) {
        uint32_t block = model_instruction(model, model_call(model, (uint32_t)at)->instruction)->block;
        if (loop_is_within(model, model_block(model, block)->loop, around))
            return false;
    }
    for (uint32_t i = around + 1; i < model->loops.count && loop_is_within(model, i, around); i++) {
        size_t role = array_first_not_below(&model->loop_roles, 0, offsetof(struct loop_role_row, loop), i);
        bool is_relative = subject->role && role < model->loop_roles.count &&
                           model_loop_role_row(model, (uint32_t)role)->loop == i &&
                           model_loop_role_row(model, (uint32_t)role)->family == subject->role->family;
        if (i != subject->loop && !is_relative)
            return false;
    }
    return true;
}

/* Whether both loops are as simple as loops that can be exchanged: one inside the other, each left in one
   place, with little between them. */
static bool is_plain_nest(const struct subject *subject)
{
    const struct model *model = subject->model;
    const struct loop *inner = model_loop(model, subject->loop);
    const struct loop *around = inner->parent ? model_loop(model, inner->parent) : NULL;
    return around && inner->exit_count == 1 && around->exit_count <= 2 &&
           around->instruction_count - inner->instruction_count <= MOST_AROUND &&
           around->block_count - inner->block_count <= MOST_BLOCKS && is_alone(subject, inner->parent);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct order order = {.subject = subject};
    char count[64];
    if (!without_matters(subject) || subject->item_count > MOST_ITEMS || subject->metric->call_count ||
        has_prefetch(subject) || has_few_iterations(subject) || !is_plain_nest(subject))
        return false;
    values_find(&order.values, subject);
    for (unsigned i = 0; i < subject->access_count; i++)
        if (!subject->accesses[i].is_stack)
            look(&order, &subject->accesses[i], remark);
    if (!order.mended || order.bad_exchanged_count >= order.bad_count)
        return false;
    remark_count(count, sizeof count, order.mended, "access", "accesses");
    remark_say(remark, "%s of the loop %s from row to row", count, order.mended == 1 ? "goes" : "go");
    if (order.rows == order.mended)
        remark_say(remark, ", through an array of pointers");
    else if (order.row)
        remark_say(remark, ", %lld bytes further in each iteration", (long long)llabs(order.row));
    remark_say(
        remark,
        "; the loop around it goes on by %lld byte%s. So each iteration needs another cache line%s, and "
        "uses %u bytes of its 64. With both loops exchanged, the innermost one walks along neighbours, "
        "as vectors need it. The gain depends on the size of the data; it is large once "
        "the rows do not fit into the L1 cache.",
        (long long)llabs(order.element), llabs(order.element) == 1 ? "" : "s",
        order.rows == order.mended ? " if the rows are longer than one" : "", order.width);
    if (order.rows == order.mended)
        remark_say(remark, " With few or short rows it gets slower.");
    return true;
}

const struct rule rule_loop_order = {
    .name = "loop-order",
    .title = "The innermost loop jumps from row to row",
    .meaning =
        "Elements of a row are neighbours in memory (in Fortran, those of a column). A loop that takes "
        "one element of each row needs a new cache line for each element, and the next run of the loop "
        "needs all of them again.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Exchange the two loops, so that the last subscript belongs to the innermost loop. A sum for each "
          "column becomes an array of sums, all of which a row is added to.",
          action_EXCHANGE, NULL},
         {audience_FORTRAN, NULL,
          "Exchange the two loops, so that the first subscript belongs to the innermost loop. A sum for each "
          "row becomes an array of sums, all of which a column is added to.",
          action_EXCHANGE, NULL},
         {audience_GCC, "-floop-interchange",
          "Or let the compiler try: -floop-interchange (part of -O3), where it can prove that the order does "
          "not matter.",
          action_EXCHANGE, NULL},
         {audience_ANY, NULL,
          "Where the order of the loops is fixed, work on several columns at once, as many as a cache line "
          "has elements, or store the matrix transposed.",
          action_EXCHANGE, NULL},
         {0}},
    .find = find,
};
