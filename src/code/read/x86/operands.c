/* The operands that the text of an x86 instruction shows, in its order.  The mask of AVX-512 ({k1}) is an
   operand of its own, after the destination that it decorates; rounding and broadcast decorations are not. */
#include "code/read/x86/x86.h"

static enum access access_of(ZydisOperandActions actions)
{
    return (actions & ZYDIS_OPERAND_ACTION_MASK_READ ? access_READ : access_NONE) |
           (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? access_WRITE : access_NONE);
}

static bool is_conditional(ZydisOperandActions actions)
{
    if (actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
        return true;
    return (actions & ZYDIS_OPERAND_ACTION_CONDREAD) && !(actions & ZYDIS_OPERAND_ACTION_READWRITE);
}

static bool is_only_address(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operand,
                            unsigned purpose)
{
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_INVLPG:
        return true;
    default:
        return operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || operand->mem.type == ZYDIS_MEMOP_TYPE_MIB ||
               purpose == class_NOP || purpose == class_PREFETCH;
    }
}

static void describe_memory(const struct x86_instruction *instruction, const ZydisDecodedOperand *from,
                            const struct encoding *encoding, struct operand *operand)
{
    const uint16_t *number = instruction->registers->of_zydis;
    bool is_address = is_only_address(&instruction->decoded, from, encoding->class);
    operand->kind = is_address ? operand_kind_ADDRESS : operand_kind_MEMORY;
    if (is_address)
        operand->access = access_NONE;
    operand->base_register = number[from->mem.base];
    operand->index_register = number[from->mem.index];
    operand->scale = from->mem.index == ZYDIS_REGISTER_NONE ? 0 : from->mem.scale;
    operand->is_relative = from->mem.base == ZYDIS_REGISTER_RIP || from->mem.base == ZYDIS_REGISTER_EIP;
    operand->displacement =
        operand->is_relative || !from->mem.disp.has_displacement ? 0 : from->mem.disp.value;
    operand->is_conditional |= encoding->is_masked && !is_address;
    if (!operand->bits)
        operand->bits = 8 * (encoding->load_bytes | encoding->store_bytes); /* tiles */
}

static void describe_operand(const struct x86_instruction *instruction, const ZydisDecodedOperand *from,
                             const struct encoding *encoding, struct operand *operand)
{
    *operand = (struct operand){.access = access_of(from->actions),
                                .bits = from->size,
                                .is_conditional = is_conditional(from->actions)};
    switch (from->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        operand->kind = operand_kind_REGISTER;
        operand->register_ = instruction->registers->of_zydis[from->reg.value];
        operand->bits = instruction->registers->facts[operand->register_].bits;
        if (encoding->class == class_NOP)
            operand->access = access_NONE;
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        describe_memory(instruction, from, encoding, operand);
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        operand->kind = from->imm.is_relative ? operand_kind_TARGET : operand_kind_IMMEDIATE;
        operand->is_relative = from->imm.is_relative;
        operand->value = from->imm.is_relative ? 0 : from->imm.value.s;
        break;
    default: /* a far address */
        operand->kind = operand_kind_OTHER;
        operand->value = (int64_t)from->ptr.segment << 32 | from->ptr.offset;
        break;
    }
}

void x86_describe_operands(const struct x86_instruction *instruction, struct description *description)
{
    for (unsigned i = 0; i < instruction->visible && description->operand_count < MOST_OPERANDS; i++) {
        const ZydisDecodedOperand *from = &instruction->operands[i];
        if (x86_is_no_mask(from))
            continue;
        struct operand *operand = &description->operands[description->operand_count++];
        describe_operand(instruction, from, &description->encoding, operand);
        operand->position = (uint8_t)description->operand_count;
    }
}
