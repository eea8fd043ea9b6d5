/* Both print a key of the object and an array after it. */
#include "report/common/run_json.h"

#include "report/common/rows.h"

#include <string.h>

void run_json_sentences(struct row_writer *row, const char *key, const struct array *sentences)
{
    row_begin(row, key);
    putc('[', row->out);
    for (size_t i = 0; i < sentences->count; i++) {
        const char *sentence = *ARRAY_AT(char *, sentences, i);
        fputs(i ? ",\n  " : "\n  ", row->out);
        report_json_text(row->out, sentence, strlen(sentence));
    }
    putc(']', row->out);
}

bool run_json_rows(struct row_writer *row, const char *key, const struct asked *asked, const char *sql,
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
