/* A whole file becomes rows that refer to each other properly. */
#include "fuzz/harness.h"

#include "model/tables.h"

/* Ids refer to rows that are there. */
static void check_references(const struct model *model)
{
    for (unsigned t = 0; t < table_count; t++) {
        const struct table_description *table = &table_descriptions[t];
        const struct array *rows = table_rows(table, model);
        for (unsigned c = 0; c < table->column_count; c++) {
            const struct table_column *column = &table->columns[c];
            if (column->type != COLUMN_REF)
                continue;
            size_t count = table_rows(column->refers_to, model)->count;
            for (size_t i = table->key ? 0 : 1; i < rows->count; i++) {
                const uint32_t *id = (const void *)((const char *)array_at(rows, i) + column->offset);
                if (*id && *id >= count)
                    harness_wrong("a reference to no row", column->name);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model;
    if (harness_build(&model, data, size))
        check_references(&model);
    model_free(&model);
    return 0;
}
