/* See lines.h. */
#include "show/report/modelling/lines.h"
#include "show/report/common/html.h"

#include <math.h>

extern const char report_plot_style[];

enum {
    WIDTH = 640,
    HEIGHT = 380,
    LEFT = 78,
    TOP = 40,
    BOTTOM = 56,
    RIGHT = 24,
    COLOURS = 6,
    MOST_NAMED = 14
};

struct axis {
    double least, most, step;
    bool is_log;
};

struct sheet {
    const struct lines *lines;
    struct axis across, up;
    FILE *out;
};

static double at(const struct axis *axis, double value)
{
    return axis->is_log ? log10(value / axis->least) / log10(axis->most / axis->least)
                        : (value - axis->least) / (axis->most - axis->least);
}

static double x_of(const struct sheet *sheet, double value)
{
    return LEFT + WIDTH * at(&sheet->across, value);
}

static double y_of(const struct sheet *sheet, double value)
{
    return TOP + HEIGHT * (1 - at(&sheet->up, value));
}

/* Round numbers around all values. */
static struct axis make_axis(double least, double most, bool is_log)
{
    struct axis axis = {.is_log = is_log && least > 0 && most > 0};
    if (!(least <= most)) {
        least = 0;
        most = 1;
    }
    if (axis.is_log) {
        axis.least = pow(10, floor(log10(least) + 1e-9));
        axis.most = pow(10, ceil(log10(most) - 1e-9));
        if (!(axis.most > axis.least))
            axis.most = axis.least * 10;
        return axis;
    }
    if (least > 0 && least < most / 2)
        least = 0;
    if (!(most > least))
        most = least + (least ? fabs(least) : 1);
    double rough = (most - least) / 6, unit = pow(10, floor(log10(rough)));
    axis.step = unit * (rough / unit <= 1 ? 1 : rough / unit <= 2 ? 2 : rough / unit <= 5 ? 5 : 10);
    axis.least = axis.step * floor(least / axis.step + 1e-9);
    axis.most = axis.step * ceil(most / axis.step - 1e-9);
    return axis;
}

static void find_axes(struct sheet *sheet)
{
    const struct lines *lines = sheet->lines;
    double least = INFINITY, most = -INFINITY, first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < lines->place_count; i++) {
        first = fmin(first, lines->places[i]);
        last = fmax(last, lines->places[i]);
        for (size_t k = 0; k < lines->count; k++)
            if (isfinite(lines->lines[k].values[i])) {
                least = fmin(least, lines->lines[k].values[i]);
                most = fmax(most, lines->lines[k].values[i]);
            }
    }
    sheet->across = make_axis(first, last, lines->is_log_across);
    sheet->up = make_axis(least, most, lines->is_log_up);
    if (!sheet->across.is_log)
        sheet->across.most = last > first ? last : sheet->across.most;
}

static void print_tick(const struct sheet *sheet, double value, bool is_across)
{
    value = fabs(value) < 1e-12 * fabs(is_across ? sheet->across.most : sheet->up.most) ? 0 : value;
    if (is_across)
        fprintf(sheet->out,
                "<path class=\"tick\" d=\"M%.1f %dV%d\"/><text class=\"axis middle\" x=\"%.1f\" "
                "y=\"%d\">%g</text>\n",
                x_of(sheet, value), TOP, TOP + HEIGHT, x_of(sheet, value), TOP + HEIGHT + 18, value);
    else
        fprintf(sheet->out,
                "<path class=\"tick\" d=\"M%d %.1fH%d\"/><text class=\"axis end\" x=\"%d\" "
                "y=\"%.1f\">%g</text>\n",
                LEFT, y_of(sheet, value), LEFT + WIDTH, LEFT - 8, y_of(sheet, value) + 4, value);
}

static void print_axis(const struct sheet *sheet, const struct axis *axis, bool is_across)
{
    if (axis->is_log)
        for (double tick = axis->least; tick <= axis->most * 1.001; tick *= 10)
            print_tick(sheet, tick, is_across);
    else
        for (double tick = axis->least; tick <= axis->most + axis->step * 1e-6; tick += axis->step)
            print_tick(sheet, tick, is_across);
}

static void print_line(const struct sheet *sheet, size_t index)
{
    const struct line *line = &sheet->lines->lines[index];
    bool is_down = false;
    fprintf(sheet->out, "<g class=\"c%zu\"><path class=\"curve%s\" d=\"", index % COLOURS,
            line->is_dashed || index / COLOURS % 2 ? " dashed" : "");
    for (size_t i = 0; i < sheet->lines->place_count; i++) {
        double place = sheet->lines->places[i], value = line->values[i];
        bool is_there =
            isfinite(value) && (!sheet->up.is_log || value > 0) && (!sheet->across.is_log || place > 0);
        if (is_there)
            fprintf(sheet->out, "%c%.1f %.1f", is_down ? 'L' : 'M', x_of(sheet, place), y_of(sheet, value));
        is_down = is_there;
    }
    html_format(sheet->out, "\"><title>%s</title></path></g>\n", line->name);
}

static void print_legend(const struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->lines->count && i < MOST_NAMED; i++) {
        double y = TOP + 18 + 17 * (double)i;
        html_format(sheet->out,
                    "<g class=\"c%zu\"><path class=\"curve%s\" d=\"M%d %.1fh22\"/></g><text x=\"%d\" "
                    "y=\"%.1f\">%s</text>\n",
                    i % COLOURS, sheet->lines->lines[i].is_dashed || i / COLOURS % 2 ? " dashed" : "",
                    LEFT + WIDTH + 16, y - 4, LEFT + WIDTH + 44, y, sheet->lines->lines[i].name);
    }
}

void report_lines(const struct lines *lines, FILE *out)
{
    struct sheet sheet = {.lines = lines, .out = out};
    int width = LEFT + WIDTH + RIGHT + 240, height = TOP + HEIGHT + BOTTOM;
    find_axes(&sheet);
    html_format(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" "
                "width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"plot-title\">\n<title "
                "id=\"plot-title\">%s",
                width, height, width, height, lines->title);
    fprintf(out,
            "</title>\n<style>%s\n.plot .curve { stroke: var(--c); stroke-width: 1.8; fill: none; }\n"
            ".plot .dashed { stroke-dasharray: 5 3; }\n</style>\n<rect class=\"paper\" width=\"%d\" "
            "height=\"%d\"/>\n<text x=\"%d\" y=\"22\">",
            report_plot_style, width, height, LEFT);
    html_format(out, "%s</text>\n", lines->title);
    print_axis(&sheet, &sheet.across, true);
    print_axis(&sheet, &sheet.up, false);
    html_format(out,
                "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/><text "
                "class=\"middle\" x=\"%d\" y=\"%d\">%s</text><text class=\"middle\" "
                "transform=\"translate(18 %d) rotate(-90)\">%s</text>\n",
                LEFT, TOP, WIDTH, HEIGHT, LEFT + WIDTH / 2, TOP + HEIGHT + 42, lines->across,
                TOP + HEIGHT / 2, lines->up);
    for (size_t i = 0; i < lines->count; i++)
        print_line(&sheet, i);
    print_legend(&sheet);
    fputs("</svg>\n", out);
}
