/* See static_view.h. */
#include "show/report/common/row_writer.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/predict/static_view.h"
#include "show/report/predict/words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 12 };

static void write_part(struct row_writer *row, const struct static_part *part)
{
    row_text(row, "loop", part->label);
    row_number(row, "seconds_here", part->here);
    row_number(row, "seconds_there", part->there);
    row_figure(row, "cycles_ratio", part->ratio);
    row_flag(row, "is_known", part->is_known);
    row_number(row, "iterations", part->iterations);
    row_figure(row, "exponent", part->exponent);
    row_figure(row, "fit_error", part->fit_error);
}

static void write_json(const struct static_view *view, FILE *out)
{
    const struct static_answer *answer = view->answer;
    struct row_writer row = row_begin_object(out);
    row_text(&row, "model", "static");
    row_text(&row, "machine", view->machine->name);
    row_text(&row, "processor", view->here);
    row_number(&row, "size", view->size);
    row_integer(&row, "runs", view->runs);
    row_number(&row, "seconds_here", answer->here);
    row_number(&row, "seconds", answer->there);
    row_number(&row, "lower", answer->lower);
    row_number(&row, "upper", answer->upper);
    row_figure(&row, "known_share", answer->known);
    row_figure(&row, "model_error", answer->model_error);
    row_number(&row, "earlier", answer->earlier);
    row_figure(&row, "earlier_error", answer->earlier_error);
    struct row_list parts = row_begin_list(&row, "parts", "");
    for (size_t i = 0; i < answer->parts.count; i++) {
        struct row_writer inner = row_begin_item(&parts);
        write_part(&inner, ARRAY_AT(struct static_part, &answer->parts, i));
        row_end_object(&inner);
    }
    row_end_list(&parts);
    fputs("}\n", out);
}

static void write_csv(const struct static_view *view, FILE *out)
{
    const struct array *parts = &view->answer->parts;
    for (size_t i = 0; i <= parts->count; i++) { /* the names first */
        struct row_writer row = {.out = out, .is_head = i == 0, .is_first = true};
        write_part(&row, ARRAY_AT(struct static_part, parts, i ? i - 1 : 0));
        fputs("\n", out);
    }
}

static void print_part(const struct static_part *part, const struct report_style *style, FILE *out)
{
    autofree char *here = predict_seconds_words(part->here), *there = predict_seconds_words(part->there);
    autofree char *ratio = part->is_known ? memory_format("%.2f", part->ratio) : memory_format("—");
    autofree char *iterations =
        isnan(part->iterations) ? memory_format("—") : memory_format("%.3g", part->iterations);
    autofree char *grows =
        isnan(part->exponent) ? memory_format("—") : memory_format("size^%.2f", part->exponent);
    char *label = part->label ? memory_format("%s", part->label) : memory_format("everything else");
    if (style->width > 60) {
        char *shorter = text_cut(label, style->width - 54, false, style->unicode);
        free(label);
        label = shorter;
    }
    /* The dash is three bytes of one column. */
    fprintf(out, "%11s %11s %*s %*s %*s  %s\n", here, there, part->is_known ? 7 : 9, ratio,
            isnan(part->iterations) ? 12 : 10, iterations, isnan(part->exponent) ? 12 : 10, grows, label);
    free(label);
}

static void print_text(const struct static_view *view, const struct report_style *style, FILE *out)
{
    const struct static_answer *answer = view->answer;
    autofree char *there = predict_seconds_words(answer->there), *here = predict_seconds_words(answer->here);
    autofree char *interval = predict_interval_words(answer->lower, answer->upper);
    fprintf(out, "%s (%s) of processor time on %s", there, interval ? interval : "", view->machine->title);
    if (!isnan(view->size))
        fprintf(out, " at size %g", view->size);
    if (view->is_same)
        fputs(", where it was recorded.\n", out);
    else
        fprintf(out, "; %s on %s.\n", here, view->here ? view->here : "the processor of the runs");
    fprintf(out,
            "From %u recorded run%s; nothing was run. %s %% of the time is in loops whose cycles are known "
            "on both.\n",
            view->runs, view->runs == 1 ? "" : "s", share_words(answer->known).text);
    if (isnan(answer->model_error))
        fputs("No loop was measured (assay run --measure): how far predicted cycles are off is not known.\n",
              out);
    else
        fprintf(out, "Predicted cycles of these loops were off by a factor of %.2f, on average by time.\n",
                exp(answer->model_error));
    if (answer->earlier)
        fprintf(out, "%u earlier answer%s about this program %s off by %.0f %%%s.\n", answer->earlier,
                answer->earlier == 1 ? "" : "s", answer->earlier == 1 ? "was" : "were",
                100 * answer->earlier_error, answer->earlier == 1 ? "" : " on average");
    if (!view->has_clock && !view->is_same)
        fprintf(out, "The machine file %s has no clock: the clock of the runs is assumed.\n",
                view->machine->name);
    fprintf(out, "\n%s%11s %11s %7s %10s %10s  %s%s\n", report_ink(style, ink_BOLD), "here", "there",
            "cycles", "iterations", "grows", "loop", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < answer->parts.count; i++)
        if (i < MOST_ROWS || i == answer->parts.count - 1)
            print_part(ARRAY_AT(struct static_part, &answer->parts, i), style, out);
    if (answer->parts.count > MOST_ROWS + 1)
        fprintf(out, "and %zu more loops (--csv has all)\n", answer->parts.count - MOST_ROWS - 1);
}

void report_static(const struct static_view *view, const struct report_style *style, FILE *out)
{
    if (style->format == report_JSON)
        write_json(view, out);
    else if (style->format == report_CSV)
        write_csv(view, out);
    else
        print_text(view, style, out);
}
