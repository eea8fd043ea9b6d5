/* The first screen: what was analysed and with which assumptions, then what the loops have in common: limits,
 * levels and rules of advice. Each bar says what the script shall filter the table by when it is clicked. */
#include "show/report/machine.h"

#include "base/path.h"
#include "show/report/quality/html.h"

#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/quality/remarks.h"
#include "show/report/quality/sentences.h"
#include "show/report/quality/summary.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN_COMPILERS = 3, FIRST_RULES = 12 };

static void print_machines(const struct html_report *report)
{
    const struct quality_view *view = report->view;
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        if (!view->machines[isa])
            continue;
        autofree char *words = report_machine_words(view->machines[isa], view->is_named, view->is_host[isa]);
        fputs("<dd>", report->out);
        html_prose(report->out, words);
        fputs("</dd>\n", report->out);
    }
}

static void print_compiler(const struct html_report *report, const struct quality_compiler *row, bool is_only)
{
    html_format(report->out, "<dd>%s", row->compiler.name ? row->compiler.name : "unknown");
    if (row->compiler.flags) {
        html_format(report->out, " <code>%s</code>", row->compiler.flags);
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
    html_format(report->out,
                "<header class=\"page\">\n<p class=\"kicker\">Assay report</p>\n<h1>%s</h1>\n<dl "
                "class=\"facts\">\n<dt>Machine</dt>\n",
                report->view->path);
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
        fprintf(report->out, "<tr data-filter=\"limit\" data-value=\"%s\" title=\"%s\"><th>%s</th>",
                core_part_word(best), quality_limit_words((enum core_part)best), core_part_word(best));
        fputs("<td class=\"room\">", report->out);
        html_bar(report->out, "", (double)summary->limits[best] / (double)most);
        fputs("</td><td class=\"figure\">", report->out);
        html_count(report->out, summary->limits[best]);
        fputs("</td></tr>\n", report->out);
    }
    fputs("</table></div>\n", report->out);
}

/* The first loops of the view that have a gain, with what it saves. */
static void draw_savings(const struct html_report *report, const struct quality_summary *summary)
{
    double most = 0;
    fputs("<div class=\"drawing\"><h2>Where most time could be saved</h2>\n", report->out);
    if (!summary->top_count)
        fputs("<p>No finding has an estimated gain.</p>\n", report->out);
    else
        fputs("<table class=\"bars long different\">\n", report->out);
    for (size_t i = 0; i < summary->top_count; i++)
        most = fmax(most, quality_saving(report->model, summary->top[i], report->view->level));
    for (size_t i = 0; i < summary->top_count; i++) {
        uint32_t loop = summary->top[i];
        double saving = quality_saving(report->model, loop, report->view->level);
        autofree char *place = loop_place_short(report->model, loop, report->places->working_directory);
        fputs("<tr><th>", report->out);
        html_loop_name(report, loop, i < report->section_count);
        fputs("<span class=\"where\"", report->out);
        html_place(report->out, place, place, 0);
        fputs("</span></th><td class=\"room\">", report->out);
        html_bar(report->out, "gain", most > 0 ? saving / most : 0);
        fputs("</td><td class=\"figure\" title=\"share of the time in loops that it saves\">", report->out);
        html_narrow_share(report->out, saving);
        fputs("</td><td class=\"figure\" title=\"how many times faster the loop could be\">", report->out);
        html_gain(report->out, quality_gain(report->model, loop, report->view->level),
                  quality_gain_is_upper(report->model, loop, report->view->level));
        fputs("</td></tr>\n", report->out);
    }
    fputs(summary->top_count ? "</table></div>\n" : "</div>\n", report->out);
}

static void draw_rule(const struct html_report *report, const struct quality_rule_use *use, size_t most)
{
    const struct rule_row *rule = model_rule_row(report->model, use->rule);
    html_format(report->out,
                "<tr data-filter=\"finding\" data-value=\"%s\"><th>%s <span class=\"where\">%s</span></th>"
                "<td class=\"room\">",
                model_text(report->model, rule->name), model_text(report->model, rule->title),
                model_text(report->model, rule->name));
    html_bar(report->out, "", (double)use->loop_count / (double)most);
    fputs("</td><td class=\"figure\">", report->out);
    html_count(report->out, use->loop_count);
    fputs("</td></tr>\n", report->out);
}

