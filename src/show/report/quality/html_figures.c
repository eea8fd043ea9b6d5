#include "show/report/quality/html.h"

#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/quality/metrics.h"
#include "show/report/quality/sentences.h"
#include "show/report/common/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void html_narrow_share(FILE *out, double share)
{
    if (share > 0 && share < 0.001)
        fputs("&lt;0.1 %", out);
    else
        html_share(out, share);
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

/* Rows of the first drawing of a loop say what each part is. */
static void draw_parts(const struct html_report *report, const struct quality_rows *path, bool is_first)
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
        fputs(is_limit ? "<tr class=\"limit\"" : "<tr", report->out);
        if (is_first)
            fprintf(report->out, " title=\"%s\"", core_part_doc(bounds[i].part));
        fprintf(report->out, "><th>%s</th><td class=\"room\">", core_part_word(bounds[i].part));
        html_bar(report->out, "", bounds[i].cycles / bounds[0].cycles);
        fprintf(report->out, "</td><td class=\"figure\">%.2f</td></tr>\n", bounds[i].cycles);
    }
    fputs("</table></div>\n", report->out);
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

void html_drawings(const struct html_report *report, const struct quality_rows *path, bool is_first)
{
    if (!path->cycle_count || !isfinite(path->cycles->cycles))
        return;
    fputs("<div class=\"drawings\">\n", report->out);
    draw_parts(report, path, is_first);
    fputs("<div class=\"stack\">\n", report->out);
    html_draw_ports(report, path, is_first);
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
        double value = table_number(column, &rows->metrics[i]);
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
        fputs("<td>", report->out);
        print_metric_value(report->out, column, table_number(column, &rows->metrics[i]));
        fputs("</td>", report->out);
    }
    fputs("</tr>\n", report->out);
}

/* Of metrics in Lua. */
static void print_added(const struct html_report *report, const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    if (!rows->figure_count)
        return;
    fprintf(report->out, "<tr class=\"group\"><th colspan=\"%zu\">Metrics in Lua</th></tr>\n",
            rows->metric_count + 1);
    for (uint32_t id = 1; id < model->added_metrics.count; id++) {
        const struct added_metric *metric = model_added_metric(model, id);
        html_format(report->out, "<tr><th>%s</th>", model_text(model, metric->title));
        for (size_t i = 0; i < rows->metric_count; i++) {
            double value = quality_figure(rows, rows->metrics[i].path, id);
            fprintf(report->out, isfinite(value) ? "<td>%.2f</td>" : "<td>–</td>", value);
        }
        fputs("</tr>\n", report->out);
    }
}

static void print_metrics_head(const struct html_report *report, const struct quality_rows *rows)
{
    fputs("<details class=\"fold\"><summary>All figures</summary>\n"
          "<p class=\"note\">Per iteration; zero counts and unknown values are left out. <a "
          "href=\"#figures\">What each figure means</a></p>\n"
          "<div class=\"wide\"><table class=\"metrics\">\n",
          report->out);
    if (rows->metric_count < 2)
        return;
    fputs("<thead><tr><th></th>", report->out);
    for (size_t i = 0; i < rows->metric_count; i++)
        fprintf(report->out, "<th class=\"figure\">path %u</th>", rows->metrics[i].path);
    fputs("</tr></thead>\n", report->out);
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
        if (group)
            html_format(report->out, "<tr class=\"group\"><th colspan=\"%zu\">%s</th></tr>\n",
                        rows->metric_count + 1, group);
        group = NULL;
        print_metric(report, rows, column);
    }
    print_added(report, rows);
    fputs("</tbody></table></div></details>\n", report->out);
}

static void print_added_legend(const struct html_report *report)
{
    const struct model *model = report->model;
    if (model->added_metrics.count > 1)
        fputs("<tr class=\"group\"><th colspan=\"2\">Metrics in Lua</th></tr>\n", report->out);
    for (uint32_t id = 1; id < model->added_metrics.count; id++) {
        const struct added_metric *metric = model_added_metric(model, id);
        html_format(report->out, "<tr><th>%s</th><td class=\"sentence\">%s (%s)</td></tr>\n",
                    model_text(model, metric->title), model_text(model, metric->meaning),
                    model_text(model, metric->file));
    }
}

/* Once for the page, because every loop has the same figures; the script shows these sentences beside them.
 */
void html_figure_legend(const struct html_report *report)
{
    struct quality_columns columns = quality_columns();
    if (!report->section_count)
        return;
    fputs("<details class=\"fold reference\"><summary>What each figure means</summary>\n<div class=\"wide\" "
          "id=\"figures\"><table class=\"metrics\"><tbody>\n",
          report->out);
    for (const struct table_column *column = columns.first; column < columns.end; column++) {
        if (column->group)
            html_format(report->out, "<tr class=\"group\"><th colspan=\"2\">%s</th></tr>\n", column->group);
        fputs("<tr><th>", report->out);
        print_metric_name(report->out, column->name);
        html_format(report->out, "</th><td class=\"sentence\">%s</td></tr>\n", column->brief);
    }
    print_added_legend(report);
    fputs("</tbody></table></div>\n</details>\n", report->out);
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
        autofree char *words = quality_access_words(access);
        if (place != NOT_LISTED) {
            fprintf(report->out,
                    "<tr><td class=\"address\"><a href=\"#l%u-i%d\">%llx</a></td><td class=\"text\">",
                    listing->loop, place,
                    (unsigned long long)model_address(report->model, access->instruction));
            html_instruction(report, listing, access->instruction);
            fprintf(report->out, "</td><td>%s</td></tr>\n", words);
        }
    }
    fputs("</tbody></table></div></details>\n", report->out);
}
