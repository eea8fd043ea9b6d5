/* Conversions between number formats that the source requires unintentionally.

   Numbers that are loaded in single precision, computed with in double precision and made narrow again are
   mostly caused by a constant without its f or by a function for double. In single precision there are no
   conversions, and a vector holds twice as many numbers: every second vector instruction on widened numbers
   is removed. Numbers that are widened and stay so, as in a sum of double precision, are probably intended,
   so they are only a hint. So are integers that become floating-point numbers, unless the loop counter is
   converted in every iteration. A counter in floating point instead is a chain of additions, one for each
   iteration of the source, which may well take longer than the conversions.

   The baseline of x86-64 has no instruction that rounds. Compilers convert to an integer and back there, and
   put the sign of the number back (floor, ceil, trunc): SSE4.1 has one instruction for all that. */
#include "code/quality/rules/flags.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/vector_advice.h"
#include "code/quality/values.h"
#include "code/quality/without.h"

#include "model/isa.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An array takes room in the cache, which the model does not know. */
static const double WORTH_AN_ARRAY = 1.15;

enum conversion { conversion_NONE, conversion_WIDENS, conversion_NARROWS, conversion_FROM_INTEGER };

/* How their forms start. */
static const struct {
    const char *form;
    enum conversion kind;
} conversions[] = {
    {"cvtss2sd ", conversion_WIDENS},       {"vcvtss2sd ", conversion_WIDENS},
    {"cvtps2pd ", conversion_WIDENS},       {"vcvtps2pd ", conversion_WIDENS},
    {"fcvt d,s", conversion_WIDENS},        {"fcvtl 2d,", conversion_WIDENS},
    {"fcvtl2 2d,", conversion_WIDENS},      {"fcvt z.d,p/m,z.s", conversion_WIDENS},
    {"cvtsd2ss ", conversion_NARROWS},      {"vcvtsd2ss ", conversion_NARROWS},
    {"cvtpd2ps ", conversion_NARROWS},      {"vcvtpd2ps ", conversion_NARROWS},
    {"fcvt s,d", conversion_NARROWS},       {"fcvtn 2s,", conversion_NARROWS},
    {"fcvtn2 4s,", conversion_NARROWS},     {"fcvt z.s,p/m,z.d", conversion_NARROWS},
    {"cvtsi2s", conversion_FROM_INTEGER},   {"vcvtsi2s", conversion_FROM_INTEGER},
    {"vcvtusi2s", conversion_FROM_INTEGER}, {"cvtdq2p", conversion_FROM_INTEGER},
    {"vcvtdq2p", conversion_FROM_INTEGER},  {"vcvtudq2p", conversion_FROM_INTEGER},
    {"vcvtqq2p", conversion_FROM_INTEGER},  {"vcvtuqq2p", conversion_FROM_INTEGER},
    {"scvtf ", conversion_FROM_INTEGER},    {"ucvtf ", conversion_FROM_INTEGER},
};

static const struct remedy constants = {
    audience_C, NULL,
    "Write single-precision constants with an f (0.5f, not 0.5) and call the float functions: sqrtf, fabsf, "
    "expf, powf; in C++, std::sqrt and the others are overloaded.",
    action_PRECISION};
static const struct remedy warning = {
    audience_C, NULL, "-Wdouble-promotion lists the places (GCC and Clang).", action_PRECISION};
static const struct remedy all_single = {audience_GCC, "-fsingle-precision-constant",
                                         "-fsingle-precision-constant makes all constants without a suffix "
                                         "single precision; use it only if none of them needs more digits.",
                                         action_PRECISION};
static const struct remedy kinds = {
    audience_FORTRAN, NULL,
    "Write constants of default kind (0.5, not 0.5d0) and declare temporaries REAL, not DOUBLE PRECISION; "
    "-Wconversion-extra lists the places (gfortran).",
    action_PRECISION};
static const struct remedy one_format = {
    audience_ANY, NULL,
    "Use one precision in the whole loop: double for the arrays as well if its accuracy is needed, otherwise "
    "single throughout, which is twice as fast with vectors.",
    action_PRECISION};
static const struct remedy counter = {
    audience_ANY, NULL,
    "If rounding errors allow it, keep a floating-point counter next to the integer one (x = x0 before the "
    "loop, x += h in it).",
    action_CONVERT_LESS};
static const struct remedy array = {
    audience_ANY, NULL, "If the loop runs repeatedly, compute the converted numbers once into an array.",
    action_CONVERT_LESS};
