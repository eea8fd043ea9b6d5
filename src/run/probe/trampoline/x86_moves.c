/* Moved instructions of x86-64.

   Most are copied.  An operand relative to rip keeps its 4 bytes, which the runtime fills in for the new
   place.  Jumps and branches get 4 bytes for their way, whatever they had; jrcxz and loop, which have one
   byte only, jump over a jump.  On the way that has actions they are in between.

   A call pushes the original return address, so that the callee, debuggers and the search for handlers of
   exceptions see nothing new, and then jumps.  The processor predicts returns by calls, so a call that is
   dropped at once comes first: otherwise not only this return would be predicted wrongly but every one
   after it.

   What cannot be moved:
     - bytes that do not decode, or not with this length;
     - endbr64: jumps through pointers must find it in place;
     - xbegin: it names the place where an aborted transaction goes on;
     - system calls and interrupts: the kernel and handlers of signals look at where they are;
     - far jumps, calls and returns; jumps of 16 bits; `call rsp`; addresses relative to eip. */
#include "run/probe/trampoline/x86.h"

#include <Zydis/Zydis.h>
#include <string.h>

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const struct probe_moved *moved, struct decoded *decoded)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, moved->bytes, moved->size, &decoded->instruction,
                                               decoded->operands)) &&
           decoded->instruction.length == moved->size;
}

static bool is_indirect(const struct decoded *decoded)
{
    return decoded->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/* Relative to rip. */
static bool is_relative(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    return instruction->attributes & ZYDIS_ATTRIB_HAS_MODRM && instruction->raw.modrm.mod == 0 &&
           instruction->raw.modrm.rm == 5 && instruction->raw.disp.size == 32;
}

static bool is_branch_kind_movable(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
        instruction->mnemonic == ZYDIS_MNEMONIC_XBEGIN || instruction->operand_width == 16)
        return false;
    return instruction->meta.category != ZYDIS_CATEGORY_CALL || !is_indirect(decoded) ||
           decoded->operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
           decoded->operands[0].reg.value != ZYDIS_REGISTER_RSP;
}

bool x86_can_move(const struct probe_moved *moved)
{
    struct decoded decoded;
    if (!decode(moved, &decoded) || (is_relative(&decoded) && decoded.instruction.address_width != 64))
        return false;
    switch (decoded.instruction.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return is_branch_kind_movable(&decoded);
    case ZYDIS_CATEGORY_RET:
        return decoded.instruction.mnemonic == ZYDIS_MNEMONIC_RET &&
               decoded.instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR;
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return false;
    default:
        return decoded.instruction.mnemonic != ZYDIS_MNEMONIC_ENDBR64 &&
               decoded.instruction.mnemonic != ZYDIS_MNEMONIC_XBEGIN;
    }
}

static void copy(struct x86_trampoline *trampoline, const struct probe_moved *moved,
                 const struct decoded *decoded, const uint8_t *bytes)
{
    uint32_t start = (uint32_t)trampoline->code->count;
    x86_bytes(trampoline->code, bytes, moved->size);
    if (!is_relative(decoded))
        return;
    uint32_t place = decoded->instruction.raw.disp.offset;
    uint64_t target = moved->address + moved->size + (uint64_t)decoded->instruction.raw.disp.value;
    x86_add_fix(trampoline, start + place, PROBE_FIX_RELATIVE32, moved->size - (int)place - 4, target);
}

static void act(struct x86_trampoline *trampoline, const struct probe_moved *moved, uint8_t where)
{
    struct x86_places places = x86_points(trampoline, moved, where);
    x86_act(trampoline, places.points, places.count);
}

/* jrcxz, jecxz, loop, loope, loopne: one byte of way.  Gives the 4 bytes of the way that is taken; the other
   goes on after. */
static uint32_t put_short_branch(struct x86_trampoline *trampoline, const struct probe_moved *moved)
{
    enum { JUMP_BYTES = 5, SHORT_JUMP_BYTES = 2 };
    x86_bytes(trampoline->code, moved->bytes, moved->size - 1u);
    x86_byte(trampoline->code, SHORT_JUMP_BYTES);
    x86_byte(trampoline->code, 0xeb);
    x86_byte(trampoline->code, JUMP_BYTES);
    return x86_jump(trampoline->code);
}

