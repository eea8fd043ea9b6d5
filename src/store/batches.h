/* Turns rows into records, several batches of rows at a time.

   Making a record costs far more than adding it to a tree, and needs only the row, so all threads do it; the
   tree takes the batches one after the other. A batch looks at the row before its first one, so that keys are
   checked and distinct values counted across batch boundaries. */
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
    uint32_t *order;  /* array indexes in the order of the tree; NULL: row order */
    size_t row_count; /* rows of the table */
    bool has_rowids;
};

enum batch_fault { BATCH_SOUND, BATCH_EMPTY_KEY, BATCH_EQUAL_KEYS };

struct batch {
    struct array bytes; /* of uint8_t: the records, one after the other */
    struct array ends;  /* of struct batch_end */
    size_t distinct;    /* rows whose first column differs from the previous row's */
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
