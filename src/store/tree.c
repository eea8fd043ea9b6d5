/* The part of SQLite's file format that a bulk load needs.

   Through SQL, ten million rows would run a bytecode program ten million times, and each row would search a
   tree for its place, which is always the end. Rows of a model are in key order (or cheap to sort), so the
   trees can be built bottom-up instead, each page once and full: several times faster, and the file is as
   small as possible. The format is documented (https://www.sqlite.org/fileformat2.html) and guaranteed to
   stay. SQLite itself creates the schema and the empty roots (write.c); this file only writes pages of trees:

     leaf of a table     cells: size, rowid, record        flag 13
     inside of a table   cells: child, highest rowid in it flag 5     and a rightmost child
     leaf of an index    cells: size, record               flag 10
     inside of an index  cells: child, size, record        flag 2     and a rightmost child

   In an index the records inside are entries too, each between the entries of its two children; so when a
   leaf is full its last cell moves up as the separator.  Records that are too long for a page go on in a
   chain of overflow pages.  Pages do not refer to their parents, so all pages are appended as they are
   finished; only the root goes to the page that the schema names.

   SQLite uses the page with byte 2^30 of the file for locks; it never holds data. */
#include "store/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { WAITING_MAX = 1 << 20, LOCK_BYTE = 0x40000000 };
enum { TABLE_LEAF = 13, TABLE_INSIDE = 5, INDEX_LEAF = 10, INDEX_INSIDE = 2 };
enum { LEAF_HEADER = 8, INSIDE_HEADER = 12 };

struct tree_child {
    uint32_t page;
    int64_t last_rowid;       /* of a table */
    size_t separator, length; /* of an index: the cell after it, in separators; length 0 for the last child */
};

