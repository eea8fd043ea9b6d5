/* A sweep as a picture: above, time over the parameter, both logarithmic, with the line of perfect scaling;
   below, what the time of the rank that ends last is made of, as shares that fill the height.  The legend
   is in the order of the layers. */
#include "show/report/common/html.h"
#include "show/report/common/text.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char report_model_plot_style[];

enum {
    LEFT = 78,
    WIDE = 470,
    TOP = 40,
    HIGH = 230,
    BETWEEN = 64,
    LOW = 190,
    RIGHT = 250,
    BOTTOM = 50,
    LAYERS = 7
};

struct plot {
    const struct model_sweep *sweep;
    struct array layers; /* of struct model_layer: the largest; the rest is one more */
    bool has_rest, is_logarithmic;
    double first, last, least, most; /* of the axes */
    FILE *out;
};

static const struct model_point *point_at(const struct plot *plot, size_t index)
{
    return ARRAY_AT(struct model_point, plot->sweep->points, index);
}

static size_t count_of(const struct plot *plot)
{
    return plot->sweep->points->count;
}

static double x_of(const struct plot *plot, double value)
{
    double span = plot->is_logarithmic ? log(plot->last / plot->first) : plot->last - plot->first;
    double at = plot->is_logarithmic ? log(value / plot->first) : value - plot->first;
    return LEFT + (span > 0 ? at / span : 0.5) * WIDE;
}

static double y_of(const struct plot *plot, double seconds)
{
    double at = log(seconds / plot->least) / log(plot->most / plot->least);
    return TOP + HIGH - (at < 0 ? 0 : at > 1 ? 1 : at) * HIGH;
}

static void find_layers(struct plot *plot)
{
    plot->layers = model_layers(plot->sweep);
    plot->has_rest = plot->layers.count > LAYERS;
    if (plot->has_rest)
        plot->layers.count = LAYERS - 1;
}

static void find_axes(struct plot *plot)
{
    plot->first = plot->least = INFINITY;
    plot->last = plot->most = -INFINITY;
    for (size_t i = 0; i < count_of(plot); i++) {
        const struct model_point *point = point_at(plot, i);
        plot->first = fmin(plot->first, point->value);
        plot->last = fmax(plot->last, point->value);
        if (point->evaluation.seconds > 0) {
            plot->least = fmin(plot->least, point->evaluation.seconds);
            plot->most = fmax(plot->most, point->evaluation.seconds);
        }
    }
    plot->is_logarithmic = plot->first > 0 && plot->last >= 8 * plot->first;
    if (!isfinite(plot->least))
        plot->least = plot->most = 1;
    plot->least /= 1.5;
    plot->most *= 1.5;
}

static void print_x_ticks(const struct plot *plot, double top, double high, bool has_labels)
{
    double step = plot->is_logarithmic ? 1 : pow(10, floor(log10(fmax(plot->last - plot->first, 1e-300))));
    unsigned every = 1;
    if (plot->is_logarithmic)
        while (log2(plot->last / plot->first) / every > 8)
            every++;
    unsigned count = plot->is_logarithmic ? (unsigned)floor(log2(plot->last / plot->first) + 1e-9) + 1 : 11;
    for (unsigned i = 0; i < count; i += plot->is_logarithmic ? every : 1) {
        double value =
            plot->is_logarithmic ? plot->first * exp2(i) : ceil(plot->first / step) * step + i * step;
        if (value > plot->last * (1 + 1e-9))
            break;
        double x = x_of(plot, value);
        fprintf(plot->out, "<path class=\"tick\" d=\"M%.1f %.1fv%.1f\"/>", x, top, high);
        if (has_labels) {
            autofree char *words = value == floor(value) && value < 1e7 ? model_count_words(value)
                                                                        : memory_format("%.3g", value);
            fprintf(plot->out, "<text class=\"axis middle\" x=\"%.1f\" y=\"%.1f\">%s</text>", x,
                    top + high + 16, words);
        }
    }
    fputs("\n", plot->out);
}

