/* The registers that an x86 instruction reads and writes, including hidden ones and flags, each once.

   Zydis gives most of them (after x86/corrections.c).  This file adds the rest: the pointers
   of string instructions, the x87 control word, vzeroall.  Rules:
   - A flag is a register of its own (cf, zf …), a part of rflags.  A flag that an instruction leaves
   undefined counts as written.
   - keeps_rest: general registers of 8 and 16 bits, xmm registers written by legacy SSE, single flags.  A
     32-bit result clears the upper half in 64-bit mode; VEX and EVEX clear what is above their vector.
   - Segments count if the instruction names them (fs, gs): the flat ones never change.
   - st0 … st7 count from the top of the x87 stack as it is when the instruction starts; the rotation of the
   stack by a push or pop is not a use. mxcsr counts if it is loaded or stored, not for its sticky bits.
   - nop uses nothing, whatever its operands are. */
#include "code/read/x86/x86.h"

enum { ADDRESS = 1, CONDITIONAL = 2 };

struct uses {
    const struct x86_instruction *instruction;
    struct description *description;
};

static void add_number(struct uses *uses, unsigned number, enum access access, unsigned how)
{
    if (!number || access == access_NONE)
        return;
    struct description *description = uses->description;
    struct register_use *use = description->uses;
    struct register_use *end = use + description->use_count;
    while (use < end && use->register_ != number)
        use++;
    bool was_written = use < end && (use->access & access_WRITE);
    if (use == end) {
        if (description->use_count == MOST_REGISTER_USES)
            return;
        description->use_count++;
        *use = (struct register_use){.register_ = number};
    }
    use->access |= access;
    use->is_address |= (how & ADDRESS) != 0;
    if (access & access_WRITE) {
        bool is_conditional = how & CONDITIONAL;
        use->is_conditional = was_written ? use->is_conditional && is_conditional : is_conditional;
    }
}

static void add(struct uses *uses, ZydisRegister which, enum access access, unsigned how)
{
    add_number(uses, uses->instruction->registers->of_zydis[which], access, how);
}

static bool is_flags(ZydisRegister which)
{
    return which == ZYDIS_REGISTER_RFLAGS || which == ZYDIS_REGISTER_EFLAGS || which == ZYDIS_REGISTER_FLAGS;
}

static bool names_segment(const ZydisDecodedInstruction *decoded, ZydisRegister segment)
{
    return segment == ZYDIS_REGISTER_FS || segment == ZYDIS_REGISTER_GS ||
           ((decoded->attributes & ZYDIS_ATTRIB_HAS_SEGMENT) &&
            decoded->machine_mode != ZYDIS_MACHINE_MODE_LONG_64);
}

static void add_address(struct uses *uses, const ZydisDecodedOperand *memory)
{
    add(uses, memory->mem.base, access_READ, ADDRESS);
    add(uses, memory->mem.index, access_READ, ADDRESS);
    if (memory->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
        names_segment(&uses->instruction->decoded, memory->mem.segment))
        add(uses, memory->mem.segment, access_READ, ADDRESS);
}

/* String instructions step the pointers of their memory operands. */
static void add_string_pointer(struct uses *uses, const ZydisDecodedOperand *memory)
{
    unsigned how = x86_is_repeated(&uses->instruction->decoded) ? CONDITIONAL : 0;
    add(uses, memory->mem.base, access_BOTH, ADDRESS | how);
}

static void add_register(struct uses *uses, const ZydisDecodedOperand *operand)
{
    enum access access = access_NONE;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        access |= access_READ;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        access |= access_WRITE;
    add(uses, operand->reg.value, access,
        operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE ? CONDITIONAL : 0);
}

static void add_flags(struct uses *uses, bool are_conditional)
{
    const struct x86_instruction *instruction = uses->instruction;
    const ZydisAccessedFlags *flags = instruction->decoded.cpu_flags;
    if (!flags)
        return;
    ZydisAccessedFlagsMask written = flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
    for (ZydisAccessedFlagsMask left = flags->tested | written; left; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctz(left);
        if (bit >= X86_FLAG_BITS)
            break;
        enum access access = (flags->tested >> bit & 1 ? access_READ : access_NONE) |
                             (written >> bit & 1 ? access_WRITE : access_NONE);
        add_number(uses, instruction->registers->of_flag[bit], access, are_conditional ? CONDITIONAL : 0);
    }
}

