/* A block of code that a user gives: assembly text, in a file or on standard input, or bytes in hexadecimal.
 */
#ifndef CLI_BLOCK_INPUT_H
#define CLI_BLOCK_INPUT_H
#include "cli/session.h"
#include "code/read/listing/text_code.h"

/* The code of an assembly text, which must be in one section; - is standard input.  code->isa: the
   instruction set if it is known, else NONE, and then what the text is recognised as.  A text of instructions
   and labels keeps the lines and addresses of its instructions (code/read/listing/text_code.h). */
bool block_input_assembly(struct session *session, const char *name, struct text_code *code,
                          struct error *error);
/* Bytes from hexadecimal text. */
bool block_input_hex(const char *text, struct text_code *code, struct error *error);
#endif
