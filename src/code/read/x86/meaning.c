/* What an x86 instruction is for: class, flow, element, vector length, bytes of memory.

   The mnemonic decides most of it (x86/mnemonics.def).  The operands decide the rest: whether a move is a
   load or a store, how wide an integer is, whether a lock makes it atomic.  Bytes of memory come from the
   operands that Zydis reports as read or written, including hidden ones (the stack, strings); addresses that
   are only computed, prefetched or flushed do not count.  A masked access counts its full length, a gather
   all its lanes, a tile all its rows.  x86/operations.def has what is computed. */
#include "code/read/x86/x86.h"
#include "model/elements.h"
#include "code/read/x86/classes.h"
#include <string.h>

enum { TILE_BYTES = 1024, CACHE_LINE_BYTES = 64 };

struct memory_use {
    bool is_read, is_written;
};

/* What the visible operands do with memory. */
static struct memory_use memory_use(const struct x86_instruction *instruction)
{
    struct memory_use use = {0};
    for (unsigned i = 0; i < instruction->visible; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        use.is_read |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
        use.is_written |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    }
    return use;
}

static bool has_register_of(const struct x86_instruction *instruction, ZydisRegisterClass wanted)
{
    for (unsigned i = 0; i < instruction->visible; i++)
        if (instruction->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(instruction->operands[i].reg.value) == wanted)
            return true;
    return false;
}

/* A value of enum class. */
static unsigned class_of(const struct x86_instruction *instruction, unsigned of_mnemonic)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    struct memory_use memory = memory_use(instruction);
    if (x86_is_string(decoded))
        return class_STRING;
    if (decoded->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        return class_ATOMIC;
    switch (of_mnemonic) {
    case class_TRANSFER:
        if (has_register_of(instruction, ZYDIS_REGCLASS_CONTROL) ||
            has_register_of(instruction, ZYDIS_REGCLASS_DEBUG) ||
            has_register_of(instruction, ZYDIS_REGCLASS_TEST))
            return class_SYSTEM;
        return memory.is_written ? class_STORE : memory.is_read ? class_LOAD : class_MOVE;
    case class_MASK_TRANSFER:
        return memory.is_written ? class_STORE : memory.is_read ? class_LOAD : class_MASK;
    case class_BROADCAST:
        return memory.is_read ? class_LOAD : class_SHUFFLE;
    case class_INSERT:
        return memory.is_written ? class_STORE : class_SHUFFLE;
    case class_EXCHANGE:
        return memory.is_written ? class_ATOMIC : class_MOVE;
    default:
        return of_mnemonic;
    }
}

static enum flow flow_of(ZydisMnemonic mnemonic, unsigned purpose)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_JMP:
        return flow_JUMP;
    case ZYDIS_MNEMONIC_XBEGIN: /* to the next instruction, or to its target when the transaction aborts */
        return flow_BRANCH;
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_RSM:
        return flow_RETURN;
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3: /* programs use it as a filler that must not be reached */
        return flow_STOP;
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INTO:
        return flow_SYSTEM;
    default:
        return purpose == class_BRANCH   ? flow_BRANCH
               : purpose == class_CALL   ? flow_CALL
               : purpose == class_RETURN ? flow_RETURN
                                         : flow_NEXT;
    }
}

/* Width of the first operand: the result, or the value that is pushed, compared or stored. */
static enum element element_by_operand(const struct x86_instruction *instruction, unsigned purpose)
{
    const ZydisDecodedOperand *first = &instruction->operands[0];
    bool has_place = instruction->visible > 0 &&
                     (first->type == ZYDIS_OPERAND_TYPE_REGISTER || first->type == ZYDIS_OPERAND_TYPE_MEMORY);
    if (!has_place || purpose == class_STRING || purpose == class_PUSH || purpose == class_POP)
        return element_integer(instruction->decoded.operand_width);
    return element_integer(first->size);
}

static unsigned vector_bits(const struct x86_instruction *instruction)
{
    if (has_register_of(instruction, ZYDIS_REGCLASS_TMM))
        return TILE_BYTES * 8;
    if (instruction->decoded.avx.vector_length)
        return instruction->decoded.avx.vector_length;
    return has_register_of(instruction, ZYDIS_REGCLASS_XMM) ? 128 : 64;
}

static bool has_vector_mask(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
        return true;
    default:
        return false;
    }
}

