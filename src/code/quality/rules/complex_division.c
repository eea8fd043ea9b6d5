/* Complex numbers divided or multiplied the careful way.

   C requires the right infinities, so compilers call __divdc3, and __muldc3 if a product is NaN. Fortran
   requires that no intermediate result overflows, so its division first divides the smaller part of the
   divisor by the larger one: that compares two absolute values and waits for one more division. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/scaled.h"
#include "code/quality/without.h"

#include <string.h>

/* The algorithm that scales, without a call. */
static bool find_scaled(const struct subject *subject, struct remark *remark)
{
    struct scaled scaled;
    struct without without;
    if (!scaled_find(subject, &scaled))
        return false;
    without_begin(&without, subject);
    for (unsigned i = 0; i < sizeof scaled.items / sizeof *scaled.items; i++) {
        without_work(&without, scaled.items[i]);
        remark_point(remark, scaled.items[i]);
    }
    double cycles = without_cycles(&without);
    if (!without_gains(subject, cycles))
        return false;
    remark->cycles = cycles;
    remark_say(remark, "Each complex division scales its divisor first (it compares the parts and divides "
                       "one by the other) to avoid overflow.");
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
        remark_say(remark, "Each complex division calls %s.", callee.name);
    } else if (!divides) {
        remark_say(remark, "Each complex product is checked for NaN, and %s computes it again if it is one.",
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
    .title = "Complex arithmetic guards against overflow and infinities",
    .meaning = "The language standard demands the right result even if a part of a number is infinite or its "
               "square overflows. Checking for these cases costs far more than the arithmetic itself and "
               "prevents vectorisation. Programs with numbers of moderate size do not need it.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, "-fcx-limited-range",
          "-fcx-limited-range (part of -ffast-math): the plain formulas, for numbers whose squares neither "
          "overflow nor underflow.",
          action_COMPLEX_RANGE},
         {audience_GCC, "-fcx-fortran-rules",
          "-fcx-fortran-rules: no checks for infinities, but still for overflow; faster than the call.",
          action_COMPLEX_RANGE, precondition_calls},
         {audience_CLANG, "-ffast-math",
          "-fcx-limited-range (Clang 18 or newer), or -ffast-math for the file: the plain formulas.",
          action_COMPLEX_RANGE},
         {audience_INTEL, "-complex-limited-range",
          "-complex-limited-range (part of -fp-model fast=2): the plain formulas.", action_COMPLEX_RANGE},
         {audience_C, NULL,
          "Or compute with real and imaginary parts: one real division by creal(b) * creal(b) + cimag(b) * "
          "cimag(b).",
          action_COMPLEX_RANGE},
         {audience_FORTRAN, NULL, "Or write the plain formula: a * conjg(b) / (real(b)**2 + aimag(b)**2).",
          action_COMPLEX_RANGE}},
    .find = find,
};
