/* Advice for a loop. A rule that applies to several paths is shown once, for the path that gains most, with
   the number of paths. Why it costs time is explained on the first page that shows the rule.

   A page of the usual report fits a screen: findings that do not are counted. A finding is printed into
   memory first, and what it said is forgotten if it is left out. */
#include "show/report/quality/text.h"

#include "model/tables.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_OF_PAGE = 38 };

/* "4.00 → 0.50 cycles, up to 8.0 × faster" */
static void print_gain(struct text_report *report, const struct quality_rows *rows,
                       const struct advice *advice)
{
    bool unicode = report->style->unicode;
    if (!isfinite(advice->cycles) || !isfinite(advice->gain))
        return;
    wrap_say(report->out, 3, report->width, "Gain: %.2f %s %.2f cycles%s, %s%.1f %s faster.",
             advice->cycles * advice->gain, unicode ? "→" : "->", advice->cycles,
             rows->metric_count > 1 ? " on the path that gains most" : " per iteration",
             quality_up_to(advice->is_upper), advice->gain, unicode ? "×" : "times");
}

static void print_found(struct text_report *report, const struct quality_rows *rows,
                        const struct quality_finding *finding)
{
    const struct model *model = rows->model;
    const struct advice *advice = model_advice(model, finding->advice);
    size_t count;
    const struct advice_evidence_row *evidence = quality_evidence(model, finding->advice, &count);
    struct array instructions = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < count; i++)
        *(uint32_t *)array_push(&instructions) = evidence[i].instruction;
    autofree char *lines = page_lines(report, rows->loop, instructions.data, count);
    const char *text = model_text(model, advice->text);
    char paths[96] = "";
    if (finding->path_count < rows->metric_count && !advice->is_shared)
        snprintf(paths, sizeof paths, " Applies to %zu of %zu paths.", finding->path_count,
                 rows->metric_count);
    wrap_say(report->out, 3, report->width, "%s%s%s%s%s", text ? text : "", paths, lines ? " (" : "",
             lines ? lines : "", lines ? ")" : "");
    array_free(&instructions);
}

static void print_meaning(struct text_report *report, uint32_t loop, const struct quality_finding *finding)
{
    const struct rule_row *rule = model_rule_row(report->view->model, finding->rule);
    const char *meaning = model_text(report->view->model, rule->meaning);
    const char *file = rule->file ? model_text(report->view->model, rule->file) : NULL;
    if (report->explained[finding->rule])
        return;
    report->explained[finding->rule] = loop;
    if (meaning)
        wrap_say(report->out, 3, report->width, "Why: %s%s%s%s", meaning, file ? " (a rule of " : "",
                 file ? file : "", file ? ")" : "");
}

static void print_title(struct text_report *report, size_t number, const char *title, unsigned level)
{
    autofree char *text =
        memory_format("%zu. %s [%s]", number, title ? title : "?", advice_level_word(level));
    fprintf(report->out, "\n%s", report_ink(report->style, ink_BOLD));
    wrap_print(report->out, text, 0, 3, report->width);
    fputs(report_ink(report->style, ink_PLAIN), report->out);
}

static void print_finding(struct text_report *report, const struct quality_rows *rows,
                          const struct array *findings, size_t number)
{
    const struct model *model = rows->model;
    const struct quality_finding *it = ARRAY_AT(struct quality_finding, findings, number - 1);
    print_title(report, number, model_text(model, model_rule_row(model, it->rule)->title), it->level);
    print_found(report, rows, it);
    print_gain(report, rows, model_advice(model, it->advice));
    print_meaning(report, rows->loop, it);
    page_print_remedies(report, rows, findings, number);
}

/* Prints a finding if it fits with what the page has already, or is the first; returns its lines, 0 if it was
   left out. */
static size_t print_fitting(struct text_report *report, const struct quality_rows *rows,
                            const struct array *findings, size_t number, size_t used)
{
    const struct quality_finding *it = ARRAY_AT(struct quality_finding, findings, number - 1);
    FILE *out = report->out;
    char *text = NULL;
    size_t size = 0, lines = 0, said = report->said.count;
    uint32_t explained = report->explained[it->rule];
    report->out = open_memstream(&text, &size);
    if (report->out) {
        print_finding(report, rows, findings, number);
        fclose(report->out);
    }
    report->out = out;
    for (const char *at = text; at && *at; at++)
        lines += *at == '\n';
    bool is_printed = report->is_full || number == 1 || used + lines <= LINES_OF_PAGE;
    if (is_printed) {
        fputs(text ? text : "", out);
    } else {
        report->said.count = said;
        report->explained[it->rule] = explained;
    }
    free(text);
    return is_printed ? lines : 0;
}

size_t page_print_advice(struct text_report *report, const struct quality_rows *rows, size_t used)
{
    struct array findings = quality_findings(rows, report->view->level);
    size_t count = findings.count, printed = 0;
    for (; printed < count; printed++) {
        size_t lines = print_fitting(report, rows, &findings, printed + 1, used);
        if (!lines)
            break;
        used += lines;
    }
    if (printed < count) {
        putc('\n', report->out);
        autofree char *option =
            report->is_alone ? memory_format("--all") : memory_format("--loop %u", rows->loop);
        wrap_say(report->out, 0, report->width, "%zu more finding%s: %s shows everything.", count - printed,
                 count - printed == 1 ? "" : "s", option);
    }
    array_free(&findings);
    return count;
}
