/* Runs with their totals, and short phrases about them. */
#include "show/report/denormal/parts.h"

#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t column_count(sqlite3_stmt *statement, int column)
{
    return (uint64_t)sqlite3_column_int64(statement, column);
}

static void take_totals(struct shown_run *run, sqlite3_stmt *statement)
{
    run->sites = column_count(statement, 0);
    run->operand_events = column_count(statement, 1);
    run->underflow_events = column_count(statement, 2);
    run->operands = column_count(statement, 3);
    run->results = column_count(statement, 4);
    run->births = column_count(statement, 5);
    run->ends = column_count(statement, 6);
    run->loads = column_count(statement, 7);
    run->stores = column_count(statement, 8);
    run->moves = column_count(statement, 9);
    run->near = column_count(statement, 10);
    run->low = report_column_real(statement, 11);
    run->high = report_column_real(statement, 12);
    run->extra_seconds = report_column_real(statement, 13);
    run->unknown_events = column_count(statement, 14);
}

/* The traps of all instructions of a phase were off at the same times, so their errors are correlated: the
 * widths of their intervals add up.  Phases are independent: their widths are added as squares. */
static bool find_totals(const struct denormal_view *view, struct shown_run *run, struct error *error)
{
    const char *sql = query_named(denormal_queries, "find_totals");
    sqlite3_stmt *statement = denormal_ask(view, sql, run->id, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    if (state == 1) {
        double events;
        take_totals(run, statement);
        events = (double)run->operand_events + (double)run->underflow_events;
        bool is_estimate = sqlite3_column_int64(statement, 15) > 0;
        run->low = is_estimate ? fmax(0, events - sqrt(run->low)) : NAN;
        run->high = is_estimate ? events + sqrt(run->high) : NAN;
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

static bool find_others(const struct denormal_view *view, struct shown_run *run, struct error *error)
{
    sqlite3_stmt *statement =
        denormal_ask(view, query_named(denormal_queries, "find_others"), run->id, -1, error);
    int state = statement ? report_step(statement, error) : -1;
    if (state == 1) {
        run->integers = column_count(statement, 0);
        run->limits = column_count(statement, 1);
        run->left_out = column_count(statement, 2);
    }
    sqlite3_finalize(statement);
    return state >= 0;
}

static void take_run(struct shown_run *run, sqlite3_stmt *statement)
{
    run->id = sqlite3_column_int64(statement, 0);
    run->tool = report_column_text(statement, 1);
    run->mode = report_column_text(statement, 2);
    run->command = report_column_text(statement, 3);
    run->process = sqlite3_column_int64(statement, 4);
    run->processor = report_column_text(statement, 5);
    run->seconds = report_column_real(statement, 6);
    run->exit_status =
        sqlite3_column_type(statement, 7) == SQLITE_NULL ? -1 : sqlite3_column_int64(statement, 7);
    run->end_signal = sqlite3_column_int64(statement, 8);
    run->binades = sqlite3_column_int64(statement, 9);
    run->is_tracer = run->tool && !strcmp(run->tool, "tracer");
    run->is_sampled = run->mode && !strcmp(run->mode, "sampled");
}

bool denormal_find_runs(const struct denormal_view *view, struct array *runs, struct error *error)
{
    int state;
    *runs = ARRAY_OF(struct shown_run);
    sqlite3_stmt *statement =
        denormal_ask(view, query_named(denormal_queries, "denormal_find_runs"), view->run, -1, error);
    if (!statement)
        return false;
    while ((state = report_step(statement, error)) == 1)
        take_run(array_add(runs), statement);
    sqlite3_finalize(statement);
    for (size_t i = 0; state == 0 && i < runs->count; i++)
        if (!find_totals(view, ARRAY_AT(struct shown_run, runs, i), error) ||
            !find_others(view, ARRAY_AT(struct shown_run, runs, i), error))
            state = -1;
    if (state == 0 && !runs->count)
        return error_set(
            error, view->path,
            view->run
                ? "there is no such run; without --run all runs are shown"
                : "holds no run with denormals; assay denormals profile or trace with --output writes one");
    return state == 0;
}

void denormal_free_runs(struct array *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct shown_run *run = ARRAY_AT(struct shown_run, runs, i);
        free(run->tool);
        free(run->mode);
        free(run->command);
        free(run->processor);
    }
    array_free(runs);
}

bool denormal_has_events(const struct shown_run *run)
{
    return run->operand_events || run->underflow_events || run->operands || run->results || run->loads ||
           run->stores || run->moves;
}

bool denormal_is_quiet(const struct shown_run *run)
{
    return !denormal_has_events(run) && !run->near && !run->integers;
}

bool denormal_removes_some(double share)
{
    static const double LEAST_SHOWN = 0.001;
    return share >= LEAST_SHOWN;
}

char *denormal_removal_words(double share)
{
    autofree char *words = phrase_share(share);
    return share >= 1 ? memory_format("%s", words) : memory_format("at least %s", words);
}
