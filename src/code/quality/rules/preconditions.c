#include "code/quality/rules/preconditions.h"

#include "code/quality/metrics/overhead.h"
#include "code/quality/rules/around.h"
#include "code/quality/rules/flags.h"
#include "code/quality/rules/targets.h"
#include "code/quality/rules/vector_advice.h"
#include "code/quality/vector/vectorise.h"

#include <stddef.h>
#include <string.h>

/* Values that calls return and change look carried, so nothing is known of a path with calls. */
static enum carried_kind carried_kind(const struct subject *subject)
{
    struct carried carried;
    if (subject->metric->call_count)
        return carried_NOTHING;
    if (subject->vectorising && subject->vectorising->carried.kinds)
        return subject->vectorising->carried.kind;
    carried_find(&carried, subject, 2);
    return carried.kind;
}

bool precondition_independent(const struct subject *subject)
{
    return carried_kind(subject) <= carried_SUM &&
           (!subject->vectorising || subject->vectorising->obstacle ||
            subject->vectorising->carried.passed >= subject->item_count);
}

static bool is_waited_for(const struct subject *subject, unsigned item)
{
    return subject_is_marked(subject, core_part_LATENCY, item) && subject->items[item].is_arithmetic;
}

static bool is_scalar_reduction(const struct subject *subject)
{
    enum carried_kind kind = carried_kind(subject);
    if (kind < carried_REDUCTION || kind > carried_SUM || !subject->vectorising ||
        subject->vectorising->obstacle || subject->vectorising->has_lanes)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_waited_for(subject, i) && subject->items[i].is_vectorised)
            return false;
    return true;
}

/* Whether what is waited for is a minimum or maximum. */
static bool is_extreme(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_waited_for(subject, i) && subject->items[i].row->class == class_MINMAX)
            return true;
    return false;
}

bool precondition_scalar_sum(const struct subject *subject)
{
    return is_scalar_reduction(subject) && !is_extreme(subject);
}

bool precondition_float_chain(const struct subject *subject)
{
    if (is_extreme(subject))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_waited_for(subject, i) && subject->items[i].is_fp)
            return true;
    return false;
}

bool precondition_float_sum_for_vectors(const struct subject *subject)
{
    return precondition_float_chain(subject) && precondition_vectorisable(subject) &&
           !subject->vectorising->has_lanes;
}

static uint32_t base_of(const struct subject *subject, unsigned item)
{
    for (unsigned i = 0; i < subject->items[item].operand_count; i++)
        if (subject->items[item].operands[i].kind == operand_kind_MEMORY)
            return subject->items[item].operands[i].base_register;
    return 0;
}

static uint32_t without_names(const struct model *model, uint32_t type, bool *is_const, bool *is_restrict)
{
    enum { MOST_LAYERS = 8 };
    for (unsigned i = 0; type && i < MOST_LAYERS; i++) {
        const struct type *row = model_type(model, type);
        const char *word = row->kind == type_kind_QUALIFIED && row->name ? model_text(model, row->name) : "";
        if (row->kind != type_kind_QUALIFIED && row->kind != type_kind_TYPEDEF)
            break;
        *is_const |= !strcmp(word, "const");
        *is_restrict |= !strcmp(word, "restrict");
        type = row->target;
    }
    return type;
}

/* Pointers that a function, or a call of it that was inlined, declares and may store through. */
struct declared {
    unsigned restricted, others;             /* parameters */
    unsigned local_restricted, local_others; /* variables of its own */
};

static bool is_of_kind(const struct model *model, uint32_t type, enum type_kind kind)
{
    return type && model_type(model, type)->kind == kind;
}

/* A pointer of this type; the row of what it points to, 0 if it is none. */
static uint32_t count_type(struct declared *declared, const struct model *model, uint32_t type, bool is_local)
{
    bool is_const = false, is_restrict = false, ignored = false;
    type = without_names(model, type, &ignored, &is_restrict);
    if (!is_of_kind(model, type, type_kind_POINTER))
        return 0;
    uint32_t target = without_names(model, model_type(model, type)->target, &is_const, &ignored);
    if (!is_const)
        *(is_local      ? is_restrict ? &declared->local_restricted : &declared->local_others
          : is_restrict ? &declared->restricted
                        : &declared->others) += 1;
    return target;
}

/* Whether stores may go through a pointer of this structure: then it is not the structure that they go to. */
static bool count_members(struct declared *declared, const struct model *model, uint32_t structure,
                          bool is_local)
{
    struct declared before = *declared;
    for (size_t i = array_first_not_below(&model->members, 0, offsetof(struct member, type), structure);
         i < model->members.count && ARRAY_AT(struct member, &model->members, i)->type == structure; i++)
        count_type(declared, model, ARRAY_AT(struct member, &model->members, i)->member_type, is_local);
    return memcmp(&before, declared, sizeof before);
}

