#include "report/quality/html.h"

#include "model/tables.h"
#include "report/common/html.h"
#include "report/quality/metrics.h"
#include "report/quality/sentences.h"
#include "report/common/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The drawing of ports, in pixels. */
enum { PORT_STEP = 40, PORT_WIDTH = 26, PORT_HEIGHT = 110, PORT_TOP = 22, PORT_BOTTOM = 20, PORT_SIDE = 74 };

void html_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.2f", number);
    else
        fputs("–", out);
}

void html_share(FILE *out, double share)
{
    if (isfinite(share))
        fprintf(out, "%s %%", share_words(share).text);
    else
        fputs("–", out);
}

void html_gain(FILE *out, double gain, bool is_upper)
{
    if (gain > 1.005)
        fputs(quality_up_to(is_upper), out);
    if (gain >= 99.5)
        fprintf(out, "×%.0f", gain);
    else if (gain >= 9.95)
        fprintf(out, "×%.1f", gain);
    else if (gain > 1.005)
        fprintf(out, "×%.2f", gain);
    else
        fputs("–", out);
}

static int compare_bounds(const void *left, const void *right)
{
    const struct core_bound *a = left, *b = right;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return (int)a->part - (int)b->part;
}

/* The limiting part comes before others with the same cycles. */
static void put_limit_first(struct core_bound *bounds, size_t count, unsigned limit)
{
    size_t at = 0;
    while (at < count && bounds[at].part != limit)
        at++;
    for (; at < count && at > 0 && bounds[at - 1].cycles <= bounds[at].cycles; at--) {
        struct core_bound before = bounds[at - 1];
        bounds[at - 1] = bounds[at];
        bounds[at] = before;
    }
}

static void begin_bars(FILE *out, const char *title, const char *class)
{
    fprintf(out, "<div class=\"drawing\"><h3>%s</h3>\n<table class=\"%s\">\n", title, class);
}

static void draw_parts(const struct html_report *report, const struct quality_rows *path)
{
    struct core_bound bounds[core_part_COUNT];
    size_t count = path->bound_count < core_part_COUNT ? path->bound_count : core_part_COUNT;
    if (!count)
        return;
    memcpy(bounds, path->bounds, count * sizeof *bounds);
    qsort(bounds, count, sizeof *bounds, compare_bounds);
    put_limit_first(bounds, count, path->cycles->limit);
    begin_bars(report->out, "Parts of the core, cycles per iteration", "bars");
    for (size_t i = 0; i < count; i++) {
        bool is_limit = bounds[i].part == path->cycles->limit;
        fprintf(report->out, "<tr%s title=\"%s\"><th>%s</th><td class=\"room\">",
                is_limit ? " class=\"limit\"" : "", core_part_doc(bounds[i].part),
                core_part_word(bounds[i].part));
        html_bar(report->out, "", bounds[i].cycles / bounds[0].cycles);
        fprintf(report->out, "</td><td class=\"figure\">%.2f</td></tr>\n", bounds[i].cycles);
    }
    fputs("</table></div>\n", report->out);
}

static void draw_port(const struct html_report *report, const struct port_use *use, size_t place,
                      double scale, bool is_full)
{
    double x = (double)place * PORT_STEP, height = use->uops / scale * PORT_HEIGHT;
    double y = PORT_TOP + PORT_HEIGHT - height, middle = x + PORT_WIDTH / 2.0;
    const char *name = model_text(report->model, use->port);
    fprintf(report->out, "<rect class=\"port%s\" x=\"%.0f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
            is_full ? " full" : "", x, y, PORT_WIDTH, height);
    if (use->uops >= 0.005)
        fprintf(report->out, "<text x=\"%.0f\" y=\"%.1f\">%.2f</text>", middle, y - 4, use->uops);
    fprintf(report->out, "<text class=\"name\" x=\"%.0f\" y=\"%d\">", middle, PORT_TOP + PORT_HEIGHT + 15);
    fputs(name && !name[1] ? "p" : "", report->out);
    html_string(report->out, name ? name : "?");
    fputs("</text>\n", report->out);
}

