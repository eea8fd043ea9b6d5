/* A sweep as a table: time, how it scales, and the shares of what ranks do; where these have several causes,
   the shares of the causes at the first, the best and the last value. */
#include "show/report/common/row_writer.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct model_point *point_at(const struct model_sweep *sweep, size_t index)
{
    return ARRAY_AT(struct model_point, sweep->points, index);
}

bool model_sweep_is_shared(const struct model_sweep *sweep)
{
    const struct model_point *first = point_at(sweep, 0);
    double all = first->evaluation.kinds[evaluated_COMPUTE] * first->ranks;
    bool varies = false;
    for (size_t i = 1; i < sweep->points->count; i++) {
        const struct model_point *point = point_at(sweep, i);
        double own = point->evaluation.kinds[evaluated_COMPUTE] * point->ranks;
        varies |= point->ranks != first->ranks;
        if (!(own > all / 1.5 && own < all * 1.5))
            return false;
    }
    return varies;
}

/* Against the first point: ranks times time, which stays the same where a program scales perfectly. */
static double efficiency_of(const struct model_sweep *sweep, const struct model_point *point)
{
    const struct model_point *first = point_at(sweep, 0);
    return first->evaluation.seconds * first->ranks / (point->evaluation.seconds * point->ranks);
}

static void write_row(struct row_writer *row, const struct model_sweep *sweep,
                      const struct model_point *point)
{
    static const char *const names[evaluated_KINDS] = {"compute_seconds", "send_seconds", "wait_seconds",
                                                       "disc_seconds"};
    row_text(row, "parameter", sweep->parameter);
    row_number(row, "value", point->value);
    row_integer(row, "ranks", point->ranks);
    row_number(row, "predicted_seconds", point->evaluation.seconds);
    row_number(row, "speedup", point_at(sweep, 0)->evaluation.seconds / point->evaluation.seconds);
    row_number(row, "efficiency", model_sweep_is_shared(sweep) ? efficiency_of(sweep, point) : NAN);
    for (unsigned i = 0; i < evaluated_KINDS; i++)
        row_number(row, names[i], point->evaluation.kinds[i]);
    row_integer(row, "messages", (int64_t)point->evaluation.messages);
}

static void print_rows(const struct model_sweep *sweep, bool is_json, FILE *out)
{
    struct row_table table = row_begin_table(out, is_json, true);
    if (sweep->points->count && row_begin_head(&table))
        write_row(&table.row, sweep, point_at(sweep, 0));
    for (size_t i = 0; i < sweep->points->count; i++) {
        row_begin_row(&table);
        write_row(&table.row, sweep, point_at(sweep, i));
    }
    row_end_table(&table);
}

static char *value_words(double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? model_count_words(value)
                                                       : memory_format("%.6g", value);
}

static void print_share(double share, FILE *out)
{
    if (share > 0)
        fprintf(out, "  %9s %%", share_words(share).text);
    else
        fprintf(out, "  %11s", "");
}

static void print_table(const struct model_sweep *sweep, FILE *out)
{
    bool varies = model_sweep_is_shared(sweep), has_kind[evaluated_KINDS] = {false};
    static const char *const heads[evaluated_KINDS] = {"computing", "sending", "waiting", "disc"};
    for (size_t i = 0; i < sweep->points->count; i++)
        for (unsigned kind = 0; kind < evaluated_KINDS; kind++)
            has_kind[kind] |= point_at(sweep, i)->evaluation.kinds[kind] > 0;
    autofree char *head = *sweep->unit ? memory_format("%s (%s)", sweep->parameter, sweep->unit)
                                       : memory_format("%s", sweep->parameter);
    autofree char *safe = text_safe(head, strlen(head));
    int width = (int)text_width(safe) > 12 ? (int)text_width(safe) : 12;
    fprintf(out, "%*s  %11s  %8s", width, safe, "time", "speedup");
    if (varies)
        fprintf(out, "  %10s", "efficiency");
    for (unsigned kind = 0; kind < evaluated_KINDS; kind++)
        if (has_kind[kind])
            fprintf(out, "  %11s", heads[kind]);
    fputs("\n", out);
    for (size_t i = 0; i < sweep->points->count; i++) {
        const struct model_point *point = point_at(sweep, i);
        autofree char *time = model_time_words(point->evaluation.seconds);
        autofree char *value = value_words(point->value);
        double speedup = point_at(sweep, 0)->evaluation.seconds / point->evaluation.seconds;
        autofree char *times = speedup >= 1000 ? model_count_words(speedup) : memory_format("%.4g", speedup);
        fprintf(out, "%*s  %*s  %8s", width, value, 11 + (strchr(time, '\xc2') != NULL), time, times);
        if (varies)
            fprintf(out, "  %8s %%", share_words(efficiency_of(sweep, point)).text);
        for (unsigned kind = 0; kind < evaluated_KINDS; kind++)
            if (has_kind[kind])
                print_share(point->evaluation.seconds > 0
                                ? point->evaluation.kinds[kind] / point->evaluation.seconds
                                : 0,
                            out);
        fputs("\n", out);
    }
}

