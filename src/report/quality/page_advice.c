/* Advice for a loop. A rule that applies to several paths is shown once, for the path that gains most, with
 * the number of paths. Why it costs time is explained on the first page that shows the rule. */
#include "report/quality/page.h"

#include "model/tables.h"
#include "quality/compiler.h"
#include "report/common/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "4.00 → 0.50 cycles, up to 8.0 × faster" */
static void print_gain(struct text_report *report, const struct quality_rows *rows,
                       const struct advice *advice)
{
    bool unicode = report->style->unicode;
    if (!isfinite(advice->cycles) || !isfinite(advice->gain))
        return;
    wrap_say(report->out, 3, report->width,
             "Gain: %.2f %s %.2f cycles%s, %s%.1f %s faster if the data is in the L1 cache.",
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
    char *lines = page_lines(report, rows->loop, instructions.data, count);
    const char *text = model_text(model, advice->text);
    char paths[96] = "";
    if (finding->path_count < rows->metric_count)
        snprintf(paths, sizeof paths, " Applies to %zu of %zu paths.", finding->path_count,
                 rows->metric_count);
    wrap_say(report->out, 3, report->width, "%s%s%s%s%s", text ? text : "", paths, lines ? " (" : "",
             lines ? lines : "", lines ? ")" : "");
    free(lines);
    array_free(&instructions);
}

static void print_meaning(struct text_report *report, uint32_t loop, const struct quality_finding *finding)
{
    const struct rule_row *rule = model_rule_row(report->view->model, finding->rule);
    const char *meaning = model_text(report->view->model, rule->meaning);
    uint32_t first = report->explained[finding->rule];
    if (first && first != loop) {
        wrap_say(report->out, 3, report->width, "Why: see loop %u.", first);
        return;
    }
    report->explained[finding->rule] = loop;
    if (meaning)
        wrap_say(report->out, 3, report->width, "Why: %s", meaning);
}

/* Remedies are those for the compiler and language in use; where these are unknown, each remedy names its
 * audience. */
static bool needs_audience(const struct compiler *compiler, unsigned audience)
{
    bool is_language = audience == audience_C || audience == audience_FORTRAN;
    if (audience == audience_ANY)
        return false;
    return is_language ? compiler->language == language_UNKNOWN : compiler->family == compiler_UNKNOWN;
}

static void print_remedies(struct text_report *report, const struct quality_rows *rows, uint32_t advice)
{
    const struct model *model = report->view->model;
    struct compiler compiler = {0};
    size_t count;
    const struct remedy_row *remedies = quality_remedies(model, advice, &count);
    if (!count)
        return;
    compiler_find(&compiler, model, model_loop(model, rows->loop)->function);
    wrap_say(report->out, 3, report->width, "What to do:");
    for (size_t i = 0; i < count; i++) {
        const char *text = model_text(model, remedies[i].text);
        bool is_for_some = needs_audience(&compiler, remedies[i].audience);
        fprintf(report->out, "   %s%2zu.%s ", report_ink(report->style, ink_BOLD), i + 1,
                report_ink(report->style, ink_PLAIN));
        char *line = memory_format("%s%s%s", is_for_some ? audience_word(remedies[i].audience) : "",
                                   is_for_some ? ": " : "", text ? text : "");
        wrap_print(report->out, line, 7, 7, report->width);
        free(line);
    }
}

static void print_title(struct text_report *report, size_t number, const char *title, unsigned level)
{
    char *text = memory_format("%zu. %s [%s]", number, title ? title : "?", advice_level_word(level));
    fprintf(report->out, "\n%s", report_ink(report->style, ink_BOLD));
    wrap_print(report->out, text, 0, 3, report->width);
    fputs(report_ink(report->style, ink_PLAIN), report->out);
    free(text);
}

size_t page_print_advice(struct text_report *report, const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    struct array findings = quality_findings(rows, report->view->level);
    size_t count = findings.count;
    for (size_t i = 0; i < count; i++) {
        const struct quality_finding *it = ARRAY_AT(struct quality_finding, &findings, i);
        const char *title = model_text(model, model_rule_row(model, it->rule)->title);
        print_title(report, i + 1, title, it->level);
        print_found(report, rows, it);
        print_gain(report, rows, model_advice(model, it->advice));
        print_meaning(report, rows->loop, it);
        print_remedies(report, rows, it->advice);
    }
    array_free(&findings);
    return count;
}