/* Columns for the ports; a line across at the cycles of an iteration, where a port is always busy. */
static void draw_ports(const struct html_report *report, const struct quality_rows *path)
{
    double most = 0, cycles = path->cycle_count ? path->cycles->cycles : NAN;
    for (size_t i = 0; i < path->port_count; i++)
        most = fmax(most, path->ports[i].uops);
    if (most <= 0 || !(cycles > 0))
        return;
    double scale = fmax(most, cycles), line = PORT_TOP + PORT_HEIGHT * (1 - cycles / scale);
    unsigned width = (unsigned)path->port_count * PORT_STEP + PORT_SIDE;
    unsigned height = PORT_TOP + PORT_HEIGHT + PORT_BOTTOM;
    fputs("<div class=\"drawing\"><h3>Execution ports, µops per iteration</h3>\n", report->out);
    fprintf(report->out,
            "<svg class=\"ports\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" role=\"img\" "
            "aria-label=\"µops per iteration on each execution port\">\n",
            width, height, width, height);
    fprintf(report->out, "<line class=\"base\" x1=\"0\" x2=\"%u\" y1=\"%d\" y2=\"%d\"/>", width - PORT_SIDE,
            PORT_TOP + PORT_HEIGHT, PORT_TOP + PORT_HEIGHT);
    fprintf(report->out, "<line class=\"cycles\" x1=\"0\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\"/>",
            width - PORT_SIDE, line, line);
    fprintf(report->out, "<text class=\"cycles\" x=\"%u\" y=\"%.1f\">%.2f cycles</text>\n",
            width - PORT_SIDE + 2, line + 4, cycles);
    for (size_t i = 0; i < path->port_count; i++)
        draw_port(report, &path->ports[i], i, scale, path->ports[i].uops > 0.995 * cycles);
    fputs("</svg></div>\n", report->out);
}

static void draw_circumstance(const struct html_report *report, const char *name, double cycles, double now)
{
    if (!isfinite(cycles))
        return;
    fprintf(report->out, "<tr><th>%s</th><td class=\"room\">", name);
    html_bar(report->out, "", cycles / now);
    fprintf(report->out, "</td><td class=\"figure\">%.2f</td><td class=\"figure\">", cycles);
    html_gain(report->out, now / cycles, false);
    fputs("</td></tr>\n", report->out);
}

static void draw_circumstances(const struct html_report *report, const struct loop_metric *metric)
{
    static const struct {
        const char *name;
        size_t offset;
    } all[] = {{"no scalar integer work", offsetof(struct loop_metric, cycles_without_scalar_integer)},
               {"FP arithmetic vectorised", offsetof(struct loop_metric, cycles_fp_vectorised)},
               {"everything vectorised", offsetof(struct loop_metric, cycles_vectorised)},
               {"no loop-carried dependence", offsetof(struct loop_metric, cycles_without_dependence)},
               {"without the first bottleneck", offsetof(struct loop_metric, cycles_next_bottleneck)}};
    bool is_known = false;
    double now = metric ? metric->cycles : NAN, cycles[sizeof all / sizeof *all];
    for (size_t i = 0; metric && i < sizeof all / sizeof *all; i++) {
        memcpy(&cycles[i], (const char *)metric + all[i].offset, sizeof *cycles);
        is_known = is_known || isfinite(cycles[i]);
    }
    if (!is_known || !(now > 0))
        return;
    begin_bars(report->out, "What if, cycles per iteration", "bars different");
    fputs("<tr class=\"now\"><th>as is</th><td class=\"room\">", report->out);
    html_bar(report->out, "", 1);
    fprintf(report->out, "</td><td class=\"figure\">%.2f</td><td class=\"figure\"></td></tr>\n", now);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        draw_circumstance(report, all[i].name, cycles[i], now);
    fputs("</table></div>\n", report->out);
}

void html_drawings(const struct html_report *report, const struct quality_rows *path)
{
    if (!path->cycle_count || !isfinite(path->cycles->cycles))
        return;
    fputs("<div class=\"drawings\">\n", report->out);
    draw_parts(report, path);
    fputs("<div class=\"stack\">\n", report->out);
    draw_ports(report, path);
    draw_circumstances(report, quality_metric(path, path->cycles->path));
    fputs("</div>\n</div>\n", report->out);
}

