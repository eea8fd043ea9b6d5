/* Finds shapes from the operation and the operands.

   Only plain accesses can be redundant: copies, because the low bits of the register must be the bytes in
   memory (movhps is a load, but not a plain one).  IA-64's floating-point loads convert, so only a store of
   the same format puts back the loaded value: formats count as different matter. */
#include "code/flow/shapes.h"

#include "model/isa.h"

#include <stddef.h>

/* The operands of an encoding, sorted by what they are. */
struct parts {
    size_t first, end; /* rows of operands */
    const struct operand *memory, *address;
    const struct operand *written[2], *read[2];
    unsigned written_count, read_count, immediate_count, register_count;
    int64_t immediates[4];
};

static struct parts parts_of(const struct model *model, size_t first, size_t end)
{
    struct parts parts = {.first = first, .end = end};
    for (size_t i = first; i < end; i++) {
        const struct operand *operand = model_operand(model, (uint32_t)i);
        if (operand->kind == operand_kind_MEMORY)
            parts.memory = operand;
        else if (operand->kind == operand_kind_ADDRESS)
            parts.address = operand;
        else if (operand->kind == operand_kind_IMMEDIATE) {
            if (parts.immediate_count < 4)
                parts.immediates[parts.immediate_count] = operand->value;
            parts.immediate_count++;
        } else if (operand->kind == operand_kind_REGISTER) {
            parts.register_count++;
            if (operand->access & access_WRITE && parts.written_count++ < 2)
                parts.written[parts.written_count - 1] = operand;
            if (operand->access & access_READ && parts.read_count++ < 2)
                parts.read[parts.read_count - 1] = operand;
        }
    }
    return parts;
}

struct shaping {
    struct flow_meanings *meanings;
    const struct model *model;
    const struct encoding *encoding;
    const struct units *units;
    const struct unit_use *uses;
    unsigned use_count;
    enum operation operation;
    struct parts parts;
    struct shape *shape;
};

/* A whole general register: an address fits it. */
static uint16_t address_unit(const struct shaping *shaping, uint32_t row)
{
    uint16_t unit = row ? units_of(shaping->units, row) : (uint16_t)NO_UNIT;
    return unit != NO_UNIT && shaping->units->kind[unit] == register_kind_GENERAL &&
                   shaping->units->registers[unit] == row
               ? unit
               : (uint16_t)NO_UNIT;
}

static bool writes_unit(const struct shaping *shaping, uint16_t unit)
{
    for (unsigned i = 0; i < shaping->use_count; i++)
        if (shaping->uses[i].unit == unit)
            return shaping->uses[i].what & USE_WRITES;
    return false;
}

static unsigned written_units(const struct shaping *shaping)
{
    unsigned count = 0;
    for (unsigned i = 0; i < shaping->use_count; i++)
        count += (shaping->uses[i].what & USE_WRITES) != 0;
    return count;
}

/* Memory at base + constant, or at something else; and how the base is stepped. */
static void shape_memory(struct shaping *shaping)
{
    struct shape *shape = shaping->shape;
    const struct operand *memory = shaping->parts.memory;
    shape->load_bytes = shaping->encoding->load_bytes;
    shape->store_bytes = shaping->encoding->store_bytes;
    if (!memory || memory->is_relative)
        return;
    uint16_t base = address_unit(shaping, memory->base_register);
    shape->base = base;
    for (size_t i = shaping->parts.first; base != NO_UNIT && i < shaping->parts.end; i++) {
        const struct operand *operand = model_operand(shaping->model, (uint32_t)i);
        if (operand->kind == operand_kind_REGISTER && operand->access & access_READ &&
            units_of(shaping->units, operand->register_) == base)
            shape->flags |= SHAPE_READS_BASE;
    }
    shape->displacement = memory->displacement;
    if (memory->index_register || shaping->encoding->is_scalable || memory->access == access_NONE)
        shape->flags |= SHAPE_IS_WILD;
    if (base == NO_UNIT && memory->index_register) {
        /* The index may be the address, with a scale of 1. */
        shape->base = address_unit(shaping, memory->index_register);
        return;
    }
    if (base == NO_UNIT || !writes_unit(shaping, base) || !isa_facts(shaping->units->isa)->steps_bases)
        return;
    bool is_loaded = false;
    for (unsigned i = 0; i < shaping->parts.written_count && i < 2; i++)
        is_loaded |= units_of(shaping->units, shaping->parts.written[i]->register_) == base;
    if (is_loaded)
        return; /* ldr x0, [x0] */
    shape->flags |= SHAPE_STEPS;
    if (shaping->parts.immediate_count == 1) {
        shape->step = shaping->parts.immediates[0];
    } else if (memory->displacement && !shaping->parts.immediate_count) {
        shape->flags |= SHAPE_IS_BEFORE;
        shape->step = memory->displacement;
        shape->displacement = 0;
    } else {
        shape->flags &= (uint8_t)~SHAPE_STEPS; /* by a register: the base is just written */
    }
}

