/* Loops that wait for divisions and square roots of floating-point numbers.

   A core has one unit for them, which starts a new one only every few cycles. If the divisor is the same in
   every iteration, or in several divisions of one, a reciprocal and products can replace the divisions, and
   the figure is the cost of the products. Other divisions and roots can only be made faster: double precision
   by single precision, single precision by refined estimates, and that is their figure. Rule
   integer-division handles those of integers, rule complex-division those of complex numbers. */
#include "model/isa.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/scaled.h"
#include "code/quality/values.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Nobody reads longer paths. */
enum { MOST_ITEMS = 4096 };
/* The divider matters if it takes this part of the time; otherwise divisions hardly count. */
static const double LEAST_SHARE = 0.5;
/* Reciprocals that may not be possible must gain more to be reported. */
static const double WORTH_TRYING = 1.15, NEARLY_ALWAYS = 1.2;

/* An estimate is refined by about four multiplications and subtractions, of which a core does two in a cycle.
 */
static const double REFINING = 2;

static const struct remedy hoist = {audience_ANY, NULL,
                                    "Compute the reciprocal once before the loop (r = 1 / d) and multiply by "
                                    "r in it; the last digit may differ.",
                                    action_DIVIDE_LESS};
static const struct remedy share = {
    audience_ANY, NULL,
    "Compute the reciprocal of the common divisor once and multiply by it; the last digit may differ.",
    action_DIVIDE_LESS};
static const struct remedy shorten = {audience_ANY, NULL,
                                      "Where single precision is accurate enough, use it (in C float, with "
                                      "sqrtf and not sqrt): the divider is faster then.",
                                      action_DIVIDE_LESS};
static const struct remedy gcc_reciprocal = {
    audience_GCC, "-ffast-math",
    "-funsafe-math-optimizations (part of -ffast-math): the compiler may multiply by reciprocals, and hoists "
    "loop-invariant ones out of the loop. -freciprocal-math alone does that only for two or more divisions "
    "by the same number.",
    action_RECIPROCAL_MATH};
static const struct remedy clang_reciprocal = {
    audience_CLANG, "-freciprocal-math",
    "-freciprocal-math (part of -ffast-math): the compiler may multiply by reciprocals, and hoists "
    "loop-invariant ones out of the loop.",
    action_RECIPROCAL_MATH};
static const struct remedy intel_quick = {audience_INTEL, "-no-prec-div",
                                          "-no-prec-div -no-prec-sqrt (with icx: -fp-model=fast "
                                          "-fimf-precision=medium): approximate reciprocals and roots.",
                                          action_RECIPROCAL_MATH};
static const struct remedy estimate = {
    audience_GCC, "-mrecip",
    "-ffast-math -mrecip: approximate reciprocals and roots with one Newton step, for float (x86).",
    action_RECIPROCAL_MATH, precondition_x86};
struct divisions {
    struct values values;
    uint32_t *items;  /* unsigned count of them */
    uint8_t *is_sure; /* the divisor is invariant, or was a divisor before */
    unsigned count, roots, still, shared, doubles;
    double busy; /* cycles of the divider for them; some cores have another one for integers */
};

static bool is_division(const struct subject_item *item)
{
    return (item->row->class == class_DIVIDE || item->row->class == class_SQRT) &&
           item->purpose == purpose_DATA && item->is_fp && item->row->element != element_X87;
}

/* Whether the item's access has a fixed address. */
static bool reads_still_memory(const struct subject *subject, unsigned item)
{
    const struct subject_access *access = values_access(subject, item);
    return access && access->loads && access->pattern == access_pattern_INVARIANT;
}

/* The divisor is the last operand on every instruction set. A plain load or copy of an invariant is
   invariant. */
static bool is_still(struct divisions *divisions, unsigned item)
{
    const struct subject *subject = divisions->values.subject;
    const struct subject_item *row = &subject->items[item];
    const struct operand *divisor = &row->operands[row->operand_count - 1];
    if (divisor->kind == operand_kind_MEMORY)
        return reads_still_memory(subject, item);
    if (divisor->kind != operand_kind_REGISTER)
        return false;
    struct value_source source = values_of_register(&divisions->values, item, divisor->register_);
    if (source.item == VALUE_OUTSIDE)
        return values_stays(&divisions->values, divisor->register_);
    return subject->items[source.item].row->class == class_LOAD && reads_still_memory(subject, source.item);
}

