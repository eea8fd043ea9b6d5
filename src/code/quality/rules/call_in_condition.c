/* A function of a string's length, called anew for every iteration in the condition of the loop.

   Compilers move strlen out of a loop only if nothing in the loop could change the string, and a store to any
   character could. So the evidence is a call of such a function on the path, the same arguments in every
   iteration, and a result that is compared with a counter of the loop, to decide whether it goes on. A
   comparison with a constant or another length is different: such loops change the string. The time of the
   loop grows with the square of the length, so this is a gain whoever runs it. Fortran's len_trim looks only
   at the blanks at the end, which may be few. */
#include "code/quality/rules/call_values.h"
#include "code/quality/rules/callees.h"
#include "code/quality/rules/forks.h"
#include "code/quality/rules/rule.h"

#include <string.h>

static const struct measuring {
    const char *name;
    unsigned arguments;
    const char *says; /* in the source */
} lengths[] = {
    {"_gfortran_string_len_trim", 2, "len_trim"},
    {"strlen", 1, "strlen"},
    {"strnlen", 2, "strnlen"},
    {"wcslen", 1, "wcslen"},
};

/* Sizes of C++ containers, where these are functions that were not inlined. */
static const char *const method_ends[] = {"4sizeEv", "6lengthEv"};
static const struct measuring size_method = {"size", 1, "a function for the size"};

static const struct remedy before_c = {
    audience_C, NULL, "Call it once before the loop: size_t n = strlen(s); for (size_t i = 0; i < n; i++) …",
    action_HOIST, NULL};
static const struct remedy until_zero = {
    audience_C, NULL, "Or go on until the character at the end: for (; *s; s++) …", action_HOIST, NULL};
static const struct remedy before_fortran = {audience_FORTRAN, NULL,
                                             "Call it once before the loop: n = len_trim(s); do i = 1, n …",
                                             action_HOIST, NULL};
static const struct remedy before_size = {
    audience_C, NULL, "Keep the size in a local variable before the loop, if the loop does not change it.",
    action_HOIST, NULL};

static const struct measuring *find_measuring(const char *name)
{
    size_t length = strlen(name);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (!strcmp(name, lengths[i].name))
            return &lengths[i];
    for (unsigned i = 0; i < sizeof method_ends / sizeof *method_ends; i++) {
        size_t end = strlen(method_ends[i]);
        if (!strncmp(name, "_ZNK", 4) && length > end && !strcmp(name + length - end, method_ends[i]))
            return &size_method;
    }
    return NULL;
}

enum steadiness { changes, may_change, stays };

static bool is_steady_load(const struct subject *subject, unsigned item)
{
    const struct subject_access *access = values_access(subject, item);
    return access && access->loads && !access->stores && access->pattern == access_pattern_INVARIANT;
}

/* Whether an argument is the same in every iteration: a copy of what the loop does not write, or loaded from
   a place that does not move. */
static enum steadiness find_steadiness(struct values *values, unsigned call, uint32_t argument)
{
    const struct subject *subject = values->subject;
    enum steadiness least = stays;
    uint32_t writer = call_argument_writer(subject, call, argument);
    if (writer == VALUE_OUTSIDE || subject->items[writer].row->flow != flow_NEXT)
        return changes;
    if (values_access(subject, writer))
        return is_steady_load(subject, writer) ? may_change : changes;
    for (unsigned u = 0; u < subject->items[writer].use_count; u++) {
        const struct register_use *use = &subject->items[writer].uses[u];
        struct value_source source = values_source(values, writer, u);
        if (!value_is_read(use) || values_stays(values, use->register_))
            continue;
        if (source.item == VALUE_OUTSIDE || !is_steady_load(subject, source.item))
            return changes;
        least = may_change;
    }
    return least;
}

