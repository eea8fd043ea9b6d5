/* One instruction whose registers can be chosen.

   A slot is a place where values enter or leave: an operand, a register of an address, flags, or a register
   that the text does not show.  Slots have the names that machine files use for them (docs/machines.md):
   1 … 8, addr, index, f, or the name of the register.  An instruction is only ever made by changing the bytes
   of another one and decoding the result: its form must stay, and each slot must have the register that was
   wanted. */
#ifndef RUN_BENCH_INSTRUCTION_H
#define RUN_BENCH_INSTRUCTION_H
#include "code/read/isa.h"

/* Registers that values live in.  Masks are predicates on AArch64; mm registers are x87's, but their stack
   does not move. */
enum bench_domain {
    domain_GENERAL,
    domain_VECTOR,
    domain_MASK,
    domain_MMX,
    domain_BANKS, /* those whose registers can be chosen come before it */
    domain_FLAGS = domain_BANKS,
    domain_OTHER,
    domain_COUNT
};
enum bench_role { role_OPERAND, role_BASE, role_INDEX, role_FLAGS, role_HIDDEN };

enum { MOST_SLOTS = 16, INSTRUCTION_BYTES = 15, NO_FIELD = 0xff, NO_SLOT = 0xff };

struct bench_slot {
    char name[8];
    uint8_t role;    /* enum bench_role */
    uint8_t domain;  /* enum bench_domain */
    uint8_t operand; /* place in the description, of operands and addresses */
    uint8_t number;  /* of the register in its domain */
    bool reads, writes;
    bool keeps;    /* the write leaves a part of the old value, or may not happen: counts as read, too */
    bool is_fixed; /* the register cannot be chosen */
    bool is_high;  /* ah, bh, ch or dh, which go with the first four registers only */
    /* A register of a list follows the slot `leader` by `distance`; NO_SLOT: it is its own. */
    uint8_t leader, distance;
    uint8_t field; /* AArch64: lowest bit of its number in the word */
    uint16_t bits;
};

struct bench_instruction {
    enum isa isa;
    uint8_t bytes[INSTRUCTION_BYTES];
    uint8_t size;
    struct description description;
    struct bench_slot slots[MOST_SLOTS];
    unsigned slot_count;
    uint64_t flags_read, flags_written; /* x86: bits of the flags, by number of their register */
};

/* false if the bytes are not one instruction, or one with registers of other kinds. */
bool bench_instruction_read(struct bench_instruction *instruction, enum isa isa, const uint8_t *bytes,
                            size_t size);
/* The same instruction with other registers: numbers by slot.  Slots that are fixed or follow others are left
   out of account. false if there is none with the same form and exactly these registers. */
bool bench_instruction_renumber(const struct bench_instruction *from, const uint8_t *numbers,
                                struct bench_instruction *to);
/* x86-64: the same instruction with another displacement in its address. */
bool bench_instruction_move(const struct bench_instruction *from, int displacement,
                            struct bench_instruction *to);
/* The slot of this name, NO_SLOT for none. */
unsigned bench_slot_named(const struct bench_instruction *instruction, const char *name);
/* Whether the value that was there before matters. */
static inline bool slot_takes(const struct bench_slot *slot)
{
    return slot->reads || slot->keeps;
}

/* The bytes with other registers: by changing fields of the word, or by Zydis' encoder. */
bool bench_recode_aarch64(const struct bench_instruction *from, const uint8_t *numbers, uint8_t *bytes);
bool bench_recode_x86(const struct bench_instruction *from, const uint8_t *numbers, uint8_t *bytes,
                      uint8_t *size);
bool bench_displace_x86(const struct bench_instruction *from, int displacement, uint8_t *bytes,
                        uint8_t *size);
/* Finds the fields of all slots. */
void bench_find_fields(struct bench_instruction *instruction);

/* An instruction of a form: from a table (AArch64), or put together from the kinds of operands (x86-64). */
bool bench_sample(struct bench_instruction *instruction, enum isa isa, const char *form);
bool bench_sample_x86(struct bench_instruction *instruction, const char *form);
#endif
