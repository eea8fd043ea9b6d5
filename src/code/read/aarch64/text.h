/* One AArch64 instruction word as text, through binutils' libopcodes. */
#ifndef CODE_READ_AARCH64_TEXT_H
#define CODE_READ_AARCH64_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the instruction as objdump prints it: one space after the mnemonic, "@" for a PC-relative address,
   no comments. false if the word is not an instruction; the text is then ".inst 0x…".  Any thread. */
bool aarch64_write_text(uint32_t word, char *text, size_t size);
/* {z2.b-z3.b} becomes {z2.b, z3.b}, {v30.b-v0.b} becomes {v30.b, v31.b, v0.b}; longer ranges stay. */
void aarch64_write_short_lists_with_commas(char *text, size_t size);
#endif
