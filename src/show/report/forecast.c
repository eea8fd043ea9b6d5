/* A forecast in words: the answer first, how good such answers were, then what each forecaster says. */
#include "show/report/forecast.h"

#include "base/memory.h"
#include "show/report/common/phrases.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct standing {
    unsigned number;
    struct forecast_judged judged;
};

static int by_error(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    if (x->judged.error != y->judged.error && !isnan(x->judged.error))
        return x->judged.error < y->judged.error ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct standing *standings(const struct forecasting *forecasting)
{
    struct standing *all = memory_get(forecaster_count * sizeof *all);
    for (unsigned i = 0; i < forecaster_count; i++)
        all[i] = (struct standing){i, forecast_judge(forecasting, i)};
    qsort(all, forecaster_count, sizeof *all, by_error);
    return all;
}

static void print_rows(const struct forecast_view *view, struct row_writer *writer,
                       const struct standing *one)
{
    writer->is_first = true;
    row_text(writer, "method", forecasters[one->number].name);
    row_number(writer, "next", one->judged.next);
    row_number(writer, "mean_error", one->judged.size);
    row_number(writer, "rms_error", one->judged.error);
    row_flag(writer, "is_chosen", one->judged.is_chosen);
    (void)view;
}

static void print_json(const struct forecast_view *view, const struct standing *all, FILE *out)
{
    struct forecast next = forecast_next(view->forecasting);
    struct row_writer writer = row_begin_object(out);
    row_text(&writer, "name", view->series->name);
    row_integer(&writer, "values", (int64_t)forecast_count(view->forecasting));
    row_number(&writer, "next", next.value);
    row_number(&writer, "lower", next.lower);
    row_number(&writer, "upper", next.upper);
    row_number(&writer, "mean_error", next.size);
    row_number(&writer, "rms_error", next.error);
    row_text(&writer, "method", forecasters[next.method].name);
    row_text(&writer, "best_method", forecasters[forecast_best(view->forecasting)].name);
    if (forecast_period(view->forecasting))
        row_integer(&writer, "period", (int64_t)forecast_period(view->forecasting));
    fputs(", \"methods\": [", out);
    for (unsigned i = 0; i < forecaster_count; i++) {
        fputs(i ? ",\n{" : "\n{", out);
        print_rows(view, &writer, &all[i]);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

static void print_csv(const struct forecast_view *view, const struct standing *all, FILE *out)
{
    for (unsigned i = 0; i <= forecaster_count; i++) {
        struct row_writer writer = {.out = out, .is_head = !i};
        print_rows(view, &writer, &all[i ? i - 1 : 0]);
        fputs("\r\n", out);
    }
}

static void print_text(const struct forecast_view *view, const struct standing *all,
                       const struct report_style *style, FILE *out)
{
    struct forecast next = forecast_next(view->forecasting);
    struct forecast_judged best = forecast_judge(view->forecasting, forecast_best(view->forecasting));
    size_t period = forecast_period(view->forecasting);
    const char *blank = *view->unit ? " " : "";
    autofree char *count = phrase_count(forecast_count(view->forecasting));
    autofree char *name = text_safe(view->series->name, strlen(view->series->name));
    fprintf(out, "%s: %s value%s, the last %.4g%s%s\n", name, count,
            forecast_count(view->forecasting) == 1 ? "" : "s",
            ARRAY_AT(struct series_point, &view->series->points, view->series->points.count - 1)->value,
            blank, view->unit);
    fprintf(out, "%sNext: %.4g%s%s%s", report_ink(style, ink_BOLD), next.value, blank, view->unit,
            report_ink(style, ink_PLAIN));
    if (!isnan(next.lower))
        fprintf(out, ", nine times in ten between %.4g and %.4g", next.lower, next.upper);
    fprintf(out, ", by %s: %s", forecasters[next.method].name, forecasters[next.method].doc);
    if (!strncmp(forecasters[next.method].name, "season", strlen("season")) && period)
        fprintf(out, " (a period has %zu values)", period);
    fputc('\n', out);
    if (!isnan(next.error))
        fprintf(out,
                "Such answers were wrong by %.3g on average (root mean square %.3g); %s, the best single "
                "method in "
                "hindsight, by %.3g (%.3g).\n",
                next.size, next.error, forecasters[forecast_best(view->forecasting)].name, best.size,
                best.error);
    fprintf(out, "\n%s  %-12s %10s %11s %10s%s\n", report_ink(style, ink_DIM), "method", "next", "mean error",
            "RMS error", report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < forecaster_count; i++)
        fprintf(out, "%s %-12s %10.4g %11.3g %10.3g\n", all[i].judged.is_chosen ? "*" : " ",
                forecasters[all[i].number].name, all[i].judged.next, all[i].judged.size, all[i].judged.error);
}

void report_forecast(const struct forecast_view *view, const struct report_style *style, FILE *out)
{
    autofree struct standing *all = standings(view->forecasting);
    if (style->format == report_JSON)
        print_json(view, all, out);
    else if (style->format == report_CSV)
        print_csv(view, all, out);
    else
        print_text(view, all, style, out);
}
