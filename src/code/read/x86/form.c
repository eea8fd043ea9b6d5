/* The form of an x86 instruction: its mnemonic and the kinds of the operands that the text shows, in the
   order of the text, as docs/machines.md spells them ("How forms are spelled").  Machine files have a line
   for each form, so it must show whatever makes a processor treat two instructions differently, and nothing
   else: a count in cl or an address without base shows, the choice of registers does not.

   This file also finds what the predecoder needs: the position of the main opcode, and length-changing
   prefixes. */
#include <string.h>
#include "code/read/x86/x86.h"

/* Text that is appended to a field and cut when the field is full. */
struct line {
    char *next;
    char *last; /* last place for the final 0 */
};

static void put(struct line *line, const char *text)
{
    while (*text && line->next < line->last)
        *line->next++ = *text++;
}

static void put_number(struct line *line, unsigned number)
{
    char digits[12];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    put(line, first);
}

static void put_sized(struct line *line, const char *kind, unsigned bits)
{
    put(line, kind);
    put_number(line, bits);
}

static void put_register(struct line *line, const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operand)
{
    ZydisRegister which = operand->reg.value;
    ZydisRegisterClass class = ZydisRegisterGetClass(which);
    if (class == ZYDIS_REGCLASS_X87) {
        put(line, "st");
        return;
    }
    if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT) {
        const char *name = ZydisRegisterGetString(which);
        put(line, name ? name : "?");
        return;
    }
    switch (class) {
    case ZYDIS_REGCLASS_GPR8:
        put(line, which >= ZYDIS_REGISTER_AH && which <= ZYDIS_REGISTER_BH ? "r8h" : "r8");
        break;
    case ZYDIS_REGCLASS_GPR16:
        put(line, "r16");
        break;
    case ZYDIS_REGCLASS_GPR32:
        put(line, "r32");
        break;
    case ZYDIS_REGCLASS_GPR64:
        put(line, "r64");
        break;
    case ZYDIS_REGCLASS_MMX:
        put(line, "mm");
        break;
    case ZYDIS_REGCLASS_XMM:
        put(line, "xmm");
        break;
    case ZYDIS_REGCLASS_YMM:
        put(line, "ymm");
        break;
    case ZYDIS_REGCLASS_ZMM:
        put(line, "zmm");
        break;
    case ZYDIS_REGCLASS_TMM:
        put(line, "tmm");
        break;
    case ZYDIS_REGCLASS_MASK: /* if the result is a mask, Zydis calls every embedded mask a zeroing one */
        put(line, operand->encoding == ZYDIS_OPERAND_ENCODING_MASK && decoded->raw.evex.z ? "kz" : "k");
        break;
    case ZYDIS_REGCLASS_SEGMENT:
        put(line, "seg");
        break;
    case ZYDIS_REGCLASS_CONTROL:
        put(line, "cr");
        break;
    case ZYDIS_REGCLASS_DEBUG:
        put(line, "dr");
        break;
    case ZYDIS_REGCLASS_BOUND:
        put(line, "bnd");
        break;
    default:
        put(line, "?");
        break;
    }
}

/* The parts of an address that is only computed (lea): its latency depends on which parts there are. */
static void put_address(struct line *line, const ZydisDecodedInstruction *decoded,
                        const ZydisDecodedOperand *operand)
{
    const char *between = "";
    if (operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP) {
        put(line, "rip");
        between = "+";
    } else if (operand->mem.base != ZYDIS_REGISTER_NONE) {
        put(line, "b");
        between = "+";
    }
    if (operand->mem.index != ZYDIS_REGISTER_NONE) {
        put(line, between);
        put(line, operand->mem.scale > 1 ? "i*s" : "i");
        between = "+";
    }
    if (decoded->raw.disp.size) {
        put(line, between);
        put_sized(line, "d", decoded->raw.disp.size);
    }
}

/* Elements of an embedded broadcast from memory; 0 for none. */
static unsigned broadcast_elements(const ZydisDecodedInstruction *decoded)
{
    if (decoded->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX || decoded->avx.broadcast.is_static)
        return 0;
    switch (decoded->avx.broadcast.mode) {
    case ZYDIS_BROADCAST_MODE_1_TO_2:
        return 2;
    case ZYDIS_BROADCAST_MODE_1_TO_4:
        return 4;
    case ZYDIS_BROADCAST_MODE_1_TO_8:
        return 8;
    case ZYDIS_BROADCAST_MODE_1_TO_16:
        return 16;
    case ZYDIS_BROADCAST_MODE_1_TO_32:
        return 32;
    default:
        return 0;
    }
}

