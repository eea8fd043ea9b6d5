/* The chart in text: hosts from top to bottom, time from left to right.

   Where there is room, each processor has a line, and bars carry the names of their tasks; else each host
   has one, and the height of its blocks says how many of its processors are busy. The moment between what
   happened and what is planned has a column of its own, so that nothing hides it. */
#include "show/report/common/text.h"
#include "show/report/common/times.h"
#include "show/report/schedule/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_WIDTH = 100,
    WIDEST = 220,
    NARROWEST = 20, /* columns for times */
    NAME_WIDTH = 18,
    USUAL_LINES = 32,
    MOST_LINES = 200, /* of processors */
    LEAST_LABEL = 3
};

enum mark { mark_RAN, mark_RUNS, mark_PLANNED, mark_FAILED, mark_PROBE, mark_SPECULATIVE, MARKS };
static const char *const fills[MARKS][2] = {{"#", "█"}, {"=", "▓"}, {"-", "░"},
                                            {"x", "×"}, {"%", "▒"}, {".", "·"}};
static const char *const mark_words[MARKS] = {"ran",   "runs",       "planned", "failed or lost",
                                              "probe", "speculative"};

struct cell {
    char *label; /* text that begins here; to be freed */
    bool is_covered;
    uint8_t mark; /* and 1 more; 0: empty */
    bool is_first;
    enum report_ink ink;
    double share, most; /* by hosts: busy processors; the largest part of them */
};

struct chart {
    const struct schedule_view *view;
    const struct report_style *style;
    FILE *out;
    size_t columns, name_width, now; /* now: its column; SIZE_MAX: it is not shown */
    double seconds;                  /* of a column */
    bool by_processor;
    bool has[MARKS];
};

static size_t column_of(const struct chart *chart, double time)
{
    double at = floor((time - chart->view->begins) / chart->seconds);
    size_t most = chart->columns - 1 - (chart->now != SIZE_MAX);
    size_t column = at < 0 ? 0 : at > (double)most ? most : (size_t)at;
    return chart->now != SIZE_MAX && column >= chart->now ? column + 1 : column;
}

static enum mark mark_of(const struct chart *chart, const struct view_bar *bar, bool is_past)
{
    const struct view_task *task = VIEW_TASK(chart->view, bar->task);
    if (bar->kind == bar_FAILED)
        return mark_FAILED;
    if (view_workflow_of(chart->view, task)->is_speculative)
        return mark_SPECULATIVE;
    if (task->is_probe)
        return mark_PROBE;
    if (bar->kind == bar_RAN)
        return mark_RAN;
    return bar->kind == bar_RUNS && is_past ? mark_RUNS : mark_PLANNED;
}

static enum report_ink ink_of(const struct chart *chart, const struct view_bar *bar)
{
    const struct view_workflow *workflow = view_workflow_of(chart->view, VIEW_TASK(chart->view, bar->task));
    if (bar->kind == bar_FAILED)
        return ink_ALARM;
    return workflow->is_chosen ? (enum report_ink)(ink_GROUP + workflow->group % GROUP_INKS) : ink_DIM;
}

/* --- a line for each processor --- */

/* first … last-1 of a line. */
static void draw_part(struct chart *chart, struct cell *line, const struct view_bar *bar, size_t first,
                      size_t last, bool is_past, bool has_label)
{
    enum mark mark = mark_of(chart, bar, is_past);
    chart->has[mark] = true;
    for (size_t i = first; i < last; i++) {
        free(line[i].label);
        line[i] =
            (struct cell){.mark = (uint8_t)(mark + 1), .ink = ink_of(chart, bar), .is_first = i == first};
    }
    if (!has_label || last - first < LEAST_LABEL + 2)
        return;
    const char *name = VIEW_TASK(chart->view, bar->task)->name;
    autofree char *safe = text_safe(name, strlen(name));
    char *label = text_cut(safe, last - first - 2, false, chart->style->unicode);
    size_t width = text_width(label);
    if (!width || first + 1 + width > last) {
        free(label);
        return;
    }
    line[first + 1].label = label;
    for (size_t i = 1; i < width; i++)
        line[first + 1 + i].is_covered = true;
}

