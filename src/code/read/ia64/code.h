/* The made-up bytes of IA-64 listings, 16 per bundle.

   A slot starts at byte 0, 6 or 12 of its bundle, as objdump numbers them; its first four bytes are the
   number of its text, from 1, little-endian; 0: nothing here.  The instructions of a bundle fill its slots
   without a hole, and the last one takes all bytes that are left: so a long instruction takes bytes 6 … 15,
   and a bundle that the listing does not fill has no gap.  Byte 4 is the bundle's template number plus 1 (0:
   left to the assembler), byte 5 its stops (as in the table bundles; one after its last instruction is bit
   2).  Branch targets are rows of relocations at the address of the slot (type LISTING_TARGET; value the
   address, or symbol alone for what another file defines). */
#ifndef CODE_READ_IA64_CODE_H
#define CODE_READ_IA64_CODE_H
#include "code/read/ia64/ia64.h"

enum { LISTING_TARGET = 1, BUNDLE_BYTES = 16, SLOT_BYTES = 6, BUNDLE_TEMPLATE = 4, BUNDLE_STOPS = 5 };

/* All listings of a model share one list, so that a number means one text in all its programs. */
struct ia64_texts {
    struct array texts; /* of struct ia64_text, number 1 is at index 1 */
};
struct ia64_text {
    const char *written;  /* as in the listing, with single spaces; @ stands for a local label */
    const char *resolved; /* with aliases replaced; the same pointer if there are none */
};

/* A separate reader for a program with such bytes; texts is its context.  Kept by the model. */
const struct isa_reader *ia64_listing_reader(struct model *model, const struct ia64_texts *texts);
#endif
