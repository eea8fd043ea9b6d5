/* Instructions of AArch64 at another place.

   Most do the same anywhere.  Those that know where they are get their address in another way: adrp and an
   addition or an offset, whose page is fixed when the place in memory is known.  The low twelve bits are
   known before, because files are mapped by pages.

   A call sets x30 to where it would have come back to in the program, and jumps: nobody who looks at the
   stack sees the trampoline, and nothing comes back to it.  `bl` to the next instruction stands in front,
   because processors predict returns by counting calls: so the one return is not predicted, instead of all
   returns of the callers, too.

   Landing pads (bti, paciasp) are moved like others, although a branch to the patch would then miss them: the
   pages that are patched lose PROT_BTI, because whoever makes them writable has to set their protection anew.
   Trampolines have no PROT_BTI either, so that their branches by register may lead to any landing pad.

   Not moved:
   - what is no instruction (udf and words that were never given a meaning);
   - instructions that sign with their own address (paciasppc, retaasppc, autiasppc, and pacm, which changes
   the instruction after it);
   - the second and third instruction of a memory copy or set (cpym, cpye, setm, sete): on a machine whose
     processors differ, the kernel goes back by one or two instructions to start again;
   - movprfx, which belongs to the instruction after it. */
#include "run/probe/trampoline/aarch64.h"

static bool is_signing_with_place(uint32_t word)
{
    bool is_return = (word & 0xff000000) == 0x55000000;  /* retaasppc, retabsppc */
    bool is_check = (word & 0xffc0001f) == 0xf380001f;   /* autiasppc, autibsppc */
    bool is_signing = (word & 0xffffdbff) == 0xdac183fe; /* paciasppc, pacnbiasppc, … */
    return is_return || is_check || is_signing || word == 0xd50324ff /* pacm */;
}

static bool is_middle_of_copy(uint32_t word)
{
    if ((word & 0x3b200c00) != 0x19000400)
        return false;
    unsigned stage = word >> 22 & 3;
    return stage == 3 ? (word >> 14 & 3) != 0 : stage != 0;
}

static bool is_prefix(uint32_t word)
{
    return (word & 0xfffffc00) == 0x0420bc00 || (word & 0xff3ee000) == 0x04102000;
}

static bool is_undefined(uint32_t word)
{
    unsigned group = word >> 25 & 15;
    return (group == 0 && !(word >> 31)) || group == 1 || group == 3;
}

static bool is_literal_load(uint32_t word)
{
    return (word & 0x3b000000) == 0x18000000;
}

static bool is_vector(uint32_t word) /* of literal loads */
{
    return word >> 26 & 1;
}

enum arm_form arm_form(uint32_t word)
{
    if (is_undefined(word) || is_signing_with_place(word) || is_middle_of_copy(word) || is_prefix(word))
        return ARM_REFUSED;
    if ((word & 0x1f000000) == 0x10000000)
        return ARM_ADDRESS;
    if (is_literal_load(word))
        return is_vector(word) && word >> 30 == 3 ? ARM_REFUSED : ARM_LITERAL;
    if ((word & 0x7c000000) == 0x14000000)
        return word >> 31 ? ARM_CALL : ARM_JUMP;
    bool is_on_flags = (word & 0xff000000) == 0x54000000;
    bool is_on_register = (word & 0x7c000000) == 0x34000000, is_comparing = (word & 0x7e000000) == 0x74000000;
    if (is_on_flags || is_on_register || is_comparing)
        return ARM_CONDITIONAL;
    if ((word & 0xfe000000) == 0xd6000000) {
        unsigned kind = word >> 21 & 7;
        return kind == 1 ? ARM_CALL : kind == 0 || kind == 2 ? ARM_LEAVING : ARM_REFUSED;
    }
    return ARM_PLAIN;
}

uint32_t aarch64_moved_word(const struct probe_moved *moved)
{
    return moved->bytes[0] | (uint32_t)moved->bytes[1] << 8 | (uint32_t)moved->bytes[2] << 16 |
           (uint32_t)moved->bytes[3] << 24;
}

static uint32_t bit_of(unsigned register_) /* 31 is not a register here */
{
    return register_ < 31 ? UINT32_C(1) << register_ : 0;
}

uint32_t aarch64_registers_read(uint32_t word)
{
    unsigned low = word & 31, middle = word >> 5 & 31, high = word >> 16 & 31;
    switch (arm_form(word)) {
    case ARM_CONDITIONAL:
        if ((word & 0xff000000) == 0x54000000)
            return 0;
        return bit_of(low) | ((word & 0x7f000000) == 0x74000000 ? bit_of(high) : 0);
    case ARM_CALL:
    case ARM_LEAVING:
        if ((word & 0x7c000000) == 0x14000000)
            return 0;
        /* retaa names no register: it reads x30. */
        return bit_of(middle) | (word & 0x800 ? bit_of(low) | (middle == 31 ? bit_of(ARM_X30) : 0) : 0);
    default:
        return 0;
    }
}

static int64_t signed_field(uint32_t word, unsigned low, unsigned bits)
{
    return (int64_t)((uint64_t)word << (64 - low - bits)) >> (64 - bits);
}

