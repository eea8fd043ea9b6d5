/* What is moved out of a loop is done once each time the loop is entered, so the gain is that of an iteration
   only if there are many. Most counts are unknown; loops over channels, components or single bytes of a
   buffer look like long ones. */
#include "code/quality/rules/iterations.h"

#include "code/quality/motion/trips.h"

#include <math.h>

enum { MANY = 16, LEAST_CONSTANT = 2, FEW_STEPS = 4 };

static void limit(int64_t trips, struct remark *remark)
{
    if (trips >= MANY)
        return;
    remark->is_upper = true;
    if (remark->level == advice_level_GAIN)
        remark->level = advice_level_POTENTIAL;
}

void iterations_limit(const struct subject *subject, struct remark *remark)
{
    limit(subject->trips, remark);
}

void iterations_say(const struct subject *subject, const char *rest, struct remark *remark)
{
    if (isfinite(subject->counted_trips))
        remark_say(remark, " In the run that was measured, it made %.3g %s each time%s",
                   subject->counted_trips, subject->counted_trips < 1.005 ? "iteration" : "iterations", rest);
    else
        remark_say(remark, " It makes %lld iterations each time%s", (long long)subject->trips, rest);
}

void iterations_caution(const struct subject *subject, struct remark *remark)
{
    int64_t trips = subject->trips;
    limit(trips, remark);
    if (!trips)
        remark_say(remark, " The number of iterations is unknown: this pays only if there are many.");
    else if (trips < MANY)
        remark_say(remark, " The gain is smaller than per iteration: there %s only %.3g.",
                   isfinite(subject->counted_trips) ? "were" : "are",
                   isfinite(subject->counted_trips) ? subject->counted_trips : (double)trips);
}

/* Whether a comparison has a constant that is near: a value that moves by such steps passes it after a few.
   Upwards that is any small number, because a value that starts below zero is not far from it; downwards
   everything ends at 0 or 1, so these say nothing. */
static bool compares_near(const struct subject_item *compare, int64_t step)
{
    if (compare->row->operation != operation_COMPARE)
        return false;
    for (unsigned i = 0; i < compare->operand_count; i++) {
        int64_t constant = compare->operands[i].value;
        if (compare->operands[i].kind == operand_kind_IMMEDIATE)
            return step > 0 ? step > 1 && constant >= 0 && constant < FEW_STEPS * step
                            : constant >= LEAST_CONSTANT && constant < -FEW_STEPS * step;
    }
    return false;
}

static bool reads(const struct values *values, uint32_t item, uint32_t made)
{
    const struct subject_item *row = &values->subject->items[item];
    for (unsigned use = 0; use < row->use_count; use++)
        if (value_is_read(&row->uses[use]) && !row->uses[use].is_address &&
            values_source(values, item, use).item == made)
            return true;
    return false;
}

int64_t iterations_step(const struct subject *subject, uint32_t item)
{
    const struct subject_item *row = &subject->items[item];
    unsigned operation = row->row->operation;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct operand *operand = &row->operands[i];
        if (operand->kind == operand_kind_ADDRESS && operand->base_register && !operand->index_register)
            return operand->displacement;
        if (operand->kind == operand_kind_IMMEDIATE &&
            (operation == operation_ADD || operation == operation_SUBTRACT))
            return operation == operation_ADD ? operand->value : -operand->value;
    }
    return 0;
}

bool iterations_pass_limit(const struct values *values, uint32_t item, int64_t step)
{
    const struct subject *subject = values->subject;
    for (uint32_t i = 0; i < subject->item_count; i++) {
        if (subject->items[i].row->flow != flow_BRANCH || !motion_leaves_loop(subject, i))
            continue;
        for (uint32_t compare = 0; compare < subject->item_count; compare++)
            if (compares_near(&subject->items[compare], step) && reads(values, i, compare) &&
                (compare == item || reads(values, compare, item)))
                return true;
    }
    return false;
}
