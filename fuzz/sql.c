/* Text as SQL: macros are found exactly where SQLite would find a name, and no statement writes. */
#include "fuzz/harness.h"

#include "show/report/common/demangle.h"
#include "show/report/common/places.h"
#include "show/report/common/rows.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

static int steps;
static int stop_long_query(void *unused)
{
    (void)unused;
    return ++steps > 100;
}

static bool print(void *context, sqlite3_stmt *statement, struct error *error)
{
    (void)context;
    uint64_t rows;
    struct report_style style = {.format = (enum report_format)(steps++ % 3), .unicode = true};
    if (!sqlite3_stmt_readonly(statement))
        harness_wrong("a statement that writes", sqlite3_sql(statement));
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
        const char *name = sqlite3_bind_parameter_name(statement, i);
        if (name && name[0] != ':' && name[0] != '@' && name[0] != '$' && name[0] != '?' && name[0] != '#')
            harness_wrong("a parameter of another kind", name);
    }
    return report_rows(statement, &style, -1, harness_nowhere(), &rows, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct model model;
    static struct store *store;
    struct error error = {0};
    if (!store) {
        model_init(&model);
        store = store_open_model(&model, &error);
        if (!store || !demangle_register(store_connection(store), &error) ||
            !places_register(store_connection(store), &error))
            harness_wrong("store_open_model", error.text);
        sqlite3_progress_handler(store_connection(store), 1000, stop_long_query, NULL);
        sqlite3_limit(store_connection(store), SQLITE_LIMIT_LENGTH, 1 << 20);
    }
    steps = 0;
    char *text = harness_text(data, size);
    const struct store_choice choice = {.function = 1, .loop = 2, .may_be_null = 1u << STORE_BLOCK};
    store_is_complete(text);
    if (!store_run(store, "script", text, &choice, print, NULL, &error) && !error.set)
        harness_wrong("a failure without a reason", text);
    free(text);
    return 0;
}
