/* Filling the b-trees of an SQLite file, page by page, from rows that come in key order. */
#ifndef STORE_TREE_H
#define STORE_TREE_H
#include "base/error.h"
#include "store/record.h"

/* A file of pages, written from its end.  Page numbers start at 1. */
struct pages {
    int file;
    const char *path; /* for errors */
    size_t page_size;
    uint32_t count;   /* pages of the file, those waiting in the buffer too */
    uint8_t *waiting; /* the last pages, not written yet */
    size_t waiting_count;
    uint8_t *schema; /* the first pages: kept in memory until the end, because the roots are there */
    uint32_t schema_count;
    struct error *error;
};

/* Takes the image of a database that SQLite made, whose tables and indexes are empty.  The image must stay.
 */
void pages_begin(struct pages *pages, int file, const char *path, uint8_t *image, size_t image_size,
                 size_t page_size, struct error *error);
/* Writes what waits, and the first pages. */
bool pages_end(struct pages *pages);
void pages_free(struct pages *pages);

struct tree {
    struct pages *pages;
    uint32_t root;
    bool is_index; /* of entries without rowid: an index, a table without rowid */
    uint8_t *page; /* the leaf that is being filled */
    size_t cell_count, low, high, last_cell_size;
    int64_t last_rowid;
    struct array children;   /* of struct tree_child: finished leaves */
    struct array separators; /* bytes: the cells between them */
};

void tree_begin(struct tree *tree, struct pages *pages, uint32_t root, bool is_index);
/* rowid is not used for an index. */
bool tree_add(struct tree *tree, int64_t rowid, const struct record *record);
/* Writes the rest and the levels above the leaves, and frees the tree's memory, also after a failure. */
bool tree_end(struct tree *tree);
#endif