static const struct model_point *best_of(const struct model_sweep *sweep)
{
    const struct model_point *best = point_at(sweep, 0);
    for (size_t i = 1; i < sweep->points->count; i++)
        if (point_at(sweep, i)->evaluation.seconds < best->evaluation.seconds)
            best = point_at(sweep, i);
    return best;
}

static bool has_several_causes(const struct array *layers)
{
    unsigned causes[evaluated_KINDS] = {0};
    for (size_t i = 0; i < layers->count; i++)
        if (++causes[ARRAY_AT(struct model_layer, layers, i)->kind] > 1)
            return true;
    return false;
}

static void print_layer(const struct model_sweep *sweep, const struct model_layer *layer,
                        const struct model_point *const *points, size_t count, FILE *out)
{
    autofree char *where = model_cause_words(sweep->model, layer->cause, layer->kind);
    for (size_t i = 0; i < count; i++)
        print_share(model_layer_share(layer, &points[i]->evaluation), out);
    fprintf(out, "  %-21s  ", model_kind_word(layer->kind));
    text_print_safe(where, strlen(where), out);
    fputs("\n", out);
}

static void print_causes(const struct model_sweep *sweep, FILE *out)
{
    enum { MOST = 20 };
    struct array layers = model_layers(sweep);
    const struct model_point *const all[] = {point_at(sweep, 0), best_of(sweep),
                                             point_at(sweep, sweep->points->count - 1)};
    const struct model_point *points[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (!count || points[count - 1] != all[i])
            points[count++] = all[i];
    if (has_several_causes(&layers)) {
        fputs("\nwhat the time goes to, with ", out);
        text_print_safe(sweep->parameter, strlen(sweep->parameter), out);
        fputs(" =\n", out);
        for (size_t i = 0; i < count; i++) {
            autofree char *value = value_words(points[i]->value);
            fprintf(out, "  %11s", value);
        }
        fprintf(out, "  %-21s  in\n", "doing");
        for (size_t i = 0; i < layers.count && i < MOST; i++)
            print_layer(sweep, ARRAY_AT(struct model_layer, &layers, i), points, count, out);
        if (layers.count > MOST)
            fprintf(out, "  … and %zu more\n", layers.count - MOST);
    }
    array_free(&layers);
}

static double computing_share(const struct model_point *point)
{
    return point->evaluation.seconds > 0
               ? point->evaluation.kinds[evaluated_COMPUTE] / point->evaluation.seconds
               : 0;
}

/* The best, and where computing stops to be most of the time, said first. */
static void print_answer(const struct model_sweep *sweep, const struct report_style *style, FILE *out)
{
    const struct model_point *best = best_of(sweep), *half = NULL;
    bool has_ended = false;
    for (size_t i = 0; i < sweep->points->count; i++) {
        const struct model_point *point = point_at(sweep, i);
        has_ended |= computing_share(point) < 0.5;
        if (!has_ended)
            half = point;
    }
    autofree char *time = model_time_words(best->evaluation.seconds),
                  *value = memory_format("%.10g", best->value);
    fputs(report_ink(style, ink_BOLD), out);
    text_print_safe(language_application(sweep->model), strlen(language_application(sweep->model)), out);
    fprintf(out, ": %s at best, with ", time);
    text_print_safe(sweep->parameter, strlen(sweep->parameter), out);
    fprintf(out, " = %s", value);
    fputs(report_ink(style, ink_PLAIN), out);
    if (sweep->network) {
        fputs(", network ", out);
        text_print_safe(sweep->network->name, strlen(sweep->network->name), out);
    }
    fputs("\n", out);
    if (sweep->planned > sweep->points->count)
        fprintf(out, "partial: %zu of %zu values, then Ctrl-C came\n", sweep->points->count, sweep->planned);
    if (has_ended && half) {
        fputs("more than half of the time is computing up to ", out);
        text_print_safe(sweep->parameter, strlen(sweep->parameter), out);
        fprintf(out, " = %.10g\n", half->value);
    }
    fputs("\n", out);
}

void report_model_sweep(const struct model_sweep *sweep, const struct report_style *style, FILE *out)
{
    if (style->format != report_TABLE) {
        print_rows(sweep, style->format == report_JSON, out);
        return;
    }
    print_answer(sweep, style, out);
    print_table(sweep, out);
    print_causes(sweep, out);
}
