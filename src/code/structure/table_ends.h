/* Where the next object in the data begins, for tables whose length the code does not give. */
#ifndef CODE_STRUCTURE_TABLE_ENDS_H
#define CODE_STRUCTURE_TABLE_ENDS_H
#include "code/structure/switches.h"

enum { TABLE_END_ENTRIES = 20000 }; /* of the stream that are looked through, from the function on */

/* The first address after start and before end that code refers to; end for none. */
uint64_t reference_after(const struct switch_context *context, uint64_t start, uint64_t end);
#endif
