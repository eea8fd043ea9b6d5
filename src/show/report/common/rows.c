#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/report/common/text.h"
#include "store/problem.h"

int report_step(sqlite3_stmt *statement, struct error *error)
{
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW || result == SQLITE_DONE)
        return result == SQLITE_ROW;
    if (result == SQLITE_INTERRUPT)
        error_set(error, NULL, "interrupted");
    else
        error_set(error, NULL, "%s", store_problem(sqlite3_db_handle(statement)));
    return -1;
}

bool report_rows(sqlite3_stmt *statement, const struct report_style *style, int bars, FILE *out,
                 uint64_t *count, struct error *error)
{
    report_rows_function *print = style->format == report_CSV    ? report_csv
                                  : style->format == report_JSON ? report_json
                                                                 : report_table;
    uint64_t printed = 0;
    bool done = print(statement, style, bars, out, &printed, error);
    if (count)
        *count = printed;
    if (!done)
        return false;
    if (ferror(out))
        return error_set_errno(error, NULL, "cannot write the result");
    return true;
}

static void write_hexadecimal(FILE *out, sqlite3_stmt *statement, int column)
{
    const unsigned char *bytes = sqlite3_column_blob(statement, column);
    int size = sqlite3_column_bytes(statement, column);
    for (int i = 0; bytes && i < size; i++)
        fprintf(out, "%02x", bytes[i]);
}

void report_csv_text(FILE *out, const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length && !quoted; i++)
        quoted = text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (!quoted) {
        fwrite_unlocked(text, 1, length, out);
        return;
    }
    putc_unlocked('"', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            putc_unlocked('"', out);
        putc_unlocked(text[i], out);
    }
    putc_unlocked('"', out);
}

void report_csv_value(FILE *out, sqlite3_stmt *statement, int column)
{
    if (sqlite3_column_type(statement, column) == SQLITE_BLOB)
        write_hexadecimal(out, statement, column);
    else if (sqlite3_column_type(statement, column) != SQLITE_NULL)
        report_csv_text(out, (const char *)sqlite3_column_text(statement, column),
                        (size_t)sqlite3_column_bytes(statement, column));
}

bool report_csv(sqlite3_stmt *statement, const struct report_style *style, int bars, FILE *out,
                uint64_t *count, struct error *error)
{
    (void)style;
    (void)bars;
    int columns = sqlite3_column_count(statement);
    int state = report_step(statement, error);
    if (state < 0)
        return false;
    for (int i = 0; i < columns; i++) {
        const char *name = sqlite3_column_name(statement, i);
        fputs(i ? "," : "", out);
        report_csv_text(out, name ? name : "", name ? strlen(name) : 0);
    }
    if (columns)
        fputs("\r\n", out);
    for (; state == 1 && !ferror(out); state = report_step(statement, error), ++*count) {
        for (int i = 0; i < columns; i++) {
            fputs(i ? "," : "", out);
            report_csv_value(out, statement, i);
        }
        fputs("\r\n", out);
    }
    return state >= 0;
}

void report_json_text(FILE *out, const char *text, size_t length)
{
    putc('"', out);
    for (size_t i = 0; i < length;) {
        uint32_t code_point = 0;
        unsigned size = text_decode(text + i, length - i, &code_point);
        if (!size)
            fputs("\\ufffd", out);
        else if (code_point == '"' || code_point == '\\')
            fprintf(out, "\\%c", (char)code_point);
        else if (code_point == '\n')
            fputs("\\n", out);
        else if (text_is_harmful(code_point))
            fprintf(out, "\\u%04x", (unsigned)code_point);
        else
            fwrite(text + i, 1, size, out);
        i += size ? size : 1;
    }
    putc('"', out);
}

void report_json_value(FILE *out, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        fputs("null", out);
        break;
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        if (isfinite(sqlite3_column_double(statement, column)))
            fprintf(out, "%.17g", sqlite3_column_double(statement, column));
        else
            fputs("null", out);
        break;
    case SQLITE_BLOB:
        putc('"', out);
        write_hexadecimal(out, statement, column);
        putc('"', out);
        break;
    default:
        report_json_text(out, (const char *)sqlite3_column_text(statement, column),
                         (size_t)sqlite3_column_bytes(statement, column));
    }
}

/* Keys of one object must differ: the second column of a name gets the suffix _2, and so on. */
static void write_json_key(FILE *out, sqlite3_stmt *statement, int column)
{
    const char *name = sqlite3_column_name(statement, column);
    int earlier = 0;
    for (int i = 0; name && i < column; i++) {
        const char *other = sqlite3_column_name(statement, i);
        earlier += other && !strcmp(name, other);
    }
    autofree char *key =
        earlier ? memory_format("%s_%d", name, earlier + 1) : memory_format("%s", name ? name : "");
    report_json_text(out, key, strlen(key));
}

bool report_json(sqlite3_stmt *statement, const struct report_style *style, int bars, FILE *out,
                 uint64_t *count, struct error *error)
{
    (void)style;
    (void)bars;
    int columns = sqlite3_column_count(statement);
    int state = report_step(statement, error);
    if (state < 0)
        return false;
    if (!columns)
        return true;
    putc('[', out);
    for (; state == 1 && !ferror(out); state = report_step(statement, error), ++*count) {
        fputs(*count ? ",\n {" : "\n {", out);
        for (int i = 0; i < columns; i++) {
            fputs(i ? "," : "", out);
            write_json_key(out, statement, i);
            putc(':', out);
            report_json_value(out, statement, i);
        }
        putc('}', out);
    }
    fputs(*count ? "\n]\n" : "]\n", out);
    return state >= 0;
}
