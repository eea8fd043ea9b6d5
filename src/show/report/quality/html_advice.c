#include "show/report/quality/html.h"

#include "model/tables.h"
#include "show/report/common/html.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SHOWN_EVIDENCE = 8 };

static void print_remedies(const struct html_report *report, uint32_t advice)
{
    size_t count;
    const struct remedy_row *rows = quality_remedies(report->model, advice, &count);
    if (!count)
        return;
    fputs("<h5>What to do</h5>\n<ul class=\"remedies\">\n", report->out);
    for (size_t i = 0; i < count; i++) {
        const char *text = model_text(report->model, rows[i].text);
        fputs("<li>", report->out);
        if (rows[i].audience != audience_ANY)
            fprintf(report->out, "<span class=\"audience\">%s</span> ", audience_word(rows[i].audience));
        html_prose(report->out, text ? text : "");
        fputs("</li>\n", report->out);
    }
    fputs("</ul>\n", report->out);
}

/* The script gets all places; readers see links to the first few. */
static void print_evidence(const struct html_report *report, const struct html_listing *listing,
                           uint32_t advice)
{
    size_t count, shown = 0;
    const struct advice_evidence_row *rows = quality_evidence(report->model, advice, &count);
    if (!count)
        return;
    fputs("<details class=\"evidence\"><summary>", report->out);
    fputs("Found in ", report->out);
    html_counted(report->out, count, "instruction", "instructions");
    fputs("</summary>\n<ul>\n", report->out);
    for (size_t i = 0; i < count && shown < MOST_SHOWN_EVIDENCE; i++) {
        int place = html_listing_instruction(listing, rows[i].instruction);
        if (place == NOT_LISTED)
            continue;
        fprintf(report->out, "<li><a href=\"#l%u-i%d\">", listing->loop, place);
        html_origin(report, listing, rows[i].instruction);
        fputs("</a> <code>", report->out);
        html_instruction(report, NULL, rows[i].instruction);
        fputs("</code></li>\n", report->out);
        shown++;
    }
    if (count > shown)
        fprintf(report->out, "<li>and %zu more</li>\n", count - shown);
    fputs("</ul></details>\n", report->out);
}

static void print_places(const struct html_report *report, const struct html_listing *listing,
                         uint32_t advice)
{
    size_t count;
    const struct advice_evidence_row *rows = quality_evidence(report->model, advice, &count);
    fputs(" data-evidence=\"", report->out);
    for (size_t i = 0, printed = 0; i < count; i++) {
        int place = html_listing_instruction(listing, rows[i].instruction);
        if (place != NOT_LISTED)
            fprintf(report->out, "%s%d", printed++ ? " " : "", place);
    }
    fputs("\"", report->out);
}

static void print_card_header(const struct html_report *report, const struct quality_finding *finding,
                              size_t number)
{
    const struct advice *advice = model_advice(report->model, finding->advice);
    const char *level = advice_level_word(finding->level);
    html_format(report->out, "<header><span class=\"number\">%zu</span><h4>%s", number,
                model_text(report->model, model_rule_row(report->model, finding->rule)->title));
    fprintf(report->out, "</h4><span class=\"level\" title=\"%s\">%s</span>",
            advice_level_doc(finding->level), level);
    if (isfinite(advice->gain)) {
        fprintf(report->out, "<span class=\"gain\" title=\"%.2f cycles per iteration after the change\">",
                advice->cycles);
        html_gain(report->out, advice->gain, advice->is_upper);
        fputs("</span>", report->out);
    }
    fputs("</header>\n", report->out);
}

static void print_card(const struct html_report *report, const struct quality_rows *rows,
                       const struct html_listing *listing, const struct quality_finding *finding,
                       size_t number)
{
    const char *text = model_text(report->model, model_advice(report->model, finding->advice)->text);
    const struct rule_row *rule = model_rule_row(report->model, finding->rule);
    const char *meaning = model_text(report->model, rule->meaning);
    fprintf(report->out, "<section class=\"card %s\" id=\"l%u-a%zu\"", advice_level_word(finding->level),
            listing->loop, number);
    print_places(report, listing, finding->advice);
    fputs(">\n", report->out);
    print_card_header(report, finding, number);
    fputs("<p>", report->out);
    html_prose(report->out, text ? text : "");
    if (finding->path_count < rows->metric_count && !model_advice(report->model, finding->advice)->is_shared)
        fprintf(report->out, " Applies to %zu of %zu paths.", finding->path_count, rows->metric_count);
    fputs("</p>\n", report->out);
    if (meaning) {
        fputs("<p class=\"meaning\">", report->out);
        html_prose(report->out, meaning);
        if (rule->file)
            html_format(report->out, " <span class=\"origin\">A rule of %s.</span>",
                        model_text(report->model, rule->file));
        fputs("</p>\n", report->out);
    }
    print_remedies(report, finding->advice);
    print_evidence(report, listing, finding->advice);
    fputs("</section>\n", report->out);
}

void html_cards(const struct html_report *report, const struct quality_rows *rows,
                const struct array *findings, const struct html_listing *listing)
{
    if (!findings->count)
        return;
    fputs("<div class=\"cards\">\n", report->out);
    for (size_t i = 0; i < findings->count; i++)
        print_card(report, rows, listing, ARRAY_AT(struct quality_finding, findings, i), i + 1);
    fputs("</div>\n", report->out);
}

void html_cards_of_path(const struct html_report *report, const struct quality_rows *path,
                        const struct array *findings)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        for (size_t k = 0; k < path->advice_count; k++)
            if (path->advice[k].rule == ARRAY_AT(struct quality_finding, findings, i)->rule) {
                fprintf(report->out, "%s<a href=\"#l%u-a%zu\">%zu</a>",
                        count++ ? ", " : "<p class=\"note\">Advice that applies to this path: ", path->loop,
                        i + 1, i + 1);
                break;
            }
    fputs(count ? "</p>\n" : "", report->out);
}
