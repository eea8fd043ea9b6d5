#include "show/report/common/html_table.h"

#include "show/report/common/html.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

struct page_column {
    bool is_figure, is_used, is_code, is_stack, is_picture, is_place;
    int id;           /* column with the id of the page that it leads to; -1: none */
    const char *page; /* "loop/" */
};

/* Which page a column leads to. */
static void find_page(sqlite3_stmt *statement, int column, struct page_column *it)
{
    const char *name = sqlite3_column_name(statement, column);
    int function = report_column_named(statement, "function_id"),
        loop = report_column_named(statement, "loop_id");
    it->id = -1;
    if (!strcmp(name, "function") || (!strcmp(name, "place") && loop < 0)) {
        it->id = function;
        it->page = "function/";
    } else if (!strcmp(name, "loop") || !strcmp(name, "place")) {
        it->id = loop < 0 ? column : loop;
        it->page = "loop/";
    }
}

static bool is_id(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, "_id");
}

/* <a href=…>; false: the cell has no page. */
static bool begin_link(FILE *out, sqlite3_stmt *statement, const struct page_column *it, const char *pages)
{
    if (!pages || it->id < 0 || sqlite3_column_type(statement, it->id) != SQLITE_INTEGER)
        return false;
    fprintf(out, "<a href=\"%s%s%lld\"", pages, it->page, (long long)sqlite3_column_int64(statement, it->id));
    return true;
}

/* Which columns hold numbers, and which are not empty; *largest: of the column drawn as bars. */
static bool look_at_columns(sqlite3_stmt *statement, int bars, struct page_column *columns, int count,
                            double *largest, struct error *error)
{
    static const char *const code[] = {"function", "place",  "instruction", "stack",
                                       "mnemonic", "name",   "to",          "from",
                                       "in",       "caller", "callee",      "distribution"};
    int state;
    for (int i = 0; i < count; i++) {
        columns[i].is_figure = true;
        find_page(statement, i, &columns[i]);
        columns[i].is_stack = !strcmp(sqlite3_column_name(statement, i), "stack");
        columns[i].is_place = !strcmp(sqlite3_column_name(statement, i), "place");
        columns[i].is_picture = !strcmp(sqlite3_column_name(statement, i), "distribution");
        for (size_t c = 0; c < sizeof code / sizeof *code; c++)
            columns[i].is_code |= !strcmp(sqlite3_column_name(statement, i), code[c]);
    }
    while ((state = report_step(statement, error)) == 1) {
        for (int i = 0; i < count; i++) {
            int type = sqlite3_column_type(statement, i);
            columns[i].is_used |= type != SQLITE_NULL && !is_id(sqlite3_column_name(statement, i));
            columns[i].is_figure &= type == SQLITE_NULL || type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        }
        if (bars >= 0 && sqlite3_column_double(statement, bars) > *largest)
            *largest = sqlite3_column_double(statement, bars);
    }
    sqlite3_reset(statement);
    return state == 0;
}

static void print_cell(FILE *out, sqlite3_stmt *statement, int column, const struct page_column *it,
                       const char *pages)
{
    if (it->is_place && sqlite3_column_type(statement, column) == SQLITE_TEXT) {
        const char *place = (const char *)sqlite3_column_text(statement, column);
        bool is_link = false;
        fputs("<td class=\"text place\"", out);
        if (pages) {
            fputs(">", out);
            is_link = begin_link(out, statement, it, pages);
            fputs(is_link ? "" : "<span", out);
        }
        html_place(out, place, place, PLACE_COLUMNS);
        fputs(is_link ? "</a></td>" : pages ? "</span></td>" : "</td>", out);
        return;
    }
    fprintf(out, "<td%s>",
            it->is_figure    ? " class=\"figure\""
            : it->is_stack   ? " class=\"text calls\""
            : it->is_picture ? " class=\"text spark\""
            : it->is_code    ? " class=\"text\""
                             : "");
    bool is_link =
        sqlite3_column_type(statement, column) != SQLITE_NULL && begin_link(out, statement, it, pages);
    fputs(is_link ? ">" : "", out);
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        if (sqlite3_column_int64(statement, column) < 0)
            fprintf(out, "%lld", (long long)sqlite3_column_int64(statement, column));
        else
            html_count(out, (uint64_t)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        fprintf(out, "%.6g", sqlite3_column_double(statement, column));
        break;
    case SQLITE_NULL:
        break;
    default:
        html_string(out, (const char *)sqlite3_column_text(statement, column));
    }
    fputs(is_link ? "</a></td>" : "</td>", out);
}

/* Empty columns and ids (columns named …_id) are left out; bars: the column that is drawn as a bar, or -1.
   pages: where rows have pages (struct asked), the columns function, loop and place lead to those of
   function_id, loop_id or a loop's number; NULL: no links. */
static bool html_rows(FILE *out, sqlite3_stmt *statement, int bars, const char *pages, struct error *error)
{
    int count = sqlite3_column_count(statement), state;
    autofree struct page_column *columns = memory_get((size_t)count * sizeof *columns);
    double largest = 0;
    bool done = look_at_columns(statement, bars, columns, count, &largest, error);
    fputs("<div class=\"wide\"><table class=\"loops sortable\">\n<thead><tr>", out);
    for (int i = 0; done && i < count; i++)
        if (columns[i].is_used) {
            fprintf(out, "<th scope=\"col\"%s>", columns[i].is_figure ? " class=\"figure\"" : "");
            html_format(out, "%s</th>", sqlite3_column_name(statement, i));
        }
    fputs(bars >= 0 ? "<td class=\"room\"></td></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n", out);
    while (done && (state = report_step(statement, error)) != 0) {
        if (state < 0) {
            done = false;
            break;
        }
        fputs("<tr>", out);
        for (int i = 0; i < count; i++)
            if (columns[i].is_used)
                print_cell(out, statement, i, &columns[i], pages);
        if (bars >= 0) {
            fputs("<td class=\"room\">", out);
            html_bar(out, "", largest > 0 ? sqlite3_column_double(statement, bars) / largest : 0);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    return done;
}

bool html_print_table(FILE *out, const struct asked *asked, const struct query *table, int64_t run,
                      int64_t most, struct error *error)
{
    uint64_t all;
    if (!report_count_rows(asked, table->sql, run, &all, error))
        return false;
    sqlite3_stmt *statement = all ? report_ask(asked, table->sql, run, most, error) : NULL;
    if (!statement)
        return !all;
    fprintf(out, "<section class=\"loops told\">\n<h2>%s</h2>\n", table->title);
    if (table->note)
        html_format(out, "<p class=\"note\">%s</p>\n", table->note);
    bool done = html_rows(out, statement, table->bars, asked->pages, error);
    sqlite3_finalize(statement);
    if (most >= 0 && all > (uint64_t)most) {
        fputs("<p class=\"note\">… and ", out);
        html_count(out, all - (uint64_t)most);
        fputs(asked->pages ? " more.</p>\n" : " more; <code>--top</code> shows more rows.</p>\n", out);
    }
    fputs("</section>\n", out);
    return done;
}
