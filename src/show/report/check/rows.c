/* For programs: every verdict. */
#include "show/report/check/check.h"
#include "show/report/common/row_writer.h"

#include <math.h>
#include <stdlib.h>

/* view NULL: names alone. */
static void write_row(struct row_writer *writer, const struct check_view *view,
                      const struct check_verdict *verdict)
{
    struct service_place place = {0};
    char *title = NULL, *sentence = NULL;
    const struct assertion *assertion = verdict->assertion;
    const struct model *model = view ? view->check->model : NULL;
    if (view) {
        place = check_place(view, verdict);
        title = check_title(view, verdict);
        sentence = check_sentence(view, verdict);
    }
    bool has_figure = assertion && assertion->kind == assertion_FIGURE && verdict->outcome <= check_FAILS;
    writer->is_first = true;
    row_text(writer, "outcome", check_outcome_words[verdict->outcome]);
    row_text(writer, "file", place.path);
    row_id(writer, "line", place.line);
    row_id(writer, "column", place.column);
    row_text(writer, "rule", view ? check_rule(view->check, verdict) : NULL);
    row_text(writer, "assertion", title);
    row_text(writer, "function",
             model && verdict->loop
                 ? model_text(model, model_function(model, model_loop(model, verdict->loop)->function)->name)
                 : NULL);
    row_id(writer, "loop", verdict->loop);
    row_id(writer, "path", verdict->path);
    row_text(writer, "machine", verdict->machine);
    row_figure(writer, "figure", has_figure ? verdict->figure : NAN);
    row_figure(writer, "wanted", has_figure ? assertion->number : NAN);
    row_text(writer, "message", sentence);
    free(place.path);
    free(title);
    free(sentence);
}

void report_check_rows(const struct check_view *view, const struct report_style *style, FILE *out)
{
    static const struct check_verdict empty = {0};
    struct row_table table = row_begin_table(out, style->format == report_JSON, false);
    table.row.is_tame = true; /* services read commands from lines of their logs; names come from strangers */
    if (row_begin_head(&table))
        write_row(&table.row, NULL, &empty);
    for (size_t i = 0; i < view->check->verdicts.count; i++) {
        row_begin_row(&table);
        write_row(&table.row, view, check_verdict_at(view->check, i));
    }
    row_end_table(&table);
}
