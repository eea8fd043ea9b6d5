/* A whole file, up to rows of SQL over it and a listing. */
#include "fuzz/harness.h"

#include "show/report/asm.h"
#include "show/report/common/demangle.h"
#include "show/report/common/places.h"
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
