/* Fortran arrays whose elements may be any distance apart: POINTER, and assumed shape without CONTIGUOUS.

   The distance is in a descriptor that comes with the array. If an irregular index selects elements, it is
   multiplied by the distance. If the loop walks through the array, the address moves by the distance; the
   compiler cannot know that the elements are contiguous, so it does not vectorise.

   Rows of an array with two dimensions look alike in the code: addresses with an unknown stride. So the part
   about strides needs debug information, and fires only if all arrays of the routine have descriptors; where
   one of them has several dimensions, the text says on which subscript it depends. Where each iteration waits
   for a sum or a minimum of the one before, contiguous arrays alone make no vectors. */
#include "code/quality/motion/motion.h"
#include "code/quality/metrics/overhead.h"
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <math.h>
#include <stddef.h>

static const double TOGETHER = 1.2, NEARLY_ALWAYS = 1.2, WAITS = 0.9;
enum {
    GOOD_PART = 5 /* one in this many */,
    MOST_NAMES = 4,
    MOST_INNER = 2 /* types in types */,
    MOST_MEMBERS = 1000
};

/* Arrays that a routine declares. */
struct arrays {
    const char *names[MOST_NAMES];
    unsigned described;       /* arrays with a descriptor */
    unsigned wider;           /* arrays of more dimensions */
    unsigned wider_described; /* those of them with a descriptor */
    unsigned members;         /* of derived types that were looked at */
};

static const struct remedy versions = {
    audience_GCC, "-fversion-loops-for-strides",
    "-O3 lets gfortran make a second loop for contiguous arrays (-fversion-loops-for-strides), and vectorise "
    "that.",
    action_OPTIMISE};
static const struct remedy versions_at_most = {
    audience_GCC, "-fversion-loops-for-strides",
    "-O3 or -fversion-loops-for-strides lets gfortran make a second loop for contiguous "
    "arrays; this helps loops that walk along their arrays, not irregular indices.",
    action_OPTIMISE};

static unsigned dimension_count(const struct model *model, uint32_t type)
{
    size_t first = array_first_not_below(&model->dimensions, 0, offsetof(struct dimension, type), type);
    return (unsigned)(array_first_not_below(&model->dimensions, first, offsetof(struct dimension, type),
                                            type + 1) -
                      first);
}

static void note_array(const struct model *model, uint32_t type, uint32_t name, struct arrays *arrays)
{
    unsigned dimensions = dimension_count(model, type);
    bool is_described = model_type(model, type)->is_descriptor;
    arrays->wider += dimensions > 1;
    arrays->wider_described += dimensions > 1 && is_described;
    if (is_described && arrays->described++ < MOST_NAMES)
        arrays->names[arrays->described - 1] = model_text(model, name);
}

/* Arrays that are components of a derived type, or of one that it has or points to. */
static void note_components(const struct model *model, uint32_t type, unsigned depth, struct arrays *arrays)
{
    for (size_t i = array_first_not_below(&model->members, 0, offsetof(struct member, type), type);
         i < model->members.count && model_member(model, (uint32_t)i)->type == type &&
         arrays->members < MOST_MEMBERS;
         i++, arrays->members++) {
        const struct member *member = model_member(model, (uint32_t)i);
        uint32_t of = member->member_type;
        if (of && model_type(model, of)->kind == type_kind_POINTER)
            of = model_type(model, of)->target;
        if (of && model_type(model, of)->kind == type_kind_ARRAY)
            note_array(model, of, member->name, arrays);
        else if (of && depth && model_type(model, of)->kind == type_kind_STRUCT)
            note_components(model, of, depth - 1, arrays);
    }
}

/* Variables are in the order of their units: only those of the routine's unit are looked at. */
static void find_arrays(const struct subject *subject, struct arrays *arrays)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function;
    uint32_t unit = model_function(model, function)->unit;
    *arrays = (struct arrays){0};
    for (size_t i = array_first_not_below(&model->variables, 1, offsetof(struct variable, unit), unit);
         unit && i < model->variables.count && model_variable(model, (uint32_t)i)->unit == unit; i++) {
        const struct variable *variable = model_variable(model, (uint32_t)i);
        const struct type *type = model_type(model, variable->type);
        if (variable->function != function || !variable->type)
            continue;
        if (type->kind == type_kind_POINTER && type->target)
            type = model_type(model, type->target);
        uint32_t row = (uint32_t)(type - model_type(model, 0));
        if (type->kind == type_kind_ARRAY)
            note_array(model, row, variable->name, arrays);
        else if (type->kind == type_kind_STRUCT)
            note_components(model, row, MOST_INNER, arrays);
    }
}

static void say_names(const struct arrays *arrays, struct remark *remark)
{
    if (!arrays->described)
        return;
    remark_say(remark, " Arrays with a descriptor in this routine: ");
    for (unsigned i = 0; i < arrays->described && i < MOST_NAMES; i++)
        remark_say(remark, "%s%s", i ? ", " : "", arrays->names[i]);
    remark_say(remark, "%s.", arrays->described > MOST_NAMES ? ", …" : "");
}

