/* The table of all loops. A program may have thousands. A browser takes long to lay out so many rows, so all
   but the first are in a second table that is folded; the script takes them from there when they match. A row
   has no attributes that the style could find by itself: the columns are numbered there, too. What the script
   filters by is what the cells show, and the attribute data-a of a row: the actions (html_actions.c) that are
   a remedy for the loop. */
#include "show/report/quality/html.h"

#include "model/tables.h"
#include "code/quality/weight.h"
#include "show/report/common/html.h"
#include "show/report/common/short_name.h"
#include "show/report/quality/sentences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_LOOPS = 100 };

struct table_head {
    const char *name, *doc;
    bool is_figure;
};

static const struct table_head heads[] = {
    {"", "rank", true},
    {"function", "function that contains the loop", false},
    {"place", "source lines, or the address", false},
    {"role", "role among the loops made from one source loop; empty for the only one", false},
    {"share", "", true}, /* share_doc */
    {"gain", "how many times faster it could be", true},
    {"saves", "share of the time that this gain would save", true},
    {"level", "level of the most certain advice", false},
    {"findings", "rules that found something in this loop", false},
    {"cycles", "cycles per iteration on the slowest path", true},
    {"limit", "the part of the core that limits the loop", false},
    {"vectorised", "share of vectorisable instructions that are vector instructions", true},
};

static const char *share_doc(const struct html_report *report)
{
    return weight_is_sampled(report->model)
               ? "share of the samples of the run"
               : "estimated share of the time in innermost loops: from loops around it and calls in loops";
}

void html_loop_name(const struct html_report *report, uint32_t loop, bool has_section)
{
    autofree char *function = quality_function(report->model, loop, report->view->demangle);
    autofree char *shown = name_shorten(function, NAME_COLUMNS, true);
    size_t length = html_short_name(shown);
    if (has_section)
        fprintf(report->out, "<a href=\"#loop-%u\"", loop);
    else
        fputs("<span", report->out);
    if (strlen(function) > length)
        html_format(report->out, " title=\"%s\"", function);
    fputs(">", report->out);
    html_text(report->out, shown, length);
    fputs(has_section ? "</a>" : "</span>", report->out);
}

static void print_findings(const struct html_report *report, const struct quality_rows *rows)
{
    struct array findings = quality_findings(rows, report->view->level);
    for (size_t i = 0; i < findings.count; i++) {
        uint32_t rule = ARRAY_AT(struct quality_finding, &findings, i)->rule;
        fputs(i ? ", " : "", report->out);
        html_string(report->out, model_text(report->model, model_rule_row(report->model, rule)->name));
    }
    array_free(&findings);
}

static void print_row(const struct html_report *report, size_t place)
{
    uint32_t loop = report->view->loops[place];
    struct quality_rows rows;
    struct html_figures figures;
    quality_rows_find(&rows, report->model, loop);
    html_figures_find(&figures, report, &rows);
    double share = weight_share(report->model, loop);
    double saving = quality_saving(report->model, loop, report->view->level);
    autofree char *where = loop_place_short(report->model, loop, report->places->working_directory);
    autofree char *both = loop_place_words(report->model, loop, report->places->working_directory);
    fputs("<tr", report->out);
    html_actions_of(report, &rows);
    fprintf(report->out, "><td>%zu</td><td>", place + 1);
    html_loop_name(report, loop, place < report->section_count);
    fputs("</td><td", report->out);
    html_place(report->out, where, both, PLACE_COLUMNS);
    fprintf(report->out, "</td><td>%s</td><td>",
            rows.role && rows.role->role != loop_role_ONLY ? loop_role_word(rows.role->role) : "");
    html_narrow_share(report->out, share);
    fputs("</td><td>", report->out);
    html_gain(report->out, figures.gain, figures.is_upper);
    fputs("</td><td>", report->out);
    html_narrow_share(report->out, saving > 0 ? saving : NAN);
    fputs("</td><td>", report->out);
    if (figures.level)
        fprintf(report->out, "<i class=\"level %s\">%s</i>", figures.level, figures.level);
    fputs("</td><td>", report->out);
    print_findings(report, &rows);
    fputs("</td><td>", report->out);
    html_number(report->out, figures.cycle ? figures.cycle->cycles : NAN);
    fprintf(report->out, "</td><td>%s</td><td>", figures.cycle ? core_part_word(figures.cycle->limit) : "–");
    html_share(report->out, figures.metric ? figures.metric->vector_ratio : NAN);
    fputs("</td></tr>\n", report->out);
}

static void print_note(const struct html_report *report)
{
    if (report->section_count >= report->view->analysed_count)
        return;
    fputs("<p class=\"note\">The ", report->out);
    html_count(report->out, report->section_count);
    fputs(report->print_run
              ? " hottest loops have a section above. The table lists all.</p>\n"
              : " first loops have a section below (raise <code>--top</code> for more, or choose "
                "loops with <code>--function</code>). The table lists all.</p>\n",
          report->out);
}

static void print_rows(const struct html_report *report, const char *id, size_t first, size_t end)
{
    fprintf(report->out, "<div class=\"wide\"><table class=\"loops all\" id=\"%s\">\n<thead><tr>", id);
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(report->out, "<th scope=\"col\" title=\"%s\"%s>%s</th>",
                *heads[i].doc ? heads[i].doc : share_doc(report),
                heads[i].is_figure ? " class=\"figure\"" : "", heads[i].name);
    fputs("</tr></thead>\n<tbody>\n", report->out);
    for (size_t i = first; i < end; i++)
        print_row(report, i);
    fputs("</tbody></table></div>\n", report->out);
}

void html_table(const struct html_report *report)
{
    size_t count = report->view->analysed_count, first = count < FIRST_LOOPS ? count : FIRST_LOOPS;
    fputs("<section class=\"loops\" id=\"loops\">\n<h2>Loops</h2>\n", report->out);
    print_note(report);
    fputs("<div class=\"controls\" hidden></div>\n", report->out);
    print_rows(report, "table", 0, first);
    if (first < count) {
        fputs("<details class=\"fold\" id=\"rest\"><summary>", report->out);
        html_counted(report->out, count - first, "more loop", "more loops");
        fputs("</summary>\n", report->out);
        print_rows(report, "more", first, count);
        fputs("</details>\n", report->out);
    }
    fputs("</section>\n", report->out);
}
