#include "show/report/predict/history.h"

#include "show/report/common/phrases.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/predict/words.h"
#include "show/report/predict/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 36, MOST_ROWS = 40 };

static char *copy(const struct ledger_rows *rows, int column)
{
    const char *text = ledger_text(rows, column);
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static void take_row(struct array *told, const struct ledger_rows *rows)
{
    double predicted = ledger_real(rows, 4), measured = ledger_real(rows, 7);
    if (!(predicted > 0) || !(measured > 0) || isinf(predicted) || isinf(measured))
        return;
    const struct told *last = told->count ? ARRAY_AT(struct told, told, told->count - 1) : NULL;
    struct told *one = array_add(told);
    *one = (struct told){.predictor = copy(rows, 0),
                         .label = copy(rows, 1),
                         .host = copy(rows, 2),
                         .processors = ledger_integer(rows, 3),
                         .predicted = predicted,
                         .lower = ledger_real(rows, 5),
                         .upper = ledger_real(rows, 6),
                         .measured = measured,
                         .model = copy(rows, 8),
                         .probes = ledger_integer(rows, 9),
                         .probe_seconds = ledger_real(rows, 10),
                         .made = ledger_real(rows, 11)};
    last = told->count > 1 ? ARRAY_AT(struct told, told, told->count - 2) : NULL;
    one->group = !last ? 0 : last->group + (strcmp(last->predictor, one->predictor) != 0);
    one->is_held =
        !isnan(one->lower) && measured >= one->lower && (isnan(one->upper) || measured <= one->upper);
}

bool told_load(struct ledger *ledger, const char *predictor, struct array *told, struct error *error)
{
    struct ledger_rows rows;
    *told = ARRAY_OF(struct told);
    if (!ledger_ask(ledger, &rows, error, query_named(predict_view_queries, "told_load"), "t", predictor))
        return false;
    while (ledger_next(&rows))
        take_row(told, &rows);
    return ledger_end(&rows, error);
}

void told_free(struct array *told)
{
    for (size_t i = 0; i < told->count; i++) {
        struct told *one = ARRAY_AT(struct told, told, i);
        free(one->predictor);
        free(one->label);
        free(one->host);
        free(one->model);
    }
    array_free(told);
}

static double told_error(const struct told *one)
{
    return one->predicted / one->measured - 1;
}

struct told_summary told_summarise(const struct array *told)
{
    struct told_summary summary = {.count = told->count};
    double measured = 0, probes = 0;
    for (size_t i = 0; i < told->count; i++) {
        const struct told *one = ARRAY_AT(struct told, told, i);
        double error = fabs(told_error(one));
        summary.mean += error / (double)told->count;
        summary.worst = fmax(summary.worst, error);
        summary.with_interval += !isnan(one->lower);
        summary.held += one->is_held;
        measured += one->measured;
        probes += isnan(one->probe_seconds) ? 0 : one->probe_seconds;
    }
    summary.probes = measured > 0 ? probes / measured : 0;
    return summary;
}

char *told_summary_words(const struct told_summary *summary)
{
    if (!summary->count)
        return memory_format(
            "No prediction can be compared yet: a run is known after assay predict --run or --took, "
            "or when assay schedule ran it.");
    char *count = phrase_count(summary->count), *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%s prediction%s with a measured run: wrong by %s %% on average, ", count,
            summary->count == 1 ? "" : "s", share_words(summary->mean).text);
    fprintf(out, "%s %% at worst.", share_words(summary->worst).text);
    if (summary->with_interval)
        fprintf(out, " The interval held %zu of %zu times (%s %%; 90 %% is meant).", summary->held,
                summary->with_interval,
                share_words((double)summary->held / (double)summary->with_interval).text);
    if (summary->probes > 0)
        fprintf(out, " Probes took %s %% of the time of these runs.", share_words(summary->probes).text);
    fclose(out);
    free(count);
    return text;
}

static void write_row(struct row_writer *row, const struct told *one)
{
    row_text(row, "predictor", one->predictor);
    row_text(row, "inputs", one->label);
    row_text(row, "host", one->host);
    row_integer(row, "processors", one->processors);
    row_number(row, "predicted", one->predicted);
    row_number(row, "lower", one->lower);
    row_number(row, "upper", one->upper);
    row_number(row, "measured", one->measured);
    row_number(row, "error", row->is_head ? NAN : told_error(one));
    row_flag(row, "is_held", one->is_held);
    row_text(row, "model", one->model);
    row_integer(row, "probes", one->probes);
    row_number(row, "probe_seconds", one->probe_seconds);
    row_number(row, "made", one->made);
}

