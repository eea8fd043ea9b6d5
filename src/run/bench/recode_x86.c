/* x86-64: Zydis' encoder makes the bytes, from the decoded instruction with other registers or another
   displacement put in. */
#include "run/bench/encode_x86.h"

#include <string.h>

static const ZydisRegisterClass domain_classes[domain_BANKS][5] = {
    [domain_GENERAL] = {ZYDIS_REGCLASS_GPR8, ZYDIS_REGCLASS_GPR16, ZYDIS_REGCLASS_GPR32,
                        ZYDIS_REGCLASS_GPR64},
    [domain_VECTOR] = {ZYDIS_REGCLASS_XMM, ZYDIS_REGCLASS_YMM, ZYDIS_REGCLASS_ZMM},
    [domain_MASK] = {ZYDIS_REGCLASS_MASK},
    [domain_MMX] = {ZYDIS_REGCLASS_MMX},
};

/* Another register of the same class; NONE if it cannot be had. */
static ZydisRegister other_register(ZydisRegister old, unsigned domain, unsigned number)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(old);
    if (domain >= domain_BANKS || (domain > domain_VECTOR && number > 7))
        return ZYDIS_REGISTER_NONE;
    for (unsigned i = 0; i < 5; i++) {
        if (domain_classes[domain][i] != class || class == ZYDIS_REGCLASS_INVALID)
            continue;
        if (old >= ZYDIS_REGISTER_AH && old <= ZYDIS_REGISTER_BH)
            return number < 4 ? (ZydisRegister)(ZYDIS_REGISTER_AH + number) : ZYDIS_REGISTER_NONE;
        if (class == ZYDIS_REGCLASS_GPR8) /* ah … bh stand between bl and spl there */
            return number < 4 ? (ZydisRegister)(ZYDIS_REGISTER_AL + number)
                              : (ZydisRegister)(ZYDIS_REGISTER_SPL + number - 4);
        return ZydisRegisterEncode(class, (ZyanU8)number);
    }
    return ZYDIS_REGISTER_NONE;
}

/* The request that would make the instruction, and where it has the operands that the text shows: it has k0
   where there is no mask. */
static bool request_of(const struct bench_instruction *from, ZydisEncoderRequest *request,
                       ZydisEncoderOperand **shown, unsigned *count)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, from->bytes, from->size, &decoded, operands)) ||
        ZYAN_FAILED(ZydisEncoderDecodedInstructionToEncoderRequest(&decoded, operands,
                                                                   decoded.operand_count_visible, request)))
        return false;
    *count = 0;
    for (unsigned i = 0; i < request->operand_count; i++)
        if (operands[i].encoding != ZYDIS_OPERAND_ENCODING_MASK || operands[i].reg.value != ZYDIS_REGISTER_K0)
            shown[(*count)++] = &request->operands[i];
    return true;
}

bool bench_encode_x86(const ZydisEncoderRequest *request, uint8_t *bytes, uint8_t *size)
{
    ZyanUSize length = INSTRUCTION_BYTES;
    if (ZYAN_FAILED(ZydisEncoderEncodeInstruction(request, bytes, &length)))
        return false;
    *size = (uint8_t)length;
    /* The usual no-op with an operand is 0f 1f; the encoder takes 0f 18, which is one as well, but a slow
     * one. */
    for (unsigned i = 0; request->mnemonic == ZYDIS_MNEMONIC_NOP && i + 1 < length; i++)
        if (bytes[i] == 0x0f && bytes[i + 1] == 0x18)
            bytes[i + 1] = 0x1f;
    return true;
}

bool bench_recode_x86(const struct bench_instruction *from, const uint8_t *numbers, uint8_t *bytes,
                      uint8_t *size)
{
    ZydisEncoderRequest request;
    ZydisEncoderOperand *shown[ZYDIS_ENCODER_MAX_OPERANDS];
    unsigned count;
    if (!request_of(from, &request, shown, &count))
        return false;
    for (unsigned i = 0; i < from->slot_count; i++) {
        const struct bench_slot *slot = &from->slots[i];
        if (slot->is_fixed || slot->role > role_INDEX)
            continue;
        if (slot->operand >= count)
            return false;
        ZydisEncoderOperand *operand = shown[slot->operand];
        ZydisRegister *place = slot->role == role_BASE    ? &operand->mem.base
                               : slot->role == role_INDEX ? &operand->mem.index
                                                          : &operand->reg.value;
        *place = other_register(*place, slot->domain, numbers[i]);
        if (*place == ZYDIS_REGISTER_NONE)
            return false;
    }
    return bench_encode_x86(&request, bytes, size);
}

bool bench_displace_x86(const struct bench_instruction *from, int displacement, uint8_t *bytes, uint8_t *size)
{
    ZydisEncoderRequest request;
    ZydisEncoderOperand *shown[ZYDIS_ENCODER_MAX_OPERANDS];
    unsigned count;
    if (!request_of(from, &request, shown, &count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (shown[i]->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        shown[i]->mem.displacement = displacement;
        return bench_encode_x86(&request, bytes, size);
    }
    return false;
}
