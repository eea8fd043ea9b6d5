/* Collects the output of libopcodes' disassemblers in a text.

   Comments are dropped: everything from the first piece in comment style on.  The library keeps state while
   it works and between instructions, so only one thread at a time may call it. */
#ifndef CODE_READ_OPCODES_TEXT_H
#define CODE_READ_OPCODES_TEXT_H
#define PACKAGE "assay" /* bfd.h refuses to compile without it */
#define PACKAGE_VERSION "0"
#include <dis-asm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opcodes_text {
    char *text; /* size bytes, at least 1; opcodes_end terminates the text */
    size_t used, size;
    bool in_comment;
};

/* The little-endian disassembler for a machine, which reads the buffer as if it were at address 0.  The
   caller sets info->stream to a struct opcodes_text. */
disassembler_ftype opcodes_prepare(struct disassemble_info *info, enum bfd_architecture architecture,
                                   unsigned long machine, uint8_t *buffer, unsigned buffer_size,
                                   void (*print_address)(bfd_vma, struct disassemble_info *));
void opcodes_print(struct opcodes_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes trailing spaces and terminates the text. */
void opcodes_end(struct opcodes_text *text);
#endif