static bool is_product(const struct overhead *overhead, unsigned item)
{
    enum class class = overhead->subject->items[item].row->class;
    return overhead->kinds[item] == overhead_STRIDE && (class == class_MULTIPLY || class == class_FMA);
}

/* The number of multiplied indices, if removing the multiplications pays. */
static unsigned find_products(const struct subject *subject, struct remark *remark)
{
    struct overhead overhead;
    unsigned products = 0;
    overhead_find(&overhead, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        products += is_product(&overhead, i);
    if (!products)
        return 0;
    double cycles = overhead_cycles(&overhead, overhead_STRIDE);
    if (without_gains(subject, cycles)) {
        remark->cycles = cycles;
        if (subject->path->cycles >= NEARLY_ALWAYS * cycles)
            remark->level = advice_level_GAIN;
    } else if (overhead.counts[overhead_STRIDE] * GOOD_PART < overhead.count ||
               !(subject->path->cycles >= TOGETHER * overhead_cycles(&overhead, overhead_NONE))) {
        return 0;
    }
    for (unsigned i = 0; i < subject->item_count; i++)
        if (overhead.kinds[i] == overhead_STRIDE)
            remark_point(remark, i);
    return products;
}

/* Whether each iteration waits for floating-point numbers of the one before. */
static bool waits_for_numbers(const struct subject *subject)
{
    if (subject_bound(subject, core_part_LATENCY) < WAITS * subject->path->cycles)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].is_fp && subject->items[i].is_arithmetic &&
            subject_is_marked(subject, core_part_LATENCY, i))
            return true;
    return false;
}

/* Accesses of numbers whose addresses move by a distance from a descriptor. */
static unsigned find_strides(const struct subject *subject, const struct arrays *arrays,
                             struct remark *remark)
{
    unsigned count, striding = 0;
    if (arrays->wider > arrays->wider_described || !subject->metric->flop_count ||
        !(subject->metric->vector_ratio_fp == 0) || waits_for_numbers(subject))
        return 0;
    const struct motion_reference *references = motion_follow(subject, &count);
    for (unsigned i = 0; i < count; i++) {
        if (references[i].motion.kind != motion_STRIDES || !subject->items[references[i].item].is_fp)
            continue;
        striding++;
        remark_point(remark, references[i].item);
    }
    return striding;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct arrays arrays;
    char buffer[64];
    if (subject->compiler->language != language_FORTRAN || !overhead_matters(subject))
        return false;
    find_arrays(subject, &arrays);
    if (!arrays.described)
        return false;
    unsigned products = find_products(subject, remark), strides = find_strides(subject, &arrays, remark);
    if (!products && !strides)
        return false;
    if (products)
        remark_say(remark, "To address array elements, each iteration does %s with loop-invariant strides.",
                   remark_count(buffer, sizeof buffer, products, "multiplication", "multiplications"));
    if (strides)
        remark_say(
            remark,
            "%s%s with a stride known only at run time, so neighbouring elements cannot be loaded together.",
            products ? " " : "",
            remark_count(buffer, sizeof buffer, strides, "access goes through its array",
                         "accesses go through their arrays"));
    if (strides && !products)
        remark_advise(remark, &versions);
    else
        remark_advise_later(remark, &versions_at_most);
    if (strides && arrays.wider)
        remark_say(remark,
                   " That holds if the innermost loop runs along the first subscript; if it runs along "
                   "another, exchange the loops.");
    say_names(&arrays, remark);
    return true;
}

const struct rule rule_fortran_pointer = {
    .name = "fortran-pointer",
    .title = "Array strides are read at run time, because the arrays may not be contiguous",
    .meaning =
        "A POINTER or an assumed-shape array (:) may be a section of another array, such as every second "
        "element. So the compiler reads the stride from the array descriptor, multiplies or adds it for "
        "every access, and cannot use vector loads. ALLOCATABLE and CONTIGUOUS arrays have no gaps.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_FORTRAN, NULL,
                  "Declare arrays ALLOCATABLE instead of POINTER, also as components of derived types.",
                  action_CONTIGUOUS},
                 {audience_FORTRAN, NULL,
                  "Where they must stay POINTER or assumed-shape, add CONTIGUOUS to their declaration "
                  "(Fortran 2008), if they never are sections with gaps, and compile with -O3.",
                  action_CONTIGUOUS},
                 {audience_FORTRAN, NULL,
                  "Or pass them to a routine that declares them with explicit shape, such as real :: a(n).",
                  action_CONTIGUOUS},
                 {audience_INTEL, "-assume contiguous_pointer",
                  "-assume contiguous_pointer -assume contiguous_assumed_shape, if all arrays of the file "
                  "are contiguous.",
                  action_CONTIGUOUS}},
    .find = find,
};