static const struct remedy integers = {
    audience_ANY, NULL, "If the same integers are used repeatedly, convert them once into an array.",
    action_CONVERT_LESS};

static const struct remedy rounding = {audience_ANY, "-march",
                                       "-msse4.1, or a newer target (-march=x86-64-v2 and later, Intel: "
                                       "-xSSE4.1): every x86 processor since 2008 "
                                       "has an instruction that rounds, and loops with it can be vectorised.",
                                       action_TARGET, precondition_x86};

struct converting {
    const struct subject *subject;
    struct values values;
    uint8_t *kinds;      /* by item: enum conversion */
    uint8_t *is_widened; /* by item: its result comes from a number that was widened */
    unsigned counts[conversion_FROM_INTEGER + 1];
    unsigned returning; /* numbers that are narrowed after they were widened */
    unsigned counters;  /* conversions of a counter */
};

static enum conversion kind_of(const struct subject *subject, const struct subject_item *item)
{
    const char *form = model_text(subject->model, item->row->form);
    if (item->row->class != class_CONVERT || !form)
        return conversion_NONE;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (!strncmp(form, conversions[i].form, strlen(conversions[i].form)))
            return conversions[i].kind;
    return conversion_NONE;
}

static bool reads_widened(const struct converting *converting, unsigned item)
{
    for (unsigned u = 0; u < converting->subject->items[item].use_count; u++) {
        struct value_source source = values_source(&converting->values, item, u);
        if (source.item != VALUE_OUTSIDE && converting->is_widened[source.item])
            return true;
    }
    return false;
}

/* Whether an item uses its own result of the iteration before. */
static bool comes_back(const struct converting *converting, unsigned item)
{
    for (unsigned u = 0; u < converting->subject->items[item].use_count; u++) {
        struct value_source source = values_source(&converting->values, item, u);
        if (source.item == item && source.is_earlier)
            return true;
    }
    return false;
}

/* Whether the number that is converted counts iterations. For a loaded number, a counter only gives the
   address. */
static bool reads_counter(const struct converting *converting, unsigned item)
{
    const struct cost_item *costs = converting->subject->work->items.data;
    if (converting->subject->items[item].row->load_bytes)
        return false;
    for (unsigned u = 0; u < converting->subject->items[item].use_count; u++) {
        struct value_source source = values_source(&converting->values, item, u);
        if (source.item == VALUE_OUTSIDE)
            continue;
        const struct cost_step *step = &costs[source.item].cost->step;
        if (step->to && step->to == step->from && step->constant && comes_back(converting, source.item))
            return true;
    }
    return false;
}

static void look(struct converting *converting, const struct subject *subject)
{
    *converting = (struct converting){.subject = subject};
    converting->kinds = arena_get(subject->arena, subject->item_count + 1);
    converting->is_widened = arena_get(subject->arena, subject->item_count + 1);
    values_find(&converting->values, subject);
    /* Twice, because a number may have been widened in the iteration before. */
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < subject->item_count; i++) {
            const struct subject_item *item = &subject->items[i];
            enum conversion kind = kind_of(subject, item);
            converting->kinds[i] = (uint8_t)kind;
            bool may_be = item->row->element == element_FP64 || item->row->class == class_MOVE ||
                          item->row->class == class_SHUFFLE || item->row->class == class_LOGIC;
            converting->is_widened[i] = kind == conversion_WIDENS ||
                                        (may_be && kind == conversion_NONE && reads_widened(converting, i));
        }
    for (unsigned i = 0; i < subject->item_count; i++) {
        converting->counts[converting->kinds[i]]++;
        converting->returning += converting->kinds[i] == conversion_NARROWS && reads_widened(converting, i);
        converting->counters +=
            converting->kinds[i] == conversion_FROM_INTEGER && reads_counter(converting, i);
    }
}

/* Whether a rearrangement of lanes serves conversions: it reads a narrowed number, or only conversions read
   it. */
static bool serves_conversions(const struct converting *converting, unsigned item)
{
    const struct subject *subject = converting->subject;
    unsigned class = subject->items[item].row->class, readers = 0;
    if (class != class_SHUFFLE && class != class_MOVE)
        return false;
    for (unsigned u = 0; u < subject->items[item].use_count; u++) {
        struct value_source source = values_source(&converting->values, item, u);
        if (source.item != VALUE_OUTSIDE && converting->kinds[source.item] == conversion_NARROWS)
            return true;
    }
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            if (values_source(&converting->values, i, u).item != item)
                continue;
            if (converting->kinds[i] != conversion_WIDENS)
                return false;
            readers++;
        }
    return readers;
}

