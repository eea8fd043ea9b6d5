/* Shared by the files of the x86 readers: one decoded instruction and the parts of its description. x86.c
   explains how they fit together. */
#ifndef CODE_READ_X86_X86_H
#define CODE_READ_X86_X86_H
#include <Zydis/Zydis.h>
#include "code/read/isa.h"

/* The registers of one mode. */
struct x86_registers {
    const struct register_fact *facts;
    const uint16_t *of_zydis; /* number of a ZydisRegister; 0 if the mode lacks it */
    const uint16_t *of_flag;  /* number of the flag at a bit of the flags register; 0 for none */
};
extern const struct x86_registers x86_registers_64, x86_registers_32;
enum { X86_FLAG_BITS = 22 };

/* The lists of x86/registers.def, with the empty register 0 counted. */
enum {
#define REGISTER(symbol, name, kind, bits, offset, full, full_32) +1
#define LONG(symbol, name, kind, bits, offset, full) +1
#define NATIVE(symbol, name, kind) +1
#define FLAG_BIT(symbol, name, bits, offset) +1
    X86_COUNT_64 = 1
#include "code/read/x86/registers.def"
#undef LONG
#define LONG(symbol, name, kind, bits, offset, full)
    ,
    X86_COUNT_32 = 1
#include "code/read/x86/registers.def"
#undef REGISTER
#undef LONG
#undef NATIVE
#undef FLAG_BIT
};
extern const struct register_fact x86_facts_64[X86_COUNT_64], x86_facts_32[X86_COUNT_32];

struct x86_instruction {
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    unsigned visible; /* operands in the text, including the mask */
    const struct x86_registers *registers;
};

/* What a mnemonic alone says.  Some classes depend on the operands as well; they are numbers beyond the
   vocabulary: see x86/meaning.c. */
struct x86_mnemonic {
    uint8_t class;
    uint8_t element;
    bool is_packed;
    bool is_known;             /* Assay has this mnemonic; a test checks that it has all */
    bool is_of_knights_corner; /* the only dialect that has it */
};
const struct x86_mnemonic *x86_mnemonic(ZydisMnemonic mnemonic);

/* What it computes; zeros if x86/operations.def does not have it. */
struct x86_operation {
    uint8_t operation, condition;
    uint8_t takes; /* an element, if it differs from the mnemonic's */
};
const struct x86_operation *x86_operation(ZydisMnemonic mnemonic);

/* Corrects Zydis' operands. */
void x86_correct(struct x86_instruction *instruction);
/* The same for Knights Corner's own instructions. */
void x86_correct_knights_corner(struct x86_instruction *instruction);
/* Length of a 64-bit instruction without a PC-relative address, if its opening is cached; 0 if it has to be
   decoded. */
unsigned x86_known_length(const uint8_t *bytes, size_t left);
void x86_learn_length(const uint8_t *bytes, const ZydisDecodedInstruction *decoded);
/* Fills class, flow, element, vector and memory columns of the encoding. */
void x86_describe_meaning(const struct x86_instruction *instruction, struct encoding *encoding);
/* Fills operands and uses; needs the class. */
void x86_describe_operands(const struct x86_instruction *instruction, struct description *description);
void x86_describe_uses(const struct x86_instruction *instruction, struct description *description);
void x86_describe_name(const struct x86_instruction *instruction, struct description *description);
/* Fills the text; needs the name. */
void x86_describe_text(const struct x86_instruction *instruction, struct description *description);
/* Fills the form and what the predecoder needs; needs the name. */
void x86_describe_form(const struct x86_instruction *instruction, struct description *description);

static inline bool x86_is_string(const ZydisDecodedInstruction *decoded)
{
    return decoded->meta.category == ZYDIS_CATEGORY_STRINGOP ||
           decoded->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}
static inline bool x86_is_repeated(const ZydisDecodedInstruction *decoded)
{
    return decoded->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}
/* The embedded mask is k1 … k7: k0 means no mask. */
static inline bool x86_is_no_mask(const ZydisDecodedOperand *operand)
{
    return operand->encoding == ZYDIS_OPERAND_ENCODING_MASK && operand->reg.value == ZYDIS_REGISTER_K0;
}

/* x86/assemble.c: as isa_reader.assemble says. */
char *x86_assemble_knights_corner(struct span name, struct span operands);
/* Only what Zydis' minimal mode finds. */
bool x86_decode_knights_corner(const uint8_t *bytes, size_t size, ZydisDecodedInstruction *decoded);

/* x86/transfers.c */
void x86_find_transfers(const struct transfer_search *search, struct array *found);
#endif
