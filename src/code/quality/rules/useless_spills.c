/* Stores to and loads from the stack that have no effect, proven by data flow on every path. */
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <stddef.h>
#include <stdio.h>

/* Why an access is useless, by enum uselessness. */
static const char *const words[] = {
    [uselessness_PUT_BACK] = "stored although the same value was loaded from there",
    [uselessness_ONLY_PUT_BACK] = "loaded only to be stored back",
    [uselessness_STILL_IN_REGISTER] = "loaded although the register still has it",
    [uselessness_NEVER_READ] = "stored although nothing loads it again",
    [uselessness_NEVER_USED] = "loaded although nothing uses it",
};
enum { REASONS = sizeof words / sizeof *words };

static const struct useless_access *access_of(const struct subject *subject, uint32_t instruction)
{
    const struct array *rows = &subject->model->useless_accesses;
    size_t at = array_first_not_below(rows, 0, offsetof(struct useless_access, instruction), instruction);
    if (at == rows->count || ARRAY_AT(struct useless_access, rows, at)->instruction != instruction)
        return NULL;
    return ARRAY_AT(struct useless_access, rows, at);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct without without;
    unsigned counts[REASONS] = {0}, count = 0;
    const char *before = ": ";
    if (!subject->metric->useless_stack_count || !without_matters(subject))
        return false;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct useless_access *access = access_of(subject, subject->items[i].instruction);
        if (!access || access->reason >= REASONS)
            continue;
        counts[access->reason]++;
        count++;
        remark_point(remark, i);
        without_trace(&without, i);
    }
    remark->cycles = count ? without_cycles(&without) : 0;
    if (!without_gains(subject, remark->cycles))
        return false;
    remark_say(remark, "%u of the %u stack accesses per iteration are unnecessary", count,
               subject->metric->stack_reference_count);
    for (unsigned i = 0; i < REASONS; i++) {
        if (!counts[i])
            continue;
        remark_say(remark, "%s%u %s %s", before, counts[i], counts[i] == 1 ? "value is" : "values are",
                   words[i]);
        before = ", ";
    }
    remark_say(remark, ".");
    return true;
}

const struct rule rule_useless_spills = {
    .name = "useless-spills",
    .title = "Values are stored to and loaded from the stack without need",
    .meaning = "The code stores values on the stack or loads them from there although a register holds them "
               "all the time. Every such access takes a slot from one that is needed, and a value loaded "
               "from memory is several cycles late.",
    .level = advice_level_GAIN,
    .remedies = {{audience_C, NULL,
                  "In assembly and asm statements, list only registers that really change as clobbered, and "
                  "keep values in registers across iterations.",
                  action_INTRINSICS},
                 {audience_C, NULL, "Remove volatile from variables that only this function uses.",
                  action_KEEP_LOCAL},
                 {0}},
    .find = find,
};
