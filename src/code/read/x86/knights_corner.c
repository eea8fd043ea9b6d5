/* Corrects what Zydis says about operands of Knights Corner's instructions where Intel's reference manual
   disagrees:
   - k0 as the write mask means none: the destination is then written whole, and read only by what adds to it
     or fills a part of it;
   - a masked store reads no memory; a masked comparison writes all of its mask;
   - operations on two masks have their result in the first, which they read; only moves and knot do not;
   - jkzd and jknzd read their mask. */
#include "code/read/x86/x86.h"

static bool is_indexed_by_vector(const struct x86_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->visible; i++)
        if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            instruction->operands[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB)
            return true;
    return false;
}

static bool reads_its_result(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_VPADCD:
    case ZYDIS_MNEMONIC_VPADDSETCD:
    case ZYDIS_MNEMONIC_VPSBBD:
    case ZYDIS_MNEMONIC_VPSBBRD:
    case ZYDIS_MNEMONIC_VPSUBRSETBD:
    case ZYDIS_MNEMONIC_VPSUBSETBD:
    case ZYDIS_MNEMONIC_VFIXUPNANPD:
    case ZYDIS_MNEMONIC_VFIXUPNANPS:
    case ZYDIS_MNEMONIC_VLOADUNPACKHD:
    case ZYDIS_MNEMONIC_VLOADUNPACKHPD:
    case ZYDIS_MNEMONIC_VLOADUNPACKHPS:
    case ZYDIS_MNEMONIC_VLOADUNPACKHQ:
    case ZYDIS_MNEMONIC_VLOADUNPACKLD:
    case ZYDIS_MNEMONIC_VLOADUNPACKLPD:
    case ZYDIS_MNEMONIC_VLOADUNPACKLPS:
    case ZYDIS_MNEMONIC_VLOADUNPACKLQ:
        return true;
    default:
        return x86_mnemonic(mnemonic)->class == class_FMA && mnemonic != ZYDIS_MNEMONIC_VFMADD233PS &&
               mnemonic != ZYDIS_MNEMONIC_VPMADD233D;
    }
}

static void correct_vector(struct x86_instruction *instruction)
{
    ZydisDecodedInstruction *decoded = &instruction->decoded;
    ZydisDecodedOperand *result = instruction->operands;
    bool is_masked = decoded->avx.mask.reg != ZYDIS_REGISTER_K0;
    if (is_indexed_by_vector(instruction))
        return;
    if (!is_masked)
        decoded->avx.mask.mode = ZYDIS_MASK_MODE_DISABLED;
    if (!(result->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return;
    if (result->type == ZYDIS_OPERAND_TYPE_MEMORY)
        result->actions = is_masked ? ZYDIS_OPERAND_ACTION_CONDWRITE : ZYDIS_OPERAND_ACTION_WRITE;
    else if (ZydisRegisterGetClass(result->reg.value) == ZYDIS_REGCLASS_MASK)
        result->actions = ZYDIS_OPERAND_ACTION_WRITE;
    else if (!is_masked)
        result->actions = reads_its_result(decoded->mnemonic)
                              ? ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_WRITE
                              : ZYDIS_OPERAND_ACTION_WRITE;
}

void x86_correct_knights_corner(struct x86_instruction *instruction)
{
    ZydisDecodedOperand *first = instruction->operands;
    if (instruction->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX) {
        correct_vector(instruction);
        return;
    }
    switch (instruction->decoded.mnemonic) {
    case ZYDIS_MNEMONIC_JKZD:
    case ZYDIS_MNEMONIC_JKNZD:
        first->actions = ZYDIS_OPERAND_ACTION_READ;
        break;
    case ZYDIS_MNEMONIC_KAND:
    case ZYDIS_MNEMONIC_KANDN:
    case ZYDIS_MNEMONIC_KANDNR:
    case ZYDIS_MNEMONIC_KOR:
    case ZYDIS_MNEMONIC_KXNOR:
    case ZYDIS_MNEMONIC_KXOR:
    case ZYDIS_MNEMONIC_KMERGE2L1H:
    case ZYDIS_MNEMONIC_KMERGE2L1L:
        first->actions = ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_WRITE;
        break;
    default:
        break;
    }
}
