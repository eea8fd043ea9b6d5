/* A series and its forecasts as a picture: what came, what was said before it came, and the next value with
   its interval. Long series are drawn by their ends alone: the last values are what the next one rests on. */
#include "show/report/forecast.h"

#include "base/memory.h"
#include "show/report/common/html.h"

#include <math.h>
#include <stdlib.h>

extern const char report_plot_style[];

enum { WIDTH = 900, HEIGHT = 300, LEFT = 80, TOP = 34, BOTTOM = 40, RIGHT = 24, MOST_POINTS = 600 };

struct frame {
    size_t first, count; /* values that are drawn; one more for the next */
    double least, most;
    FILE *out;
};

static double x_of(const struct frame *frame, size_t i)
{
    return LEFT + WIDTH * (double)(i - frame->first) / (double)frame->count;
}

static double y_of(const struct frame *frame, double value)
{
    double at = (value - frame->least) / (frame->most - frame->least);
    return TOP + HEIGHT * (1 - fmin(fmax(at, 0), 1));
}

static void find_frame(struct frame *frame, const struct forecast_view *view, const struct forecast *next)
{
    size_t count = view->series->points.count;
    frame->first = count > MOST_POINTS ? count - MOST_POINTS : 0;
    frame->count = count - frame->first;
    frame->least = frame->most = next->value;
    for (size_t i = frame->first; i < count; i++) {
        double value = ARRAY_AT(struct series_point, &view->series->points, i)->value;
        frame->least = fmin(frame->least, value);
        frame->most = fmax(frame->most, value);
    }
    double room = frame->most > frame->least ? 0.05 * (frame->most - frame->least)
                                             : fmax(fabs(frame->most) * 0.05, 1e-6);
    frame->least -= room;
    frame->most += room;
}

static void print_axis(const struct frame *frame)
{
    for (unsigned i = 0; i <= 4; i++) {
        double value = frame->least + (frame->most - frame->least) * i / 4, y = y_of(frame, value);
        fprintf(frame->out,
                "<path class=\"tick\" d=\"M%d %.1fH%d\"/><text class=\"axis end\" x=\"%d\" "
                "y=\"%.1f\">%.4g</text>\n",
                LEFT, y, LEFT + WIDTH, LEFT - 8, y + 4, value);
    }
    fprintf(frame->out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
            WIDTH, HEIGHT);
    fprintf(frame->out,
            "<text class=\"axis middle\" x=\"%d\" y=\"%d\">the last %zu values, and the next one; dashed: "
            "what was said "
            "before</text>\n",
            LEFT + WIDTH / 2, TOP + HEIGHT + 24, frame->count);
}

bool report_forecast_plot(const struct forecast_view *view, FILE *out, struct error *error)
{
    struct forecast next = forecast_next(view->forecasting);
    struct frame frame = {.out = out};
    find_frame(&frame, view, &next);
    size_t end = frame.first + frame.count;
    html_format(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" "
                "width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"plot-title\">\n<title "
                "id=\"plot-title\">%s",
                LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM,
                view->series->name);
    fprintf(out,
            ": next %.4g</title>\n<style>%s</style>\n<rect class=\"paper\" width=\"%d\" "
            "height=\"%d\"/>\n<text x=\"%d\" y=\"20\">",
            next.value, report_plot_style, LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM, LEFT);
    html_format(out, "%s</text>\n", view->series->name);
    print_axis(&frame);
    fputs("<path class=\"twice\" d=\"", out);
    bool is_first = true;
    for (size_t i = frame.first; i < end; i++)
        if (!isnan(view->answers[i])) {
            fprintf(out, "%c%.1f %.1f", is_first ? 'M' : 'L', x_of(&frame, i),
                    y_of(&frame, view->answers[i]));
            is_first = false;
        }
    fputs("\"/>\n<path class=\"right\" d=\"", out);
    for (size_t i = frame.first; i < end; i++)
        fprintf(out, "%c%.1f %.1f", i == frame.first ? 'M' : 'L', x_of(&frame, i),
                y_of(&frame, ARRAY_AT(struct series_point, &view->series->points, i)->value));
    fputs("\"/>\n<g class=\"point c0\">", out);
    if (!isnan(next.lower))
        fprintf(out, "<path class=\"interval\" d=\"M%.1f %.1fV%.1f\"/>", x_of(&frame, end),
                y_of(&frame, next.lower), y_of(&frame, next.upper));
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/></g>\n</svg>\n", x_of(&frame, end),
            y_of(&frame, next.value));
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
