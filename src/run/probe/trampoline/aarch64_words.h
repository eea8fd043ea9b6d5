/* Words of AArch64 instructions, one function each.

   Registers are numbers from 0 to 31.  As the architecture has it, 31 is the stack pointer for base registers
   of memory and for both sides of arm_add_immediate, and for the first two operands of arm_add_extended;
   anywhere else it is zero.  Distances and offsets are in bytes; whoever calls has made sure that they fit.
 */
#ifndef RUN_PROBE_TRAMPOLINE_AARCH64_WORDS_H
#define RUN_PROBE_TRAMPOLINE_AARCH64_WORDS_H
#include <stdbool.h>
#include <stdint.h>

enum { ARM_X16 = 16, ARM_X17 = 17, ARM_X30 = 30, ARM_SP = 31, ARM_ZERO = 31 };
enum { ARM_RET_X30 = 0xd65f03c0 };

/* Arithmetic on 64 bits. */
static inline uint32_t arm_add_immediate(unsigned to, unsigned from, uint32_t twelve, bool is_high)
{
    return 0x91000000 | (uint32_t)is_high << 22 | twelve << 10 | from << 5 | to;
}
static inline uint32_t arm_subtract_immediate(unsigned to, unsigned from, uint32_t twelve, bool is_high)
{
    return 0xd1000000 | (uint32_t)is_high << 22 | twelve << 10 | from << 5 | to;
}
static inline uint32_t arm_add(unsigned to, unsigned left, unsigned right, unsigned shift)
{
    return 0x8b000000 | right << 16 | shift << 10 | left << 5 | to;
}
static inline uint32_t arm_subtract(unsigned to, unsigned left, unsigned right)
{
    return 0xcb000000 | right << 16 | left << 5 | to;
}
static inline uint32_t arm_multiply(unsigned to, unsigned left, unsigned right)
{
    return 0x9b007c00 | right << 16 | left << 5 | to;
}
enum arm_extend { ARM_UXTW = 2, ARM_UXTX = 3, ARM_SXTW = 6 };
static inline uint32_t arm_add_extended(unsigned to, unsigned left, unsigned right, enum arm_extend extend,
                                        unsigned shift)
{
    return 0x8b200000 | right << 16 | (uint32_t)extend << 13 | shift << 10 | left << 5 | to;
}
static inline uint32_t arm_move(unsigned to, unsigned from)
{
    return 0xaa0003e0 | from << 16 | to;
}
/* Bits are taken from the right end of `from`, as the manual's immr and imms say. */
static inline uint32_t arm_bits_unsigned(unsigned to, unsigned from, unsigned immr, unsigned imms)
{
    return 0xd3400000 | immr << 16 | imms << 10 | from << 5 | to;
}
static inline uint32_t arm_bits_signed(unsigned to, unsigned from, unsigned immr, unsigned imms)
{
    return 0x93400000 | immr << 16 | imms << 10 | from << 5 | to;
}
static inline uint32_t arm_shift_left(unsigned to, unsigned from, unsigned shift)
{
    return arm_bits_unsigned(to, from, (64 - shift) & 63, 63 - shift);
}
static inline uint32_t arm_shift_right(unsigned to, unsigned from, unsigned shift)
{
    return arm_bits_unsigned(to, from, shift, 63);
}
static inline uint32_t arm_shift_right_signed(unsigned to, unsigned from, unsigned shift)
{
    return arm_bits_signed(to, from, shift, 63);
}
/* Sixteen bits at `place` 0 … 3: the others become zero, become one (and the sixteen are inverted), stay. */
static inline uint32_t arm_movz(unsigned to, uint32_t sixteen, unsigned place)
{
    return 0xd2800000 | place << 21 | sixteen << 5 | to;
}
static inline uint32_t arm_movn(unsigned to, uint32_t sixteen, unsigned place)
{
    return 0x92800000 | place << 21 | sixteen << 5 | to;
}
static inline uint32_t arm_movk(unsigned to, uint32_t sixteen, unsigned place)
{
    return 0xf2800000 | place << 21 | sixteen << 5 | to;
}

