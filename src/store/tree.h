/* Fills the B-trees of an SQLite file, page by page, from rows in key order. */
#ifndef STORE_TREE_H
#define STORE_TREE_H
#include "base/error.h"
#include "store/record.h"

/* A file of pages, written by appending. Page numbers start at 1. */
struct pages {
    int file;
    const char *path; /* for errors */
    size_t page_size;
    uint32_t count;   /* pages of the file, including those still in the buffer */
    uint8_t *waiting; /* the last pages, not written yet */
    size_t waiting_count;
    uint8_t *schema; /* the first pages: kept in memory until the end, because the roots are there */
    uint32_t schema_count;
    struct error *error;
};

/* Takes the image of a database made by SQLite, with empty tables and indexes. The image must outlive the
   file.
 */
void pages_begin(struct pages *pages, int file, const char *path, uint8_t *image, size_t image_size,
                 size_t page_size, struct error *error);
/* Writes the buffered pages and the first pages. */
bool pages_end(struct pages *pages);
void pages_free(struct pages *pages);

struct tree {
    struct pages *pages;
    uint32_t root;
    bool is_index; /* entries without rowid: an index, a table without rowid */
    uint8_t *page; /* the leaf being filled */
    size_t cell_count, low, high, last_cell_size;
    int64_t last_rowid;
    struct array children;   /* of struct tree_child: finished leaves */
    struct array separators; /* bytes: the cells between them */
};

void tree_begin(struct tree *tree, struct pages *pages, uint32_t root, bool is_index);
/* An index ignores rowid. */
bool tree_add(struct tree *tree, int64_t rowid, const struct record *record);
/* Writes the rest and the levels above the leaves, and frees the tree's memory, also after a failure. */
bool tree_end(struct tree *tree);
#endif
