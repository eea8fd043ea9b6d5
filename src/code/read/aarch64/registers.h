/* The registers of AArch64, numbered for the model.

   A number is a file's first number plus the register's own: REGISTER_X + 3 is x3.  sp and xzr are both 31 in
   encodings but different registers; xzr reads as zero and a write to it is lost, so that it appears as an
   operand but never among the registers an instruction uses. */
#ifndef CODE_READ_AARCH64_REGISTERS_H
#define CODE_READ_AARCH64_REGISTERS_H
#include "code/read/isa.h"

enum {
    REGISTER_X = 1,
    REGISTER_SP = REGISTER_X + 31,
    REGISTER_XZR,
    REGISTER_W,
    REGISTER_WSP = REGISTER_W + 31,
    REGISTER_WZR,
    REGISTER_B,
    REGISTER_H = REGISTER_B + 32,
    REGISTER_S = REGISTER_H + 32,
    REGISTER_D = REGISTER_S + 32,
    REGISTER_Q = REGISTER_D + 32,
    REGISTER_V = REGISTER_Q + 32,
    REGISTER_Z = REGISTER_V + 32,
    REGISTER_P = REGISTER_Z + 32,
    REGISTER_FFR = REGISTER_P + 16,
    REGISTER_NZCV,
    REGISTER_FPCR,
    REGISTER_FPSR,
    REGISTER_ZA,
    REGISTER_ZT0,
    REGISTER_COUNT,
};

extern const struct register_fact aarch64_registers[REGISTER_COUNT];

/* The number of the register with exactly this name of length characters; 0 for none. */
unsigned aarch64_find_register(const char *name, size_t length);
#endif
