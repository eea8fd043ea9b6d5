/* A square root that is computed by an instruction, with a call of the library's function beside it that does
   nothing but set errno for negative numbers.  The call is hardly ever made, but the branch to it keeps the
   loop from being vectorised.

   The code is all the evidence there need be.  The figure is that of the vectors that the code could use
   with its present target: one square root for all their lanes. */
#include "quality/callees.h"
#include "quality/flags.h"

#include <math.h>
#include <string.h>

static const double WORTH_A_WORD = 1.1;

/* Square roots of one number, and of vectors: for the baseline of the instruction set, and beyond. */
static const struct {
    const char *scalar, *vector;
    unsigned lanes;
} forms[] = {
    {"sqrtsd", "sqrtpd xmm,xmm", 2},   {"sqrtss", "sqrtps xmm,xmm", 4}, {"vsqrtsd", "vsqrtpd ymm,ymm", 4},
    {"vsqrtss", "vsqrtps ymm,ymm", 8}, {"fsqrt d,d", "fsqrt 2d,2d", 2}, {"fsqrt s,s", "fsqrt 4s,4s", 4},
};

/* Cycles that the divider takes for it as a lane of a vector; NaN: not known. */
static double divider_of_lane(const struct subject *subject, const struct subject_item *item)
{
    const char *form = model_text(subject->model, item->row->form);
    for (unsigned i = 0; form && i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(forms[i].scalar);
        if (strncmp(form, forms[i].scalar, length) || (form[length] && form[length] != ' '))
            continue;
        const struct machine_form *vector = machine_form(subject->machine, forms[i].vector);
        return vector && vector->divider > 0 ? (double)vector->divider / forms[i].lanes : NAN;
    }
    return NAN;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct callee callee;
    double divider = 0;
    unsigned count = 0;
    if (!subject_is_timed(subject) || subject_is_aside(subject) || subject->path->call_count)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->class != class_SQRT || item->purpose != purpose_DATA || item->is_vectorised)
            continue;
        divider += divider_of_lane(subject, item);
        count++;
        remark_point(remark, i);
    }
    if (!count || !callee_find_in_loop(subject, callee_ROOT, &callee) ||
        !(subject->path->cycles >= WORTH_A_WORD * divider))
        return false;
    remark->cycles = divider;
    remark_say(remark,
               "Beside the instruction for %s the loop has a call of %s, for negative numbers alone, and a "
               "branch to it: that keeps the loop from being vectorised.",
               count == 1 ? "the square root" : "square roots", callee.name ? callee.name : "sqrt");
    return true;
}

const struct rule rule_flag_math_errno = {
    .name = "flag-math-errno",
    .title = "Square roots are checked for the sake of errno",
    .meaning =
        "The C standard lets sqrt of a negative number set the variable errno, which hardly any program "
        "looks at. To be able to do that, the compiler checks every number before or after the square "
        "root, and cannot compute several at once.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-fno-math-errno",
                  "-fno-math-errno (part of -ffast-math, without its effect on results): sqrt becomes one "
                  "instruction, and loops with it can be vectorised (with -O3)."},
                 {audience_CLANG, "-fno-math-errno",
                  "-fno-math-errno (part of -ffast-math, without its effect on results): sqrt becomes one "
                  "instruction, and loops with it can be vectorised."},
                 {audience_INTEL, "-fno-math-errno",
                  "-fno-math-errno, which is the default unless -fmath-errno is "
                  "given."}},
    .find = find,
};