/* Everything in single precision. */
static double cycles_in_single(const struct converting *converting, struct remark *remark)
{
    const struct subject *subject = converting->subject;
    struct without without;
    uint8_t is_second[class_COUNT] = {0};
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (converting->kinds[i] == conversion_WIDENS || converting->kinds[i] == conversion_NARROWS) {
            remark_point(remark, i);
            without_work(&without, i);
        } else if (serves_conversions(converting, i)) {
            without_work(&without, i);
        } else if (item->row->is_vector && item->is_arithmetic && converting->is_widened[i]) {
            if (is_second[item->row->class])
                without_work(&without, i);
            is_second[item->row->class] ^= 1;
        }
    }
    return without_cycles(&without);
}

static double cycles_without(const struct converting *converting, enum conversion kind, struct remark *remark)
{
    struct without without;
    without_begin(&without, converting->subject);
    for (unsigned i = 0; i < converting->subject->item_count; i++) {
        if (converting->kinds[i] != kind)
            continue;
        remark_point(remark, i);
        without_work(&without, i);
    }
    return without_cycles(&without);
}

/* The addition that counts in the format of a conversion; NULL if unknown. */
static const struct machine_form *addition_of(const struct subject *subject, const struct encoding *row)
{
    bool is_double = row->element == element_FP64, is_vector = row->is_vector;
    bool is_wide = row->vector_bits > 128;
    const char *form;
    if (!isa_facts((enum isa)row->isa)->is_x86)
        form = is_vector ? (is_double ? "fadd 2d,2d,2d" : "fadd 4s,4s,4s")
                         : (is_double ? "fadd d,d,d" : "fadd s,s,s");
    else if (!is_vector)
        form = is_double ? "addsd xmm,xmm" : "addss xmm,xmm";
    else if (is_wide)
        form = is_double ? "vaddpd ymm,ymm,ymm" : "vaddps ymm,ymm,ymm";
    else
        form = is_double ? "addpd xmm,xmm" : "addps xmm,xmm";
    return machine_form(subject->machine, form);
}

/* With an addition for each conversion of the counter; all of them are one chain. NaN if unknown. */
static double cycles_counting(const struct converting *converting, struct remark *remark)
{
    const struct subject *subject = converting->subject;
    struct without without;
    double chain = 0;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (converting->kinds[i] != conversion_FROM_INTEGER || !reads_counter(converting, i))
            continue;
        const struct machine_form *addition = addition_of(subject, subject->items[i].row);
        if (!addition || isnan(addition->latency))
            return NAN;
        chain += addition->latency;
        remark_point(remark, i);
        without_form(&without, i, addition);
    }
    return fmax(without_cycles(&without), chain);
}

static bool tell_returning(const struct converting *converting, struct remark *remark)
{
    char widened[64], narrowed[64];
    remark->cycles = cycles_in_single(converting, remark);
    if (!without_gains(converting->subject, remark->cycles))
        return false;
    remark_say(remark,
               "The arrays are single precision, but the loop computes in double: an iteration has %s from "
               "single to double and %s back.",
               remark_count(widened, sizeof widened, converting->counts[conversion_WIDENS], "conversion",
                            "conversions"),
               remark_count(narrowed, sizeof narrowed, converting->counts[conversion_NARROWS], "conversion",
                            "conversions"));
    iterations_caution(converting->subject, remark);
    remark_advise(remark, &constants);
    remark_advise(remark, &warning);
    remark_advise(remark, &all_single);
    remark_advise(remark, &kinds);
    remark_advise(remark, &one_format);
    return true;
}

/* With a load for each conversion of the counter, from an array of all values. */
static double cycles_loading(const struct converting *converting)
{
    const struct subject *subject = converting->subject;
    struct without without;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (converting->kinds[i] == conversion_FROM_INTEGER && reads_counter(converting, i))
            without_work(&without, i);
    double loads = subject->metric->load_count + converting->counters;
    return subject->machine->loads > 0 ? fmax(without_cycles(&without), loads / subject->machine->loads)
                                       : NAN;
}

static bool tell_counters(const struct converting *converting, struct remark *remark)
{
    const struct subject *subject = converting->subject;
    double counting = cycles_counting(converting, remark), loading = cycles_loading(converting);
    bool has_counter = without_gains(subject, counting),
         has_array = subject->path->cycles >= WORTH_AN_ARRAY * loading;
    if (!has_counter && !has_array)
        return false;
    remark->cycles = !has_array || (has_counter && counting < loading) ? counting : loading;
    if (vector_advice_covers(subject, remark->cycles))
        return false;
    remark_say(remark, "Every iteration converts the loop counter to floating point.");
    iterations_caution(subject, remark);
    if (has_counter)
        remark_advise(remark, &counter);
    if (has_array)
        remark_advise(remark, &array);
    return true;
}