/* Memory.  `size` is the logarithm of the number of bytes. */
static inline uint32_t arm_load(unsigned to, unsigned base, uint32_t offset)
{
    return 0xf9400000 | offset / 8 << 10 | base << 5 | to;
}
static inline uint32_t arm_store(unsigned from, unsigned base, uint32_t offset)
{
    return 0xf9000000 | offset / 8 << 10 | base << 5 | from;
}
static inline uint32_t arm_load_extended(unsigned to, unsigned base, uint32_t offset, unsigned size,
                                         bool is_signed)
{
    return (is_signed ? 0x39800000 : 0x39400000) | size << 30 | offset >> size << 10 | base << 5 | to;
}
static inline uint32_t arm_nine(int32_t offset)
{
    return ((uint32_t)offset & 0x1ff) << 12;
}
static inline uint32_t arm_load_extended_near(unsigned to, unsigned base, int32_t offset, unsigned size,
                                              bool is_signed)
{
    return (is_signed ? 0x38800000 : 0x38400000) | size << 30 | arm_nine(offset) | base << 5 | to;
}
static inline uint32_t arm_store_near(unsigned from, unsigned base, int32_t offset)
{
    return 0xf8000000 | arm_nine(offset) | base << 5 | from;
}
static inline uint32_t arm_store_vector_near(unsigned from, unsigned base, int32_t offset) /* 64 bits */
{
    return 0xfc000000 | arm_nine(offset) | base << 5 | from;
}
static inline uint32_t arm_store_vector(unsigned from, unsigned base, uint32_t offset) /* 64 bits */
{
    return 0xfd000000 | offset / 8 << 10 | base << 5 | from;
}
static inline uint32_t arm_move_from_vector(unsigned to, unsigned from) /* 64 bits */
{
    return 0x9e660000 | from << 5 | to;
}
static inline uint32_t arm_seven(int32_t offset)
{
    return ((uint32_t)(offset / 8) & 0x7f) << 15;
}
static inline uint32_t arm_store_pair(unsigned first, unsigned second, unsigned base, int32_t offset)
{
    return 0xa9000000 | arm_seven(offset) | second << 10 | base << 5 | first;
}
/* [sp, #-bytes]! and [sp], #bytes */
static inline uint32_t arm_push(unsigned from, int32_t bytes)
{
    return 0xf8000c00 | arm_nine(-bytes) | ARM_SP << 5 | from;
}
static inline uint32_t arm_pop(unsigned to, int32_t bytes)
{
    return 0xf8400400 | arm_nine(bytes) | ARM_SP << 5 | to;
}
static inline uint32_t arm_push_pair(unsigned first, unsigned second, int32_t bytes)
{
    return 0xa9800000 | arm_seven(-bytes) | second << 10 | ARM_SP << 5 | first;
}
static inline uint32_t arm_pop_pair(unsigned first, unsigned second, int32_t bytes)
{
    return 0xa8c00000 | arm_seven(bytes) | second << 10 | ARM_SP << 5 | first;
}
static inline uint32_t arm_load_literal(unsigned to, int32_t distance)
{
    return 0x58000000 | ((uint32_t)(distance / 4) & 0x7ffff) << 5 | to;
}

/* System registers. */
static inline uint32_t arm_thread_pointer(unsigned to)
{
    return 0xd53bd040 | to;
}
static inline uint32_t arm_clock(unsigned to) /* cntvct_el0 */
{
    return 0xd53be040 | to;
}

/* Branches and addresses. */
static inline uint32_t arm_branch_field(int32_t distance)
{
    return (uint32_t)(distance / 4) & 0x3ffffff;
}
static inline uint32_t arm_branch(int32_t distance)
{
    return 0x14000000 | arm_branch_field(distance);
}
static inline uint32_t arm_call(int32_t distance)
{
    return 0x94000000 | arm_branch_field(distance);
}
static inline uint32_t arm_call_register(unsigned to)
{
    return 0xd63f0000 | to << 5;
}
static inline uint32_t arm_page(unsigned to) /* adrp, for a fix to complete */
{
    return 0x90000000 | to;
}
/* Branches whose distance is set later, by aarch64_set_distance. */
static inline uint32_t arm_branch_if_bit(unsigned of, unsigned bit)
{
    return 0x37000000 | (bit & 31) << 19 | bit >> 5 << 31 | of;
}
static inline uint32_t arm_branch_if_zero(unsigned of)
{
    return 0xb4000000 | of;
}
static inline uint32_t arm_branch_if_not_zero(unsigned of)
{
    return 0xb5000000 | of;
}
#endif
