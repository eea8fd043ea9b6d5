/* The first screen: what was analysed and with which assumptions, what limits the loops, the largest gains,
 * then all loops in a table. */
#include "report/machine.h"

#include "base/path.h"
#include "report/quality/html.h"

#include "model/tables.h"
#include "report/common/html.h"
#include "report/quality/sentences.h"
#include "report/quality/summary.h"
#include "report/common/share.h"
#include "report/common/short_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN_COMPILERS = 3, MOST_SHOWN_RULES = 12 };

static void print_machines(const struct html_report *report)
{
    const struct quality_view *view = report->view;
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        if (!view->machines[isa])
            continue;
        char *words = report_machine_words(view->machines[isa], view->is_named, view->is_host[isa]);
        fputs("<dd>", report->out);
        html_prose(report->out, words);
        fputs("</dd>\n", report->out);
        free(words);
    }
}

static void print_compiler(const struct html_report *report, const struct quality_compiler *row, bool is_only)
{
    fputs("<dd>", report->out);
    html_string(report->out, row->compiler.name ? row->compiler.name : "unknown");
    if (row->compiler.flags) {
        fputs(" <code>", report->out);
        html_string(report->out, row->compiler.flags);
        fputs("</code>", report->out);
    } else if (row->compiler.name) {
        fputs(" <span class=\"dim\">options unknown</span>", report->out);
    }
    if (!is_only) {
        fputs(" <span class=\"dim\">", report->out);
        html_counted(report->out, row->loop_count, "loop", "loops");
        fputs("</span>", report->out);
    }
    fputs("</dd>\n", report->out);
}

static void print_compilers(const struct html_report *report, const struct array *compilers)
{
    size_t left = compilers->count > MOST_SHOWN_COMPILERS ? compilers->count - MOST_SHOWN_COMPILERS : 0;
    for (size_t i = 0; i < compilers->count - left; i++)
        print_compiler(report, ARRAY_AT(struct quality_compiler, compilers, i), compilers->count == 1);
    if (left)
        fprintf(report->out, "<dd class=\"dim\">and %zu other %s of compiler and options</dd>\n", left,
                left == 1 ? "combination" : "combinations");
}

static void print_coverage(const struct html_report *report, const struct quality_summary *summary)
{
    fputs("<dd>", report->out);
    html_counted(report->out, report->view->analysed_count, "innermost loop", "innermost loops");
    fputs(", ", report->out);
    html_counted(report->out, summary->path_count, "path", "paths");
    if (summary->known_count == summary->instruction_count)
        fputs("; the machine file has costs for all their instructions", report->out);
    else
        fprintf(
            report->out,
            "; the machine file has costs for %s %% of their instructions, those of the others are assumed",
            share_words((double)summary->known_count / (double)summary->instruction_count).text);
    fputs(". All data is assumed to be in the L1 cache.</dd>\n", report->out);
    if (summary->unanswered_count) {
        fputs("<dd>No cycles could be computed for ", report->out);
        html_counted(report->out, summary->unanswered_count, "loop", "loops");
        fputs(".</dd>\n", report->out);
    }
    if (summary->cut_count) {
        fputs("<dd>Only some paths were analysed in ", report->out);
        html_counted(report->out, summary->cut_count, "loop", "loops");
        fputs("; raise <code>--paths</code> for more.</dd>\n", report->out);
    }
    if (summary->unplaced_count) {
        fputs("<dd>No source lines for ", report->out);
        html_counted(report->out, summary->unplaced_count, "loop", "loops");
        fputs("; compile with <code>-g</code> to see them.</dd>\n", report->out);
    }
}

void html_head(const struct html_report *report)
{
    struct quality_summary summary;
    quality_summarise(&summary, report->view);
    fputs("<header class=\"page\">\n<p class=\"kicker\">Assay report</p>\n<h1>", report->out);
    html_string(report->out, report->view->path);
    fputs("</h1>\n<dl class=\"facts\">\n<dt>Machine</dt>\n", report->out);
    print_machines(report);
    fputs("<dt>Compiler</dt>\n", report->out);
    print_compilers(report, &summary.compilers);
    fputs("<dt>Loops</dt>\n", report->out);
    print_coverage(report, &summary);
    fputs("</dl>\n</header>\n", report->out);
    quality_summary_free(&summary);
}

