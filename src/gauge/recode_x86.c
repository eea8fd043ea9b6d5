/* x86-64: Zydis' encoder makes the bytes, from the decoded instruction with other registers put in. */
#include "gauge/instruction.h"

#include <Zydis/Zydis.h>
#include <string.h>

static const ZydisRegisterClass domain_classes[][5] = {
    [domain_GENERAL] = {ZYDIS_REGCLASS_GPR8, ZYDIS_REGCLASS_GPR16, ZYDIS_REGCLASS_GPR32,
                        ZYDIS_REGCLASS_GPR64},
    [domain_VECTOR] = {ZYDIS_REGCLASS_XMM, ZYDIS_REGCLASS_YMM, ZYDIS_REGCLASS_ZMM},
};

/* Another register of the same class; NONE if it cannot be had. */
static ZydisRegister other_register(ZydisRegister old, unsigned domain, unsigned number)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(old);
    if (domain > domain_VECTOR)
        return ZYDIS_REGISTER_NONE;
    for (unsigned i = 0; i < 5; i++) {
        if (domain_classes[domain][i] != class || class == ZYDIS_REGCLASS_INVALID)
            continue;
        if (class == ZYDIS_REGCLASS_GPR8) /* ah … bh stand between bl and spl there */
            return number < 4 ? (ZydisRegister)(ZYDIS_REGISTER_AL + number)
                              : (ZydisRegister)(ZYDIS_REGISTER_SPL + number - 4);
        return ZydisRegisterEncode(class, (ZyanU8)number);
    }
    return ZYDIS_REGISTER_NONE;
}

bool gauge_recode_x86(const struct gauge_instruction *from, const uint8_t *numbers, uint8_t *bytes,
                      uint8_t *size)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisEncoderRequest request;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, from->bytes, from->size, &decoded, operands)) ||
        ZYAN_FAILED(ZydisEncoderDecodedInstructionToEncoderRequest(&decoded, operands,
                                                                   decoded.operand_count_visible, &request)))
        return false;
    for (unsigned i = 0; i < from->slot_count; i++) {
        const struct gauge_slot *slot = &from->slots[i];
        if (slot->is_fixed || slot->role > role_INDEX)
            continue;
        if (slot->operand >= request.operand_count)
            return false;
        ZydisEncoderOperand *operand = &request.operands[slot->operand];
        ZydisRegister *place = slot->role == role_BASE    ? &operand->mem.base
                               : slot->role == role_INDEX ? &operand->mem.index
                                                          : &operand->reg.value;
        *place = other_register(*place, slot->domain, numbers[i]);
        if (*place == ZYDIS_REGISTER_NONE)
            return false;
    }
    ZyanUSize length = INSTRUCTION_BYTES;
    if (ZYAN_FAILED(ZydisEncoderEncodeInstruction(&request, bytes, &length)))
        return false;
    *size = (uint8_t)length;
    return true;
}