static void add_x87_words(struct uses *uses, enum access access)
{
    add(uses, ZYDIS_REGISTER_X87CONTROL, access, 0);
    add(uses, ZYDIS_REGISTER_X87STATUS, access, 0);
    add(uses, ZYDIS_REGISTER_X87TAG, access, 0);
}

/* Registers that are not among the operands.  vzeroupper keeps the low parts, so it reads what it writes. */
static void add_unsaid(struct uses *uses)
{
    const ZydisDecodedInstruction *decoded = &uses->instruction->decoded;
    unsigned vectors = decoded->machine_mode == ZYDIS_MACHINE_MODE_LONG_64 ? 16 : 8;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_VZEROALL:
    case ZYDIS_MNEMONIC_VZEROUPPER:
        for (unsigned i = 0; i < vectors; i++)
            add(uses, ZYDIS_REGISTER_YMM0 + i,
                decoded->mnemonic == ZYDIS_MNEMONIC_VZEROALL ? access_WRITE : access_BOTH, 0);
        break;
    case ZYDIS_MNEMONIC_XLAT:
        add(uses, ZYDIS_REGISTER_AL, access_READ, ADDRESS);
        break;
    case ZYDIS_MNEMONIC_CLZERO:
        add(uses, uses->instruction->operands[0].reg.value, access_READ, ADDRESS);
        break;
    case ZYDIS_MNEMONIC_FLDCW:
        add(uses, ZYDIS_REGISTER_X87CONTROL, access_WRITE, 0);
        break;
    case ZYDIS_MNEMONIC_FNSTCW:
        add(uses, ZYDIS_REGISTER_X87CONTROL, access_READ, 0);
        break;
    case ZYDIS_MNEMONIC_FNSTSW:
    case ZYDIS_MNEMONIC_FWAIT:
        add(uses, ZYDIS_REGISTER_X87STATUS, access_READ, 0);
        break;
    case ZYDIS_MNEMONIC_FNINIT:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FRSTOR:
        add_x87_words(uses, access_WRITE);
        break;
    case ZYDIS_MNEMONIC_FNSAVE: /* and leaves them as fninit does */
        add_x87_words(uses, access_BOTH);
        break;
    case ZYDIS_MNEMONIC_FNSTENV:
        add_x87_words(uses, access_READ);
        break;
    case ZYDIS_MNEMONIC_EMMS:
    case ZYDIS_MNEMONIC_FEMMS:
        add(uses, ZYDIS_REGISTER_X87TAG, access_WRITE, 0);
        break;
    default:
        break;
    }
}

static void mark_kept_rest(struct uses *uses)
{
    const struct register_fact *facts = uses->instruction->registers->facts;
    bool legacy = uses->instruction->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    for (unsigned i = 0; i < uses->description->use_count; i++) {
        struct register_use *use = &uses->description->uses[i];
        const struct register_fact *fact = &facts[use->register_];
        if (!(use->access & access_WRITE))
            continue;
        use->keeps_rest = (fact->kind == register_kind_GENERAL && fact->bits < 32) ||
                          (fact->kind == register_kind_FLAGS && fact->bits < 16) ||
                          (fact->kind == register_kind_VECTOR && fact->bits == 128 && legacy);
    }
}

/* They are few, and nearly in order. */
static void sort(struct register_use *uses, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct register_use use = uses[i];
        unsigned place = i;
        for (; place && uses[place - 1].register_ > use.register_; place--)
            uses[place] = uses[place - 1];
        uses[place] = use;
    }
}

void x86_describe_uses(const struct x86_instruction *instruction, struct description *description)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    struct uses uses = {instruction, description};
    if (description->encoding.class == class_NOP)
        return;
    bool is_string = x86_is_string(decoded), are_flags_conditional = false;
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        if (x86_is_no_mask(operand))
            continue;
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            add_address(&uses, operand);
            if (is_string)
                add_string_pointer(&uses, operand);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            if (is_flags(operand->reg.value))
                are_flags_conditional = (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0;
            else
                add_register(&uses, operand);
        }
    }
    add_flags(&uses, are_flags_conditional);
    add_unsaid(&uses);
    mark_kept_rest(&uses);
    sort(description->uses, description->use_count);
}