/* Whether an earlier division of the iteration has the same divisor. */
static bool is_shared(const struct divisions *divisions, unsigned item)
{
    const struct subject_item *row = &divisions->values.subject->items[item];
    const struct operand *divisor = &row->operands[row->operand_count - 1];
    if (divisor->kind != operand_kind_REGISTER)
        return false;
    struct value_source source = values_of_register(&divisions->values, item, divisor->register_);
    for (unsigned i = 0; i < divisions->count; i++) {
        const struct subject_item *other = &divisions->values.subject->items[divisions->items[i]];
        const struct operand *before = &other->operands[other->operand_count - 1];
        if (other->row->class != class_DIVIDE || before->kind != operand_kind_REGISTER)
            continue;
        struct value_source same =
            values_of_register(&divisions->values, divisions->items[i], before->register_);
        if (source.item != VALUE_OUTSIDE && same.item == source.item && same.is_earlier == source.is_earlier)
            return true;
    }
    return false;
}

static void look(const struct subject *subject, struct divisions *divisions)
{
    *divisions = (struct divisions){0};
    divisions->items = arena_get(subject->arena, (subject->item_count + 1) * sizeof *divisions->items);
    divisions->is_sure = arena_get(subject->arena, subject->item_count + 1);
    values_find(&divisions->values, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (!is_division(item) || !item->operand_count)
            continue;
        bool is_root = item->row->class == class_SQRT, still = !is_root && is_still(divisions, i);
        bool shared = !is_root && !still && is_shared(divisions, i);
        const struct machine_cost *cost = ((const struct cost_item *)subject->work->items.data)[i].cost;
        divisions->busy += cost->divider > 0 ? fmax(cost->divider, cost->throughput) : 0;
        divisions->roots += is_root;
        divisions->still += still;
        divisions->shared += shared;
        divisions->doubles += item->row->element == element_FP64;
        divisions->is_sure[divisions->count] = still || shared;
        divisions->items[divisions->count++] = i;
    }
}

/* The form of the product of the same operands; NULL if unknown. Machine files are asked by the text of a
   form: "div" or "sqrt" in its name becomes "mul". Roots of one operand become products of it with itself. */
static const struct machine_form *product_of(const struct subject *subject, const struct subject_item *item)
{
    enum { LONGEST = 128 };
    char text[LONGEST];
    const char *form = model_text(subject->model, item->row->form), *end = form + strcspn(form, " ");
    bool is_root = item->row->class == class_SQRT, is_x86 = isa_facts((enum isa)item->row->isa)->is_x86;
    const char *word = strstr(form, is_root ? "sqrt" : "div");
    if (!word || word >= end)
        return NULL;
    int before = (int)(word - form);
    const char *behind = word + strlen(is_root ? "sqrt" : "div");
    bool repeats = is_root && item->operand_count == 2 && (item->row->is_avx || !is_x86);
    int operand = repeats ? (int)strcspn(end, ",") : 0;
    int written = snprintf(text, sizeof text, "%.*smul%.*s%.*s%s%s", before, form, (int)(end - behind),
                           behind, operand, end, repeats ? "," : "", repeats ? end + strspn(end, " ") : end);
    return written > 0 && written < LONGEST ? machine_form(subject->machine, text) : NULL;
}

/* The form in single precision; NULL if unknown. */
static const struct machine_form *single_of(const struct subject *subject, const struct subject_item *item)
{
    enum { LONGEST = 128 };
    char text[LONGEST];
    const char *form = model_text(subject->model, item->row->form);
    size_t length = strcspn(form, " ");
    if (strlen(form) >= sizeof text || !length)
        return NULL;
    memcpy(text, form, strlen(form) + 1);
    if (text[length - 1] == 'd') { /* sqrtsd xmm,m64 */
        char *memory = strstr(text, "m64");
        text[length - 1] = 's';
        if (memory)
            memcpy(memory, "m32", 3);
        return machine_form(subject->machine, text);
    }
    for (char *at = text + length; *at; at++) { /* fdiv 2d,2d,2d */
        bool is_last = !at[1] || at[1] == ',';
        if (*at != 'd' || !is_last)
            continue;
        *at = 's';
        if (at[-1] == '2')
            at[-1] = '4';
    }
    return machine_form(subject->machine, text);
}

/* Cycles with products for the certain cases; NaN if a product is unknown. */
static double cycles_of_products(const struct subject *subject, const struct divisions *divisions)
{
    struct without without;
    without_begin(&without, subject);
    for (unsigned i = 0; i < divisions->count; i++) {
        const struct subject_item *item = &subject->items[divisions->items[i]];
        const struct machine_form *form = divisions->is_sure[i] ? product_of(subject, item) : NULL;
        if (!divisions->is_sure[i])
            continue;
        if (!form)
            return NAN;
        without_form(&without, divisions->items[i], form);
    }
    return without_cycles(&without);
}