/* Round numbers without decimals. */
static char *tick_words(double seconds)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    double value = seconds * 1e9;
    unsigned unit = 0;
    for (; unit < 3 && value >= 999.5; unit++)
        value /= 1000;
    autofree char *number = value >= 1 ? model_count_words(round(value)) : memory_format("%.2g", value);
    return memory_format("%s %s", number, units[unit]);
}

static void print_y_ticks(const struct plot *plot)
{
    bool is_narrow = plot->most / plot->least < 30;
    double last = INFINITY;
    for (double decade = pow(10, floor(log10(plot->least))); decade <= plot->most; decade *= 10)
        for (unsigned i = 0; i < 3; i++) {
            static const double steps[] = {1, 2, 5};
            double value = decade * steps[i];
            if (value < plot->least || value > plot->most || (i && !is_narrow) ||
                last - y_of(plot, value) < 16)
                continue;
            autofree char *words = tick_words(value);
            last = y_of(plot, value);
            fprintf(plot->out,
                    "<path class=\"tick\" d=\"M%d %.1fh%d\"/><text class=\"axis end\" x=\"%d\" "
                    "y=\"%.1f\">%s</text>",
                    LEFT, last, WIDE, LEFT - 7, last + 4, words);
        }
    fputs("\n", plot->out);
}

static void print_times(const struct plot *plot)
{
    const struct model_point *first = point_at(plot, 0);
    print_x_ticks(plot, TOP, HIGH, false);
    print_y_ticks(plot);
    fprintf(plot->out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
            WIDE, HIGH);
    if (model_sweep_is_shared(plot->sweep)) {
        fputs("<path class=\"ideal\" d=\"", plot->out);
        bool is_open = false;
        for (size_t i = 0; i < count_of(plot); i++) {
            const struct model_point *point = point_at(plot, i);
            double ideal = first->evaluation.seconds * first->ranks / point->ranks;
            if (ideal < plot->least)
                break;
            fprintf(plot->out, "%s%.1f %.1f", is_open ? "L" : "M", x_of(plot, point->value),
                    y_of(plot, ideal));
            is_open = true;
        }
        fprintf(plot->out,
                "\"><title>perfect scaling</title></path><text class=\"axis\" x=\"%d\" y=\"%d\">dashed: "
                "perfect scaling</text>\n",
                LEFT + WIDE + 14, TOP + 12);
    }
    fputs("<path class=\"line\" d=\"", plot->out);
    for (size_t i = 0; i < count_of(plot); i++)
        fprintf(plot->out, "%s%.1f %.1f", i ? "L" : "M", x_of(plot, point_at(plot, i)->value),
                y_of(plot, point_at(plot, i)->evaluation.seconds));
    fputs("\"/>\n", plot->out);
    for (size_t i = 0; i < count_of(plot); i++) {
        const struct model_point *point = point_at(plot, i);
        autofree char *time = model_time_words(point->evaluation.seconds);
        html_format(plot->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s",
                    x_of(plot, point->value), y_of(plot, point->evaluation.seconds), plot->sweep->parameter);
        fprintf(plot->out, " = %.10g: %s</title></circle>", point->value, time);
    }
    fputs("\n", plot->out);
}

/* Layer `which` of a point, from the bottom: where it begins and ends. The rest is the last layer. */
static void bounds_of(const struct plot *plot, const struct evaluation *evaluation, size_t which,
                      double *begin, double *end)
{
    *begin = 0;
    for (size_t i = 0; i < which; i++)
        *begin += model_layer_share(ARRAY_AT(struct model_layer, &plot->layers, i), evaluation);
    *end = which < plot->layers.count
               ? *begin + model_layer_share(ARRAY_AT(struct model_layer, &plot->layers, which), evaluation)
               : 1;
}

