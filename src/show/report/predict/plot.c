/* Predicted against measured: a square with logarithmic axes, so that to be wrong by a factor is the same
   distance everywhere. On the diagonal a prediction is right; the lines beside it are wrong by a factor of
   two. A point whose interval did not hold is a red cross: it does not depend on colour. */
#include "show/report/common/html.h"
#include "show/report/common/text.h"
#include "show/report/common/times.h"
#include "show/report/predict/history.h"
#include "show/report/predict/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char report_plot_style[];

enum { SIDE = 520, LEFT = 96, TOP = 20, BOTTOM = 58, RIGHT = 24, COLOURS = 6, MOST_NAMED = 8 };

struct plot {
    double least, most; /* logarithms of the axes */
    FILE *out;
};

static double position(const struct plot *plot, double seconds)
{
    double at = (log(seconds) - plot->least) / (plot->most - plot->least);
    return (at < 0 ? 0 : at > 1 ? 1 : at) * SIDE;
}

static double x_of(const struct plot *plot, double seconds)
{
    return LEFT + position(plot, seconds);
}

static double y_of(const struct plot *plot, double seconds)
{
    return TOP + SIDE - position(plot, seconds);
}

/* Around all points, with the ends of intervals that are not absurdly far away. */
static void find_axes(struct plot *plot, const struct array *told)
{
    plot->least = INFINITY;
    plot->most = -INFINITY;
    for (size_t i = 0; i < told->count; i++) {
        const struct told *one = ARRAY_AT(struct told, told, i);
        double ends[] = {one->predicted, one->measured, one->lower, one->upper};
        for (unsigned k = 0; k < sizeof ends / sizeof *ends; k++) {
            bool is_near = k < 2 || (ends[k] > one->measured / 30 && ends[k] < one->measured * 30);
            if (is_near && ends[k] > 0 && isfinite(ends[k])) {
                plot->least = fmin(plot->least, log(ends[k]));
                plot->most = fmax(plot->most, log(ends[k]));
            }
        }
    }
    if (!told->count)
        *plot = (struct plot){.least = 0, .most = log(1000), .out = plot->out};
    double room = fmax((plot->most - plot->least) * 0.06, 0.2);
    plot->least -= room;
    plot->most += room;
}

static bool is_shown(const struct plot *plot, double tick)
{
    return log(tick) >= plot->least && log(tick) <= plot->most;
}

static void print_tick(const struct plot *plot, double tick)
{
    double x = x_of(plot, tick), y = y_of(plot, tick);
    autofree char *label = phrase_duration(tick);
    fprintf(plot->out,
            "<path class=\"tick\" d=\"M%.1f %dV%dM%d %.1fH%d\"/><text class=\"axis middle\" x=\"%.1f\" "
            "y=\"%d\">%s</text><text class=\"axis end\" x=\"%d\" y=\"%.1f\">%s</text>\n",
            x, TOP, TOP + SIDE, LEFT, y, LEFT + SIDE, x, TOP + SIDE + 18, label, LEFT - 8, y + 4, label);
}

static void print_axes(const struct plot *plot)
{
    static const double ticks[] = {1e-4, 1e-3, 0.01, 0.1,   1,     10,       60,
                                   600,  3600, 36e3, 86400, 864e3, 31557600, 315576000},
                        between[] = {1,   2,   5,   10,   15,   20,   30,   45,   60,    90,    120, 180,
                                     300, 600, 900, 1200, 1800, 2700, 3600, 7200, 10800, 18000, 36e3};
    unsigned count = 0;
    double last = -100;
    for (unsigned i = 0; i < sizeof ticks / sizeof *ticks; i++)
        count += is_shown(plot, ticks[i]);
    for (unsigned i = 0; count > 2 && i < sizeof ticks / sizeof *ticks; i++)
        if (is_shown(plot, ticks[i]) && x_of(plot, ticks[i]) - last >= 40) {
            print_tick(plot, ticks[i]);
            last = x_of(plot, ticks[i]);
        }
    for (unsigned i = 0; count <= 2 && i < sizeof between / sizeof *between; i++)
        if (is_shown(plot, between[i]) && x_of(plot, between[i]) - last >= 56) {
            print_tick(plot, between[i]);
            last = x_of(plot, between[i]);
        }
    fprintf(plot->out,
            "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/><text class=\"middle\" "
            "x=\"%d\" y=\"%d\">measured</text><text class=\"middle\" transform=\"translate(20 %d) "
            "rotate(-90)\">predicted</text>\n",
            LEFT, TOP, SIDE, SIDE, LEFT + SIDE / 2, TOP + SIDE + 42, TOP + SIDE / 2);
}

