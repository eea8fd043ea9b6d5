/* Runs, and the SQL functions of these views. */
#include "show/report/probe/histogram.h"

#include "show/report/common/rows.h"
#include "show/report/common/shown.h"
#include "show/report/common/text.h"
#include "store/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Three digits are enough for people; whole numbers from 100 on. */
static void sql_figure(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    double value = sqlite3_value_double(values[0]), size = fabs(value);
    if (!isfinite(value))
        return;
    double unit = size > 0 ? pow(10, floor(log10(size)) - 2) : 1;
    double rounded = unit < 1 ? round(value / unit) / round(1 / unit) : round(value);
    if (size < 1e15 && rounded == floor(rounded))
        sqlite3_result_int64(context, (sqlite3_int64)rounded);
    else
        sqlite3_result_double(context, isfinite(rounded) ? rounded : value);
}

/* "std::_Rb_tree<…>::_M_insert<…>(…)": what is inside brackets goes first, then the end. */
static char *without_brackets(const char *name)
{
    size_t length = strlen(name), depth = 0;
    char *text = memory_get(3 * length + 1), *to = text;
    for (const char *at = name; *at; at++) {
        bool opens = *at == '<' || *at == '(', closes = *at == '>' || *at == ')';
        depth -= closes && depth;
        if (!depth)
            *to++ = *at;
        if (opens && !depth++ && at[1] != ')' && at[1] != '>')
            to = stpcpy(to, "…");
    }
    *to = 0;
    return text;
}

static void sql_brief(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *name = (const char *)sqlite3_value_text(values[0]);
    size_t longest = (size_t)(uintptr_t)sqlite3_user_data(context);
    if (!name || !longest || text_width(name) <= longest) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    autofree char *brief = strstr(name, "operator") ? memory_format("%s", name) : without_brackets(name);
    sqlite3_result_text(context, text_cut(brief, longest, false, true), -1, free);
}

bool probe_begin(const struct probe_view *view, bool is_plain, size_t longest_name, struct error *error)
{
    struct asked asked = probe_asked(view);
    if (!shown_register(&asked, view->demangle, error))
        return false;
    if (sqlite3_create_function_v2(view->connection, "figure", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   sql_figure, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(view->connection, "brief", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   (void *)(uintptr_t)longest_name, sql_brief, NULL, NULL,
                                   NULL) != SQLITE_OK ||
        !histogram_register(view->connection, is_plain))
        return error_set(error, view->path, "cannot add SQL functions: %s", store_problem(view->connection));
    return true;
}

static void take_run(struct probed_run *run, sqlite3_stmt *statement)
{
    *run = (struct probed_run){
        .id = sqlite3_column_int64(statement, 0),
        .command = report_column_text(statement, 1),
        .process = sqlite3_column_int64(statement, 2),
        .processor = report_column_text(statement, 3),
        .seconds = report_column_real(statement, 4),
        .exit_status =
            sqlite3_column_type(statement, 5) == SQLITE_NULL ? -1 : sqlite3_column_int64(statement, 5),
        .end_signal = sqlite3_column_int64(statement, 6),
        .threads = sqlite3_column_int64(statement, 7),
        .reading_ns = report_column_real(statement, 8),
        .pair_ns = report_column_real(statement, 9),
        .traps = (uint64_t)sqlite3_column_int64(statement, 10),
        .measured_ns = sqlite3_column_double(statement, 11),
        .subjects = (uint64_t)sqlite3_column_int64(statement, 12),
        .thread_seconds = report_column_real(statement, 14),
        .probe_seconds = report_column_real(statement, 15),
    };
}

bool probe_find_runs(const struct probe_view *view, struct array *runs, struct error *error)
{
    const char *sql = query_named(probe_queries, "probe_find_runs");
    struct asked asked = probe_asked(view);
    int state = -1;
    *runs = ARRAY_OF(struct probed_run);
    sqlite3_stmt *statement = report_ask(&asked, sql, view->run, -1, error);
    while (statement && (state = report_step(statement, error)) == 1)
        take_run(array_add(runs), statement);
    sqlite3_finalize(statement);
    if (state == 0 && !runs->count)
        return error_set(error, view->path,
                         view->run ? "there is no such run; without --run all runs are shown"
                                   : "contains no run with probes; assay probe --output FILE.db -- PROGRAM "
                                     "writes one");
    return state == 0;
}

void probe_free_runs(struct array *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct probed_run *run = ARRAY_AT(struct probed_run, runs, i);
        free(run->command);
        free(run->processor);
    }
    array_free(runs);
}