/* Whether a comparison has a counter of the loop on its other side, or a copy of one. */
static bool compares_with_counter(const struct values *values, unsigned compare, uint32_t result)
{
    const struct subject *subject = values->subject;
    const struct subject_item *item = &subject->items[compare];
    if (item->row->class != class_COMPARE || item->row->flow != flow_NEXT)
        return false;
    for (unsigned u = 0; u < item->use_count; u++) {
        uint32_t full = model_full_register(subject->model, item->uses[u].register_);
        if (!value_is_read(&item->uses[u]) || full == result)
            continue;
        if (values_counts(subject, full))
            return true;
        struct value_source source = values_source(values, compare, u);
        const struct subject_item *copy = source.item != VALUE_OUTSIDE ? &subject->items[source.item] : NULL;
        for (unsigned k = 0; copy && k < copy->use_count; k++)
            if (value_is_read(&copy->uses[k]) &&
                values_counts(subject, model_full_register(subject->model, copy->uses[k].register_)))
                return true;
    }
    return false;
}

/* Whether the next branch may leave the loop. */
static bool decides_end(const struct subject *subject, unsigned compare)
{
    for (unsigned i = compare + 1; i < subject->item_count; i++) {
        struct fork fork;
        if (subject->items[i].row->flow == flow_CALL)
            return false;
        if (subject->items[i].row->flow == flow_BRANCH)
            return !fork_find(subject, i, &fork);
    }
    return false;
}

static enum steadiness judge(struct values *values, unsigned call, const struct measuring *measuring)
{
    const struct subject *subject = values->subject;
    struct call_registers registers;
    enum steadiness least = stays;
    call_registers_find(subject, &registers);
    uint32_t compare = call_result_reader(subject, call, registers.result);
    if (compare == VALUE_OUTSIDE || !compares_with_counter(values, compare, registers.result) ||
        !decides_end(subject, compare))
        return changes;
    for (unsigned i = 0; i < measuring->arguments; i++) {
        enum steadiness one = find_steadiness(values, call, registers.arguments[i]);
        least = one < least ? one : least;
    }
    return least;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct values values;
    if (subject_is_aside(subject) || !subject->metric->call_count ||
        (subject->compiler->flags && !subject->compiler->optimisation))
        return false;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        struct callee callee;
        if (subject->items[i].row->flow != flow_CALL ||
            !callee_find(subject, subject->items[i].instruction, &callee) || !callee.name)
            continue;
        const struct measuring *measuring = find_measuring(callee.name);
        enum steadiness steadiness = measuring ? judge(&values, i, measuring) : changes;
        if (steadiness == changes)
            continue;
        remark_point(remark, i);
        bool is_method = measuring == &size_method;
        bool is_trimmed = !strcmp(measuring->says, "len_trim");
        if (steadiness == may_change || is_trimmed || subject->metric->call_count > 1)
            remark->level = advice_level_POTENTIAL;
        if (is_method)
            remark->level = advice_level_HINT;
        if (is_method) {
            remark_say(remark, "The condition of the loop calls %s in every iteration, for the same object.",
                       measuring->says);
            remark_advise(remark, &before_size);
            return true;
        }
        remark_say(remark, "The condition of the loop calls %s in every iteration, for the same string%s. %s",
                   measuring->says, steadiness == stays ? "" : " if nothing else changes the pointer",
                   is_trimmed ? "Each call looks again for the last character that is not blank."
                              : "Each call walks through the whole string, so the time grows with the square "
                                "of its length.");
        remark_advise(remark, &before_c);
        remark_advise(remark, &until_zero);
        remark_advise(remark, &before_fortran);
        return true;
    }
    return false;
}

const struct rule rule_call_in_condition = {
    .name = "call-in-condition",
    .title = "The condition of the loop computes a length again and again",
    .meaning = "A string does not know its length: strlen looks at every character. Compilers call it only "
               "once if nothing in the loop can change the string; a store to a character may, so they call "
               "it in every iteration.",
    .level = advice_level_GAIN,
    .remedies = {{0}},
    .find = find,
};
