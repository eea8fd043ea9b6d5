/* Bytes of one instruction set with no program around them: a block of instructions as rows of encodings.

   Blocks by the hundred thousand share most of their instructions, so each distinct one is described once, in
   a model that holds nothing else.  An endless stream of blocks must not need endless memory: whoever reads
   one asks between blocks whether the vocabulary has grown large, and then has everything forgotten. */
#ifndef STRUCTURE_SNIPPET_H
#define STRUCTURE_SNIPPET_H
#include "structure/meanings.h"

enum { MOST_SNIPPET_INSTRUCTIONS = 1 << 16, MOST_SNIPPET_BYTES = 15 << 16 };

struct snippet_row {
    uint32_t encoding;
    uint32_t offset; /* of its first byte in the block */
    uint64_t target; /* that a PC-relative operand means, if the block starts at address 0; or NO_ADDRESS */
};

struct snippets {
    const struct isa_reader *reader;
    struct model model; /* encodings, operands, register_uses and registers */
    struct meanings meanings;
    struct array rows;    /* of struct snippet_row: the block at hand */
    struct array keys;    /* of struct key: theirs */
    struct array numbers; /* of uint32_t: of these keys in the vocabulary */
};

/* false where there is no reader for the instruction set. */
bool snippets_begin(struct snippets *snippets, enum isa isa, struct error *error);
void snippets_end(struct snippets *snippets);
/* The bytes become the block at hand.  Fails for none, and for bytes that are no instruction, which the error
   names with their offset. */
bool snippets_read(struct snippets *snippets, const uint8_t *bytes, size_t size, struct error *error);
/* From now on instructions that are new get no texts, where that saves time. */
void snippets_leave_texts(struct snippets *snippets);
/* The text of an instruction of the block at hand, with or without that; NULL for none. */
const char *snippets_text(struct snippets *snippets, uint32_t encoding);
/* Whether the vocabulary is large. */
bool snippets_are_many(const struct snippets *snippets);
/* Drops all rows but the registers', which come back at the same places.  What was resolved from the rows
   (machine_costs) must go, too. */
void snippets_forget(struct snippets *snippets);
/* Whether the block at hand ends in a direct jump or branch to its own start. */
bool snippets_is_loop(const struct snippets *snippets);

/* Bytes from text in hexadecimal: two digits each, 0x before them and blanks between them do not matter.
   bytes has room for length / 2; the number of bytes comes back in *size. */
bool snippet_bytes(const char *text, size_t length, uint8_t *bytes, size_t *size, struct error *error);
#endif
