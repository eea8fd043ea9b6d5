/* One object with everything: the file, and for each run the columns of probe_runs, the answer, the findings
   with their sentences, how it was measured, and the rows of the tables probe_… under the same names of
   columns, with names and places beside ids.  Numbers are raw; null means unknown.  docs/probe-report.md
   lists the keys. */
#include "show/report/probe/parts.h"

#include "show/report/common/run_json.h"

static void print_findings(struct row_writer *outer, const struct array *findings)
{
    struct row_list list = row_begin_list(outer, "findings", "\n  ");
    for (size_t i = 0; i < findings->count; i++) {
        const struct probe_finding *finding = ARRAY_AT(struct probe_finding, findings, i);
        struct row_writer row = row_begin_item(&list);
        row_text(&row, "kind", finding->kind);
        row_text(&row, "text", finding->text);
        row_text(&row, "advice", finding->advice);
        row_id(&row, "function", (uint64_t)finding->function);
        row_id(&row, "loop", (uint64_t)finding->loop);
        row_id(&row, "instruction", (uint64_t)finding->instruction);
        row_id(&row, "value", (uint64_t)finding->value);
        row_number(&row, "ns", finding->ns);
        row_integer(&row, "count", (int64_t)finding->count);
        row_end_object(&row);
    }
    row_end_list(&list);
}

static bool print_run(const struct probe_view *view, const struct probed_run *run, struct row_list *list,
                      struct error *error)
{
    struct asked asked = probe_asked(view);
    struct array findings, measured;
    if (!probe_find_findings(view, run, &findings, error))
        return false;
    struct row_writer row = row_begin_item(list);
    bool done = run_json_columns(&row, &asked, query_named(probe_queries, "run"), run->id, error);
    print_findings(&row, &findings);
    probe_free_findings(&findings);
    if (!done || !probe_find_measured(&asked, run, &measured, error))
        return false;
    run_json_sentences(&row, "measured", &measured);
    sentences_free(&measured);
    done = run_json_queries(&row, &asked, probe_rows, run->id, error);
    row_end_object(&row);
    return done;
}

bool report_probe_json(const struct probe_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    bool done = probe_begin(view, false, 0, error) && probe_find_runs(view, &runs, error);
    if (done) {
        struct row_writer row = row_begin_object(out);
        row_text(&row, "file", view->path);
        struct row_list list = row_begin_list(&row, "runs", "\n");
        for (size_t i = 0; done && i < runs.count; i++)
            done = print_run(view, ARRAY_AT(struct probed_run, &runs, i), &list, error);
        fputs(done ? "]}\n" : "", out);
    }
    probe_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