static bool is_copy(enum operation operation)
{
    return operation == operation_COPY || operation == operation_EXTEND || operation == operation_COPY_PAIR ||
           operation == operation_REFORMAT || operation == operation_SPILL;
}

/* Whether the access is plain, and what it moves. */
static void shape_plain(struct shaping *shaping)
{
    struct shape *shape = shaping->shape;
    const struct encoding *encoding = shaping->encoding;
    const struct parts *parts = &shaping->parts;
    bool is_load = encoding->class == class_LOAD, is_store = encoding->class == class_STORE;
    if ((!is_load && !is_store) || !parts->memory)
        return;
    const struct operand *const *data = is_load ? parts->written : parts->read;
    unsigned count = is_load ? parts->written_count : parts->read_count;
    bool is_low = true; /* not ah */
    bool is_spill = shaping->operation == operation_SPILL;
    shape->pieces = shaping->operation == operation_COPY_PAIR ? 2 : 1;
    if (count == shape->pieces)
        for (unsigned i = 0; i < count; i++) {
            shape->data[i] = units_of(shaping->units, data[i]->register_);
            shape->data_register[i] = data[i]->register_;
            is_low &= model_register(shaping->model, data[i]->register_)->bit_offset == 0;
        }
    if (is_spill)
        shape->flags |= SHAPE_IS_EXPLICIT;
    unsigned writes = written_units(shaping), expected = is_load ? count : 0;
    if (is_store && is_spill && encoding->store_bytes == 8)
        writes = writes > 1 ? writes : 0; /* ar.unat */
    if (is_low && is_copy(shaping->operation) && !encoding->is_masked && !encoding->is_scalable &&
        !(is_load && encoding->store_bytes) && !(is_store && encoding->load_bytes) && writes == expected &&
        (count == shape->pieces || (is_store && !count)))
        shape->flags |= SHAPE_IS_PLAIN;
    for (unsigned i = 0; i < count && i < 2; i++)
        if (!data[i] || units_of(shaping->units, data[i]->register_) == NO_UNIT)
            shape->flags = is_load ? shape->flags & (uint8_t)~SHAPE_IS_PLAIN : shape->flags;
    shape->matter = MATTER_BITS;
    if (is_spill)
        shape->matter = MATTER_FILL;
    else if (shaping->operation == operation_REFORMAT)
        shape->matter = MATTER_OF_FORMAT + encoding->element;
    shape->form = (uint32_t)(encoding->name * UINT32_C(2654435761)) ^ (is_spill ? 0x55555555u : 0) ^
                  shape->data_register[0] * UINT32_C(40503);
}

static bool is_power(uint64_t number)
{
    return !(number & (number - 1));
}