static void draw_bar(struct chart *chart, struct cell *line, const struct view_bar *bar, bool has_label)
{
    double moment = chart->view->now;
    size_t first = column_of(chart, bar->begins), last = column_of(chart, bar->ends - chart->seconds / 2);
    last = (last < first ? first : last) + 1;
    bool crosses =
        chart->now != SIZE_MAX && bar->begins < moment && last > chart->now + 1 && first < chart->now;
    if (!crosses) {
        draw_part(chart, line, bar, first, last, bar->begins < moment, has_label);
        return;
    }
    bool is_left = chart->now - first >= last - chart->now - 1;
    draw_part(chart, line, bar, first, chart->now, true, has_label && is_left);
    draw_part(chart, line, bar, chart->now + 1, last, false, has_label && !is_left);
    line[chart->now + 1].is_first = false;
}

static void print_cell(const struct chart *chart, const struct cell *cell, enum report_ink *ink)
{
    if (cell->is_covered)
        return;
    enum report_ink wanted = cell->mark ? cell->ink : ink_PLAIN;
    if (wanted != *ink) {
        if (*ink != ink_PLAIN)
            fputs(report_ink(chart->style, ink_PLAIN), chart->out);
        if (wanted != ink_PLAIN)
            fputs(report_ink(chart->style, wanted), chart->out);
        *ink = wanted;
    }
    bool unicode = chart->style->unicode;
    if (cell->label)
        fputs(cell->label, chart->out);
    else if (!cell->mark)
        putc(' ', chart->out);
    else if (cell->is_first)
        fputs(!unicode                         ? "["
              : cell->mark == mark_PLANNED + 1 ? "▕"
              : cell->mark == mark_FAILED + 1  ? "×"
                                               : "▐",
              chart->out);
    else
        fputs(fills[cell->mark - 1][unicode], chart->out);
}

static void print_now(const struct chart *chart, enum report_ink *ink)
{
    if (*ink != ink_PLAIN)
        fputs(report_ink(chart->style, ink_PLAIN), chart->out);
    *ink = ink_PLAIN;
    fputs(chart->style->unicode ? "│" : "|", chart->out);
}

static void print_name(const struct chart *chart, const char *name, const char *state)
{
    autofree char *safe = text_safe(name, strlen(name));
    autofree char *cut = text_cut(safe, chart->name_width, false, chart->style->unicode);
    bool is_up = !strcmp(state, "up");
    fprintf(chart->out, "%s%s%s%*s ", is_up ? "" : report_ink(chart->style, ink_ALARM), cut,
            is_up ? "" : report_ink(chart->style, ink_PLAIN), (int)(chart->name_width - text_width(cut)), "");
}

static void print_line(struct chart *chart, struct cell *line)
{
    enum report_ink ink = ink_PLAIN;
    for (size_t i = 0; i < chart->columns; i++) {
        if (i == chart->now)
            print_now(chart, &ink);
        else
            print_cell(chart, &line[i], &ink);
        free(line[i].label);
        line[i] = (struct cell){0};
    }
    if (ink != ink_PLAIN)
        fputs(report_ink(chart->style, ink_PLAIN), chart->out);
    putc('\n', chart->out);
}

static void print_processors(struct chart *chart, const struct view_host *host, struct cell *line)
{
    for (uint32_t track = 0; track < host->processors; track++) {
        print_name(chart, track ? "" : host->name, track ? "up" : host->state);
        for (int pass = 0; pass < 2; pass++) /* short failures are not hidden by what came next */
            for (uint32_t i = 0; i < host->bar_count; i++) {
                const struct view_bar *bar = VIEW_BAR(chart->view, host->first_bar + i);
                bool is_on_top = bar->kind == bar_FAILED && bar->ends - bar->begins < chart->seconds;
                if (track >= bar->track && track < bar->track + bar->tracks && is_on_top == pass)
                    draw_bar(chart, line, bar, track == bar->track);
            }
        print_line(chart, line);
    }
}

/* --- a line for each host --- */

