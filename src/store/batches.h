/* Rows become records, several batches of rows at a time.

   Making the record of a row costs far more than putting it into a tree, and needs nothing but the row, so it
   is done by all threads; the tree takes the batches one after the other.  A batch looks at the row before
   its first one, so that keys are checked and distinct values counted across the borders. */
#ifndef STORE_BATCHES_H
#define STORE_BATCHES_H
#include "store/tree.h"

enum { BATCH_ROWS = 4096 };

/* What is written: a table (first NULL) or an index on the column first. */
struct batch_source {
    const struct model *model;
    const struct table_description *table;
    const struct table_column *first;
    const struct table_column **columns; /* as the record has them */
    unsigned column_count, key_count;
    uint32_t *order;  /* array indexes in the order of the tree; NULL: as they are */
    size_t row_count; /* rows of the table */
    bool has_rowids;
};

enum batch_fault { BATCH_SOUND, BATCH_EMPTY_KEY, BATCH_EQUAL_KEYS };

struct batch {
    struct array bytes; /* of uint8_t: the records, one behind the other */
    struct array ends;  /* of struct batch_end */
    size_t distinct;    /* rows whose first column differs from that of the row before */
    enum batch_fault fault;
    struct record_space space;
};

struct batch_end {
    size_t offset; /* where the record ends in bytes */
    int64_t rowid;
};

void batch_source_begin(struct batch_source *source, const struct model *model,
                        const struct table_description *table, const struct table_column *first);
void batch_source_end(struct batch_source *source);
/* Rows [number * BATCH_ROWS, …) of the source.  Any thread; the batch keeps its memory for the next time. */
void batch_encode(struct batch *batch, const struct batch_source *source, size_t number);
void batch_free(struct batch *batch);
#endif
