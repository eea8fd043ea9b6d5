/* A square root that is computed by an instruction, with a call of the library's function beside it that does
   nothing but set errno for negative numbers. The call is hardly ever made, but the branch to it keeps the
   loop from being vectorised.

   The code alone is evidence enough, but the branch must be the only obstacle: the loop has two paths, with
   the call and without, its iterations are independent, and its data is contiguous. The figure is for the
   vectors that the code could use with its present target. */
#include "code/quality/rules/callees.h"
#include "code/quality/vector/carried.h"
#include "code/quality/rules/flags.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double WORTH_A_WORD = 1.1;
/* Of a vector of members, as measured with three of them on Skylake-X. */
static const double SHUFFLES = 2;

/* Square roots and divisions of one number, and of vectors: for the baseline of the instruction set, and
 * beyond. */
static const struct divider_form {
    const char *scalar, *vector;
    unsigned lanes;
} forms[] = {
    {"sqrtsd", "sqrtpd xmm,xmm", 2},     {"sqrtss", "sqrtps xmm,xmm", 4},
    {"vsqrtsd", "vsqrtpd ymm,ymm", 4},   {"vsqrtss", "vsqrtps ymm,ymm", 8},
    {"fsqrt d,d", "fsqrt 2d,2d", 2},     {"fsqrt s,s", "fsqrt 4s,4s", 4},
    {"divsd", "divpd xmm,xmm", 2},       {"divss", "divps xmm,xmm", 4},
    {"vdivsd", "vdivpd ymm,ymm,ymm", 4}, {"vdivss", "vdivps ymm,ymm,ymm", 8},
    {"fdiv d,d,d", "fdiv 2d,2d,2d", 2},  {"fdiv s,s,s", "fdiv 4s,4s,4s", 4},
};

/* The entry of forms for an item; NULL: none. */
static const struct divider_form *form_of(const struct subject *subject, const struct subject_item *item)
{
    const char *form = model_text(subject->model, item->row->form);
    for (unsigned i = 0; form && i < sizeof forms / sizeof *forms; i++) {
        size_t length = strlen(forms[i].scalar);
        if (!strncmp(form, forms[i].scalar, length) && (!form[length] || form[length] == ' '))
            return &forms[i];
    }
    return NULL;
}

/* Whether the loop has exactly one other complete path. */
static bool has_two_ways(const struct subject *subject)
{
    const struct model *model = subject->model;
    unsigned count = 0;
    size_t at = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), subject->loop);
    for (; at < model->paths.count && model_path(model, (uint32_t)at)->loop == subject->loop; at++)
        count += !model_path(model, (uint32_t)at)->is_exit;
    return count == 2;
}

static bool is_side_by_side(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->items[subject->accesses[i].item].purpose == purpose_DATA &&
            subject->accesses[i].pattern != access_pattern_STRIDE_ONE &&
            subject->accesses[i].pattern != access_pattern_INVARIANT)
            return false;
    return true;
}

/* Adds the square roots to the evidence and sums up the divider's cycles for them, and for divisions, as
   lanes of vectors; 0 if there are none, or their vector forms are unknown. */
static double divider_of_lanes(const struct subject *subject, unsigned *lanes, struct remark *remark)
{
    double divider = 0;
    *lanes = 1;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        bool is_root = item->row->class == class_SQRT;
        if ((!is_root && !(item->row->class == class_DIVIDE && item->is_fp)) ||
            item->purpose != purpose_DATA || item->is_vectorised)
            continue;
        const struct divider_form *form = form_of(subject, item);
        const struct machine_form *vector = form ? machine_form(subject->machine, form->vector) : NULL;
        if (!vector || !(vector->divider > 0))
            return 0;
        divider +=
            machine_division_busy(subject->machine, form->vector, (double)vector->divider) / form->lanes;
        *lanes = form->lanes;
        if (is_root)
            remark_point(remark, i);
    }
    return divider;
}

/* Loads and stores of members that stand side by side (x, y, z): vectors of them are shuffled. */
static unsigned count_grouped(const struct subject *subject)
{
    unsigned count = 0;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        int64_t distance = access->stride < 0 ? -access->stride : access->stride;
        count += subject->items[access->item].purpose == purpose_DATA && distance > access->bytes;
    }
    return count;
}

/* Everything else does at best as many lanes at a time; what is shuffled is done on one port. */
static double cycles_of_lanes(const struct subject *subject, double divider, unsigned lanes)
{
    return fmax(divider, subject->path->cycles / lanes) + SHUFFLES * count_grouped(subject) / lanes;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct callee callee;
    struct carried carried;
    unsigned lanes;
    if (!subject_is_timed(subject) || subject_is_aside(subject) || subject->path->call_count ||
        !subject->metric->sqrt_count || !callee_find_in_loop(subject, callee_ROOT, &callee) ||
        !has_two_ways(subject) || !is_side_by_side(subject))
        return false;
    double divider = divider_of_lanes(subject, &lanes, remark);
    if (!(divider > 0))
        return false;
    carried_find(&carried, subject, lanes);
    double cycles = cycles_of_lanes(subject, divider, lanes);
    if (carried.kind != carried_NOTHING || !(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    remark->cycles = cycles;
    remark_say(remark,
               "Besides the instruction for %s the loop has a branch to a call of %s, only for negative "
               "numbers: that prevents vectorisation.",
               subject->metric->sqrt_count == 1 ? "the square root" : "square roots",
               callee.name ? callee.name : "sqrt");
    return true;
}

const struct rule rule_flag_math_errno = {
    .name = "flag-math-errno",
    .title = "Square roots are checked only to set errno",
    .meaning = "The C standard lets sqrt of a negative number set errno, which hardly any program reads. For "
               "this the compiler checks every square root, and cannot vectorise them.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-fno-math-errno",
                  "-fno-math-errno (the part of -ffast-math that does not change results): sqrt becomes one "
                  "instruction, which vectors have, too (with -O3).",
                  action_MATH_ERRNO},
                 {audience_CLANG, "-fno-math-errno",
                  "-fno-math-errno (the part of -ffast-math that does not change results): sqrt becomes one "
                  "instruction, which vectors have, too.",
                  action_MATH_ERRNO},
                 {audience_INTEL, "-fno-math-errno",
                  "-fno-math-errno, which is the default unless -fmath-errno is "
                  "given.",
                  action_MATH_ERRNO}},
    .find = find,
};
