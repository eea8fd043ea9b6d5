/* A whole file: everything that a command does with it, up to rows of SQL and a listing. */
#include "fuzz/harness.h"

#include "model/tables.h"
#include "report/asm.h"
#include "report/demangle.h"
#include "report/places.h"
#include "store/store.h"

#include <stdlib.h>

static const char *const questions[] = {
    "select count(text), count(bytes), max(length(bytes)), sum(size) from instructions",
    "select count(*) from loops_by_name",
    "select max(length(demangle(name))) from functions",
    "select count(*) from call_graph_by_name",
    "select count(*) from instruction_sources",
    "select kind, sum(count) from problems group by 1",
};

static void ask(sqlite3 *connection, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(connection, sql, NULL, NULL, &message) != SQLITE_OK)
        harness_wrong(sql, message);
}

/* Ids refer to rows that are there. */
static void check_references(const struct model *model)
{
    for (unsigned t = 0; t < table_count; t++) {
        const struct table_description *table = table_described(t);
        const struct array *rows = table_rows(table, model);
        for (unsigned c = 0; c < table->column_count; c++) {
            const struct table_column *column = &table->columns[c];
            if (column->type != COLUMN_REF)
                continue;
            size_t count = table_rows(table_named(column->refers_to), model)->count;
            for (size_t i = table->key ? 0 : 1; i < rows->count; i++) {
                const uint32_t *id = (const void *)((const char *)array_at(rows, i) + column->offset);
                if (*id && *id >= count)
                    harness_wrong("a reference to no row", column->name);
            }
        }
    }
}

static void list_sections(sqlite3 *connection, size_t count)
{
    struct asm_options options = {.without_source = true};
    struct report_style style = {.demangle = true};
    for (size_t id = 1; id < count && id < 64; id++) {
        struct asm_selection selection = {asm_SECTION, (int64_t)id};
        struct error error = {0};
        report_asm(connection, &selection, 1, &options, &style, harness_nowhere(), &error);
        report_raw(connection, &selection, harness_nowhere(), &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model;
    struct error error = {0};
    if (harness_build(&model, data, size)) {
        check_references(&model);
        struct store *store = store_open_model(&model, &error);
        if (!store)
            harness_wrong("store_open_model", error.text);
        sqlite3 *connection = store_connection(store);
        if (!demangle_register(connection, &error) || !places_register(connection, &error))
            harness_wrong("SQL functions", error.text);
        for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++)
            ask(connection, questions[i]);
        list_sections(connection, model.sections.count);
        store_close(store);
    }
    model_free(&model);
    return 0;
}
