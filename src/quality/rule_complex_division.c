/* Complex numbers divided or multiplied the careful way.

   C asks for the right infinities, so compilers call __divdc3, and __muldc3 where a product is not a number.
   Fortran asks for no overflow on the way, so its division first divides the smaller part of the divisor by
   the larger one: two absolute values are compared, and one more division is waited for. */
#include "quality/callees.h"
#include "quality/rule.h"
#include "quality/values.h"
#include "quality/without.h"

#include <string.h>

/* Absolute values: by clearing the sign, or an instruction of their own. */
static bool is_absolute(const struct subject *subject, const struct subject_item *item)
{
    static const char *const names[] = {"andpd", "andps", "vandpd", "vandps", "fabs"};
    const char *name = model_text(subject->model, item->row->name);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* A comparison of two absolute values; UINT32_MAX for none. */
static unsigned find_comparison(const struct values *values)
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
            if (source.item != VALUE_OUTSIDE && is_absolute(subject, &subject->items[source.item]))
                absolute++;
            else
                others++;
        }
        if (absolute == 2 && !others)
            return i;
    }
    return VALUE_OUTSIDE;
}

/* A division whose result is in the divisor of a later one: by the last operand, on every instruction set. */
static unsigned find_ratio(const struct values *values)
{
    const struct subject *subject = values->subject;
    uint32_t *from = arena_get(subject->arena, (subject->item_count + 1) * sizeof *from);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        for (unsigned u = 0; u < item->use_count; u++) {
            struct value_source source = values_source(values, i, u);
            if (source.item != VALUE_OUTSIDE && !source.is_earlier && from[source.item])
                from[i] = from[source.item];
        }
        if (item->row->class != class_DIVIDE || !item->is_fp || !item->operand_count)
            continue;
        const struct operand *divisor = &item->operands[item->operand_count - 1];
        struct value_source source = values_of_register(values, i, divisor->register_);
        if (source.item != VALUE_OUTSIDE && !source.is_earlier && from[source.item])
            return from[source.item] - 1;
        from[i] = i + 1;
    }
    return VALUE_OUTSIDE;
}

/* The algorithm that scales, without a call. */
static bool find_scaled(const struct subject *subject, struct remark *remark)
{
    struct values values;
    struct without without;
    if (subject->metric->divide_count < 2 || !subject_is_timed(subject))
        return false;
    values_find(&values, subject);
    unsigned comparison = find_comparison(&values), ratio = find_ratio(&values);
    if (comparison == VALUE_OUTSIDE || ratio == VALUE_OUTSIDE)
        return false;
    without_begin(&without, subject);
    without_work(&without, ratio);
    without_work(&without, comparison);
    remark_point(remark, comparison);
    remark_point(remark, ratio);
    for (unsigned u = 0; u < subject->items[comparison].use_count; u++) {
        struct value_source source = values_source(&values, comparison, u);
        if (source.item != VALUE_OUTSIDE) {
            without_work(&without, source.item);
            remark_point(remark, source.item);
        }
    }
    double cycles = without_cycles(&without);
    if (!without_gains(subject, cycles))
        return false;
    remark->cycles = cycles;
    remark_say(
        remark,
        "A complex division first compares the parts of its divisor and divides one by the other, so that "
        "nothing overflows on the way.");
    return true;
}

static bool find_call(const struct subject *subject, struct remark *remark)
{
    struct callee callee;
    uint32_t instruction = callee_find_in_loop(subject, callee_COMPLEX, &callee);
    if (!instruction)
        return false;
    bool divides = !strncmp(callee.name, "__div", 5), is_here = false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (subject->items[i].instruction == instruction) {
            remark_point(remark, i);
            is_here = true;
        }
    }
    if (divides && is_here) {
        remark->level = advice_level_GAIN;
        remark_say(remark, "Complex numbers are divided by a call of %s for each of them.", callee.name);
    } else if (!divides) {
        remark_say(
            remark,
            "Each product of complex numbers is checked, and computed again by %s where it is not a number.",
            callee.name);
    } else {
        return false;
    }
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    return !subject_is_aside(subject) && (find_call(subject, remark) || find_scaled(subject, remark));
}

const struct rule rule_complex_division = {
    .name = "complex-division",
    .title = "Complex numbers are divided or multiplied with care for overflow and infinities",
    .meaning =
        "The rules of the language want the right result even where a part of a number is infinite or its "
        "square is "
        "too large for the number format. What looks for such cases costs far more than the arithmetic "
        "itself, and "
        "keeps the loop from being vectorised. Programs whose numbers are of moderate size do not need it.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, "-fcx-limited-range",
          "-fcx-limited-range (part of -ffast-math): the plain formulas, for numbers whose squares neither "
          "overflow nor "
          "vanish."},
         {audience_GCC, "-fcx-fortran-rules",
          "-fcx-fortran-rules: no care for infinities, but still for overflow; quicker than the call."},
         {audience_CLANG, "-ffast-math",
          "-fcx-limited-range (Clang 18 or newer), or -ffast-math for the file: the plain formulas."},
         {audience_INTEL, "-complex-limited-range",
          "-complex-limited-range (part of -fp-model fast=2): the plain formulas."},
         {audience_C, NULL,
          "Or compute with the parts of the numbers: one real division by creal(b) * creal(b) + cimag(b) * "
          "cimag(b)."},
         {audience_FORTRAN, NULL, "Or write the plain formula: a * conjg(b) / (real(b)**2 + aimag(b)**2)."}},
    .find = find,
};
