/* One IA-64 instruction as text, through binutils' libopcodes. */
#ifndef CODE_READ_IA64_TEXT_H
#define CODE_READ_IA64_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* unit: M, I, F, B or X; word: the 41 bits of the slot; extension: those of the slot before it, for X.
   Writes the instruction as objdump prints it, without template and stop, "@" for an address that is the
   bundle's own and .+N for another one.  false if the word is not an instruction.  Any thread. */
bool ia64_write_text(char unit, uint64_t word, uint64_t extension, char *text, size_t size);
#endif
