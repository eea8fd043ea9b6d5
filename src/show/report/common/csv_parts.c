#include "show/report/common/csv_parts.h"

#include "base/expect.h"
#include "base/memory.h"
#include "show/report/common/rows.h"

#include <stdlib.h>

static bool write_part(sqlite3_stmt *statement, sqlite3_stmt *head, FILE *out, struct error *error)
{
    int count = sqlite3_column_count(head), found = 0, state;
    autofree int *columns = memory_get((size_t)count * sizeof *columns);
    for (int i = 0; i < count; i++) {
        columns[i] = report_column_named(statement, sqlite3_column_name(head, i));
        found += columns[i] >= 0;
    }
    expect(found == sqlite3_column_count(statement)); /* every column of the part has a name of the head */
    while ((state = report_step(statement, error)) == 1) {
        for (int i = 0; i < count; i++) {
            fputs(i ? "," : "", out);
            if (columns[i] >= 0)
                report_csv_value(out, statement, columns[i]);
        }
        fputs("\r\n", out);
    }
    return state == 0;
}

bool report_csv_parts(const struct asked *asked, const struct query *queries, int64_t run, FILE *out,
                      struct error *error)
{
    sqlite3_stmt *head = report_ask(asked, queries->sql, run, -1, error);
    bool done = head;
    for (int i = 0; done && i < sqlite3_column_count(head); i++)
        fprintf(out, i ? ",%s" : "%s", sqlite3_column_name(head, i));
    if (done)
        fputs("\r\n", out);
    while (done && (++queries)->name) {
        sqlite3_stmt *statement = report_ask(asked, queries->sql, run, -1, error);
        done = statement && write_part(statement, head, out, error);
        sqlite3_finalize(statement);
    }
    sqlite3_finalize(head);
    return done;
}