static void count_pointer(struct declared *declared, const struct model *model,
                          const struct variable *variable)
{
    struct declared with = *declared;
    bool ignored = false, is_local = variable->kind == variable_kind_LOCAL;
    uint32_t type = without_names(model, variable->type, &ignored, &ignored);
    if (!is_local && variable->kind != variable_kind_PARAMETER)
        return;
    uint32_t target = count_type(&with, model, type ? variable->type : 0, is_local);
    uint32_t structure = target ? target : is_local ? 0 : type;
    if (is_of_kind(model, structure, type_kind_STRUCT) && count_members(declared, model, structure, is_local))
        return;
    if (!variable->name || strcmp(model_text(model, variable->name), "this"))
        *declared = with;
}

static struct declared declared_in(const struct model *model, uint32_t function, uint32_t inlined_call)
{
    struct declared declared = {0};
    uint32_t unit = model_function(model, function)->unit;
    for (size_t i = array_first_not_below(&model->variables, 1, offsetof(struct variable, unit), unit);
         unit && i < model->variables.count && model_variable(model, (uint32_t)i)->unit == unit; i++) {
        const struct variable *variable = model_variable(model, (uint32_t)i);
        if (variable->function == function && variable->inlined_call == inlined_call)
            count_pointer(&declared, model, variable);
    }
    return declared;
}

/* The inlined call that an access belongs to; 0: none. */
static uint32_t call_of(const struct subject *subject, const struct subject_access *access)
{
    const struct model *model = subject->model;
    uint32_t line = model_instruction(model, subject->items[access->item].instruction)->source_line;
    return line ? model_source_line(model, line)->inlined_call : 0;
}

/* Whether all pointers that stores of an inlined call may go through are declared restrict: those of the innermost
   call around them that declares any.  Who copies a parameter into a pointer that is restrict means that one. */
static bool is_restricted(const struct subject *subject, uint32_t call)
{
    enum { MOST_DEPTH = 16 };
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function;
    for (unsigned depth = 0; depth < MOST_DEPTH; depth++) {
        struct declared declared = declared_in(model, function, call);
        if (declared.local_restricted)
            return !declared.local_others;
        if (declared.restricted || declared.others)
            return !declared.others;
        if (!call)
            break;
        call = model_inlined_call(model, call)->parent;
    }
    return false;
}

static bool has_load_elsewhere(const struct subject *subject, const struct subject_access *store)
{
    for (unsigned k = 0; k < subject->access_count; k++) {
        const struct subject_access *load = &subject->accesses[k];
        if (load->loads && !load->is_stack && base_of(subject, load->item) != base_of(subject, store->item))
            return true;
    }
    return false;
}

bool precondition_two_arrays(const struct subject *subject)
{
    uint32_t known = UINT32_MAX; /* restricted */
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *store = &subject->accesses[i];
        uint32_t call = call_of(subject, store);
        if (!store->stores || store->is_stack || call == known || !has_load_elsewhere(subject, store))
            continue;
        if (!is_restricted(subject, call))
            return true;
        known = call;
    }
    return false;
}

bool precondition_vectorisable(const struct subject *subject)
{
    return subject->vectorising && subject->vectorising->obstacle == obstacle_NONE &&
           vector_advice_options_help(subject);
}

/* The longest vector of the path, in bits. */
static unsigned longest_vector(const struct subject *subject)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->vector_bits > bits)
            bits = subject->items[i].row->vector_bits;
    return bits;
}

bool precondition_short_vectors(const struct subject *subject)
{
    return longest_vector(subject) < target_BASELINE;
}

bool precondition_more_instructions(const struct subject *subject)
{
    enum { AVX2 = 256 };
    unsigned bits = subject->machine->core.vector_bits;
    if (!vector_advice_options_help(subject))
        return false;
    if (!flags_is_beyond_baseline(subject))
        return bits > target_BASELINE;
    return precondition_x86(subject) && bits > AVX2 && longest_vector(subject) <= AVX2;
}

bool precondition_x86(const struct subject *subject)
{
    enum isa isa = subject->items[0].row->isa;
    return isa == isa_X86_64 || isa == isa_I386;
}

bool precondition_fma(const struct subject *subject)
{
    return precondition_x86(subject) && machine_form(subject->machine, "vfmadd231sd xmm,xmm,xmm");
}

bool precondition_avx2(const struct subject *subject)
{
    return precondition_x86(subject) && machine_form(subject->machine, "vpaddd ymm,ymm,ymm");
}

bool precondition_nested(const struct subject *subject)
{
    return model_loop(subject->model, subject->loop)->parent != 0;
}

bool precondition_calls(const struct subject *subject)
{
    return around_calls(subject);
}

bool precondition_narrow_index(const struct subject *subject)
{
    enum { NARROW = 32 };
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        for (unsigned u = 0; item->purpose == purpose_ADDRESS && u < item->use_count; u++) {
            const struct register_ *row = model_register(subject->model, item->uses[u].register_);
            if (row->kind == register_kind_GENERAL && row->bits == NARROW)
                return true;
        }
    }
    return false;
}

bool precondition_loaded_pointers(const struct subject *subject)
{
    return overhead_may_load_pointers(subject);
}
