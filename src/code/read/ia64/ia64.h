/* One IA-64 instruction, from its text to its meaning.

   Listings and libopcodes write the same language, so one function serves both: the reader of listings passes
   it each distinct instruction text once, and the decoder of ELF files passes it the output of libopcodes.
   Mnemonics, completers and operands are data: the build makes the table from src/code/read/ia64/ia64.isa.

   The text is one instruction without stop and comment: `(p16) ldfd f32=[r18],8`.  Names for registers or
   numbers have been replaced. */
#ifndef CODE_READ_IA64_IA64_H
#define CODE_READ_IA64_IA64_H
#include "code/read/isa.h"

/* What the reader of a listing needs before code/structure/ asks for the description. */
struct ia64_facts {
    uint8_t slot, flow; /* as in the table encodings */
    bool is_long;       /* takes two slots: movl, brl, nop.x, break.x, hint.x */
    bool is_unknown;    /* no such mnemonic */
    uint16_t target_start,
        target_length; /* the operand that names a place in the code (of br, brl, brp, chk); length 0: none */
    uint16_t complaint_start, complaint_length; /* the offending word */
    char complaint[96]; /* "" if correct; else the error, for a message with file, line and column */
};

/* facts may be NULL.  Unknown mnemonics get a description as well: name, text and is_unknown, without
   operands. */
void ia64_describe(const char *text, struct description *description, struct ia64_facts *facts);

/* The number of a register by name (r12, sp, f8, p16, pr, b0, rp, ar.lc, ar65, cr.ivr, pr.rot …), 0 for none.
 */
unsigned ia64_register_number(const char *name, size_t length);
enum { IA64_REGISTER_COUNT = 611 }; /* including the empty one; the build checks it against ia64.isa */
extern const struct register_fact ia64_registers[IA64_REGISTER_COUNT];
extern const unsigned ia64_register_count;

/* Templates by number, from 0, in lower case: mii mi;i mlx mmi m;mi mfi mmf mib mbb bbb mmb mfb.  Templates
   with a stop inside have the same letters as those without; stops are separate. */
enum { IA64_TEMPLATES = 12 };
extern const char ia64_templates[IA64_TEMPLATES][4];
#endif
