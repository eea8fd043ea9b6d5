/* One prediction: how long, and where the time goes on the rank that ends last. */
#include "code/machine/machine.h"
#include "show/report/common/bar.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_row(struct row_writer *row, const struct model_view *view,
                      const struct evaluated_cause *cause)
{
    const struct evaluation *evaluation = view->evaluation;
    const struct activity_cause *words = cause ? activity_cause(view->model, cause->cause) : NULL;
    double total = evaluation->seconds;
    row_text(row, "application", language_application(view->model));
    row_integer(row, "ranks", view->ranks);
    row_text(row, "network", view->network ? view->network->name : NULL);
    row_text(row, "hardware", language_hardware(view->model));
    row_number(row, "predicted_seconds", total);
    row_integer(row, "last_rank", evaluation->last_rank);
    row_text(row, "object", words ? words->object : NULL);
    row_text(row, "label", words ? words->label : NULL);
    row_text(row, "kind", cause ? model_kind_word(cause->kind) : NULL);
    row_number(row, "seconds", cause ? cause->seconds : NAN);
    row_number(row, "share", cause && total > 0 ? cause->seconds / total : NAN);
    row_number(row, "mean_seconds", cause ? cause->mean : NAN);
}

static void print_rows(const struct model_view *view, bool is_json, FILE *out)
{
    const struct array *causes = &view->evaluation->causes;
    struct row_table table = row_begin_table(out, is_json, true);
    if (row_begin_head(&table))
        write_row(&table.row, view, NULL);
    for (size_t i = 0; i < causes->count || !i; i++) {
        row_begin_row(&table);
        write_row(&table.row, view, causes->count ? ARRAY_AT(struct evaluated_cause, causes, i) : NULL);
    }
    row_end_table(&table);
}

static void print_name(const char *name, FILE *out)
{
    text_print_safe(name, strlen(name), out);
}

static void print_head(const struct model_view *view, const struct report_style *style, FILE *out)
{
    autofree char *time = model_time_words(view->evaluation->seconds),
                  *ranks = model_count_words(view->ranks);
    fputs(report_ink(style, ink_BOLD), out);
    print_name(language_application(view->model), out);
    fprintf(out, ": %s", time);
    fputs(report_ink(style, ink_PLAIN), out);
    fputs(" predicted", out);
    if (view->ranks > 1)
        fprintf(out, " on %s ranks", ranks);
    if (view->network) {
        fputs(", network ", out);
        print_name(view->network->name, out);
    }
    if (language_hardware(view->model)) {
        fputs(", hardware ", out);
        print_name(language_hardware(view->model), out);
    }
    if (view->machine) {
        fputs(", machine ", out);
        print_name(view->machine->name, out);
    }
    fputs("\n", out);
}

static void print_parameters(const struct model_view *view, FILE *out)
{
    struct array parameters = language_parameters(view->model);
    size_t column = 0;
    for (size_t i = 0; i < parameters.count; i++) {
        const struct language_parameter *one = ARRAY_AT(struct language_parameter, &parameters, i);
        autofree char *words = isnan(one->value) ? memory_format("%s", one->name)
                                                 : memory_format("%s = %.6g%s%s", one->name, one->value,
                                                                 *one->unit ? " " : "", one->unit);
        autofree char *safe = text_safe(words, strlen(words));
        size_t width = text_width(safe) + 2;
        if (!i)
            fputs("with ", out), column = 5;
        else if (column + width > 98)
            fputs(",\n     ", out), column = 5;
        else
            fputs(", ", out);
        fputs(safe, out);
        column += width;
    }
    if (parameters.count)
        fputs("\n", out);
    array_free(&parameters);
}

/* "under 0.1" is wider than other shares. */
static int share_width(const struct evaluation *evaluation, size_t most)
{
    size_t width = 4;
    for (size_t i = 0; i < evaluation->causes.count && i < most; i++) {
        double seconds = ARRAY_AT(struct evaluated_cause, &evaluation->causes, i)->seconds;
        size_t own = strlen(share_words(seconds / evaluation->seconds).text);
        width = own > width ? own : width;
    }
    return (int)width;
}

static void print_causes(const struct model_view *view, const struct report_style *style, FILE *out)
{
    enum { MOST = 20 };
    const struct evaluation *evaluation = view->evaluation;
    double total = evaluation->seconds, left = 0;
    size_t shown = 0;
    if (!evaluation->causes.count || !(total > 0))
        return;
    autofree char *last = model_count_words(evaluation->last_rank);
    if (view->ranks > 1)
        fprintf(out, "\nwhere it goes, on rank %s, which ends last (mean: of all ranks)\n", last);
    else
        fputs("\nwhere it goes\n", out);
    int width = share_width(evaluation, MOST);
    fprintf(out, "  %*s  %9s  %9s  %-21s  %s\n", width + 2, "share", "time", view->ranks > 1 ? "mean" : "",
            "doing", "in");
    for (size_t i = 0; i < evaluation->causes.count; i++) {
        const struct evaluated_cause *cause = ARRAY_AT(struct evaluated_cause, &evaluation->causes, i);
        if (shown == MOST) {
            left += cause->seconds;
            continue;
        }
        autofree char *time = model_time_words(cause->seconds), *mean = model_time_words(cause->mean);
        autofree char *where = model_cause_words(view->model, cause->cause, cause->kind);
        autofree char *safe = text_safe(where, strlen(where));
        struct share_words share = share_words(cause->seconds / total);
        /* µ is one column and two bytes. */
        fprintf(out, "  %*s %%  %*s  %*s  %-21s  %-32s ", width, share.text,
                9 + (strchr(time, '\xc2') != NULL), time, 9 + (strchr(mean, '\xc2') != NULL),
                view->ranks > 1 ? mean : "", model_kind_word(cause->kind), safe);
        report_bar(style, cause->seconds / total, 20, out);
        fputs("\n", out);
        shown++;
    }
    if (left > 0) {
        autofree char *time = model_time_words(left);
        fprintf(out, "  … and %zu more: %s\n", evaluation->causes.count - shown, time);
    }
}

static void print_kinds(const struct model_view *view, FILE *out)
{
    const struct evaluation *evaluation = view->evaluation;
    bool has_any = false;
    if (view->ranks == 1 || !(evaluation->seconds > 0))
        return;
    for (unsigned kind = 0; kind < evaluated_KINDS; kind++) {
        if (!(evaluation->kinds[kind] > 0))
            continue;
        fprintf(out, "%s%s %s %%", has_any ? ", " : "\nin all: ", model_kind_word((enum evaluated_kind)kind),
                share_words(evaluation->kinds[kind] / evaluation->seconds).text);
        has_any = true;
    }
    autofree char *messages = model_count_words((double)evaluation->messages),
                  *took = model_time_words(evaluation->took);
    fprintf(out, "%s%s messages of all ranks; evaluated in %s\n", has_any ? "; " : "\n", messages, took);
}

void report_model_run(const struct model_view *view, const struct report_style *style, FILE *out)
{
    if (style->format != report_TABLE) {
        print_rows(view, style->format == report_JSON, out);
        return;
    }
    print_head(view, style, out);
    print_parameters(view, out);
    print_causes(view, style, out);
    print_kinds(view, out);
}