/* The way that goes backward is the one of a loop: it stays straight. */
static void put_branch(struct x86_trampoline *trampoline, const struct probe_moved *moved)
{
    enum { NEAR_BYTES = 6, FIRST_COUNTING = 0xe0, LAST_COUNTING = 0xe3 };
    uint8_t opcode = moved->bytes[moved->size - (moved->size < NEAR_BYTES ? 2 : 5)];
    bool is_short = moved->size < NEAR_BYTES && opcode >= FIRST_COUNTING && opcode <= LAST_COUNTING;
    uint8_t condition = opcode & 15;
    bool acts_on_way = x86_points(trampoline, moved, PROBE_TAKEN).count != 0;
    if (is_short) {
        uint32_t at = put_short_branch(trampoline, moved);
        if (acts_on_way)
            x86_add_aside(trampoline, X86_ASIDE_TAKEN, at)->moved = moved;
        else
            x86_lead_to_target(trampoline, at, moved);
    } else if (!acts_on_way) {
        x86_lead_to_target(trampoline, x86_branch(trampoline->code, condition), moved);
    } else if (moved->target > moved->address) {
        x86_add_aside(trampoline, X86_ASIDE_TAKEN, x86_branch(trampoline->code, condition))->moved = moved;
    } else {
        uint32_t fall = x86_branch(trampoline->code, condition ^ 1);
        act(trampoline, moved, PROBE_TAKEN);
        x86_lead_to_target(trampoline, x86_jump(trampoline->code), moved);
        x86_connect(trampoline->code, fall, (uint32_t)trampoline->code->count);
    }
    act(trampoline, moved, PROBE_AFTER);
}

/* jmp for call: the register field of ModRM is 4; addresses with rsp are 8 higher, because the return address
   was pushed. */
static void put_jump_of_call(struct x86_trampoline *trampoline, const struct probe_moved *moved,
                             const struct decoded *decoded)
{
    enum { REGISTER_FIELD = 0x38, JUMP = 4 << 3, SIB = 4, PUSHED = 8 };
    uint8_t bytes[sizeof moved->bytes];
    uint8_t modrm = decoded->instruction.raw.modrm.offset;
    memcpy(bytes, moved->bytes, sizeof bytes);
    bytes[modrm] = (uint8_t)((bytes[modrm] & ~REGISTER_FIELD) | JUMP);
    const ZydisDecodedOperand *operand = &decoded->operands[0];
    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
        (operand->mem.base != ZYDIS_REGISTER_RSP && operand->mem.base != ZYDIS_REGISTER_ESP)) {
        copy(trampoline, moved, decoded, bytes);
        return;
    }
    bytes[modrm] = 0x80 | JUMP | SIB; /* with a displacement of 4 bytes */
    x86_bytes(trampoline->code, bytes, modrm + 2u);
    x86_word32(trampoline->code, (uint32_t)(operand->mem.disp.value + PUSHED));
}

static void put_call(struct x86_trampoline *trampoline, const struct probe_moved *moved,
                     const struct decoded *decoded)
{
    static const uint8_t call_over_8[] = {0xe8, 8, 0, 0, 0}, drop_8[] = {0x48, 0x8d, 0x64, 0x24, 8};
    struct array *code = trampoline->code;
    x86_bytes(code, call_over_8, sizeof call_over_8);
    uint32_t literal = (uint32_t)code->count;
    x86_add_fix(trampoline, literal, PROBE_FIX_ADDRESS64, 0, moved->address + moved->size);
    x86_word64(code, 0);
    x86_bytes(code, drop_8, sizeof drop_8);
    x86_connect(code, x86_with_relative(code, (struct x86_opcode){.code = 0xff}, 6), literal); /* push */
    if (is_indirect(decoded))
        put_jump_of_call(trampoline, moved, decoded);
    else
        x86_lead_to_target(trampoline, x86_jump(code), moved);
}

void x86_put_moved(struct x86_trampoline *trampoline, const struct probe_moved *moved)
{
    struct decoded decoded;
    if (!decode(moved, &decoded))
        return; /* x86_can_move was asked */
    switch (decoded.instruction.meta.category) {
    case ZYDIS_CATEGORY_CALL:
        put_call(trampoline, moved, &decoded);
        break;
    case ZYDIS_CATEGORY_COND_BR:
        put_branch(trampoline, moved);
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        act(trampoline, moved, PROBE_TAKEN);
        if (is_indirect(&decoded))
            copy(trampoline, moved, &decoded, moved->bytes);
        else
            x86_lead_to_target(trampoline, x86_jump(trampoline->code), moved);
        break;
    default:
        copy(trampoline, moved, &decoded, moved->bytes);
        act(trampoline, moved, PROBE_AFTER);
        break;
    }
}
