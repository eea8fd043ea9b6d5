/* A section about a loop: its figures, what limits it in words, advice, code, drawings; then, folded, details
 * that fewer people need. Of several paths the slowest is shown first and in full; the others are folded
 * after it and share its listing, in which the script moves the marks when one of them is opened. */
#include "show/report/quality/html.h"

#include "model/tables.h"
#include "code/quality/weight.h"
#include "show/report/common/html.h"
#include "show/report/quality/remarks.h"
#include "show/report/quality/sentences.h"
#include "show/report/quality/words.h"
#include "show/report/common/short_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void html_figures_find(struct html_figures *figures, const struct html_report *report,
                       const struct quality_rows *rows)
{
    unsigned level = advice_level_COUNT;
    *figures = (struct html_figures){
        .cycle = quality_slowest(rows),
        .gain = quality_gain(report->model, rows->loop, report->view->level),
        .is_upper = quality_gain_is_upper(report->model, rows->loop, report->view->level)};
    if (figures->cycle)
        figures->metric = quality_metric(rows, figures->cycle->path);
    for (size_t i = 0; i < rows->advice_count; i++)
        if (rows->advice[i].level < level)
            level = rows->advice[i].level;
    if (level <= report->view->level)
        figures->level = advice_level_word(level);
}

size_t html_short_name(const char *name)
{
    size_t length = strlen(name), depth = 0;
    const char *last = strrchr(name, ')');
    for (size_t at = last ? (size_t)(last - name) + 1 : 0; at-- > 0;) {
        depth += name[at] == ')';
        depth -= depth && name[at] == '(';
        if (!depth)
            return at ? at : length;
    }
    return length;
}

static void print_header(const struct html_report *report, const struct quality_rows *rows, size_t rank)
{
    autofree char *function = quality_function(report->model, rows->loop, report->view->demangle);
    autofree char *place = loop_place_words(report->model, rows->loop, report->places->working_directory);
    html_format(report->out, "<header><a class=\"rank\" href=\"#loop-%u\">%zu</a><h2 title=\"%s\">",
                rows->loop, rank, function);
    autofree char *shown = name_shorten(function, NAME_COLUMNS, true);
    size_t name = html_short_name(shown);
    html_text(report->out, shown, name);
    if (shown[name])
        html_format(report->out, "<span>%s</span>", shown + name);
    html_format(report->out, "</h2><p class=\"place\"><span>%s</span><span>loop %u</span></p></header>\n",
                place, rows->loop);
}

void html_loop_keys(const struct html_report *report, const struct quality_rows *rows,
                    const struct quality_rows *path)
{
    struct html_figures figures;
    html_figures_find(&figures, report, rows);
    if (path) {
        figures.cycle = quality_slowest(path);
        figures.metric = figures.cycle ? quality_metric(path, figures.cycle->path) : NULL;
    }
    fputs("<dl class=\"keys\">\n<div><dt>cycles per iteration</dt><dd>", report->out);
    html_number(report->out, figures.cycle ? figures.cycle->cycles : NAN);
    fprintf(report->out,
            "</dd></div>\n<div><dt>limited by</dt><dd>%s</dd></div>\n<div><dt>vectorised</dt><dd>",
            figures.cycle ? core_part_word(figures.cycle->limit) : "–");
    html_share(report->out, figures.metric ? figures.metric->vector_ratio : NAN);
    fputs("</dd></div>\n<div><dt>share of peak</dt><dd>", report->out);
    html_share(report->out, figures.metric ? figures.metric->flop_share : NAN);
    fprintf(report->out, "</dd></div>\n<div%s><dt>possible gain</dt><dd>",
            figures.gain > 1 ? " class=\"gain\"" : "");
    html_gain(report->out, figures.gain, figures.is_upper);
    bool is_sampled = weight_is_sampled(report->model);
    if (is_sampled || weight_of(report->model, rows->loop)) {
        fprintf(report->out, "</dd></div>\n<div><dt>%s</dt><dd>",
                is_sampled ? "share of the time" : "estimated share");
        html_narrow_share(report->out, weight_share(report->model, rows->loop));
    }
    fputs("</dd></div>\n</dl>\n", report->out);
}

/* What limits a path, how fast it is, and what the figures do not cover. */
void html_loop_words(const struct html_report *report, const struct quality_rows *path, bool is_one_of_many)
{
    const struct loop_cycle *cycles = quality_slowest(path);
    if (!cycles) {
        autofree char *refusal =
            quality_refusal(report->view, path->loop, path->cycle_count ? path->cycles : NULL);
        html_format(report->out, "<p class=\"lead\">No cycles could be computed: %s.</p>\n",
                    refusal ? refusal : "?");
        return;
    }
    const struct loop_metric *metric = quality_metric(path, cycles->path);
    fputs("<p class=\"lead\">", report->out);
    quality_say_cycles(report->out, cycles, metric, is_one_of_many);
    quality_say_levels(report->out, path, cycles);
    if (metric) {
        fputs("</p>\n<p class=\"rates\">", report->out);
        quality_say_rates(report->out, metric);
        quality_say_vectors(report->out, metric);
    }
    fputs("</p>\n<p class=\"note\">", report->out);
    quality_say_reservations(report->out, report->model, cycles, metric);
    fputs("</p>\n", report->out);
}