static bool has_quadword_index(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_VGATHERQPS:
    case ZYDIS_MNEMONIC_VGATHERQPD:
    case ZYDIS_MNEMONIC_VPGATHERQD:
    case ZYDIS_MNEMONIC_VPGATHERQQ:
    case ZYDIS_MNEMONIC_VSCATTERQPS:
    case ZYDIS_MNEMONIC_VSCATTERQPD:
    case ZYDIS_MNEMONIC_VPSCATTERQD:
    case ZYDIS_MNEMONIC_VPSCATTERQQ:
        return true;
    default:
        return false;
    }
}

/* The smaller of the lanes of indices and of data. */
static unsigned lanes_bytes(const struct x86_instruction *instruction, const ZydisDecodedOperand *memory)
{
    ZydisMachineMode mode = instruction->decoded.machine_mode;
    unsigned lane_bits = memory->size, data_bits = 0;
    for (unsigned i = 0; i < instruction->visible && !data_bits; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(operand->reg.value) != ZYDIS_REGCLASS_MASK)
            data_bits = ZydisRegisterGetWidth(mode, operand->reg.value);
    }
    if (!lane_bits)
        return 0;
    unsigned index_bits = ZydisRegisterGetWidth(mode, memory->mem.index);
    unsigned indices = index_bits / (has_quadword_index(instruction->decoded.mnemonic) ? 64 : 32);
    unsigned lanes = data_bits / lane_bits;
    return (indices < lanes ? indices : lanes) * lane_bits / 8;
}

static unsigned bytes_of(const struct x86_instruction *instruction, const ZydisDecodedOperand *operand)
{
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        return lanes_bytes(instruction, operand);
    if (has_register_of(instruction, ZYDIS_REGCLASS_TMM))
        return TILE_BYTES;
    return operand->size / 8;
}

static bool accesses_memory(ZydisMnemonic mnemonic, unsigned purpose)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_INVLPG:
        return false;
    default:
        return purpose != class_NOP && purpose != class_PREFETCH && purpose != class_ADDRESS;
    }
}

static void count_memory(const struct x86_instruction *instruction, struct encoding *encoding)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    if (!accesses_memory(decoded->mnemonic, encoding->class))
        return;
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
            (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM && operand->mem.type != ZYDIS_MEMOP_TYPE_VSIB))
            continue;
        unsigned bytes = bytes_of(instruction, operand);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            encoding->load_bytes += bytes;
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            encoding->store_bytes += bytes;
    }
    if (decoded->mnemonic == ZYDIS_MNEMONIC_CLZERO)
        encoding->store_bytes = CACHE_LINE_BYTES;
}

/* cwd, cdq and cqo fill another register with the sign, so they do not widen a value themselves. */
static bool extends_sign(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_CBW:
    case ZYDIS_MNEMONIC_CWDE:
    case ZYDIS_MNEMONIC_CDQE:
    case ZYDIS_MNEMONIC_PMOVSXBW:
    case ZYDIS_MNEMONIC_PMOVSXBD:
    case ZYDIS_MNEMONIC_PMOVSXBQ:
    case ZYDIS_MNEMONIC_PMOVSXWD:
    case ZYDIS_MNEMONIC_PMOVSXWQ:
    case ZYDIS_MNEMONIC_PMOVSXDQ:
    case ZYDIS_MNEMONIC_VPMOVSXBW:
    case ZYDIS_MNEMONIC_VPMOVSXBD:
    case ZYDIS_MNEMONIC_VPMOVSXBQ:
    case ZYDIS_MNEMONIC_VPMOVSXWD:
    case ZYDIS_MNEMONIC_VPMOVSXWQ:
    case ZYDIS_MNEMONIC_VPMOVSXDQ:
        return true;
    default:
        return false;
    }
}

static bool is_non_temporal(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTDQA:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTPD:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_MOVNTQ:
    case ZYDIS_MNEMONIC_MOVNTSD:
    case ZYDIS_MNEMONIC_MOVNTSS:
    case ZYDIS_MNEMONIC_VMOVNTDQ:
    case ZYDIS_MNEMONIC_VMOVNTDQA:
    case ZYDIS_MNEMONIC_VMOVNTPD:
    case ZYDIS_MNEMONIC_VMOVNTPS:
        return true;
    default:
        return false;
    }
}

