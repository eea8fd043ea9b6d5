/* The parts of the assembler of Knights Corner's own instructions: x86/assemble.c explains it. */
#ifndef CODE_READ_X86_ASSEMBLE_H
#define CODE_READ_X86_ASSEMBLE_H
#include "code/read/x86/x86.h"

enum { X86_MOST_OPERANDS = ZYDIS_ENCODER_MAX_OPERANDS };

/* Zydis has no name for it. */
typedef __typeof__(((ZydisEncoderRequest *)0)->mvex) x86_mvex;

/* A statement, its operands in Intel's order: the result first. */
struct x86_statement {
    ZydisMnemonic mnemonic;
    ZydisEncoderOperand operands[X86_MOST_OPERANDS];
    unsigned operand_count;
    ZydisRegister mask; /* of the result; 0: none is written */
    x86_mvex mvex;      /* what stands in braces, but for the mask */
    struct span name;   /* an expression with names: the displacement, or where a jump goes; empty: none */
    bool is_relative;   /* the displacement is added to rip */
};

struct x86_encoded {
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZydisDecodedInstruction decoded;
};

/* All operands of a text in AT&T's syntax; `placeholder` takes the place of a number that is an expression. */
bool x86_parse_operands(struct span text, int64_t placeholder, struct x86_statement *statement);
#endif