static void add_busy(struct chart *chart, struct cell *line, const struct view_bar *bar, double processors)
{
    size_t first = column_of(chart, bar->begins), last = column_of(chart, bar->ends);
    chart->has[bar->kind == bar_FAILED ? mark_FAILED : mark_RAN] = true;
    for (size_t i = first; i <= last; i++) {
        if (i == chart->now)
            continue;
        double begins =
            chart->view->begins + chart->seconds * (double)(i - (chart->now != SIZE_MAX && i > chart->now));
        double within = fmin(bar->ends, begins + chart->seconds) - fmax(bar->begins, begins);
        double share = within > 0 ? within / chart->seconds * bar->tracks / processors : 0;
        line[i].share += share;
        if (share > line[i].most) {
            line[i].most = share;
            line[i].ink = ink_of(chart, bar);
        }
    }
}

static void print_busy(struct chart *chart, struct cell *line)
{
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {".", ":", "-", "=", "+", "*", "%", "#"};
    enum report_ink ink = ink_PLAIN;
    for (size_t i = 0; i < chart->columns; i++) {
        if (i == chart->now) {
            print_now(chart, &ink);
        } else if (line[i].share > 0.001) {
            double height = ceil(line[i].share * 8 - 0.05) - 1;
            unsigned step = height < 0 ? 0 : height > 7 ? 7 : (unsigned)height;
            struct cell cell = {.mark = 1,
                                .ink = line[i].ink,
                                .label = (char *)(chart->style->unicode ? heights : letters)[step]};
            print_cell(chart, &cell, &ink);
        } else {
            print_cell(chart, &(struct cell){0}, &ink);
        }
        line[i] = (struct cell){0};
    }
    if (ink != ink_PLAIN)
        fputs(report_ink(chart->style, ink_PLAIN), chart->out);
    putc('\n', chart->out);
}

static void print_host(struct chart *chart, const struct view_host *host, struct cell *line)
{
    print_name(chart, host->name, host->state);
    for (uint32_t i = 0; i < host->bar_count; i++)
        add_busy(chart, line, VIEW_BAR(chart->view, host->first_bar + i), host->processors);
    print_busy(chart, line);
}

static void print_all_hosts(struct chart *chart, struct cell *line)
{
    double processors = 0;
    for (size_t i = 0; i < chart->view->hosts.count; i++)
        processors += VIEW_HOST(chart->view, i)->processors;
    print_name(chart, "all hosts", "up");
    for (size_t i = 0; i < chart->view->bars.count; i++)
        add_busy(chart, line, VIEW_BAR(chart->view, i), processors);
    for (size_t i = 0; i < chart->columns; i++)
        line[i].ink = ink_BOLD;
    print_busy(chart, line);
}

/* --- around the lines --- */

static void print_axis(const struct chart *chart)
{
    enum { LABEL_COLUMNS = 11 };
    unsigned most = (unsigned)(chart->columns / LABEL_COLUMNS);
    struct time_axis axis =
        time_axis_make(chart->view->begins, chart->view->ends, most ? most : 1, chart->view->has_clock);
    size_t at = 0;
    fprintf(chart->out, "%*s %s", (int)chart->name_width, "", report_ink(chart->style, ink_DIM));
    for (unsigned i = 0; i <= most; i++) {
        double tick = axis.first + i * axis.step;
        autofree char *label = time_axis_label(&axis, tick);
        size_t column = column_of(chart, tick);
        if (tick <= chart->view->ends && column >= at && column + 1 + text_width(label) <= chart->columns) {
            fprintf(chart->out, "%*s%s%s", (int)(column - at), "", chart->style->unicode ? "╵" : "'", label);
            at = column + 1 + text_width(label);
        }
    }
    fprintf(chart->out, "%s\n", report_ink(chart->style, ink_PLAIN));
}

static void print_head(const struct chart *chart)
{
    if (chart->now == SIZE_MAX)
        return;
    size_t at = chart->now > 1 ? chart->now - 1 : 0;
    fprintf(chart->out, "%*s %*snow\n", (int)chart->name_width, "", (int)at, "");
}

