/* The first step of elf_open: sections, addresses, rows. */
#ifndef CODE_READ_ELF_SECTIONS_H
#define CODE_READ_ELF_SECTIONS_H
#include "code/read/elf/elf.h"

/* Fills elf->sections and by_address and adds the rows.  Fails, without adding a row, if no section is
   usable. */
bool elf_find_sections(struct elf *elf, const char *where, struct error *error);

/* Stand-ins for the sections of a file without section headers, from its segments. */
void elf_sections_from_segments(struct elf *elf);
/* For both: bytes of the file, cut at its end. */
struct span elf_file_bytes(const struct elf *elf, uint64_t offset, uint64_t size);
#endif