/* Registers that are computed from registers and constants. */
static void shape_arithmetic(struct shaping *shaping)
{
    struct shape *shape = shaping->shape;
    const struct parts *parts = &shaping->parts;
    if (parts->memory || parts->written_count != 1)
        return;
    uint16_t to = address_unit(shaping, parts->written[0]->register_), from, other;
    from = parts->read_count ? address_unit(shaping, parts->read[0]->register_) : (uint16_t)NO_UNIT;
    other = parts->read_count == 2 ? address_unit(shaping, parts->read[1]->register_) : (uint16_t)NO_UNIT;
    bool subtracts = shaping->operation == operation_SUBTRACT,
         is_simple = parts->read_count == 1 && from != NO_UNIT;
    bool is_shifted = parts->read_count && parts->read[parts->read_count > 1]->value;
    if (to == NO_UNIT)
        return;
    shape->to = to;
    shape->from = from;
    shape->other = other;
    if (shaping->operation == operation_COPY) {
        if (is_simple && !parts->immediate_count && !is_shifted)
            shape->kind = SHAPE_MOVE;
        else if (!parts->read_count && parts->immediate_count == 1) {
            shape->kind = SHAPE_CONSTANT;
            shape->constant = parts->immediates[0];
        }
    } else if (shaping->encoding->class == class_ADDRESS && parts->address && !parts->address->is_relative &&
               !parts->address->index_register) {
        shape->from = address_unit(shaping, parts->address->base_register);
        shape->constant = parts->address->displacement;
        shape->kind = shape->from == NO_UNIT ? SHAPE_OTHER : SHAPE_ADD;
    } else if (shaping->operation == operation_ADD || subtracts) {
        if (is_simple && parts->immediate_count == 1 && !is_shifted) {
            shape->kind = SHAPE_ADD;
            shape->constant =
                subtracts ? (int64_t)(0 - (uint64_t)parts->immediates[0]) : parts->immediates[0];
        } else if (parts->read_count == 2 && from != NO_UNIT && other != NO_UNIT && !parts->immediate_count &&
                   !is_shifted) {
            shape->kind = SHAPE_ADD_UNIT;
            shape->constant = subtracts ? -1 : 1;
        }
    } else if (shaping->operation == operation_AND && is_simple && parts->immediate_count == 1 &&
               parts->immediates[0] < 0 && is_power(0 - (uint64_t)parts->immediates[0])) {
        shape->kind = SHAPE_ALIGN;
        shape->constant = parts->immediates[0];
    }
}

static void shape_stack(struct shaping *shaping)
{
    struct shape *shape = shaping->shape;
    const struct encoding *encoding = shaping->encoding;
    const struct parts *parts = &shaping->parts;
    if (shaping->operation == operation_LEAVE) {
        shape->kind = SHAPE_LEAVE;
        for (unsigned i = 0; i < shaping->use_count; i++)
            if (shaping->uses[i].what & USE_READS && shaping->uses[i].unit != shaping->units->stack)
                shape->from = shaping->uses[i].unit; /* rbp */
    } else if (encoding->class == class_PUSH && shaping->operation != operation_ENTER) {
        shape->kind = SHAPE_PUSH;
        if (parts->read_count == 1 && parts->register_count == 1) {
            shape->data[0] = units_of(shaping->units, parts->read[0]->register_);
            shape->data_register[0] = parts->read[0]->register_;
        }
    } else if (encoding->class == class_POP) {
        shape->kind = SHAPE_POP;
        if (parts->written_count == 1 && parts->register_count == 1) {
            shape->data[0] = units_of(shaping->units, parts->written[0]->register_);
            shape->data_register[0] = parts->written[0]->register_;
        }
    }
}

static void shape_one(struct shaping *shaping)
{
    struct shape *shape = shaping->shape;
    *shape = (struct shape){.to = NO_UNIT,
                            .from = NO_UNIT,
                            .other = NO_UNIT,
                            .base = NO_UNIT,
                            .data = {NO_UNIT, NO_UNIT},
                            .pieces = 1};
    if (shaping->encoding->predicate)
        shape->flags |= SHAPE_IS_CONDITIONAL;
    shape_memory(shaping);
    if (shaping->encoding->class == class_COMPARE)
        shape->kind = SHAPE_COMPARE;
    else
        shape_arithmetic(shaping);
    shape_plain(shaping);
    shape_stack(shaping);
}

void shapes_make(struct flow_meanings *meanings, const struct model *model, uint32_t first, uint32_t end)
{
    size_t low = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), first);
    for (uint32_t id = first ? first : 1; id < end; id++) {
        while (low < model->operands.count && model_operand(model, (uint32_t)low)->encoding < id)
            low++;
        size_t after = low;
        while (after < model->operands.count && model_operand(model, (uint32_t)after)->encoding == id)
            after++;
        const struct encoding *encoding = model_encoding(model, id);
        struct shaping shaping = {.meanings = meanings,
                                  .model = model,
                                  .encoding = encoding,
                                  .units = &meanings->units[encoding->isa < isa_COUNT ? encoding->isa : 0],
                                  .operation = (enum operation)encoding->operation,
                                  .parts = parts_of(model, low, after),
                                  .shape = &meanings->shapes[id]};
        shaping.uses = meaning_uses(meanings, id, &shaping.use_count);
        shape_one(&shaping);
        low = after;
    }
}
