/* Pointers as .eh_frame and exception tables write them: a byte says the format and what they are relative
 * to. */
#ifndef READ_ELF_ENCODED_H
#define READ_ELF_ENCODED_H
#include "read/cursor.h"

/* Reads the number alone.  is_known is false for a format that does not exist. */
uint64_t encoded_number(struct cursor *cursor, uint8_t encoding, unsigned address_size, bool *is_known);
/* Reads a pointer whose first byte is at address place.  A zero is no pointer and stays zero.  false where it
   cannot be known: relative to something the file does not say, or kept elsewhere in memory. */
bool encoded_pointer(struct cursor *cursor, uint8_t encoding, unsigned address_size, uint64_t place,
                     uint64_t function, uint64_t *value);
#endif
