/* Records of SQLite's file format: a header with the type of each value, then the values.

   record_encode_row goes through the columns of a row once and writes types and values side by side: the
   header grows in a gap before the values and is moved up to them at the end.  Integers take as few bytes as
   possible; a real with a small integer value is stored as an integer, as SQLite does, because the column's
   type turns it back into a real. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H
#include "store/rows.h"

struct record {
    uint8_t *data;
    size_t size;
};

/* Room for records that are made one after the other. */
struct record_space {
    uint8_t *data;
    size_t capacity;
};
void record_space_free(struct record_space *space);

/* Variable-length integers of the file format: the size of one; writes one and returns its size. */
size_t record_varint_size(uint64_t value);
size_t record_put_varint(uint8_t *at, uint64_t value);

/* Encodes a row. With starts_with_null a NULL comes first (the id of a table with rowids); a rowid that is
   not 0 comes last (an index of such a table). Columns after the first `least` ones are left out at the end
   of the record if they have their default. The record stays in the space until the next one is made. */
struct record record_encode_row(struct record_space *space, const struct model *model,
                                const struct table_column *const *columns, unsigned count, unsigned least,
                                const void *row, bool starts_with_null, int64_t rowid);
/* A record of texts and NULLs (NULL pointers). */
struct record record_encode_texts(struct record_space *space, const char *const *texts, unsigned count);
#endif