static void print_legend(const struct chart *chart)
{
    enum { MOST_NAMED = 5, NAME_COLUMNS = 24 };
    const struct schedule_view *view = chart->view;
    const char *between = "";
    unsigned named = 0, chosen = 0;
    fprintf(chart->out, "%*s ", (int)chart->name_width, "");
    for (size_t i = 0; chart->style->color && i < view->workflows.count; i++) {
        const struct view_workflow *workflow = VIEW_WORKFLOW(view, i);
        chosen += workflow->is_chosen;
        if (!workflow->is_chosen || named == MOST_NAMED)
            continue;
        autofree char *safe = text_safe(workflow->name, strlen(workflow->name)),
                      *cut = text_cut(safe, NAME_COLUMNS, false, chart->style->unicode);
        fprintf(chart->out, "%s%s%s%s %s", between,
                report_ink(chart->style, (enum report_ink)(ink_GROUP + workflow->group % GROUP_INKS)),
                chart->style->unicode ? "█" : "#", report_ink(chart->style, ink_PLAIN), cut);
        between = "  ";
        named++;
    }
    if (chosen > named && chart->style->color)
        fprintf(chart->out, "  and %u more", chosen - named);
    fputs(report_ink(chart->style, ink_DIM), chart->out);
    for (enum mark mark = 0; chart->by_processor && mark < MARKS; mark++)
        if (chart->has[mark]) {
            fprintf(chart->out, "%s%s %s", between, fills[mark][chart->style->unicode], mark_words[mark]);
            between = "  ";
        }
    if (!chart->by_processor)
        fprintf(chart->out, "%sheight: processors that are busy", between);
    fprintf(chart->out, "%s\n", report_ink(chart->style, ink_PLAIN));
}

static void lay_out(struct chart *chart, unsigned lines)
{
    const struct schedule_view *view = chart->view;
    uint64_t processors = 0;
    size_t longest = 4, width = chart->style->width ? chart->style->width : USUAL_WIDTH;
    for (size_t i = 0; i < view->hosts.count; i++) {
        const struct view_host *host = VIEW_HOST(view, i);
        autofree char *safe = text_safe(host->name, strlen(host->name));
        size_t columns = text_width(safe);
        longest = columns > longest ? columns : longest;
        processors += host->processors;
    }
    chart->name_width = longest > NAME_WIDTH ? NAME_WIDTH : longest;
    chart->by_processor = processors <= (lines && lines < MOST_LINES ? lines : USUAL_LINES);
    if (!chart->by_processor && chart->name_width < 9)
        chart->name_width = 9;
    width = width > WIDEST ? WIDEST : width;
    chart->columns = width > chart->name_width + 1 + NARROWEST ? width - chart->name_width - 1 : NARROWEST;
    chart->now = SIZE_MAX;
    size_t of_time = chart->columns;
    bool has_now = view_shows_now(view);
    of_time -= has_now;
    chart->seconds = (view->ends - view->begins) / (double)of_time;
    if (has_now) {
        double past = round((view->now - view->begins) / chart->seconds);
        chart->now = past < 0 ? 0 : past > (double)of_time ? of_time : (size_t)past;
    }
}

void schedule_print_chart(const struct schedule_view *view, const struct report_style *style, unsigned lines,
                          FILE *out)
{
    struct chart chart = {.view = view, .style = style, .out = out};
    if (!view->hosts.count || !view->bars.count)
        return;
    lay_out(&chart, lines);
    autofree struct cell *line = memory_get(chart.columns * sizeof *line);
    size_t shown = 0, most = lines ? lines : chart.by_processor ? SIZE_MAX : USUAL_LINES;
    print_head(&chart);
    if (!chart.by_processor)
        print_all_hosts(&chart, line);
    for (size_t i = 0; i < view->hosts.count && shown < most; i++, shown++) {
        if (chart.by_processor)
            print_processors(&chart, VIEW_HOST(view, i), line);
        else
            print_host(&chart, VIEW_HOST(view, i), line);
    }
    print_axis(&chart);
    if (shown < view->hosts.count)
        fprintf(out, "%*s %sand %zu more hosts (--all)%s\n", (int)chart.name_width, "",
                report_ink(style, ink_DIM), view->hosts.count - shown, report_ink(style, ink_PLAIN));
    print_legend(&chart);
}