/* The digits in names of FMA say which operands are multiplied and which one is added, masks not counted.
   Other multiply-adds accumulate in their first operand, or have four (FMA4, XOP). */
static unsigned addend_of(const struct x86_instruction *instruction, unsigned class)
{
    static const struct {
        const char *digits;
        unsigned operand;
    } orders[] = {{"132", 2}, {"213", 3}, {"231", 1}, {"233", 0}};
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    if (class != class_FMA)
        return 0;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_PMADDWD:
    case ZYDIS_MNEMONIC_VPMADDWD:
    case ZYDIS_MNEMONIC_PMADDUBSW:
    case ZYDIS_MNEMONIC_VPMADDUBSW:
    case ZYDIS_MNEMONIC_DPPS:
    case ZYDIS_MNEMONIC_DPPD:
    case ZYDIS_MNEMONIC_VDPPS:
    case ZYDIS_MNEMONIC_VDPPD:
        return 0;
    default:
        break;
    }
    const char *name = ZydisMnemonicGetString(decoded->mnemonic);
    bool has_mask = instruction->visible > 1 &&
                    instruction->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                    ZydisRegisterGetClass(instruction->operands[1].reg.value) == ZYDIS_REGCLASS_MASK;
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strstr(name, orders[i].digits))
            return orders[i].operand + (orders[i].operand > 1 && has_mask);
    return instruction->visible == 4 && !has_mask ? 4 : 1;
}

/* A load that fills lanes with copies is a broadcast, whatever its name; movlps merges where it loads. */
static unsigned operation_of(const struct x86_instruction *instruction, const struct encoding *encoding)
{
    ZydisMnemonic mnemonic = instruction->decoded.mnemonic;
    if (encoding->class == class_STRING ||
        (x86_mnemonic(mnemonic)->class == class_INSERT && encoding->class != class_STORE))
        return operation_NONE;
    if (x86_mnemonic(mnemonic)->class == class_BROADCAST && encoding->class == class_LOAD &&
        encoding->load_bytes * 8 < encoding->vector_bits)
        return operation_BROADCAST;
    return x86_operation(mnemonic)->operation;
}

static unsigned source_element(const struct x86_instruction *instruction, const struct encoding *encoding)
{
    unsigned takes = x86_operation(instruction->decoded.mnemonic)->takes;
    const ZydisDecodedOperand *last =
        &instruction->operands[instruction->visible ? instruction->visible - 1 : 0];
    if (encoding->operation == operation_EXTEND)
        return element_integer(instruction->visible ? last->size : instruction->decoded.operand_width / 2u);
    if (takes == element_OPERAND)
        return element_integer(last->size);
    return takes == element_UNKNOWN ? element_NONE : takes ? takes : encoding->element;
}

void x86_describe_meaning(const struct x86_instruction *instruction, struct encoding *encoding)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    const struct x86_mnemonic *mnemonic = x86_mnemonic(decoded->mnemonic);
    encoding->size = decoded->length;
    encoding->class = class_of(instruction, mnemonic->class);
    encoding->flow = flow_of(decoded->mnemonic, encoding->class);
    encoding->is_vector = mnemonic->is_packed && encoding->class != class_STRING;
    encoding->vector_bits = encoding->is_vector ? vector_bits(instruction) : 0;
    encoding->element = mnemonic->element;
    if (mnemonic->element == element_OPERAND || encoding->class == class_STRING)
        encoding->element = element_by_operand(instruction, encoding->class);
    else if (mnemonic->element == element_INT128 && encoding->vector_bits == 64)
        encoding->element = element_INT64;
    encoding->is_masked = decoded->avx.mask.mode >= ZYDIS_MASK_MODE_MERGING ||
                          encoding->class == class_GATHER || encoding->class == class_SCATTER ||
                          has_vector_mask(decoded->mnemonic);
    encoding->extends_sign = extends_sign(decoded->mnemonic);
    count_memory(instruction, encoding);
    encoding->operation = operation_of(instruction, encoding);
    encoding->condition = x86_operation(decoded->mnemonic)->condition;
    encoding->source_element = source_element(instruction, encoding);
    encoding->addend = addend_of(instruction, encoding->class);
    encoding->is_avx = decoded->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
                       decoded->encoding != ZYDIS_INSTRUCTION_ENCODING_3DNOW;
    encoding->is_non_temporal = is_non_temporal(decoded->mnemonic);
}
