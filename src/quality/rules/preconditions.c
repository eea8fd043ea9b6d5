#include "quality/rules/preconditions.h"

#include "quality/metrics/overhead.h"
#include "quality/rules/around.h"
#include "quality/rules/flags.h"
#include "quality/rules/targets.h"
#include "quality/rules/vector_advice.h"
#include "quality/vector/vectorise.h"

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

bool holds_independent(const struct subject *subject)
{
    return carried_kind(subject) <= carried_SUM &&
           (!subject->vectorising || subject->vectorising->obstacle ||
            subject->vectorising->carried.passed >= subject->item_count);
}

static bool is_waited_for(const struct subject *subject, unsigned item)
{
    return subject_is_marked(subject, core_part_LATENCY, item) && subject->items[item].is_arithmetic;
}

bool holds_scalar_reduction(const struct subject *subject)
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

bool holds_float_chain(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_waited_for(subject, i) && subject->items[i].is_fp)
            return true;
    return false;
}

bool holds_float_sum_for_vectors(const struct subject *subject)
{
    return holds_float_chain(subject) && holds_vectorisable(subject) && !subject->vectorising->has_lanes;
}

static uint32_t base_of(const struct subject *subject, unsigned item)
{
    for (unsigned i = 0; i < subject->items[item].operand_count; i++)
        if (subject->items[item].operands[i].kind == operand_kind_MEMORY)
            return subject->items[item].operands[i].base_register;
    return 0;
}

bool holds_two_arrays(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *store = &subject->accesses[i];
        for (unsigned k = 0; store->stores && !store->is_stack && k < subject->access_count; k++) {
            const struct subject_access *load = &subject->accesses[k];
            if (load->loads && !load->is_stack &&
                base_of(subject, load->item) != base_of(subject, store->item))
                return true;
        }
    }
    return false;
}

bool holds_vectorisable(const struct subject *subject)
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

bool holds_short_vectors(const struct subject *subject)
{
    return longest_vector(subject) < target_BASELINE;
}

bool holds_more_instructions(const struct subject *subject)
{
    enum { AVX2 = 256 };
    unsigned bits = subject->machine->core.vector_bits;
    if (!vector_advice_options_help(subject))
        return false;
    if (!flags_is_beyond_baseline(subject))
        return bits > target_BASELINE;
    return holds_x86(subject) && bits > AVX2 && longest_vector(subject) <= AVX2;
}

bool holds_x86(const struct subject *subject)
{
    enum isa isa = subject->items[0].row->isa;
    return isa == isa_X86_64 || isa == isa_I386;
}

bool holds_nested(const struct subject *subject)
{
    return model_loop(subject->model, subject->loop)->parent != 0;
}

bool holds_calls(const struct subject *subject)
{
    return around_calls(subject);
}

bool holds_narrow_index(const struct subject *subject)
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

bool holds_loaded_pointers(const struct subject *subject)
{
    return overhead_may_load_pointers(subject);
}
