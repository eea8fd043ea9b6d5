#include "show/ui/cells.h"

#include "base/path.h"
#include "show/report/common/html.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/common/shown.h"
#include "store/problem.h"
#include "show/ui/machines.h"
#include "show/ui/tables.h"

#include <stdlib.h>
#include <string.h>

sqlite3_stmt *ui_ask(const struct ui_request *request, const char *sql, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (!sqlite3_prepare_v2(request->connection, sql, -1, &statement, NULL))
        return statement;
    error_set(error, request->subject->path, "%s", store_problem(request->connection));
    return NULL;
}

static bool ask_number(const struct ui_request *request, const char *sql, int64_t id, int64_t *number)
{
    struct error ignored = {0};
    sqlite3_stmt *statement = ui_ask(request, sql, &ignored);
    if (statement && sqlite3_bind_parameter_count(statement))
        sqlite3_bind_int64(statement, 1, id);
    int state = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    *number = state == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return state == SQLITE_ROW || state == SQLITE_DONE;
}

int64_t ui_ask_number(const struct ui_request *request, const char *sql)
{
    return ui_ask_number_of(request, sql, 0);
}

int64_t ui_ask_number_of(const struct ui_request *request, const char *sql, int64_t id)
{
    int64_t number;
    ask_number(request, sql, id, &number);
    return number;
}

int64_t ui_recall_number(const struct ui_request *request, const char *sql)
{
    int64_t number = 0;
    struct ui_tables *tables = request->subject->tables;
    if (!ui_tables_recall(tables, sql, &number) && ask_number(request, sql, 0, &number))
        ui_tables_note(tables, sql, number);
    return number;
}

const char *ui_column(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

char *ui_name(const struct ui_request *request, const char *name)
{
    char *plain = name && request->options->demangle ? shown_plain_name(name) : NULL;
    return plain ? plain : memory_format("%s", name ? name : "");
}

static void print_name(const struct ui_request *request, FILE *out, const char *name)
{
    autofree char *whole = ui_name(request, name), *shown = name_shorten(whole, NAME_COLUMNS, true);
    if (strcmp(whole, shown))
        html_format(out, " title=\"%s\"", whole);
    html_format(out, ">%s", *shown ? shown : "(no name)");
}

void ui_print_function(const struct ui_request *request, FILE *out, int64_t id, const char *name)
{
    if (id)
        fprintf(out, "<a href=\"/%u/function/%lld\"", request->subject->number, (long long)id);
    else
        fputs("<span", out);
    print_name(request, out, name);
    fputs(id ? "</a>" : "</span>", out);
}

void ui_print_loop_address(const struct ui_request *request, FILE *out, int64_t id)
{
    fprintf(out, "/%u/loop/%lld", request->subject->number, (long long)id);
    ui_print_machine(request, out);
}

void ui_print_loop(const struct ui_request *request, FILE *out, int64_t id, const char *name)
{
    fputs("<a href=\"", out);
    ui_print_loop_address(request, out, id);
    fputs("\"", out);
    print_name(request, out, name);
    fputs("</a>", out);
}

void ui_print_place(const struct ui_request *request, FILE *out, const struct ui_place *place)
{
    if (!place->file || !place->path) {
        if (place->address >= 0)
            fprintf(out, "<span class=\"dim\">0x%llx</span>", (unsigned long long)place->address);
        return;
    }
    fprintf(out, "<a href=\"/%u/source/%lld", request->subject->number, (long long)place->file);
    if (place->first_line > 0)
        fprintf(out, "?line=%lld#line-%lld", (long long)place->first_line, (long long)place->first_line);
    html_format(out, "\" title=\"%s\">%s", place->path, path_name(place->path));
    if (place->first_line > 0)
        fprintf(out, ":%lld", (long long)place->first_line);
    if (place->last_line > place->first_line)
        fprintf(out, "-%lld", (long long)place->last_line);
    fputs("</a>", out);
}

void ui_print_count_cell(FILE *out, sqlite3_stmt *statement, int column)
{
    fputs("<td class=\"figure\">", out);
    if (sqlite3_column_type(statement, column) != SQLITE_NULL) {
        int64_t count = sqlite3_column_int64(statement, column);
        html_count(out, count > 0 ? (uint64_t)count : 0);
    }
    fputs("</td>", out);
}

void ui_print_figure_cell(FILE *out, sqlite3_stmt *statement, int column, int decimals)
{
    fputs("<td class=\"figure\">", out);
    if (sqlite3_column_type(statement, column) != SQLITE_NULL)
        fprintf(out, "%.*f", decimals, sqlite3_column_double(statement, column));
    fputs("</td>", out);
}

void ui_print_share_cell(FILE *out, sqlite3_stmt *statement, int column)
{
    fputs("<td class=\"figure\">", out);
    if (sqlite3_column_type(statement, column) != SQLITE_NULL)
        fprintf(out, "%s&nbsp;%%", share_words(sqlite3_column_double(statement, column)).text);
    fputs("</td>", out);
}