void html_loop_role(const struct html_report *report, const struct quality_rows *rows)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    quality_say_role(memory, rows);
    fclose(memory);
    if (size)
        fprintf(report->out, "<p class=\"lead\">%s</p>\n", text);
}

/* What its compiler says. */
static void print_remarks(const struct html_report *report, const struct quality_rows *rows)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    quality_say_remarks(memory, rows);
    fclose(memory);
    if (size) {
        fputs("<p class=\"note remarks\">", report->out);
        html_prose(report->out, text);
        fputs("</p>\n", report->out);
    }
}

/* Paths that were not analysed. */
void html_loop_path_count(const struct html_report *report, const struct quality_rows *rows)
{
    uint64_t all = model_loop(report->model, rows->loop)->path_count;
    if (!quality_is_cut(rows))
        return;
    fputs("<p class=\"note\">The loop has branches: ", report->out);
    html_count(report->out, rows->cycle_count);
    fputs(all >= INT64_MAX ? " of at least " : " of ", report->out);
    html_count(report->out, all);
    fputs(" paths were analysed; raise <code>--paths</code> for more.</p>\n", report->out);
}

/* As assay cycles prints it. */
void html_loop_block(const struct html_report *report, uint32_t loop, uint32_t path)
{
    const struct quality_view *view = report->view;
    autofree char *text = NULL;
    size_t size = 0;
    FILE *memory =
        view->print_block && view->level >= advice_level_EXPERT ? open_memstream(&text, &size) : NULL;
    if (!memory)
        return;
    view->print_block(view->context, loop, path, NULL, memory);
    fclose(memory);
    fputs("<details class=\"fold\"><summary>Instruction by instruction, with ports</summary>\n<pre>",
          report->out);
    for (size_t start = 0; start < size;) {
        size_t end = start;
        while (end < size && text[end] != '\n')
            end++;
        html_text(report->out, text + start, end - start);
        putc('\n', report->out);
        start = end + 1;
    }
    fputs("</pre></details>\n", report->out);
}

/* A path other than the one that is shown in full. */
static void print_other(struct html_report *report, const struct quality_rows *rows, uint32_t number,
                        const struct array *findings, const struct html_listing *listing)
{
    struct quality_rows path = quality_rows_of_path(rows, number);
    fprintf(report->out, "<details class=\"fold path\"");
    html_path_marks(report, listing, &path);
    fprintf(report->out, "><summary>Path %u: ", number);
    if (isfinite(path.cycles->cycles))
        fprintf(report->out, "%.2f cycles, %s", quality_cycles(&path, path.cycles),
                core_part_word(path.cycles->limit));
    else
        fputs("cycles unknown", report->out);
    fputs("</summary>\n", report->out);
    html_loop_words(report, &path, false);
    html_cards_of_path(report, &path, findings);
    html_drawings(report, &path, false);
    html_accesses(report, &path, listing);
    html_loop_block(report, rows->loop, number);
    fputs("</details>\n", report->out);
}

static void print_paths(struct html_report *report, const struct quality_rows *rows, uint32_t shown,
                        const struct array *findings, const struct html_listing *listing)
{
    if (rows->cycle_count < 2)
        return;
    fputs("<h3>Other paths</h3>\n", report->out);
    for (size_t i = 0; i < rows->cycle_count; i++)
        if (rows->cycles[i].path != shown)
            print_other(report, rows, rows->cycles[i].path, findings, listing);
}

void html_loop(struct html_report *report, size_t rank, uint32_t loop)
{
    struct quality_rows rows;
    struct html_listing listing;
    quality_rows_find(&rows, report->model, loop);
    const struct loop_cycle *slowest = quality_slowest(&rows);
    uint32_t shown = slowest ? slowest->path : rows.cycle_count ? rows.cycles[0].path : 0;
    struct quality_rows path = quality_rows_of_path(&rows, shown);
    struct array findings = quality_findings(&rows, report->view->level);
    html_listing_find(&listing, report, loop);
    fprintf(report->out, "<article class=\"loop\" id=\"loop-%u\"", loop);
    if (rows.cycle_count > 1)
        html_path_marks(report, &listing, &path);
    fputs(">\n", report->out);
    print_header(report, &rows, rank);
    if (report->print_run)
        report->print_run(report->context, loop);
    html_loop_keys(report, &rows, NULL);
    html_loop_role(report, &rows);
    html_loop_words(report, &path, rows.cycle_count > 1);
    html_loop_path_count(report, &rows);
    print_remarks(report, &rows);
    html_cards(report, &rows, &findings, &listing);
    if (!findings.count)
        fputs("<p class=\"note\">No advice at this level for this loop.</p>\n", report->out);
    html_code(report, &listing, &findings, &path);
    html_drawings(report, &path, true);
    html_accesses(report, &path, &listing);
    html_metrics(report, &rows);
    html_loop_block(report, loop, shown);
    print_paths(report, &rows, shown, &findings, &listing);
    fputs("</article>\n", report->out);
    array_free(&findings);
    html_listing_free(&listing);
}