/* The item that converts to the integer which this one converts back; VALUE_OUTSIDE for none. */
static uint32_t way_there(const struct converting *converting, unsigned item)
{
    const struct subject *subject = converting->subject;
    for (unsigned u = 0; u < subject->items[item].use_count; u++) {
        struct value_source source = values_source(&converting->values, item, u);
        bool is_there = source.item != VALUE_OUTSIDE && !source.is_earlier &&
                        value_is_read(&subject->items[item].uses[u]) &&
                        subject->items[source.item].row->class == class_CONVERT &&
                        converting->kinds[source.item] == conversion_NONE;
        if (is_there)
            return source.item;
    }
    return VALUE_OUTSIDE;
}

/* Whether the result of an item is put together from bits, at most so many steps later. */
static bool gets_sign(const struct converting *converting, unsigned item, unsigned steps)
{
    const struct subject *subject = converting->subject;
    for (unsigned i = item + 1; steps && i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            const struct subject_item *reader = &subject->items[i];
            if (!value_is_read(&reader->uses[u]) || values_source(&converting->values, i, u).item != item)
                continue;
            if ((reader->row->class == class_LOGIC && reader->is_fp) || gets_sign(converting, i, steps - 1))
                return true;
        }
    return false;
}

static bool tell_rounding(const struct converting *converting, struct remark *remark)
{
    enum { MOST_STEPS = 3 };
    const struct subject *subject = converting->subject;
    unsigned count = 0;
    char buffer[64];
    if (!precondition_x86(subject) || flags_is_beyond_baseline(subject) ||
        (subject->compiler->flags && compiler_has(subject->compiler, "-march")))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint32_t there = converting->kinds[i] == conversion_FROM_INTEGER ? way_there(converting, i)
                                                                         : (uint32_t)VALUE_OUTSIDE;
        if (there == VALUE_OUTSIDE || !gets_sign(converting, i, MOST_STEPS))
            continue;
        count++;
        remark_point(remark, there);
        remark_point(remark, i);
    }
    if (!count)
        return false;
    remark_count(buffer, sizeof buffer, count, "number", "numbers");
    remark_say(
        remark,
        "%s per iteration %s rounded (floor, ceil or trunc) by conversion to an integer and back, a dozen "
        "instructions that are not vectorised: the target has no instruction for it.",
        buffer, count == 1 ? "is" : "are");
    remark_advise(remark, &rounding);
    return true;
}

static bool tell_meant(const struct converting *converting, enum conversion kind, struct remark *remark)
{
    char buffer[64];
    remark->cycles = cycles_without(converting, kind, remark);
    if (!without_gains(converting->subject, remark->cycles))
        return false;
    remark->level = advice_level_HINT;
    remark_count(buffer, sizeof buffer, converting->counts[kind], "conversion", "conversions");
    if (kind == conversion_FROM_INTEGER)
        remark_say(remark, "%s per iteration from integer to floating point.", buffer);
    else if (kind == conversion_WIDENS)
        remark_say(remark, "%s per iteration from single to double precision.", buffer);
    else
        remark_say(remark, "%s per iteration from double to single precision.", buffer);
    remark_advise(remark, kind == conversion_FROM_INTEGER ? &integers : &one_format);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    static const enum conversion meant[] = {conversion_WIDENS, conversion_NARROWS, conversion_FROM_INTEGER};
    struct converting converting;
    if (!without_matters(subject) || !subject->metric->convert_count)
        return false;
    look(&converting, subject);
    if (converting.returning && tell_returning(&converting, remark))
        return true;
    remark->evidence.count = 0;
    if (converting.counts[conversion_FROM_INTEGER] && tell_rounding(&converting, remark))
        return true;
    remark->evidence.count = 0;
    if (converting.counters && tell_counters(&converting, remark))
        return true;
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
        remark->evidence.count = 0;
        if (converting.counts[meant[i]] && tell_meant(&converting, meant[i], remark))
            return true;
    }
    return false;
}

const struct rule rule_conversions = {
    .name = "conversions",
    .title = "The loop converts between number formats",
    .meaning = "Every conversion is an extra instruction on the way of the data. And a vector holds only "
               "half as many double-precision as single-precision numbers, so computing in double takes "
               "twice as many instructions.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
