/* Corrects what Zydis gets wrong about operands, before anything else uses them:
   - legacy SSE scalars (movss, cvtsd2ss, sqrtsd …) and movhps keep a part of their xmm register, so they read
     it;
   - bsf and bsr keep the old result if the source is 0;
   - rdssp does nothing where there is no shadow stack: what its register held before is the answer then;
   - lanes of a gather that are masked off keep their value;
   - a double shift by 0 changes nothing, so only a constant count other than 0 surely writes;
   - leave takes the stack pointer from the frame pointer and does not read it; ftst and fxam only test;
   - instructions that only load or store the control word or the status word do not change the x87 status;
   - a repeated string comparison with a count of 0 keeps the flags. */
#include "code/read/x86/x86.h"

enum { READ_AND_MAYBE_WRITE = ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_CONDWRITE };

static bool is_double_shift_by_constant(const struct x86_instruction *instruction)
{
    ZydisMnemonic mnemonic = instruction->decoded.mnemonic;
    const ZydisDecodedOperand *count = &instruction->operands[2];
    return (mnemonic == ZYDIS_MNEMONIC_SHLD || mnemonic == ZYDIS_MNEMONIC_SHRD) &&
           count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
           (count->imm.value.u & (instruction->decoded.operand_width == 64 ? 63 : 31)) != 0;
}

static bool is_frame_pointer(ZydisRegister which)
{
    return which == ZYDIS_REGISTER_BP || which == ZYDIS_REGISTER_EBP || which == ZYDIS_REGISTER_RBP;
}

static bool leaves_status_alone(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_FLDCW:
    case ZYDIS_MNEMONIC_FNSTCW:
    case ZYDIS_MNEMONIC_FNSTSW:
    case ZYDIS_MNEMONIC_FNSTENV:
        return true;
    default:
        return false;
    }
}

static void correct_vector(const struct x86_instruction *instruction, ZydisDecodedOperand *operand)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && operand->size < 128 &&
        (operand->actions & ZYDIS_OPERAND_ACTION_WRITE))
        operand->actions |= ZYDIS_OPERAND_ACTION_READ;
    if (decoded->meta.category == ZYDIS_CATEGORY_AVX2GATHER && operand == instruction->operands)
        operand->actions = READ_AND_MAYBE_WRITE;
}

static void correct_register(const struct x86_instruction *instruction, ZydisDecodedOperand *operand)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    ZydisRegister which = operand->reg.value;
    switch (ZydisRegisterGetClass(which)) {
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
        correct_vector(instruction, operand);
        return;
    case ZYDIS_REGCLASS_FLAGS:
        if (x86_is_string(decoded) && x86_is_repeated(decoded) &&
            (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            operand->actions = READ_AND_MAYBE_WRITE;
        return;
    default:
        break;
    }
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_BSF:
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_RDSSPD:
    case ZYDIS_MNEMONIC_RDSSPQ:
        if (operand == instruction->operands)
            operand->actions = READ_AND_MAYBE_WRITE;
        break;
    case ZYDIS_MNEMONIC_LEAVE:
        if (!is_frame_pointer(which))
            operand->actions = ZYDIS_OPERAND_ACTION_WRITE;
        break;
    case ZYDIS_MNEMONIC_FTST:
    case ZYDIS_MNEMONIC_FXAM:
        if (which == ZYDIS_REGISTER_ST0)
            operand->actions = ZYDIS_OPERAND_ACTION_READ;
        break;
    default:
        if (which == ZYDIS_REGISTER_X87STATUS && leaves_status_alone(decoded->mnemonic))
            operand->actions = 0;
        break;
    }
}

void x86_correct(struct x86_instruction *instruction)
{
    bool always_shifts = is_double_shift_by_constant(instruction);
    for (unsigned i = 0; i < instruction->decoded.operand_count; i++) {
        ZydisDecodedOperand *operand = &instruction->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
            correct_register(instruction, operand);
        if (always_shifts && (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE)) {
            operand->actions &= ~ZYDIS_OPERAND_ACTION_CONDWRITE;
            operand->actions |= ZYDIS_OPERAND_ACTION_WRITE;
        }
    }
}