static void print_diagonals(const struct plot *plot)
{
    double shift = log(2) / (plot->most - plot->least) * SIDE;
    fprintf(plot->out, "<path class=\"right\" d=\"M%d %dL%d %d\"><title>exactly right</title></path>\n", LEFT,
            TOP + SIDE, LEFT + SIDE, TOP);
    if (shift < SIDE)
        fprintf(plot->out,
                "<path class=\"twice\" d=\"M%d %.1fL%.1f %dM%.1f %dL%d %.1f\"><title>wrong by a factor of "
                "two</title></path>\n",
                LEFT, TOP + SIDE - shift, LEFT + SIDE - shift, TOP, LEFT + shift, TOP + SIDE, LEFT + SIDE,
                TOP + shift);
}

static void print_point(const struct plot *plot, const struct told *one)
{
    double x = x_of(plot, one->measured), y = y_of(plot, one->predicted);
    autofree char *predicted = predict_seconds_words(one->predicted),
                  *measured = predict_seconds_words(one->measured);
    bool has_interval = !isnan(one->lower) && one->lower >= 0, is_missed = has_interval && !one->is_held;
    html_format(plot->out, "<g class=\"point c%u%s\"><title>%s %s", one->group % COLOURS,
                is_missed ? " missed" : "", one->predictor, one->label);
    fprintf(plot->out, ": predicted %s, measured %s%s</title>", predicted, measured,
            is_missed ? ", outside the interval" : "");
    if (has_interval)
        fprintf(plot->out, "<path class=\"interval\" d=\"M%.1f %.1fV%.1f\"/>", x,
                one->lower > 0 ? y_of(plot, one->lower) : (double)(TOP + SIDE),
                isfinite(one->upper) ? y_of(plot, one->upper) : (double)TOP);
    if (is_missed)
        fprintf(plot->out, "<path class=\"cross\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>", x - 4, y - 4);
    else
        fprintf(plot->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>", x, y);
    fputs("</g>\n", plot->out);
}

static void print_legend(const struct plot *plot, const struct array *told)
{
    double y = TOP + 18;
    unsigned named = 0;
    bool has_missed = false;
    for (size_t i = 0; i < told->count; i++) {
        const struct told *one = ARRAY_AT(struct told, told, i);
        has_missed |= !isnan(one->lower) && !one->is_held;
        if (i && one->group == ARRAY_AT(struct told, told, i - 1)->group)
            continue;
        if (named++ == MOST_NAMED)
            break;
        autofree char *safe = text_safe(one->predictor, strlen(one->predictor)),
                      *cut = text_cut(safe, 30, false, true);
        html_format(plot->out,
                    "<g class=\"point c%u\"><circle cx=\"%d\" cy=\"%.1f\" r=\"3.5\"/></g><text x=\"%d\" "
                    "y=\"%.1f\">%s</text>\n",
                    one->group % COLOURS, LEFT + 16, y - 4, LEFT + 26, y, cut);
        y += 17;
    }
    if (has_missed)
        fprintf(plot->out,
                "<g class=\"point missed\"><path class=\"cross\" d=\"M%d %.1fl8 8m0 -8l-8 8\"/></g><text "
                "x=\"%d\" "
                "y=\"%.1f\">outside its interval</text>\n",
                LEFT + 12, y - 8, LEFT + 26, y);
}

static void print_all(struct plot *plot, const struct array *told)
{
    struct told_summary summary = told_summarise(told);
    autofree char *words = told_summary_words(&summary);
    int width = LEFT + SIDE + RIGHT, height = TOP + SIDE + BOTTOM;
    html_format(plot->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" "
                "width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"plot-title plot-desc\">\n<title "
                "id=\"plot-title\">Run times predicted and measured</title>\n<desc id=\"plot-desc\">%s",
                width, height, width, height, words);
    fprintf(plot->out, "</desc>\n<style>%s</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n",
            report_plot_style, width, height);
    print_axes(plot);
    print_diagonals(plot);
    for (size_t i = 0; i < told->count; i++)
        print_point(plot, ARRAY_AT(struct told, told, i));
    print_legend(plot, told);
    fputs("</svg>\n", plot->out);
}

bool report_predict_plot(struct ledger *ledger, const char *predictor, FILE *out, struct error *error)
{
    struct array told = ARRAY_OF(struct told);
    struct plot plot = {.out = out};
    bool done = told_load(ledger, predictor, &told, error);
    if (done) {
        find_axes(&plot, &told);
        print_all(&plot, &told);
    }
    told_free(&told);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
