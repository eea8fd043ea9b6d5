#include "cli/printing.h"

#include "show/report/common/rows.h"

#include <string.h>

static bool find_bars(const struct printing *printing, sqlite3_stmt *statement, int *column,
                      struct error *error)
{
    int count = sqlite3_column_count(statement);
    *column = printing->is_histogram ? count - 1 : -1;
    if (!printing->bars)
        return true;
    for (*column = 0; *column < count; ++*column) {
        const char *name = sqlite3_column_name(statement, *column);
        if (name && !strcmp(name, printing->bars))
            return true;
    }
    return error_set(error, NULL, "the result has no column %s to draw as bars", printing->bars);
}

bool printing_rows(void *context, sqlite3_stmt *statement, struct error *error)
{
    struct printing *printing = context;
    struct session *session = printing->session;
    int bars;
    uint64_t count = 0;
    if (!find_bars(printing, statement, &bars, error))
        return false;
    if (printing->results++ && !printing->is_shell && session->style.format != report_JSON)
        fputs(session->style.format == report_CSV ? "\r\n" : "\n", session->out);
    bool done = report_rows(statement, &session->style, bars, session->out, &count, error);
    printing->rows += count;
    return done;
}

bool printing_set_mode(void *context, const char *mode)
{
    struct printing *printing = context;
    static const char *const modes[] = {
        [report_TABLE] = "table", [report_CSV] = "csv", [report_JSON] = "json"};
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (!strcmp(mode, modes[i])) {
            printing->session->style.format = (enum report_format)i;
            return true;
        }
    return false;
}