uint64_t aarch64_target(uint32_t word, uint64_t address)
{
    switch (arm_form(word)) {
    case ARM_ADDRESS: {
        int64_t value = signed_field(word, 5, 19) * 4 + (word >> 29 & 3);
        return word >> 31 ? (address & ~UINT64_C(0xfff)) + (uint64_t)value * 4096 : address + (uint64_t)value;
    }
    case ARM_JUMP:
    case ARM_CALL:
        return address + (uint64_t)signed_field(word, 0, 26) * 4;
    case ARM_CONDITIONAL:
        if ((word & 0x7e000000) == 0x36000000)
            return address + (uint64_t)signed_field(word, 5, 14) * 4;
        if ((word & 0x7e000000) == 0x74000000)
            return address + (uint64_t)signed_field(word, 5, 9) * 4;
        return address + (uint64_t)signed_field(word, 5, 19) * 4;
    default:
        return address + (uint64_t)signed_field(word, 5, 19) * 4;
    }
}

bool aarch64_set_distance(uint32_t *word, int64_t distance)
{
    unsigned low = 5, bits = 19;
    if ((*word & 0x7c000000) == 0x14000000)
        low = 0, bits = 26;
    else if ((*word & 0x7e000000) == 0x36000000)
        bits = 14;
    else if ((*word & 0x7e000000) == 0x74000000)
        bits = 9;
    int64_t limit = INT64_C(1) << (bits + 1);
    if (distance < -limit || distance >= limit)
        return false;
    uint32_t mask = (UINT32_C(1) << bits) - 1;
    *word = (*word & ~(mask << low)) | ((uint32_t)(distance / 4) & mask) << low;
    return true;
}

uint32_t aarch64_inverted(uint32_t word)
{
    bool is_on_flags = (word & 0xff000000) == 0x54000000;
    if (arm_form(word) != ARM_CONDITIONAL || (word & 0x7e000000) == 0x74000000)
        return 0;
    if (is_on_flags)
        return (word & 14) == 14 ? 0 : word ^ 1;
    return word ^ 1u << 24;
}

static void put_address(struct arm_writer *writer, uint32_t word, uint64_t target)
{
    unsigned to = word & 31;
    if (to == ARM_ZERO)
        return;
    if (word >> 31)
        aarch64_put_fixed(writer, arm_page(to), PROBE_FIX_PAGE21, target);
    else
        aarch64_put_place(writer, to, target);
}

/* A load or prefetch of [base], by the literal form `word`. */
static uint32_t load_at(uint32_t word, unsigned base, uint32_t offset, unsigned size)
{
    unsigned kind = word >> 30, to = word & 31;
    uint32_t rest = offset >> size << 10 | base << 5 | to;
    if (is_vector(word))
        return rest | (kind == 0 ? 0xbd400000 : kind == 1 ? 0xfd400000 : 0x3dc00000);
    return rest | (kind == 0 ? 0xb9400000 : kind == 1 ? 0xf9400000 : kind == 2 ? 0xb9800000 : 0xf9800000);
}

/* General loads use their own register for the address.  Others need one more. */
static void put_literal_load(struct arm_writer *writer, uint32_t word, uint64_t target, uint32_t free)
{
    unsigned kind = word >> 30, to = word & 31;
    bool has_own = !is_vector(word) && kind != 3 && to != ARM_ZERO;
    unsigned size = is_vector(word) ? kind + 2 : kind == 1 || kind == 3 ? 3 : 2;
    uint8_t base = (uint8_t)to;
    bool is_saved = !has_own && !aarch64_choose(free, 0, &base, 1);
    if (is_saved) {
        base = ARM_X16;
        aarch64_put(writer, arm_push(base, 16));
    }
    uint32_t offset = target & 0xfff;
    if (offset & ((1U << size) - 1)) {
        aarch64_put_place(writer, base, target);
        offset = 0;
    } else
        aarch64_put_fixed(writer, arm_page(base), PROBE_FIX_PAGE21, target);
    aarch64_put(writer, load_at(word, base, offset, size));
    if (is_saved)
        aarch64_put(writer, arm_pop(base, 16));
}

/* x30 gets the program's own return address before the jump, so what the jump reads of it goes elsewhere:
   x16 and x17 are for whatever stands between caller and callee. */
static void put_call(struct arm_writer *writer, uint32_t word, uint64_t address)
{
    bool is_direct = (word & 0x7c000000) == 0x14000000;
    uint32_t jump = word & ~(UINT32_C(1) << 21); /* blr becomes br */
    if (!is_direct) {
        if ((word >> 5 & 31) == ARM_X30) {
            aarch64_put(writer, arm_move(ARM_X16, ARM_X30));
            jump = (jump & ~(UINT32_C(31) << 5)) | ARM_X16 << 5;
        }
        if ((word >> 24 & 1) && (word & 31) == ARM_X30) {
            aarch64_put(writer, arm_move(ARM_X17, ARM_X30));
            jump = (jump & ~UINT32_C(31)) | ARM_X17;
        }
    }
    aarch64_put_place(writer, ARM_X30, address + 4);
    if (is_direct)
        aarch64_put_branch_out(writer, aarch64_target(word, address));
    else
        aarch64_put(writer, jump);
}

void aarch64_put_moved(struct arm_writer *writer, const struct probe_moved *moved, uint32_t free)
{
    uint32_t word = aarch64_moved_word(moved);
    switch (arm_form(word)) {
    case ARM_ADDRESS:
        put_address(writer, word, aarch64_target(word, moved->address));
        break;
    case ARM_LITERAL:
        put_literal_load(writer, word, aarch64_target(word, moved->address), free);
        break;
    case ARM_CALL:
        put_call(writer, word, moved->address);
        break;
    case ARM_PLAIN:
    case ARM_LEAVING:
    case ARM_CONDITIONAL:
        aarch64_put(writer, word);
        break;
    case ARM_JUMP:
    case ARM_REFUSED:
        break;
    }
}
