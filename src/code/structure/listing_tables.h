/* Jump tables of IA-64 listings. */
#ifndef CODE_STRUCTURE_LISTING_TABLES_H
#define CODE_STRUCTURE_LISTING_TABLES_H
#include "code/structure/layout.h"

struct listing_tables {
    struct array labels; /* of struct listing_label: labels in code, and labels of data, by file and name */
    struct array places; /* of struct listing_label: labels in code, by address */
};

/* Before the blocks are cut; empty for other programs than IA-64 listings. */
struct listing_tables *listing_tables_make(const struct layout *layout);
void listing_tables_free(struct listing_tables *tables); /* NULL is nothing */
/* The addresses (of uint64_t) that the indirect jump at this entry of the piece may go to, and which table it
   is.  Any thread.  false if there is no table, or it has too many entries. */
bool listing_tables_find(const struct layout *layout, const struct piece *piece, uint32_t jump, uint64_t most,
                         struct array *targets, uint32_t *table);
/* The same for jumps whose table is named far away from them: the only table that the piece names and that is
   not one of those (of uint32_t). */
bool listing_tables_find_far(const struct layout *layout, const struct piece *piece,
                             const struct array *others, uint64_t most, struct array *targets);
/* Places in code that labels name, by address: index of the first that is not below an address, and the
   address of one; NO_ADDRESS after the last. */
size_t listing_tables_first_place(const struct listing_tables *tables, uint64_t address);
uint64_t listing_tables_place(const struct listing_tables *tables, size_t index);
#endif
