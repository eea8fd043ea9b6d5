/* Machine code without a program around it: a block of instructions as rows of encodings.

   Hundreds of thousands of blocks share most of their instructions, so each distinct one is described once,
   in a model that holds nothing else.  An endless stream of blocks must not need endless memory: the caller
   checks between blocks whether the vocabulary has grown large, and then clears it. */
#ifndef CODE_STRUCTURE_SNIPPET_H
#define CODE_STRUCTURE_SNIPPET_H
#include "code/structure/meanings.h"

enum { MOST_SNIPPET_INSTRUCTIONS = 1 << 16, MOST_SNIPPET_BYTES = 15 << 16 };

struct snippet_row {
    uint32_t encoding;
    uint32_t offset; /* of its first byte in the block */
    uint64_t
        target; /* address that a PC-relative operand refers to, if the block starts at 0; or NO_ADDRESS */
};

struct snippets {
    const struct isa_reader *reader;
    struct model model; /* encodings, operands, register_uses and registers */
    struct meanings meanings;
    struct array rows;    /* of struct snippet_row: the block at hand */
    struct array keys;    /* of struct key: theirs */
    struct array numbers; /* of uint32_t: of these keys in the vocabulary */
};

/* false if there is no reader for the instruction set. */
bool snippets_begin(struct snippets *snippets, enum isa isa, struct error *error);
void snippets_end(struct snippets *snippets);
/* Makes the bytes the current block.  Fails for an empty block, and for bytes that do not decode, which the
   error shows with their offset. */
bool snippets_read(struct snippets *snippets, const uint8_t *bytes, size_t size, struct error *error);
/* From now on new instructions get no texts, if that saves time. */
void snippets_leave_texts(struct snippets *snippets);
/* The text of an instruction of the current block, in either mode; NULL for none. */
const char *snippets_text(struct snippets *snippets, uint32_t encoding);
/* Whether the vocabulary is large. */
bool snippets_are_many(const struct snippets *snippets);
/* Drops all rows except registers, which keep their places.  The caller must also clear what it resolved from
   the rows (machine_costs). */
void snippets_forget(struct snippets *snippets);
/* Whether the current block ends in a direct jump or branch to its own start. */
bool snippets_is_loop(const struct snippets *snippets);

/* Bytes from hexadecimal text: two digits each; 0x and spaces are ignored. bytes has room for length / 2;
 *size gets the number of bytes. */
bool snippet_bytes(const char *text, size_t length, uint8_t *bytes, size_t *size, struct error *error);
#endif