static void put_2(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put_4(uint8_t *at, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(at, &value, 4);
}

static bool write_all(struct pages *pages, const uint8_t *data, size_t size, uint64_t offset)
{
    while (size) {
        ssize_t written = pwrite(pages->file, data, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set_errno(pages->error, pages->path, "cannot write");
        data += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_waiting(struct pages *pages)
{
    uint64_t first = pages->count - pages->waiting_count;
    size_t size = pages->waiting_count * pages->page_size;
    pages->waiting_count = 0;
    return write_all(pages, pages->waiting, size, first * pages->page_size);
}

static bool append_one(struct pages *pages, const uint8_t *page)
{
    if (pages->count >= UINT32_MAX - 2)
        return error_set(pages->error, pages->path, "the database would have too many pages");
    if ((pages->waiting_count + 1) * pages->page_size > WAITING_MAX && !write_waiting(pages))
        return false;
    memcpy(pages->waiting + pages->waiting_count * pages->page_size, page, pages->page_size);
    pages->waiting_count++;
    pages->count++;
    return true;
}

/* The number of the new page, 0 on failure. */
static uint32_t append(struct pages *pages, const uint8_t *page)
{
    if (pages->count == LOCK_BYTE / pages->page_size) {
        uint8_t *empty = memory_get(pages->page_size);
        bool appended = append_one(pages, empty);
        free(empty);
        if (!appended)
            return 0;
    }
    return append_one(pages, page) ? pages->count : 0;
}

void pages_begin(struct pages *pages, int file, const char *path, uint8_t *image, size_t image_size,
                 size_t page_size, struct error *error)
{
    *pages = (struct pages){.file = file,
                            .path = path,
                            .page_size = page_size,
                            .count = (uint32_t)(image_size / page_size),
                            .waiting = memory_get(WAITING_MAX),
                            .schema = image,
                            .schema_count = (uint32_t)(image_size / page_size),
                            .error = error};
}

bool pages_end(struct pages *pages)
{
    return write_waiting(pages) && write_all(pages, pages->schema, pages->schema_count * pages->page_size, 0);
}

void pages_free(struct pages *pages)
{
    free(pages->waiting);
    pages->waiting = NULL;
}

static void page_clear(struct tree *tree, unsigned flag)
{
    memset(tree->page, 0, tree->pages->page_size);
    tree->page[0] = (uint8_t)flag;
    tree->cell_count = 0;
    tree->low = flag == TABLE_LEAF || flag == INDEX_LEAF ? LEAF_HEADER : INSIDE_HEADER;
    tree->high = tree->pages->page_size;
}

void tree_begin(struct tree *tree, struct pages *pages, uint32_t root, bool is_index)
{
    *tree = (struct tree){.pages = pages,
                          .root = root,
                          .is_index = is_index,
                          .page = memory_get(pages->page_size),
                          .children = ARRAY_OF(struct tree_child),
                          .separators = ARRAY_OF(uint8_t)};
    page_clear(tree, is_index ? INDEX_LEAF : TABLE_LEAF);
}

/* Adds a cell to the page and returns its place; NULL if it does not fit. */
static uint8_t *page_add(struct tree *tree, size_t size)
{
    if (tree->high - tree->low < size + 2)
        return NULL;
    tree->high -= size;
    put_2(tree->page + tree->low, tree->high);
    tree->low += 2;
    tree->cell_count++;
    tree->last_cell_size = size;
    return tree->page + tree->high;
}

/* Appends the page, or writes it to the root; 0 on failure. */
static uint32_t page_finish(struct tree *tree, bool is_root)
{
    put_2(tree->page + 3, tree->cell_count);
    put_2(tree->page + 5, tree->high & 0xffff);
    if (!is_root)
        return append(tree->pages, tree->page);
    memcpy(tree->pages->schema + (tree->root - 1) * tree->pages->page_size, tree->page,
           tree->pages->page_size);
    return tree->root;
}

/* How much of a record stays in its cell. */
static size_t local_size(const struct tree *tree, size_t size)
{
    size_t usable = tree->pages->page_size;
    size_t most = tree->is_index ? (usable - 12) * 64 / 255 - 23 : usable - 35;
    if (size <= most)
        return size;
    size_t least = (usable - 12) * 32 / 255 - 23;
    size_t fitting = least + (size - least) % (usable - 4);
    return fitting <= most ? fitting : least;
}

/* Writes the chain of overflow pages of a record; returns the first, 0 on failure. */
static uint32_t add_overflow(struct pages *pages, const uint8_t *data, size_t size)
{
    uint8_t *page = memory_get(pages->page_size);
    size_t room = pages->page_size - 4;
    uint32_t first = 0;
    while (size) {
        size_t part = size < room ? size : room;
        uint32_t here = pages->count + 1, next = pages->count + 2;
        uint32_t lock = (uint32_t)(LOCK_BYTE / pages->page_size) + 1;
        here += here == lock;
        next = here + 1 + (here + 1 == lock);
        memset(page, 0, pages->page_size);
        put_4(page, size > part ? next : 0);
        memcpy(page + 4, data, part);
        if (append(pages, page) != here) {
            first = 0;
            break;
        }
        first = first ? first : here;
        data += part;
        size -= part;
    }
    free(page);
    return first;
}

/* Writes a full leaf. The last cell of an index leaf becomes the separator to the next one. */
static bool finish_leaf(struct tree *tree)
{
    struct tree_child child = {.last_rowid = tree->last_rowid};
    if (tree->is_index) {
        child.separator = tree->separators.count;
        child.length = tree->last_cell_size;
        uint8_t *cell = tree->page + tree->high;
        memcpy(array_add_many(&tree->separators, child.length), cell, child.length);
        memset(cell, 0, child.length);
        tree->high += child.length;
        tree->low -= 2;
        tree->cell_count--;
        put_2(tree->page + tree->low, 0);
    }
    child.page = page_finish(tree, false);
    *(struct tree_child *)array_add(&tree->children) = child;
    page_clear(tree, tree->is_index ? INDEX_LEAF : TABLE_LEAF);
    return child.page != 0;
}

bool tree_add(struct tree *tree, int64_t rowid, const struct record *record)
{
    size_t local = local_size(tree, record->size);
    size_t size = record_varint_size(record->size) +
                  (tree->is_index ? 0 : record_varint_size((uint64_t)rowid)) + local +
                  (local < record->size ? 4 : 0);
    size_t room = size < 4 ? 4 : size;
    uint32_t overflow = 0;
    if (local < record->size) {
        overflow = add_overflow(tree->pages, record->data + local, record->size - local);
        if (!overflow)
            return false;
    }
    uint8_t *cell = page_add(tree, room);
    if (!cell) {
        if (!finish_leaf(tree))
            return false;
        cell = page_add(tree, room);
    }
    cell += record_put_varint(cell, record->size);
    if (!tree->is_index)
        cell += record_put_varint(cell, (uint64_t)rowid);
    memcpy(cell, record->data, local);
    if (overflow)
        put_4(cell + local, overflow);
    tree->last_rowid = rowid;
    return true;
}

/* A cell of an inside page: a child and the separator to the next one. */
static bool add_inside_cell(struct tree *tree, const struct tree_child *child)
{
    size_t size = tree->is_index ? child->length : record_varint_size((uint64_t)child->last_rowid);
    uint8_t *cell = page_add(tree, 4 + size);
    if (!cell)
        return false;
    put_4(cell, child->page);
    if (tree->is_index)
        memcpy(cell + 4, array_at(&tree->separators, child->separator), size);
    else
        record_put_varint(cell + 4, (uint64_t)child->last_rowid);
    return true;
}

/* One level of inside pages above the children.  Each page takes cells for as many children as fit, the last
   of them as its rightmost child, but never leaves a single child for the next page. */
static bool add_level(struct tree *tree)
{
    struct array parents = ARRAY_OF(struct tree_child);
    const struct tree_child *children = tree->children.data;
    size_t count = tree->children.count, done = 0;
    bool good = true;
    while (done < count && good) {
        page_clear(tree, tree->is_index ? INDEX_INSIDE : TABLE_INSIDE);
        size_t cells = 0;
        while (done + cells + 1 < count && add_inside_cell(tree, &children[done + cells]))
            cells++;
        size_t left = count - done - cells - 1; /* after the rightmost child */
        if (left == 1) {                        /* leave two: remove the last cell again */
            cells--;
            tree->cell_count--;
            tree->low -= 2;
            put_2(tree->page + tree->low, 0);
            memset(tree->page + tree->high, 0, tree->last_cell_size);
            tree->high += tree->last_cell_size;
        }
        const struct tree_child *right = &children[done + cells];
        put_4(tree->page + 8, right->page);
        struct tree_child parent = *right;
        parent.page = page_finish(tree, done == 0 && cells + 1 == count);
        good = parent.page != 0;
        *(struct tree_child *)array_add(&parents) = parent;
        done += cells + 1;
    }
    array_free(&tree->children);
    tree->children = parents;
    return good;
}

bool tree_end(struct tree *tree)
{
    bool good = true;
    if (!tree->pages->error->set) {
        if (!tree->children.count) {
            good = page_finish(tree, true) != 0;
        } else {
            struct tree_child last = {.last_rowid = tree->last_rowid, .page = page_finish(tree, false)};
            *(struct tree_child *)array_add(&tree->children) = last;
            good = last.page != 0;
            while (good && tree->children.count > 1)
                good = add_level(tree);
        }
    }
    free(tree->page);
    array_free(&tree->children);
    array_free(&tree->separators);
    return good && !tree->pages->error->set;
}
