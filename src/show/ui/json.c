#include "show/report/common/rows.h"
#include "show/ui/request.h"

#include <math.h>
#include <string.h>

void ui_json_string(FILE *out, const char *text)
{
    if (text)
        report_json_text(out, text, strlen(text));
    else
        fputs("null", out);
}

static void print_integer(FILE *out, int64_t integer)
{
    static const int64_t LARGEST = (int64_t)1 << 53; /* that every reader of JSON takes exactly */
    bool is_exact = integer >= -LARGEST && integer <= LARGEST;
    fprintf(out, is_exact ? "%lld" : "\"%lld\"", (long long)integer);
}

static void print_hexadecimal(FILE *out, const unsigned char *bytes, int size)
{
    putc('"', out);
    for (int i = 0; bytes && i < size; i++)
        fprintf(out, "%02x", bytes[i]);
    putc('"', out);
}

void ui_json_value(FILE *out, sqlite3_stmt *statement, int column)
{
    double real;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        print_integer(out, sqlite3_column_int64(statement, column));
        break;
    case SQLITE_BLOB:
        print_hexadecimal(out, sqlite3_column_blob(statement, column),
                          sqlite3_column_bytes(statement, column));
        break;
    case SQLITE_FLOAT:
        real = sqlite3_column_double(statement, column);
        if (isfinite(real))
            fprintf(out, "%.17g", real);
        else
            fputs("null", out);
        break;
    case SQLITE_NULL:
        fputs("null", out);
        break;
    default:
        report_json_text(out, (const char *)sqlite3_column_text(statement, column),
                         (size_t)sqlite3_column_bytes(statement, column));
    }
}

bool ui_json_rows(struct ui_request *request, struct ui_answer *answer, const char *sql,
                  const int64_t *parameters, unsigned count, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(request->connection, sql, -1, &statement, NULL))
        return error_set(error, NULL, "%s", sqlite3_errmsg(request->connection));
    for (unsigned i = 0; i < count; i++)
        sqlite3_bind_int64(statement, (int)i + 1, parameters[i]);
    answer->type = "application/json";
    fputs("{\"columns\":[", answer->out);
    int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns; i++) {
        fputs(i ? "," : "", answer->out);
        ui_json_string(answer->out, sqlite3_column_name(statement, i));
    }
    fputs("],\"rows\":[", answer->out);
    int state;
    for (bool is_first = true; (state = sqlite3_step(statement)) == SQLITE_ROW; is_first = false) {
        fputs(is_first ? "[" : ",[", answer->out);
        for (int i = 0; i < columns; i++) {
            fputs(i ? "," : "", answer->out);
            ui_json_value(answer->out, statement, i);
        }
        putc(']', answer->out);
    }
    fputs("]}\n", answer->out);
    if (state != SQLITE_DONE)
        error_set(error, NULL, "%s", sqlite3_errmsg(request->connection));
    sqlite3_finalize(statement);
    return state == SQLITE_DONE;
}
