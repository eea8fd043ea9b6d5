/* Records of SQLite's file format: a header with the type of each value, then the values.

   record_encode_row goes through the columns of a row once and writes types and values side by side: the
   header grows in a gap before the values and is moved up to them at the end.  Values of an integer's size
   take as many bytes as they need; a real that is a small whole number is stored as an integer, as SQLite
   does it, because the column's type makes it a real again. */
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

/* Integers of variable length, as the format has them: bytes that one takes; writes it and returns them. */
size_t record_varint_size(uint64_t value);
size_t record_put_varint(uint8_t *at, uint64_t value);

/* A record of a row.  A NULL comes first where starts_with_null says so (the id of a table with rowids), a
   rowid last where it is not 0 (an index of such a table).  Columns behind the least first ones are left out
   at the end of the record where they have their default.  The record lies in the space, until the next one
   is made. */
struct record record_encode_row(struct record_space *space, const struct model *model,
                                const struct table_column *const *columns, unsigned count, unsigned least,
                                const void *row, bool starts_with_null, int64_t rowid);
/* A record of texts and NULLs (NULL pointers). */
struct record record_encode_texts(struct record_space *space, const char *const *texts, unsigned count);
#endif
