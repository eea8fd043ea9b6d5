/* The operands of an AArch64 instruction, read from its text. */
#ifndef CODE_READ_AARCH64_PARSE_H
#define CODE_READ_AARCH64_PARSE_H
#include "code/read/isa.h"

/* The row for the model, and what else the text says.  Accesses are not set yet. */
struct aarch64_operand {
    struct operand row;
    char file;               /* x w b h s d q v z p, a for the matrix za, 0 for other registers */
    char predication;        /* m or z as in p0/m, p0/z */
    uint8_t lane_bits;       /* from the suffix: 32 for v0.4s, z0.s and v0.s[1] */
    uint8_t lane_count;      /* of a NEON arrangement: 4 for v0.4s */
    bool is_lane;            /* one lane only: v0.s[1], and one part of a register: z1[3], pn8[1], zt0[8] */
    bool is_followed;        /* the next operand is in the same list: {z0.s, z1.s} */
    bool writes_back;        /* [x0, #8]!, [x0], #8 and x0! */
    uint16_t slice_register; /* w12 of za0h.b[w12, 0] */
    uint8_t slice_count;     /* 1 of that, 8 of za.d[w8, 0:1, vgx4] */
};

struct aarch64_parsed {
    struct aarch64_operand operands[MOST_OPERANDS];
    unsigned count;
    unsigned leftovers; /* pieces of text that were not understood */
};

/* text is the text after the mnemonic.

   Rows: the shift of a register or of an address' index is in value or scale; a shifted immediate's value is
   the resulting constant; a fraction's value is its bits as a double; a lane's number is in value; the number
   of vector lengths of "mul vl" is in value, and displacement is 0; a factor (all, mul #2) is the value of
   the operand before it.  What follows a post-indexed address is an operand of its own. */
void aarch64_parse_operands(const char *text, struct aarch64_parsed *parsed);
#endif
