/* Bytes of the few x86-64 instructions that trampolines are made of. */
#ifndef RUN_PROBE_TRAMPOLINE_X86_CODE_H
#define RUN_PROBE_TRAMPOLINE_X86_CODE_H
#include "base/memory.h"

enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI, X86_NONE = 255 };

struct x86_memory {
    uint8_t base, index, scale; /* X86_NONE: none; index is never rsp */
    int32_t displacement;
    bool is_32_bit; /* addresses of 32 bits */
    bool is_local;  /* of fs */
};

/* An instruction with a register and a memory operand: prefix 0x66, 0xf3 or 0; opcode of one byte, or 0x0f in
   the second byte and the rest below. `wide`: 64 bits. */
struct x86_opcode {
    uint8_t prefix;
    bool wide;
    uint16_t code;
};
extern const struct x86_opcode x86_load, x86_store, x86_store32, x86_lea, x86_xadd;

void x86_byte(struct array *code, uint8_t byte);
void x86_bytes(struct array *code, const void *bytes, size_t count);
void x86_word32(struct array *code, uint32_t word);
void x86_word64(struct array *code, uint64_t word);
/* Writes 4 bytes so that what is at `at` leads to `to`. */
void x86_connect(struct array *code, uint32_t at, uint32_t to);

void x86_with_memory(struct array *code, struct x86_opcode opcode, uint8_t reg, struct x86_memory memory);
void x86_with_register(struct array *code, struct x86_opcode opcode, uint8_t reg, uint8_t rm);
/* The same with the address in 4 bytes relative to what follows; gives where these are. */
uint32_t x86_with_relative(struct array *code, struct x86_opcode opcode, uint8_t reg);

static inline struct x86_memory x86_at(uint8_t base, int32_t displacement)
{
    return (struct x86_memory){.base = base, .index = X86_NONE, .displacement = displacement};
}
/* A word of the thread's: its place is in the last 4 bytes. */
static inline struct x86_memory x86_local(void)
{
    return (struct x86_memory){.base = X86_NONE, .index = X86_NONE, .is_local = true};
}
void x86_move(struct array *code, uint8_t to, uint8_t from);
void x86_move_constant32(struct array *code, uint8_t to, uint32_t value);
/* add, or, adc, sbb, and, sub, xor, cmp are operations 0 … 7. */
enum { X86_ADD = 0, X86_SUB = 5, X86_CMP = 7 };
void x86_with_constant(struct array *code, uint8_t operation, uint8_t reg, int32_t value);
/* shl is 4, shr 5, sar 7. */
enum { X86_SHL = 4, X86_SHR = 5, X86_SAR = 7 };
void x86_shift(struct array *code, uint8_t operation, uint8_t reg, uint8_t count);
/* jmp and jcc (condition 0 … 15) over 4 bytes, whose place they give. */
uint32_t x86_jump(struct array *code);
uint32_t x86_branch(struct array *code, uint8_t condition);
#endif
