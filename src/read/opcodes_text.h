/* What the disassemblers of libopcodes print, gathered into a text.

   Comments are dropped: everything from the first piece in comment style on.  The library keeps state while
   it works and between instructions, so whoever calls it lets one thread in at a time. */
#ifndef READ_OPCODES_TEXT_H
#define READ_OPCODES_TEXT_H
#define PACKAGE "assay" /* the header insists */
#define PACKAGE_VERSION "0"
#include <dis-asm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opcodes_text {
    char *text; /* size bytes, at least 1; a zero is put behind what was printed by opcodes_end */
    size_t used, size;
    bool in_comment;
};

/* The disassembler for a machine, little-endian, that reads the buffer as if it lay at address 0.  Whoever
   disassembles sets info->stream to a struct opcodes_text. */
disassembler_ftype opcodes_prepare(struct disassemble_info *info, enum bfd_architecture architecture,
                                   unsigned long machine, uint8_t *buffer, unsigned buffer_size,
                                   void (*print_address)(bfd_vma, struct disassemble_info *));
void opcodes_print(struct opcodes_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Blanks at the end go, a zero comes. */
void opcodes_end(struct opcodes_text *text);
#endif
