#include "model/expect.h"

#ifdef ASSAY_EXPECT
#include "model/order.h"
#include "model/tables.h"

#include <stdio.h>

static _Noreturn void fail(const struct table_description *table, const struct table_column *column,
                           size_t row, const char *what, const char *room)
{
    char words[500];
    snprintf(words, sizeof words, "%s.%s of row %zu to %s (after %s)", table->name, column->name, row, what,
             room);
    expect_failed(words, "src/model/tables.def", 0, "the model");
}

static void expect_references(const struct model *model, const struct table_description *table,
                              const struct table_column *column, const char *room)
{
    const struct array *rows = table_rows(table, model);
    size_t limit = table_rows(column->refers_to, model)->count;
    for (size_t row = table_first_row(table); limit > 1 && row < rows->count; row++) {
        uint64_t id = (uint64_t)table_integer(column, array_at(rows, row));
        if (id && id >= limit)
            fail(table, column, row, "name a row", room);
    }
}

void model_expect(const struct model *model, const char *room)
{
    for (unsigned t = 0; t < table_count; t++) {
        const struct table_description *table = &table_descriptions[t];
        for (unsigned i = 0; i < table->column_count; i++) {
            const struct table_column *column = &table->columns[i];
            if (column->type == COLUMN_REF)
                expect_references(model, table, column, room);
        }
        size_t row;
        const struct table_column *unsorted = model_unsorted(model, table, &row);
        if (unsorted)
            fail(table, unsorted, row, "be no less than the one before", room);
    }
}
#endif
