/* The invented bytes of IA-64 listings, 16 for a bundle.

   A slot starts at byte 0, 6 or 12 of its bundle, as objdump numbers them; a long instruction takes bytes 6
   … 15. Its first four bytes are the number of its text, from 1, little-endian; 0: nothing here.  Byte 4 is
   the bundle's template number plus 1 (0: left to the assembler), byte 5 its stops (as in the table bundles),
   byte 10 is 1 where the second slot holds a long instruction.  Branch targets are rows of relocations at the
   address of the slot (type LISTING_TARGET; value the address, or symbol alone for what another file
   defines). */
#ifndef READ_IA64_CODE_H
#define READ_IA64_CODE_H
#include "read/ia64.h"

enum { LISTING_TARGET = 1 };

struct ia64_texts {
    struct array texts; /* of struct ia64_text, number 1 is at index 1 */
};
struct ia64_text {
    const char *written;  /* as in the listing, blanks made single */
    const char *resolved; /* aliases replaced; the same pointer where there are none */
};

/* A reader of its own for a program whose code is such bytes; texts is its context.  Kept by the model. */
const struct isa_reader *ia64_listing_reader(struct model *model, const struct ia64_texts *texts);
#endif
