#include "show/report/common/run_json.h"

#include "show/report/common/rows.h"

#include <string.h>

void run_json_sentences(struct row_writer *row, const char *key, const struct array *sentences)
{
    struct row_list list = row_begin_list(row, key, "\n  ");
    for (size_t i = 0; i < sentences->count; i++) {
        const char *sentence = *ARRAY_AT(char *, sentences, i);
        row_separate(&list);
        report_json_text(row->out, sentence, strlen(sentence));
    }
    row_end_list(&list);
}

bool run_json_columns(struct row_writer *row, const struct asked *asked, const char *sql, int64_t run,
                      struct error *error)
{
    sqlite3_stmt *statement = report_ask(asked, sql, run, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    for (int i = 0; state == 1 && i < sqlite3_column_count(statement); i++) {
        const char *name = sqlite3_column_name(statement, i);
        if (sqlite3_column_type(statement, i) == SQLITE_FLOAT) {
            row_number(row, name, sqlite3_column_double(statement, i));
        } else {
            row_begin(row, name);
            report_json_value(row->out, statement, i);
        }
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

static bool write_rows(struct row_writer *row, const char *key, const struct asked *asked, const char *sql,
                       int64_t run, struct error *error)
{
    uint64_t count = 0;
    struct report_style style = {.format = report_JSON};
    sqlite3_stmt *statement = report_ask(asked, sql, run, -1, error);
    if (!statement)
        return false;
    row_begin(row, key);
    bool done = report_json(statement, &style, -1, row->out, &count, error);
    sqlite3_finalize(statement);
    return done;
}

bool run_json_queries(struct row_writer *row, const struct asked *asked, const struct query *queries,
                      int64_t run, struct error *error)
{
    for (; queries->name; queries++)
        if (!write_rows(row, queries->name, asked, queries->sql, run, error))
            return false;
    return true;
}
