/* One object with everything: the file, and for each run its heading, answer and story, its totals, and the
   rows of the tables and views denormal_… under the same names of columns, with names beside ids.  Numbers
   are raw; null means unknown.  Rows refer to each other by id as in the database (phase, array, birth,
   chain, stack).  The counts of maps are left out: they are in the database, and --maps draws them.
   docs/denormal-report.md lists the keys. */
#include "show/report/denormal/parts.h"

#include "show/report/common/run_json.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

static void print_totals(struct row_writer *outer, const struct shown_run *run)
{
    struct row_writer row = row_begin_object_named(outer, "totals");
    row_integer(&row, "sites", (int64_t)run->sites);
    row_integer(&row, "operand_events", (int64_t)run->operand_events);
    row_integer(&row, "underflow_events", (int64_t)run->underflow_events);
    row_integer(&row, "operands", (int64_t)run->operands);
    row_integer(&row, "results", (int64_t)run->results);
    row_integer(&row, "births", (int64_t)run->births);
    row_integer(&row, "ends", (int64_t)run->ends);
    row_integer(&row, "loads", (int64_t)run->loads);
    row_integer(&row, "stores", (int64_t)run->stores);
    row_integer(&row, "moves", (int64_t)run->moves);
    row_integer(&row, "near", (int64_t)run->near);
    row_integer(&row, "integers", (int64_t)run->integers);
    row_number(&row, "low", run->low);
    row_number(&row, "high", run->high);
    row_number(&row, "extra_seconds", run->extra_seconds);
    row_integer(&row, "events_of_unknown_cost", (int64_t)run->unknown_events);
    row_end_object(&row);
}

static bool print_run(const struct denormal_view *view, const struct shown_run *run, struct row_list *list,
                      struct error *error)
{
    struct asked asked = denormal_asked(view);
    struct array answer, changes, story;
    struct denormal_view whole = *view;
    whole.top = 0;
    if (!denormal_answer(view, run, &answer, &changes, error))
        return false;
    bool done = denormal_story(&whole, run, &story, error);
    struct row_writer row = row_begin_item(list);
    if (done) {
        done = run_json_columns(&row, &asked, query_named(denormal_queries, "run"), run->id, error);
        print_totals(&row, run);
        run_json_sentences(&row, "answer", &answer);
        run_json_sentences(&row, "changes", &changes);
        run_json_sentences(&row, "story", &story);
        sentences_free(&story);
    }
    sentences_free(&answer);
    sentences_free(&changes);
    done = done && run_json_queries(&row, &asked, denormal_rows, run->id, error);
    row_end_object(&row);
    return done;
}

bool report_denormal_json(const struct denormal_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    if (done) {
        struct row_writer row = row_begin_object(out);
        row_text(&row, "file", view->path);
        struct row_list list = row_begin_list(&row, "runs", "\n");
        for (size_t i = 0; done && i < runs.count; i++)
            done = print_run(view, ARRAY_AT(struct shown_run, &runs, i), &list, error);
        fputs(done ? "]}\n" : "", out);
    }
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