/* Cycles with the faster alternatives for the others; NaN if their cost is unknown. */
static double cycles_of_quicker(const struct subject *subject, const struct divisions *divisions)
{
    struct without without;
    double cycles = 0;
    without_begin(&without, subject);
    for (unsigned i = 0; i < divisions->count; i++) {
        const struct subject_item *item = &subject->items[divisions->items[i]];
        bool is_double = item->row->element == element_FP64;
        const struct machine_form *form = is_double ? single_of(subject, item) : product_of(subject, item);
        if (!form)
            return NAN;
        cycles += is_double ? 0 : REFINING;
        without_form(&without, divisions->items[i], form);
    }
    return cycles + without_cycles(&without);
}

static void say(const struct subject *subject, const struct divisions *divisions, struct remark *remark)
{
    unsigned plain = divisions->count - divisions->roots;
    char buffer[64];
    if (plain)
        remark_say(remark, "%s", remark_count(buffer, sizeof buffer, plain, "division", "divisions"));
    if (divisions->roots)
        remark_say(remark, "%s%s", plain ? " and " : "",
                   remark_count(buffer, sizeof buffer, divisions->roots, "square root", "square roots"));
    remark_say(remark, " keep%s the divider busy for %.2f of the %.2f cycles per iteration.",
               divisions->count == 1 ? "s" : "", divisions->busy, subject->path->cycles);
    if (divisions->still == divisions->count)
        remark_say(remark, " The divisor is loop-invariant.");
    else if (divisions->still)
        remark_say(remark, " %u of them have a loop-invariant divisor.", divisions->still);
    if (divisions->shared)
        remark_say(remark, " %u of them divide by the same number as another one.", divisions->shared);
    for (unsigned i = 0; i < divisions->count; i++)
        remark_point(remark, divisions->items[i]);
}

static void add_remedies(const struct divisions *divisions, struct remark *remark)
{
    unsigned plain = divisions->count - divisions->roots;
    if (divisions->still)
        remark_advise(remark, &hoist);
    if (divisions->shared)
        remark_advise(remark, &share);
    if (divisions->doubles)
        remark_advise(remark, &shorten);
    else
        remark_advise(remark, &estimate);
    if (!plain)
        return;
    /* Reciprocals help if several products share one. */
    if (divisions->still + divisions->shared) {
        remark_advise(remark, &gcc_reciprocal);
        remark_advise(remark, &clang_reciprocal);
    }
    remark_advise(remark, &intel_quick);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct divisions divisions;
    struct scaled scaled;
    if (subject_is_aside(subject) || !subject_is_timed(subject) || subject->metric->call_count ||
        subject->item_count > MOST_ITEMS ||
        subject_bound(subject, core_part_DIVIDER) < LEAST_SHARE * subject->path->cycles)
        return false;
    look(subject, &divisions);
    if (!divisions.count || divisions.busy < LEAST_SHARE * subject->path->cycles ||
        scaled_find(subject, &scaled))
        return false;
    double sure = divisions.still + divisions.shared ? cycles_of_products(subject, &divisions) : NAN;
    if (without_gains(subject, sure)) {
        remark->cycles = sure;
        /* The reciprocal of an invariant divisor is a division, too, each time the loop is entered. */
        if (subject->path->cycles >= NEARLY_ALWAYS * sure)
            remark->level = advice_level_GAIN;
        if (!divisions.shared)
            iterations_limit(subject, remark);
    } else {
        double quicker = cycles_of_quicker(subject, &divisions);
        if (!(subject->path->cycles >= WORTH_TRYING * quicker))
            return false;
        remark->cycles = quicker;
    }
    say(subject, &divisions, remark);
    add_remedies(&divisions, remark);
    return true;
}

const struct rule rule_divider = {
    .name = "divider",
    .title = "Divisions or square roots limit the loop",
    .meaning = "Divisions and square roots share one unit that is hardly pipelined and takes many times "
               "longer than a multiplication. The loop cannot run faster than this unit.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_ANY, NULL,
                  "Divide less: a/b/c is a/(b*c), a/b + c/d is (a*d + c*b)/(b*d); compare squares instead of "
                  "roots.",
                  action_DIVIDE_LESS}},
    .find = find,
};