static void print_metric_value(FILE *out, const struct table_column *column, double value)
{
    if (!isfinite(value))
        fputs("–", out);
    else if (column->is_share)
        html_share(out, value);
    else if (column->type == COLUMN_REAL || column->type == COLUMN_VIRTUAL)
        fprintf(out, "%.2f", value);
    else
        fprintf(out, "%.0f", value);
}

static void print_metric_name(FILE *out, const char *name)
{
    for (; *name; name++)
        putc(*name == '_' ? ' ' : *name, out);
}

/* Zero counts are left out; a share of 0 is shown. */
static bool is_worth_showing(const struct quality_rows *rows, const struct table_column *column)
{
    bool is_real = column->type == COLUMN_REAL || column->type == COLUMN_VIRTUAL;
    for (size_t i = 0; i < rows->metric_count; i++) {
        double value = quality_value(&rows->metrics[i], column);
        if (isfinite(value) && (is_real || value != 0))
            return true;
    }
    return false;
}

static void print_metric(const struct html_report *report, const struct quality_rows *rows,
                         const struct table_column *column)
{
    fputs("<tr><th>", report->out);
    print_metric_name(report->out, column->name);
    fputs("</th>", report->out);
    for (size_t i = 0; i < rows->metric_count; i++) {
        fputs("<td class=\"figure\">", report->out);
        print_metric_value(report->out, column, quality_value(&rows->metrics[i], column));
        fputs("</td>", report->out);
    }
    fputs("<td class=\"sentence\">", report->out);
    html_string(report->out, column->brief);
    fputs("</td></tr>\n", report->out);
}

static void print_metrics_head(const struct html_report *report, const struct quality_rows *rows)
{
    fputs("<details class=\"fold\"><summary>All figures</summary>\n"
          "<p class=\"note\">Per iteration; zero counts and unknown values are left out.</p>\n"
          "<div class=\"wide\"><table class=\"metrics\">\n",
          report->out);
    if (rows->metric_count < 2)
        return;
    fputs("<thead><tr><th></th>", report->out);
    for (size_t i = 0; i < rows->metric_count; i++)
        fprintf(report->out, "<th class=\"figure\">path %u</th>", rows->metrics[i].path);
    fputs("<th></th></tr></thead>\n", report->out);
}

void html_metrics(const struct html_report *report, const struct quality_rows *rows)
{
    if (!rows->metric_count)
        return;
    struct quality_columns columns = quality_columns();
    const char *group = NULL;
    print_metrics_head(report, rows);
    fputs("<tbody>\n", report->out);
    for (const struct table_column *column = columns.first; column < columns.end; column++) {
        group = column->group ? column->group : group;
        if (!is_worth_showing(rows, column))
            continue;
        if (group) {
            fprintf(report->out, "<tr class=\"group\"><th colspan=\"%zu\">", rows->metric_count + 2);
            html_string(report->out, group);
            fputs("</th></tr>\n", report->out);
        }
        group = NULL;
        print_metric(report, rows, column);
    }
    fputs("</tbody></table></div></details>\n", report->out);
}

void html_accesses(const struct html_report *report, const struct quality_rows *path,
                   const struct html_listing *listing)
{
    if (!path->access_count)
        return;
    fputs("<details class=\"fold\"><summary>Memory accesses</summary>\n"
          "<div class=\"wide\"><table class=\"accesses\">\n<tbody>\n",
          report->out);
    for (size_t i = 0; i < path->access_count; i++) {
        const struct access_pattern_row *access = &path->accesses[i];
        int place = html_listing_instruction(listing, access->instruction);
        char *words = quality_access_words(access);
        if (place != NOT_LISTED) {
            fprintf(report->out,
                    "<tr><td class=\"address\"><a href=\"#l%u-i%d\">%llx</a></td><td class=\"text\">",
                    listing->loop, place,
                    (unsigned long long)model_address(report->model, access->instruction));
            html_instruction(report, listing, access->instruction);
            fprintf(report->out, "</td><td>%s</td></tr>\n", words);
        }
        free(words);
    }
    fputs("</tbody></table></div></details>\n", report->out);
}