static void print_layer(const struct plot *plot, size_t which)
{
    double top = TOP + HIGH + BETWEEN, begin, end;
    const struct model_layer *layer =
        which < plot->layers.count ? ARRAY_AT(struct model_layer, &plot->layers, which) : NULL;
    autofree char *where = layer ? model_cause_words(plot->sweep->model, layer->cause, layer->kind) : NULL;
    autofree char *words =
        layer ? memory_format("%s: %s", where, model_kind_word(layer->kind)) : memory_format("all else");
    fprintf(plot->out, "<path class=\"area c%zu\" d=\"", which);
    for (size_t i = 0; i < count_of(plot); i++) {
        bounds_of(plot, &point_at(plot, i)->evaluation, which, &begin, &end);
        fprintf(plot->out, "%s%.1f %.1f", i ? "L" : "M", x_of(plot, point_at(plot, i)->value),
                top + LOW * (1 - end));
    }
    for (size_t i = count_of(plot); i-- > 0;) {
        bounds_of(plot, &point_at(plot, i)->evaluation, which, &begin, &end);
        fprintf(plot->out, "L%.1f %.1f", x_of(plot, point_at(plot, i)->value), top + LOW * (1 - begin));
    }
    html_format(plot->out, "Z\"><title>%s", words);
    size_t count = plot->layers.count + plot->has_rest;
    double y = top + 14 + 20.0 * (double)(count - 1 - which);
    fprintf(plot->out,
            "</title></path><rect class=\"c%zu\" x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\"/><text "
            "x=\"%d\" y=\"%.1f\">",
            which, LEFT + WIDE + 14, y - 10, LEFT + WIDE + 32, y);
    autofree char *safe = text_safe(words, strlen(words)), *cut = text_cut(safe, 38, false, true);
    html_format(plot->out, "%s</text>\n", cut);
}

static void print_shares(const struct plot *plot)
{
    double top = TOP + HIGH + BETWEEN;
    for (size_t i = 0; i < plot->layers.count + plot->has_rest; i++)
        print_layer(plot, i);
    for (unsigned percent = 0; percent <= 100; percent += 25)
        fprintf(plot->out, "<text class=\"axis end\" x=\"%d\" y=\"%.1f\">%u %%</text>", LEFT - 7,
                top + LOW * (1 - percent / 100.0) + 4, percent);
    print_x_ticks(plot, top + LOW, 4, true);
    html_format(plot->out,
                "<rect class=\"frame\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/><text "
                "class=\"middle\" x=\"%d\" y=\"%.1f\">%s",
                LEFT, top, WIDE, LOW, LEFT + WIDE / 2, top + LOW + 40, plot->sweep->parameter);
    if (*plot->sweep->unit)
        html_format(plot->out, " in %s", plot->sweep->unit);
    fprintf(plot->out,
            "</text><text class=\"head\" x=\"%d\" y=\"%.1f\">What the time goes to, on the rank that ends "
            "last</text>\n",
            LEFT, top - 10);
}

bool report_model_plot(const struct model_sweep *sweep, FILE *out, struct error *error)
{
    struct plot plot = {.sweep = sweep, .out = out};
    int width = LEFT + WIDE + RIGHT, height = TOP + HIGH + BETWEEN + LOW + BOTTOM;
    const char *name = language_application(sweep->model);
    find_layers(&plot);
    find_axes(&plot);
    html_format(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sweep\" viewBox=\"0 0 %d %d\" "
                "width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"sweep-title\">\n<title "
                "id=\"sweep-title\">Predicted time of %s over %s",
                width, height, width, height, name, sweep->parameter);
    fprintf(out,
            "</title>\n<style>%s</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n<text "
            "class=\"head\" x=\"%d\" y=\"%d\">",
            report_model_plot_style, width, height, LEFT, TOP - 14);
    html_format(out, "%s: predicted time", name);
    if (sweep->planned > sweep->points->count)
        fprintf(out, " (partial: %zu of %zu values)", sweep->points->count, sweep->planned);
    fputs("</text>\n", out);
    print_times(&plot);
    print_shares(&plot);
    fputs("</svg>\n", out);
    array_free(&plot.layers);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
