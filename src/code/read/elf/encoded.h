/* Encoded pointers of .eh_frame and exception tables: a byte gives the format and the base. */
#ifndef CODE_READ_ELF_ENCODED_H
#define CODE_READ_ELF_ENCODED_H
#include "code/read/cursor.h"

/* Reads the number alone.  is_known is false for a format that does not exist. */
uint64_t encoded_number(struct cursor *cursor, uint8_t encoding, unsigned address_size, bool *is_known);
/* Reads a pointer whose first byte is at address place.  A zero means no pointer and stays zero. false if the
   pointer cannot be known: it is relative to something that the file does not have, or kept elsewhere in
   memory. */
bool encoded_pointer(struct cursor *cursor, uint8_t encoding, unsigned address_size, uint64_t place,
                     uint64_t function, uint64_t *value);
#endif
