/* See fit.h. */
#include "show/report/modelling/fit.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <stdlib.h>

static void write_parameter(struct row_writer *row, const struct model_fit *fit,
                            const struct fitted_parameter *parameter)
{
    row_text(row, "parameter", parameter->name);
    row_number(row, "value", parameter->value);
    row_number(row, "deviation", parameter->deviation);
    row_number(row, "lower", parameter->value - fit->width * parameter->deviation);
    row_number(row, "upper", parameter->value + fit->width * parameter->deviation);
    row_text(row, "unit", parameter->unit);
    row_number(row, "start", parameter->start);
}

static void write_json(const struct model_fit *fit, FILE *out)
{
    struct row_writer row = row_begin_object(out);
    row_number(&row, "error", fit->error);
    row_number(&row, "worst", fit->worst);
    row_number(&row, "error_without", fit->error_without);
    row_number(&row, "worst_without", fit->worst_without);
    row_integer(&row, "judged", (int64_t)fit->judged);
    row_text(&row, "alike", fit->alike);
    struct row_list parameters = row_begin_list(&row, "parameters", "");
    for (size_t i = 0; i < fit->parameters.count; i++) {
        struct row_writer inner = row_begin_item(&parameters);
        write_parameter(&inner, fit, ARRAY_AT(struct fitted_parameter, &fit->parameters, i));
        row_end_object(&inner);
    }
    row_end_list(&parameters);
    struct row_list rows = row_begin_list(&row, "rows", "");
    for (size_t i = 0; i < fit->rows.count; i++) {
        const struct fitted_row *measured = ARRAY_AT(struct fitted_row, &fit->rows, i);
        struct row_writer inner = row_begin_item(&rows);
        row_integer(&inner, "line", measured->line);
        row_number(&inner, "measured", measured->measured);
        row_number(&inner, "predicted", measured->predicted);
        row_number(&inner, "without", measured->without);
        row_end_object(&inner);
    }
    row_end_list(&rows);
    fputs("}\n", out);
}

static void write_csv(const struct model_fit *fit, FILE *out)
{
    for (size_t i = 0; i <= fit->parameters.count; i++) { /* the names first */
        struct row_writer row = {.out = out, .is_head = i == 0, .is_first = true};
        write_parameter(&row, fit, ARRAY_AT(struct fitted_parameter, &fit->parameters, i ? i - 1 : 0));
        fputs("\n", out);
    }
}

static void print_parameters(const struct model_fit *fit, const struct report_style *style, FILE *out)
{
    fprintf(out, "\n%s%-20s %14s %14s  %s%s\n", report_ink(style, ink_BOLD), "parameter", "fitted",
            "95 %: +-", "unit", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < fit->parameters.count; i++) {
        const struct fitted_parameter *parameter = ARRAY_AT(struct fitted_parameter, &fit->parameters, i);
        double width = fit->width * parameter->deviation;
        fprintf(out, "%-20s %14.6g ", parameter->name, parameter->value);
        if (isfinite(width))
            fprintf(out, "%14.3g", width);
        else
            fprintf(out, "%14s", "not known");
        fprintf(out, "  %s%s\n", parameter->unit,
                parameter->is_at_zero ? "   held at 0: the runs would have it below" : "");
    }
}

static void print_rows(const struct model_fit *fit, const struct report_style *style, FILE *out)
{
    enum { MOST = 20 };
    fprintf(out, "\n%s%6s %14s %14s %8s %24s%s\n", report_ink(style, ink_BOLD), "line", "measured",
            "predicted", "off", "without this row: off", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < fit->rows.count && i < MOST; i++) {
        const struct fitted_row *row = ARRAY_AT(struct fitted_row, &fit->rows, i);
        fprintf(out, "%6u %14.6g %14.6g %6.1f %%", row->line, row->measured, row->predicted,
                100 * (row->predicted / row->measured - 1));
        if (isfinite(row->without))
            fprintf(out, " %22.1f %%", 100 * (row->without / row->measured - 1));
        fputs("\n", out);
    }
    if (fit->rows.count > MOST)
        fprintf(out, "and %zu more rows (--json has all)\n", fit->rows.count - MOST);
}

void report_model_fit(const struct model_fit *fit, const struct report_style *style, FILE *out)
{
    size_t width = !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
    if (style->format == report_JSON) {
        write_json(fit, out);
        return;
    }
    if (style->format == report_CSV) {
        write_csv(fit, out);
        return;
    }
    fputs(report_ink(style, ink_BOLD), out);
    bool is_partial = fit->rows.count > fit->parameters.count && fit->judged < fit->rows.count;
    if (is_partial)
        wrap_say(
            out, 0, width,
            "partial: Ctrl-C came after %zu of %zu fits that each leave out a row; the fitted values are "
            "whole.",
            fit->judged, fit->rows.count);
    if (is_partial && !fit->judged)
        wrap_say(out, 0, width, "The fitted model is off by %.2g %% on the runs that it was fitted to.",
                 100 * fit->error);
    else if (isfinite(fit->error_without))
        wrap_say(out, 0, width,
                 "The fitted model is off by %.2g %% on runs that it was not fitted to (%.2g %% at worst), "
                 "and by %.2g "
                 "%% on those that it was.",
                 100 * fit->error_without, 100 * fit->worst_without, 100 * fit->error);
    else
        wrap_say(
            out, 0, width,
            "As many parameters as runs: the fit is off by %.2g %%, which says nothing about other runs.",
            100 * fit->error);
    fputs(report_ink(style, ink_PLAIN), out);
    if (fit->alike)
        wrap_say(out, 0, width,
                 "These runs hardly tell %s apart: one can be traded for the other. Runs of other sizes may.",
                 fit->alike);
    print_parameters(fit, style, out);
    print_rows(fit, style, out);
    fputs("\nFor assay model run: --set ", out);
    for (size_t i = 0; i < fit->parameters.count; i++) {
        const struct fitted_parameter *parameter = ARRAY_AT(struct fitted_parameter, &fit->parameters, i);
        fprintf(out, "%s%s=%.6g%s", i ? "," : "", parameter->name, parameter->value, parameter->unit);
    }
    fputs("\n", out);
}