static void draw_limits(const struct html_report *report, const struct quality_summary *summary)
{
    bool is_done[core_part_COUNT] = {false};
    size_t most = 0;
    fputs("<div class=\"drawing\"><h2>What limits the loops</h2>\n<table class=\"bars\">\n", report->out);
    for (unsigned round = 0; round < core_part_COUNT; round++) {
        unsigned best = core_part_COUNT;
        for (unsigned part = 0; part < core_part_COUNT; part++)
            if (!is_done[part] && (best == core_part_COUNT || summary->limits[part] > summary->limits[best]))
                best = part;
        is_done[best] = true;
        if (!summary->limits[best])
            break;
        most = most ? most : summary->limits[best];
        fprintf(report->out, "<tr title=\"%s\"><th>%s</th><td class=\"room\">",
                quality_limit_words((enum core_part)best), core_part_word(best));
        html_bar(report->out, "", (double)summary->limits[best] / (double)most);
        fputs("</td><td class=\"figure\">", report->out);
        html_count(report->out, summary->limits[best]);
        fputs("</td></tr>\n", report->out);
    }
    fputs("</table></div>\n", report->out);
}

/* The short name of a loop's function, with the full name as tooltip. */
static void print_loop_name(const struct html_report *report, uint32_t loop, bool has_section)
{
    char *function = quality_function(report->model, loop, report->view->demangle);
    char *shown = name_shorten(function, NAME_COLUMNS, true);
    size_t length = html_short_name(shown);
    if (has_section)
        fprintf(report->out, "<a href=\"#loop-%u\"", loop);
    else
        fputs("<span", report->out);
    if (strlen(function) > length) {
        fputs(" title=\"", report->out);
        html_string(report->out, function);
        fputs("\"", report->out);
    }
    fputs(">", report->out);
    html_text(report->out, shown, length);
    free(shown);
    fputs(has_section ? "</a>" : "</span>", report->out);
    free(function);
}

static void draw_gains(const struct html_report *report, const struct quality_summary *summary)
{
    fputs("<div class=\"drawing\"><h2>Largest gains</h2>\n", report->out);
    if (!summary->top_count)
        fputs("<p>No finding has an estimated gain.</p>\n", report->out);
    else
        fputs("<table class=\"bars long\">\n", report->out);
    double most =
        summary->top_count ? log(quality_gain(report->model, summary->top[0], report->view->level)) : 1;
    for (size_t i = 0; i < summary->top_count; i++) {
        uint32_t loop = summary->top[i];
        double gain = quality_gain(report->model, loop, report->view->level);
        char *place = loop_place_short(report->model, loop, report->places.working_directory);
        fputs("<tr><th>", report->out);
        print_loop_name(report, loop, i < report->section_count);
        fputs("<span class=\"where\">", report->out);
        html_string(report->out, path_name(place));
        fputs("</span></th><td class=\"room\">", report->out);
        html_bar(report->out, "gain", most > 0 ? log(gain) / most : 1);
        fputs("</td><td class=\"figure\">", report->out);
        html_gain(report->out, gain, quality_gain_is_upper(report->model, loop, report->view->level));
        fputs("</td></tr>\n", report->out);
        free(place);
    }
    fputs(summary->top_count ? "</table></div>\n" : "</div>\n", report->out);
}

static void draw_rules(const struct html_report *report, const struct quality_summary *summary)
{
    if (!summary->rules.count)
        return;
    size_t most = ARRAY_AT(struct quality_rule_use, &summary->rules, 0)->loop_count;
    fputs("<div class=\"drawing whole\"><h2>Findings, and in how many loops</h2>\n<table class=\"bars "
          "long\">\n",
          report->out);
    for (size_t i = 0; i < summary->rules.count && i < MOST_SHOWN_RULES; i++) {
        const struct quality_rule_use *use = ARRAY_AT(struct quality_rule_use, &summary->rules, i);
        fputs("<tr><th>", report->out);
        html_string(report->out, model_text(report->model, model_rule_row(report->model, use->rule)->title));
        fputs("</th><td class=\"room\">", report->out);
        html_bar(report->out, "", (double)use->loop_count / (double)most);
        fputs("</td><td class=\"figure\">", report->out);
        html_count(report->out, use->loop_count);
        fputs("</td></tr>\n", report->out);
    }
    fputs("</table></div>\n", report->out);
}

