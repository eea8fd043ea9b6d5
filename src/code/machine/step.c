/* Registers that become a register plus a constant: what proves that two addresses are the same, or that they
   lie a known distance apart.

   It is found from the operation and the operands.  Only whole general registers count: a sum of 32 bits in a
   register of 64 may wrap.  Constants are the exception, because writing the lower half of a register clears
   the rest on every machine of ours that has halves. */
#include "code/machine/resolve_parts.h"

#include "model/isa.h"

struct step_parts {
    const struct operand *written, *read, *memory, *address;
    unsigned written_count, read_count, immediate_count;
    int64_t immediate;
};

static struct step_parts parts_of(const struct cost_instruction *instruction)
{
    struct step_parts parts = {0};
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == operand_kind_MEMORY) {
            parts.memory = operand;
        } else if (operand->kind == operand_kind_ADDRESS) {
            parts.address = operand;
        } else if (operand->kind == operand_kind_IMMEDIATE) {
            parts.immediate_count++;
            parts.immediate = operand->value;
        } else if (operand->kind == operand_kind_REGISTER) {
            if (operand->access & access_WRITE && !parts.written_count++)
                parts.written = operand;
            if (operand->access & access_READ && !parts.read_count++)
                parts.read = operand;
        }
    }
    return parts;
}

static bool is_general(const struct model *model, uint32_t row)
{
    return row && model_register(model, row)->kind == register_kind_GENERAL;
}

static bool is_whole(const struct model *model, uint32_t row)
{
    return is_general(model, row) && model_register(model, row)->full == row;
}

/* The general register that is written though no operand shows it so: the stack pointer of a push or a pop, a
   base that is stepped.  0 where there is none, or more than one. */
static uint32_t stepped_base(const struct cost_instruction *instruction, const struct step_parts *parts)
{
    const struct model *model = instruction->costs->model;
    uint32_t found = 0;
    for (unsigned i = 0; i < instruction->use_count; i++) {
        const struct register_use *use = &instruction->uses[i];
        if (use->access != access_BOTH || !is_whole(model, use->register_))
            continue;
        if (found)
            return 0;
        found = use->register_;
    }
    return parts->written && found == parts->written->register_ ? 0 : found;
}

static struct cost_step arithmetic_step(const struct model *model, enum operation operation,
                                        const struct step_parts *parts, const uint16_t *resource_of)
{
    struct cost_step step = {0};
    uint32_t to = parts->written->register_, from = parts->read ? parts->read->register_ : 0;
    bool is_simple = parts->read_count == 1 && is_whole(model, from) && !parts->read->value;
    bool adds = operation == operation_ADD, subtracts = operation == operation_SUBTRACT;
    bool is_one_more = operation == operation_INCREMENT, is_one_less = operation == operation_DECREMENT;
    if (operation == operation_COPY) {
        if (!parts->read_count && parts->immediate_count == 1 && is_general(model, to) &&
            model_register(model, to)->bits >= 32) {
            bool is_half = model_register(model, to)->bits == 32;
            int64_t value = is_half ? (int64_t)(uint32_t)parts->immediate : parts->immediate;
            return (struct cost_step){.to = resource_of[to], .constant = value};
        }
        if (!is_simple || parts->immediate_count)
            return step;
    } else if (parts->address) {
        from = parts->address->base_register;
        if (parts->read_count || parts->address->is_relative || parts->address->index_register ||
            !is_whole(model, from))
            return step;
        step.constant = parts->address->displacement;
    } else if ((adds || subtracts) && is_simple && parts->immediate_count == 1) {
        step.constant = adds ? parts->immediate : (int64_t)(0 - (uint64_t)parts->immediate);
    } else if ((is_one_more || is_one_less) && is_simple && !parts->immediate_count) {
        step.constant = is_one_more ? 1 : -1;
    } else {
        return step;
    }
    if (!is_whole(model, to))
        return (struct cost_step){0};
    step.to = resource_of[to];
    step.from = resource_of[from];
    return step;
}

struct cost_step resolve_find_step(const struct cost_instruction *instruction)
{
    const struct model *model = instruction->costs->model;
    const struct encoding *row = instruction->encoding;
    const uint16_t *resource_of = instruction->costs->resource_of;
    struct step_parts parts = parts_of(instruction);
    struct cost_step step = {0};
    if (row->predicate || row->is_unknown)
        return step;
    bool pushes = row->operation == operation_PUSH, pops = row->operation == operation_POP;
    if (pushes || pops) {
        uint32_t stack = stepped_base(instruction, &parts);
        if (stack) {
            step.to = step.from = resource_of[stack];
            step.constant = pushes ? -(int64_t)row->store_bytes : (int64_t)row->load_bytes;
        }
    } else if (parts.memory && isa_facts((enum isa)row->isa)->steps_bases) {
        /* An address that is written back: with the displacement before the access, or a constant after it.
         */
        uint32_t base = stepped_base(instruction, &parts);
        if (base && base == parts.memory->base_register && !parts.memory->index_register &&
            parts.immediate_count + (parts.memory->displacement != 0) == 1) {
            step.to = step.from = resource_of[base];
            step.constant = parts.immediate_count ? parts.immediate : parts.memory->displacement;
        }
    } else if (!parts.memory && parts.written_count == 1) {
        step = arithmetic_step(model, (enum operation)row->operation, &parts, resource_of);
    }
    return step;
}
