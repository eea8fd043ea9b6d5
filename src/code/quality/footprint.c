#include "code/quality/footprint.h"

#include "model/elements.h"

#include <stddef.h>

/* Operations of a lane. */
static unsigned operations(const struct encoding *encoding)
{
    switch (encoding->class) {
    case class_FMA:
        return 2;
    case class_ADD:
    case class_MULTIPLY:
    case class_DIVIDE:
    case class_SQRT:
    case class_MINMAX:
        return 1;
    default:
        return 0;
    }
}

/* Accesses of the function's own frame, and of constants next to the code. */
static bool is_housekeeping(const struct model *model, uint32_t instruction, uint32_t encoding)
{
    size_t at = array_first_not_below(&model->stack_accesses, 0, offsetof(struct stack_access, instruction),
                                      instruction);
    if (at < model->stack_accesses.count &&
        model_stack_access(model, (uint32_t)at)->instruction == instruction)
        return true;
    at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding; at++) {
        const struct operand *operand = model_operand(model, (uint32_t)at);
        if (operand->kind == operand_kind_MEMORY && operand->is_relative && !operand->index_register)
            return true;
    }
    return false;
}

static bool is_access(const struct encoding *encoding)
{
    return (encoding->load_bytes || encoding->store_bytes) && encoding->class != class_PUSH &&
           encoding->class != class_POP && encoding->class != class_CALL && encoding->class != class_RETURN &&
           encoding->class != class_PREFETCH;
}

static void add_arithmetic(struct footprint *footprint, const struct encoding *encoding)
{
    unsigned bits = element_bits(encoding->element), of_lane = operations(encoding);
    unsigned lanes = encoding->is_vector && bits ? encoding->vector_bits / bits : 1;
    bool is_conversion = encoding->class == class_CONVERT && encoding->is_vector;
    if (encoding->is_vector && (encoding->class == class_LOGIC || encoding->class == class_SHIFT))
        footprint->has_logic = true;
    footprint->divides |= element_is_fp((enum element)encoding->element) &&
                          (encoding->class == class_DIVIDE || encoding->class == class_SQRT ||
                           encoding->class == class_ESTIMATE);
    if (!of_lane && !is_conversion)
        return;
    if (element_is_fp((enum element)encoding->element)) {
        footprint->flops += of_lane * lanes;
        if (encoding->is_vector)
            footprint->vector_flops += of_lane * lanes;
    } else if (encoding->is_vector) {
        footprint->has_vectors = true;
    }
    if (encoding->is_vector) {
        footprint->is_mixed |= is_conversion || (footprint->lanes && footprint->lanes != lanes);
        footprint->lanes = lanes;
    }
}

void footprint_add(struct footprint *footprint, const struct model *model, uint32_t instruction)
{
    uint32_t id = model_instruction(model, instruction)->encoding;
    const struct encoding *encoding = model_encoding(model, id);
    add_arithmetic(footprint, encoding);
    footprint->is_scalable |= encoding->is_scalable;
    footprint->is_atomic |= encoding->class == class_ATOMIC;
    if (!is_access(encoding) || is_housekeeping(model, instruction, id))
        return;
    footprint->has_vectors |= encoding->is_vector;
    footprint->stored += encoding->store_bytes;
    footprint->loaded += encoding->load_bytes;
    /* Pairs of registers count as one of them. */
    uint32_t widest = encoding->is_vector ? encoding->vector_bits / 8 : UINT32_MAX;
    uint32_t store = encoding->store_bytes < widest ? encoding->store_bytes : widest;
    uint32_t load = encoding->load_bytes < widest ? encoding->load_bytes : widest;
    if (store > footprint->widest_store)
        footprint->widest_store = store;
    if (load > footprint->widest_load)
        footprint->widest_load = load;
}

void repetition_add(struct repetition *repetition, const struct model *model, uint32_t instruction)
{
    uint32_t id = model_instruction(model, instruction)->encoding;
    const struct encoding *encoding = model_encoding(model, id);
    repetition->computes += element_is_fp((enum element)encoding->element) && operations(encoding);
    if (!is_access(encoding) || is_housekeeping(model, instruction, id))
        return;
    repetition->stores += encoding->store_bytes != 0;
    repetition->loads += encoding->load_bytes != 0;
}

bool repetition_is_single(const struct repetition *repetition, const struct footprint *footprint)
{
    if (footprint->flops || footprint->stored)
        return repetition->computes == 1 || repetition->stores == 1;
    return repetition->loads == 1;
}

bool footprint_is_scalar(const struct footprint *footprint)
{
    return !footprint->is_scalable && !footprint->vector_flops && !footprint->has_vectors &&
           (footprint->flops || !footprint->has_logic);
}

bool footprint_is_alike(const struct footprint *one, const struct footprint *other)
{
    return one->divides == other->divides && one->is_atomic == other->is_atomic;
}

/* 0 if one of them has none; UINT32_MAX if one is not a multiple of the other. */
static uint32_t ratio_of(uint32_t whole, uint32_t part)
{
    if (!whole || !part)
        return 0;
    return whole % part ? UINT32_MAX : whole / part;
}

/* Compilers unroll by powers of two, and vectors have a power of two of lanes: another ratio needs a second
   witness. */
static bool is_usual(uint32_t ratio)
{
    return ratio && ratio != UINT32_MAX && !(ratio & (ratio - 1));
}

uint32_t footprint_ratio(const struct footprint *whole, const struct footprint *part)
{
    uint32_t flops = ratio_of(whole->flops, part->flops), stored = ratio_of(whole->stored, part->stored),
             loaded = ratio_of(whole->loaded, part->loaded);
    if (whole->is_scalable || part->is_scalable || !footprint_is_alike(whole, part))
        return 0;
    /* Two that agree outvote the third: a square root may have become an estimate with many operations, an
       invariant may be loaded in one of them and not in the other. The stores are always the same. */
    if (stored)
        return stored != UINT32_MAX && (stored == flops || stored == loaded || is_usual(stored)) ? stored : 0;
    if (flops && loaded)
        return flops == loaded && flops != UINT32_MAX ? flops : 0;
    uint32_t only = flops ? flops : loaded;
    return is_usual(only) ? only : 0;
}

uint32_t footprint_lanes(const struct footprint *whole, const struct footprint *part, uint32_t iterations)
{
    uint32_t stores = ratio_of(whole->widest_store, part->widest_store),
             loads = ratio_of(whole->widest_load, part->widest_load);
    uint32_t of_accesses = stores > loads ? stores : loads;
    uint32_t lanes = whole->lanes ? whole->lanes : of_accesses;
    if (footprint_is_scalar(whole) && whole->flops)
        return 1;
    return lanes && lanes != UINT32_MAX && !whole->is_mixed && iterations % lanes == 0 ? lanes : 0;
}
