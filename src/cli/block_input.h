/* A block of code that a user gives: assembly text, in a file or on standard input, or bytes in hexadecimal.
 */
#ifndef CLI_BLOCK_INPUT_H
#define CLI_BLOCK_INPUT_H
#include "cli/session.h"

/* The code of an assembly text, which must be in one section, appended to bytes (of uint8_t); - is standard
   input.  *isa: the instruction set if it is known, else NONE, and then what the text is recognised as. */
bool block_input_assembly(struct session *session, const char *name, enum isa *isa, struct array *bytes,
                          struct error *error);
/* Bytes from hexadecimal text. */
bool block_input_hex(const char *text, struct array *bytes, struct error *error);
#endif