static void print_levels(const struct html_report *report, const struct quality_summary *summary)
{
    fputs("<p class=\"levels\">", report->out);
    for (unsigned level = 0; level <= report->view->level; level++) {
        fprintf(report->out, "<span title=\"%s\"><b>", advice_level_doc(level));
        html_count(report->out, summary->advised[level]);
        fprintf(report->out, "</b> %s with advice at level <i class=\"level %s\">%s</i></span>",
                summary->advised[level] == 1 ? "loop" : "loops", advice_level_word(level),
                advice_level_word(level));
    }
    fputs("<span><b>", report->out);
    html_count(report->out, report->view->analysed_count - summary->advised_count);
    fputs("</b> without advice</span></p>\n", report->out);
}

void html_summary(const struct html_report *report)
{
    struct quality_summary summary;
    quality_summarise(&summary, report->view);
    fputs("<section class=\"summary\" id=\"summary\">\n<div class=\"drawings\">\n", report->out);
    draw_limits(report, &summary);
    draw_gains(report, &summary);
    draw_rules(report, &summary);
    fputs("</div>\n", report->out);
    print_levels(report, &summary);
    fputs("</section>\n", report->out);
    quality_summary_free(&summary);
}

static void print_table_row(const struct html_report *report, size_t place)
{
    uint32_t loop = report->view->loops[place];
    struct quality_rows rows;
    struct html_figures figures;
    quality_rows_find(&rows, report->model, loop);
    html_figures_find(&figures, report, &rows);
    char *where = loop_place_short(report->model, loop, report->places.working_directory);
    fprintf(report->out, "<tr><td class=\"figure\">%zu</td><td class=\"function\">", place + 1);
    print_loop_name(report, loop, place < report->section_count);
    fputs("</td><td class=\"place\">", report->out);
    html_string(report->out, where);
    fprintf(report->out, "</td><td class=\"dim\">%s</td><td class=\"figure\">",
            rows.role ? loop_role_word(rows.role->role) : "");
    html_number(report->out, figures.cycle ? figures.cycle->cycles : NAN);
    fprintf(report->out, "</td><td>%s</td><td class=\"figure\">",
            figures.cycle ? core_part_word(figures.cycle->limit) : "–");
    html_share(report->out, figures.metric ? figures.metric->vector_ratio : NAN);
    fputs("</td><td class=\"figure\">", report->out);
    html_share(report->out, figures.metric ? figures.metric->flop_share : NAN);
    fputs("</td><td class=\"figure\">", report->out);
    html_gain(report->out, figures.gain, figures.is_upper);
    if (figures.level)
        fprintf(report->out, "</td><td><span class=\"level %s\">%s</span></td></tr>\n", figures.level,
                figures.level);
    else
        fputs("</td><td></td></tr>\n", report->out);
    free(where);
}

void html_table(const struct html_report *report)
{
    static const char *const names[] = {"",      "function",   "place", "role", "cycles",
                                        "limit", "vectorised", "peak",  "gain", "level"};
    static const bool are_figures[] = {true, false, false, false, true, false, true, true, true, false};
    static const char *const docs[] = {"rank",
                                       "function that contains the loop",
                                       "source lines, or the address",
                                       "role among the loops made from one source loop",
                                       "cycles per iteration on the slowest path",
                                       "the part of the core that limits the loop",
                                       "share of vectorisable instructions that are vector instructions",
                                       "floating-point throughput as a share of the machine's peak",
                                       "how many times faster it could be",
                                       "level of the most certain advice"};
    fputs("<section class=\"loops\" id=\"loops\">\n<h2>Loops</h2>\n", report->out);
    if (report->section_count < report->view->analysed_count) {
        fputs("<p class=\"note\">The ", report->out);
        html_count(report->out, report->section_count);
        fputs(report->print_run ? " hottest loops have a section above. The table lists all.</p>\n"
                                : " loops that gain most have a section below (raise <code>--top</code> for "
                                  "more). The table lists all.</p>\n",
              report->out);
    }
    fputs("<div class=\"controls\" hidden></div>\n<div class=\"wide\"><table class=\"loops\" "
          "id=\"table\">\n<thead><tr>",
          report->out);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(report->out, "<th scope=\"col\" title=\"%s\"%s>%s</th>", docs[i],
                are_figures[i] ? " class=\"figure\"" : "", names[i]);
    fputs("</tr></thead>\n<tbody>\n", report->out);
    for (size_t i = 0; i < report->view->analysed_count; i++)
        print_table_row(report, i);
    fputs("</tbody></table></div>\n</section>\n", report->out);
}
