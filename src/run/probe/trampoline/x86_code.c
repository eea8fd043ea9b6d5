/* Encodes x86-64 instructions: prefixes, REX, opcode, ModRM, SIB, displacement.

   rsp and r12 as a base need a SIB byte; rbp and r13 need a displacement; an address without a base has SIB
   with base 5 and a displacement of 4 bytes.  Displacements are as short as they can be, except for words of
   the thread (fs:), whose displacement the runtime fills in. */
#include "run/probe/trampoline/x86_code.h"

#include <string.h>

const struct x86_opcode x86_load = {.wide = true, .code = 0x8b}, x86_store = {.wide = true, .code = 0x89},
                        x86_store32 = {.code = 0x89}, x86_lea = {.wide = true, .code = 0x8d},
                        x86_xadd = {.wide = true, .code = 0x0fc1};

void x86_byte(struct array *code, uint8_t byte)
{
    *(uint8_t *)array_push(code) = byte;
}

void x86_bytes(struct array *code, const void *bytes, size_t count)
{
    memcpy(array_push_many(code, count), bytes, count);
}

void x86_word32(struct array *code, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        x86_byte(code, (uint8_t)(word >> 8 * i));
}

void x86_word64(struct array *code, uint64_t word)
{
    x86_word32(code, (uint32_t)word);
    x86_word32(code, (uint32_t)(word >> 32));
}

void x86_connect(struct array *code, uint32_t at, uint32_t to)
{
    uint32_t distance = to - (at + 4);
    for (unsigned i = 0; i < 4; i++)
        *ARRAY_AT(uint8_t, code, at + i) = (uint8_t)(distance >> 8 * i);
}

static void put_opcode(struct array *code, struct x86_opcode opcode, uint8_t reg, uint8_t index, uint8_t base)
{
    if (opcode.prefix)
        x86_byte(code, opcode.prefix);
    uint8_t rex = (uint8_t)((opcode.wide ? 8 : 0) | (reg >> 3 & 1) << 2 |
                            (index != X86_NONE && index > 7) << 1 | (base != X86_NONE && base > 7));
    if (rex)
        x86_byte(code, 0x40 | rex);
    if (opcode.code >> 8)
        x86_byte(code, (uint8_t)(opcode.code >> 8));
    x86_byte(code, (uint8_t)opcode.code);
}

static void put_address(struct array *code, uint8_t reg, const struct x86_memory *memory)
{
    uint8_t field = (uint8_t)((reg & 7) << 3);
    uint8_t scale = (uint8_t)(memory->scale == 8 ? 3 : memory->scale == 4 ? 2 : memory->scale == 2);
    bool has_index = memory->index != X86_NONE;
    uint8_t index_field = (uint8_t)((has_index ? memory->index & 7 : 4) << 3 | scale << 6);
    if (memory->base == X86_NONE) {
        x86_byte(code, field | 4);
        x86_byte(code, index_field | 5);
        x86_word32(code, (uint32_t)memory->displacement);
        return;
    }
    uint8_t base = memory->base & 7;
    bool is_short = memory->displacement >= -128 && memory->displacement < 128;
    uint8_t mod = !memory->displacement && base != 5 ? 0 : is_short ? 0x40 : 0x80;
    bool has_sib = has_index || base == 4;
    x86_byte(code, mod | field | (has_sib ? 4 : base));
    if (has_sib)
        x86_byte(code, index_field | base);
    if (mod == 0x40)
        x86_byte(code, (uint8_t)memory->displacement);
    else if (mod)
        x86_word32(code, (uint32_t)memory->displacement);
}

void x86_with_memory(struct array *code, struct x86_opcode opcode, uint8_t reg, struct x86_memory memory)
{
    if (memory.is_32_bit)
        x86_byte(code, 0x67);
    if (memory.is_local)
        x86_byte(code, 0x64);
    put_opcode(code, opcode, reg, memory.index, memory.base);
    put_address(code, reg, &memory);
}

void x86_with_register(struct array *code, struct x86_opcode opcode, uint8_t reg, uint8_t rm)
{
    put_opcode(code, opcode, reg, X86_NONE, rm);
    x86_byte(code, (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7)));
}

uint32_t x86_with_relative(struct array *code, struct x86_opcode opcode, uint8_t reg)
{
    put_opcode(code, opcode, reg, X86_NONE, X86_NONE);
    x86_byte(code, (uint8_t)((reg & 7) << 3 | 5));
    x86_word32(code, 0);
    return (uint32_t)code->count - 4;
}

void x86_move(struct array *code, uint8_t to, uint8_t from)
{
    x86_with_register(code, x86_load, to, from);
}

void x86_move_constant32(struct array *code, uint8_t to, uint32_t value)
{
    if (to > 7)
        x86_byte(code, 0x41);
    x86_byte(code, 0xb8 | (to & 7));
    x86_word32(code, value);
}

void x86_with_constant(struct array *code, uint8_t operation, uint8_t reg, int32_t value)
{
    bool is_short = value >= -128 && value < 128;
    x86_with_register(code, (struct x86_opcode){.wide = true, .code = is_short ? 0x83 : 0x81}, operation,
                      reg);
    if (is_short)
        x86_byte(code, (uint8_t)value);
    else
        x86_word32(code, (uint32_t)value);
}

void x86_shift(struct array *code, uint8_t operation, uint8_t reg, uint8_t count)
{
    x86_with_register(code, (struct x86_opcode){.wide = true, .code = 0xc1}, operation, reg);
    x86_byte(code, count);
}

uint32_t x86_jump(struct array *code)
{
    x86_byte(code, 0xe9);
    x86_word32(code, 0);
    return (uint32_t)code->count - 4;
}

uint32_t x86_branch(struct array *code, uint8_t condition)
{
    x86_byte(code, 0x0f);
    x86_byte(code, 0x80 | condition);
    x86_word32(code, 0);
    return (uint32_t)code->count - 4;
}