static void draw_rules(const struct html_report *report, const struct quality_summary *summary)
{
    const struct array *rules = &summary->rules;
    if (!rules->count)
        return;
    size_t most = ARRAY_AT(struct quality_rule_use, rules, 0)->loop_count;
    size_t first = rules->count <= FIRST_RULES + 1 ? rules->count : FIRST_RULES;
    fputs("<div class=\"drawing whole\"><h2>Findings, and in how many loops</h2>\n<table class=\"bars "
          "long\">\n",
          report->out);
    for (size_t i = 0; i < first; i++)
        draw_rule(report, ARRAY_AT(struct quality_rule_use, rules, i), most);
    fputs("</table>\n", report->out);
    if (first < rules->count) {
        fprintf(report->out,
                "<details class=\"fold\"><summary>%zu more</summary>\n<table class=\"bars long\">\n",
                rules->count - first);
        for (size_t i = first; i < rules->count; i++)
            draw_rule(report, ARRAY_AT(struct quality_rule_use, rules, i), most);
        fputs("</table></details>\n", report->out);
    }
    fputs("</div>\n", report->out);
}

static void draw_level(const struct html_report *report, const char *word, const char *doc, size_t count,
                       size_t most)
{
    fprintf(report->out, "<tr%s%s%s title=\"%s\"><th>", word ? " data-filter=\"level\" data-value=\"" : "",
            word ? word : "", word ? "\"" : "", doc);
    if (word)
        fprintf(report->out, "<i class=\"level %s\">%s</i>", word, word);
    else
        fputs("no advice", report->out);
    fputs("</th><td class=\"room\">", report->out);
    html_bar(report->out, "", most ? (double)count / (double)most : 0);
    fputs("</td><td class=\"figure\">", report->out);
    html_count(report->out, count);
    fputs("</td></tr>\n", report->out);
}

/* Each loop counts once, for its most certain advice, as in the table. */
static void draw_levels(const struct html_report *report)
{
    size_t counts[advice_level_COUNT + 1] = {0}, most = 0;
    for (size_t i = 0; i < report->view->analysed_count; i++) {
        struct quality_rows rows;
        unsigned best = advice_level_COUNT;
        quality_rows_find(&rows, report->model, report->view->loops[i]);
        for (size_t k = 0; k < rows.advice_count; k++)
            if (rows.advice[k].level < best && rows.advice[k].level <= report->view->level)
                best = rows.advice[k].level;
        counts[best]++;
    }
    for (unsigned level = 0; level <= advice_level_COUNT; level++)
        most = counts[level] > most ? counts[level] : most;
    fputs("<div class=\"drawing\"><h2>Loops by their most certain advice</h2>\n<table class=\"bars\">\n",
          report->out);
    for (unsigned level = 0; level <= report->view->level; level++)
        draw_level(report, advice_level_word(level), advice_level_doc(level), counts[level], most);
    draw_level(report, NULL, "loops without advice", counts[advice_level_COUNT], most);
    fputs("</table></div>\n", report->out);
}

/* What the compiler says of the loops. */
static void write_records(const struct html_report *report)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    quality_say_records(memory, report->view);
    fclose(memory);
    if (size) {
        *text = 'T'; /* "the compiler's records say …" */
        html_format(report->out, "<p class=\"note\">%s.</p>\n", text);
    }
}

void html_summary(const struct html_report *report)
{
    struct quality_summary summary;
    quality_summarise(&summary, report->view);
    fputs("<section class=\"summary\" id=\"summary\">\n<div class=\"drawings\">\n<div class=\"stack\">\n",
          report->out);
    draw_limits(report, &summary);
    draw_levels(report);
    fputs("</div>\n", report->out);
    draw_savings(report, &summary);
    draw_rules(report, &summary);
    fputs("</div>\n", report->out);
    write_records(report);
    fputs("</section>\n", report->out);
    quality_summary_free(&summary);
}
