/* The log of denormals: each operation that made, passed on or consumed one, a line each.

   A value that comes from an entry of the log is followed by its number, so that a value's way can be read
   backwards.  What the log does not have stands below it. */
#include "show/report/denormal/log.h"

#include "base/text.h"
#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct widths {
    int place, function, number;
    uint64_t first, last, count;
};

static bool find_widths(const struct denormal_view *view, int64_t run, struct widths *widths,
                        struct error *error)
{
    enum { WIDEST = 40 };
    sqlite3_stmt *row = denormal_ask(view, query_named(denormal_queries, "log_widths"), run, -1, error);
    int state = row ? report_step(row, error) : -1;
    *widths = (struct widths){0};
    if (state == 1) {
        int place = sqlite3_column_int(row, 0), function = sqlite3_column_int(row, 1);
        autofree char *digits = memory_format("%llu", (unsigned long long)sqlite3_column_int64(row, 3));
        *widths = (struct widths){.place = place > WIDEST ? WIDEST : place,
                                  .function = function > WIDEST ? WIDEST : function,
                                  .number = (int)strlen(digits),
                                  .first = (uint64_t)sqlite3_column_int64(row, 2),
                                  .last = (uint64_t)sqlite3_column_int64(row, 3),
                                  .count = (uint64_t)sqlite3_column_int64(row, 4)};
    }
    sqlite3_finalize(row);
    return state >= 0;
}

static void print_line(FILE *out, const struct widths *widths, const struct denormal_logged *entry)
{
    bool is_access = !strcmp(entry->action ? entry->action : "", "load") ||
                     !strcmp(entry->action ? entry->action : "", "store");
    autofree char *words = denormal_logged_words(entry);
    autofree char *result = denormal_logged_value(entry->result, entry->result_bytes);
    bool has_result = !is_access && entry->result_bytes;
    autofree char *text = memory_format(
        "%*llu  %-*s  %-*s  %s%s%s", widths->number + 1, (unsigned long long)entry->number, widths->place,
        entry->place ? entry->place : "?", widths->function, entry->function ? entry->function : "", words,
        has_result ? " = " : "", has_result ? result : "");
    autofree char *safe = text_safe(text, strlen(text));
    fprintf(out, "%s\n", safe);
}

static bool print_lines(const struct denormal_view *view, int64_t run, const struct widths *widths, FILE *out,
                        struct error *error)
{
    int state = -1;
    sqlite3_stmt *row = denormal_ask(view, query_named(denormal_queries, "log_lines"), run, -1, error);
    while (row && (state = report_step(row, error)) == 1) {
        struct denormal_logged entry = denormal_logged_of(row);
        print_line(out, widths, &entry);
        denormal_logged_free(&entry);
    }
    sqlite3_finalize(row);
    return state == 0;
}

/* What the log does not have, in sentences. */
static bool print_limits(const struct denormal_view *view, int64_t run, FILE *out, struct error *error)
{
    int state = -1;
    sqlite3_stmt *row = denormal_ask(view, query_named(denormal_queries, "log_limits"), run, -1, error);
    while (row && (state = report_step(row, error)) == 1) {
        autofree char *text = report_column_text(row, 0);
        autofree char *count = phrase_count((uint64_t)sqlite3_column_int64(row, 1));
        autofree char *safe = text_safe(text ? text : "", strlen(text ? text : ""));
        bool is_counted = sqlite3_column_int64(row, 1) > 0;
        fprintf(out, "cut: %s%s%s\n", is_counted ? count : "", is_counted ? " " : "", safe);
    }
    sqlite3_finalize(row);
    return state == 0;
}

static bool print_run(const struct denormal_view *view, sqlite3_stmt *run, FILE *out, struct error *error)
{
    struct widths widths;
    int64_t id = sqlite3_column_int64(run, 0);
    autofree char *command = report_column_text(run, 1);
    autofree char *safe = text_safe(command ? command : "?", strlen(command ? command : "?"));
    if (!find_widths(view, id, &widths, error))
        return false;
    autofree char *count = phrase_count(widths.count);
    fprintf(out, "Log of denormals: %s\nprocess %lld, %s operation%s, numbers %llu to %llu\n\n", safe,
            (long long)sqlite3_column_int64(run, 2), count, widths.count == 1 ? "" : "s",
            (unsigned long long)widths.first, (unsigned long long)widths.last);
    if (!print_lines(view, id, &widths, out, error))
        return false;
    fputs("\n", out);
    if (!print_limits(view, id, out, error))
        return false;
    fprintf(out, "end of the log of process %lld\n", (long long)sqlite3_column_int64(run, 2));
    return true;
}

static bool print_rows(const struct denormal_view *view, const struct report_style *style, FILE *out,
                       struct error *error)
{
    uint64_t count = 0;
    sqlite3_stmt *rows = denormal_ask(view, query_named(denormal_queries, "log_rows"), view->run, -1, error);
    bool done = rows && report_rows(rows, style, -1, out, &count, error);
    sqlite3_finalize(rows);
    return done;
}

bool report_denormal_log(const struct denormal_view *view, const struct report_style *style, FILE *out,
                         struct error *error)
{
    struct array runs = {0};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    denormal_free_runs(&runs);
    if (!done)
        return false;
    if (style->format == report_JSON || style->format == report_CSV)
        done = print_rows(view, style, out, error);
    else {
        int state = -1;
        unsigned told = 0;
        sqlite3_stmt *run =
            denormal_ask(view, query_named(denormal_queries, "log_runs"), view->run, -1, error);
        while (run && (state = report_step(run, error)) == 1) {
            fputs(told++ ? "\n" : "", out);
            if (!print_run(view, run, out, error)) {
                state = -1;
                break;
            }
        }
        sqlite3_finalize(run);
        done = state == 0;
        if (done && !told)
            fputs("No operation on a denormal was logged.\n", out);
    }
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