static void write_csv(const struct array *told, FILE *out)
{
    static const struct told none = {0};
    struct row_writer row = {.out = out, .is_head = true, .is_first = true};
    write_row(&row, &none);
    fputs("\r\n", out);
    for (size_t i = 0; i < told->count; i++) {
        row = (struct row_writer){.out = out, .is_first = true};
        write_row(&row, ARRAY_AT(struct told, told, i));
        fputs("\r\n", out);
    }
}

static void write_json(const struct array *told, const struct told_summary *summary, FILE *out)
{
    struct row_writer row = row_begin_object(out);
    row_integer(&row, "count", (int64_t)summary->count);
    row_number(&row, "mean_error", summary->count ? summary->mean : NAN);
    row_number(&row, "worst_error", summary->count ? summary->worst : NAN);
    row_number(&row, "coverage",
               summary->with_interval ? (double)summary->held / (double)summary->with_interval : NAN);
    row_number(&row, "probe_share", summary->count ? summary->probes : NAN);
    struct row_list predictions = row_begin_list(&row, "predictions", "\n");
    for (size_t i = 0; i < told->count; i++) {
        struct row_writer one = row_begin_item(&predictions);
        write_row(&one, ARRAY_AT(struct told, told, i));
        row_end_object(&one);
    }
    row_end_list(&predictions);
    fputs("}\n", out);
}

static void print_row(const struct told *one, const struct report_style *style, FILE *out)
{
    autofree char *name = memory_format("%s %s", one->predictor, one->label),
                  *safe = text_safe(name, strlen(name)),
                  *cut = text_cut(safe, LABEL_WIDTH, true, style->unicode),
                  *predicted = predict_seconds_words(one->predicted),
                  *interval = predict_interval_words(one->lower, one->upper),
                  *measured = predict_seconds_words(one->measured);
    fprintf(out, "%s%*s  %12s  %-24s  %12s  %+6.0f %%  %s%s%s\n", cut, (int)(LABEL_WIDTH - text_width(cut)),
            "", predicted, interval ? interval : "", measured, 100 * told_error(one),
            one->is_held ? "" : report_ink(style, ink_ALARM),
            !interval      ? "none"
            : one->is_held ? "held"
                           : "missed",
            one->is_held ? "" : report_ink(style, ink_PLAIN));
}

static void print_text(const struct array *told, const struct told_summary *summary,
                       const struct report_style *style, FILE *out)
{
    autofree char *words = told_summary_words(summary);
    size_t width = !style->width                ? WRAP_USUAL_WIDTH
                   : style->width > WRAP_WIDEST ? WRAP_WIDEST
                                                : style->width,
           first = told->count > MOST_ROWS ? told->count - MOST_ROWS : 0;
    wrap_say(out, 0, width, "%s", words);
    if (told->count)
        fprintf(out, "\n%s%-*s  %12s  %-24s  %12s  %8s  interval%s\n", report_ink(style, ink_DIM),
                LABEL_WIDTH, "inputs", "predicted", "", "measured", "error", report_ink(style, ink_PLAIN));
    for (size_t i = first; i < told->count; i++)
        print_row(ARRAY_AT(struct told, told, i), style, out);
    if (first)
        fprintf(out, "%s%zu earlier ones: --csv lists all%s\n", report_ink(style, ink_DIM), first,
                report_ink(style, ink_PLAIN));
}

static bool is_known(struct ledger *ledger, const char *predictor, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(predict_view_queries, "is_known"), "t", predictor))
        return false;
    bool is_there = ledger_next(&rows);
    return ledger_end(&rows, error) &&
           (is_there || error_set(error, ledger_path(ledger),
                                  "knows no program %s that was predicted; assay predict --history lists all",
                                  predictor));
}

bool report_predict_history(struct ledger *ledger, const char *predictor, const struct report_style *style,
                            FILE *out, size_t *count, struct error *error)
{
    struct array told = ARRAY_OF(struct told);
    bool done =
        (!predictor || is_known(ledger, predictor, error)) && told_load(ledger, predictor, &told, error);
    if (done) {
        struct told_summary summary = told_summarise(&told);
        *count = told.count;
        if (style->format == report_CSV)
            write_csv(&told, out);
        else if (style->format == report_JSON)
            write_json(&told, &summary, out);
        else
            print_text(&told, &summary, style, out);
    }
    told_free(&told);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