static void put_memory(struct line *line, const ZydisDecodedInstruction *decoded,
                       const ZydisDecodedOperand *operand)
{
    switch (operand->mem.type) {
    case ZYDIS_MEMOP_TYPE_AGEN:
        put_address(line, decoded, operand);
        return;
    case ZYDIS_MEMOP_TYPE_VSIB: {
        ZydisRegisterClass class = ZydisRegisterGetClass(operand->mem.index);
        put(line, class == ZYDIS_REGCLASS_ZMM ? "vz" : class == ZYDIS_REGCLASS_YMM ? "vy" : "vx");
        return;
    }
    default:
        break;
    }
    put_sized(line, operand->encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64 ? "moffs" : "m", operand->size);
    unsigned elements = broadcast_elements(decoded);
    if (elements)
        put_sized(line, "b", elements);
}

static void put_immediate(struct line *line, const ZydisDecodedInstruction *decoded,
                          const ZydisDecodedOperand *operand, unsigned *taken)
{
    if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT) {
        put_number(line, (unsigned)operand->imm.value.u);
        return;
    }
    unsigned size = decoded->raw.imm[*taken < 2 ? *taken : 1].size;
    ++*taken;
    put_sized(line, operand->imm.is_relative ? "rel" : "i", size ? size : operand->size);
    if (size == 8 && !operand->imm.is_relative && operand->imm.value.u == 0)
        put(line, "=0");
}

static void put_operand(struct line *line, const ZydisDecodedInstruction *decoded,
                        const ZydisDecodedOperand *operand, unsigned *immediates)
{
    switch (operand->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        put_register(line, decoded, operand);
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        put_memory(line, decoded, operand);
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        put_immediate(line, decoded, operand, immediates);
        break;
    default:
        put(line, "far");
        break;
    }
}

static unsigned opcode_offset(const ZydisDecodedInstruction *decoded)
{
    switch (decoded->encoding) {
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
        return decoded->raw.vex.offset + decoded->raw.vex.size;
    case ZYDIS_INSTRUCTION_ENCODING_EVEX:
        return decoded->raw.evex.offset + 4u;
    case ZYDIS_INSTRUCTION_ENCODING_XOP:
        return decoded->raw.xop.offset + 3u;
    case ZYDIS_INSTRUCTION_ENCODING_3DNOW: /* its opcode comes last */
        return decoded->length - 1u;
    default:
        break;
    }
    switch (decoded->opcode_map) {
    case ZYDIS_OPCODE_MAP_0F:
        return decoded->raw.prefix_count + 1u;
    case ZYDIS_OPCODE_MAP_0F38:
    case ZYDIS_OPCODE_MAP_0F3A:
        return decoded->raw.prefix_count + 2u;
    default:
        return decoded->raw.prefix_count;
    }
}

/* Intel's optimisation manual on length-changing prefixes: 66 if it shortens an immediate to 16 bits, 67 if
   it shortens the address of a mov of the accumulator or, outside 64-bit code, a displacement.  Immediates
   that always have 16 bits (ret, enter) do not count. */
static bool has_length_change(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    if ((decoded->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) && decoded->raw.imm[0].size == 16)
        return decoded->mnemonic != ZYDIS_MNEMONIC_RET && decoded->mnemonic != ZYDIS_MNEMONIC_ENTER;
    if (!(decoded->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE))
        return false;
    if (decoded->machine_mode != ZYDIS_MACHINE_MODE_LONG_64)
        return decoded->raw.disp.size == 16;
    for (unsigned i = 0; i < decoded->operand_count_visible; i++)
        if (operands[i].encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64)
            return true;
    return false;
}

void x86_describe_form(const struct x86_instruction *instruction, struct description *description)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    description->encoding.opcode_offset = (uint8_t)opcode_offset(decoded);
    description->encoding.has_length_change = has_length_change(decoded, instruction->operands);
    struct line line = {description->form, description->form + sizeof description->form - 1};
    if (decoded->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        put(&line, "lock ");
    if (decoded->attributes & ZYDIS_ATTRIB_HAS_REPNE)
        put(&line, "repne ");
    else if (decoded->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
        put(&line, "rep ");
    put(&line, description->name);
    const char *between = " ";
    unsigned immediates = 0;
    for (unsigned i = 0; i < instruction->visible; i++) {
        if (x86_is_no_mask(&instruction->operands[i]))
            continue;
        put(&line, between);
        put_operand(&line, decoded, &instruction->operands[i], &immediates);
        between = ",";
    }
    *line.next = '\0';
}
