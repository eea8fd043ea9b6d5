/* Jump tables of IA-64 listings. */
#ifndef STRUCTURE_LISTING_TABLES_H
#define STRUCTURE_LISTING_TABLES_H
#include "structure/layout.h"

struct listing_tables {
    struct array labels; /* of struct listing_label: labels in code, and labels of data, by file and name */
    struct array places; /* of struct listing_label: labels in code, by address */
};

/* Before the blocks are cut; empty for other programs than IA-64 listings. */
struct listing_tables *listing_tables_make(const struct layout *layout);
void listing_tables_free(struct listing_tables *tables); /* NULL is nothing */
/* The addresses (of uint64_t) that the indirect jump at this entry of the piece may go to.  Any
   thread.  false where no table is found, or none with as few entries as that. */
bool listing_tables_find(const struct layout *layout, const struct piece *piece, uint32_t jump, uint64_t most,
                         struct array *targets);
#endif
