/* Places in a line are those of the source as it was built: a loop that was edited is not there (documents.h), so its
   lines are still what they were. */
#include "show/lsp/answers.h"

#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TITLE = 100 };

static void put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\":", name);
    report_json_text(out, text ? text : "", text ? strlen(text) : 0);
}

/* From the first sign of a loop's first line to its end. */
static void put_range(const struct figures *figures, const struct shown_loop *shown, FILE *out)
{
    uint32_t start, end;
    size_t length;
    figures_line(figures, shown->built_first, &start, &end, &length);
    fprintf(out,
            "\"range\":{\"start\":{\"line\":%u,\"character\":%u},\"end\":{\"line\":%u,\"character\":%u}}",
            shown->first, start, shown->first, end);
}

static void put_arguments(const struct figures *figures, const struct shown_loop *shown, FILE *out)
{
    fputs("\"arguments\":[{", out);
    put_text(out, "uri", figures->document->uri);
    fprintf(out, ",\"line\":%u}]", shown->first);
}

static bool is_within(const struct shown_loop *shown, const struct answer_range *range)
{
    return shown->first <= range->last && shown->last >= range->first;
}

struct shown_loop answer_loop_at(const struct figures *figures, uint32_t line)
{
    struct shown_loop best = {.loop = 0};
    struct array loops = document_loops(figures->document, figures->view);
    for (size_t i = 0; i < loops.count; i++) {
        const struct shown_loop *it = ARRAY_AT(struct shown_loop, &loops, i);
        if (it->first <= line && line <= it->last &&
            (!best.loop || it->last - it->first < best.last - best.first))
            best = *it;
    }
    array_free(&loops);
    return best;
}

void answer_hints(const struct figures *figures, const struct answer_range *range, FILE *out)
{
    struct array loops = document_loops(figures->document, figures->view);
    const char *before = "";
    putc('[', out);
    for (size_t i = 0; i < loops.count; i++) {
        const struct shown_loop *it = ARRAY_AT(struct shown_loop, &loops, i);
        uint32_t start, end;
        size_t length;
        if (it->first < range->first || it->first > range->last)
            continue;
        autofree char *label = figures_short(figures, it);
        autofree char *title = figures_title(figures, it);
        figures_line(figures, it->built_first, &start, &end, &length);
        fprintf(out, "%s{\"position\":{\"line\":%u,\"character\":%u},", before, it->first, end);
        put_text(out, "label", label);
        putc(',', out);
        put_text(out, "tooltip", title);
        fputs(",\"paddingLeft\":true}", out);
        before = ",";
    }
    putc(']', out);
    array_free(&loops);
}

void answer_lenses(const struct figures *figures, FILE *out)
{
    struct array loops = document_loops(figures->document, figures->view);
    putc('[', out);
    for (size_t i = 0; i < loops.count; i++) {
        const struct shown_loop *it = ARRAY_AT(struct shown_loop, &loops, i);
        autofree char *title = figures_title(figures, it);
        fputs(i ? ",{" : "{", out);
        put_range(figures, it, out);
        fputs(",\"command\":{", out);
        put_text(out, "title", title);
        fputs(",\"command\":\"assay.assembly\",", out);
        put_arguments(figures, it, out);
        fputs("}}", out);
    }
    putc(']', out);
    array_free(&loops);
}

/* A block of markdown that nothing inside can end. */
static char *fence(const char *text)
{
    char *copy = memory_format("```text\n%s\n```", text);
    for (char *at = copy + 3; (at = strstr(at, "```")) && at[3];)
        memcpy(at, "'''", 3);
    return copy;
}

void answer_hover(const struct figures *figures, uint32_t line, bool is_markdown, FILE *out)
{
    struct shown_loop shown = answer_loop_at(figures, line);
    if (!shown.loop) {
        fputs("null", out);
        return;
    }
    autofree char *text = figures_hover(figures, &shown);
    autofree char *fenced = is_markdown ? fence(text) : NULL;
    fprintf(out, "{\"contents\":{\"kind\":\"%s\",", is_markdown ? "markdown" : "plaintext");
    put_text(out, "value", fenced ? fenced : text);
    putc('}', out);
    putc('}', out);
}

void answer_diagnostics(const struct figures *figures, FILE *out)
{
    static const unsigned severities[] = {2, 3, 4, 4}; /* warning, information, hint, by level */
    struct array loops = document_loops(figures->document, figures->view);
    const char *before = "";
    putc('[', out);
    for (size_t i = 0; i < loops.count; i++) {
        const struct shown_loop *it = ARRAY_AT(struct shown_loop, &loops, i);
        struct quality_rows rows;
        quality_rows_find(&rows, figures->view->model, it->loop);
        struct array findings = quality_findings(&rows, figures->view->level);
        for (size_t k = 0; k < findings.count; k++) {
            const struct quality_finding *finding = ARRAY_AT(struct quality_finding, &findings, k);
            autofree char *text = figures_finding(figures, finding);
            fprintf(out, "%s{", before);
            put_range(figures, it, out);
            fprintf(out, ",\"severity\":%u,\"source\":\"assay\",",
                    severities[finding->level < 4 ? finding->level : 3]);
            put_text(out, "code", model_text(rows.model, model_rule_row(rows.model, finding->rule)->name));
            putc(',', out);
            put_text(out, "message", text);
            putc('}', out);
            before = ",";
        }
        array_free(&findings);
    }
    putc(']', out);
    array_free(&loops);
}

/* --- what to do --- */
struct actions {
    const struct figures *figures;
    const struct shown_loop *shown;
    FILE *out;
    const char *before;
};

static void put_command(struct actions *actions, const char *title, const char *command)
{
    fprintf(actions->out, "%s{", actions->before);
    put_text(actions->out, "title", title);
    fputs(",\"kind\":\"quickfix\",\"command\":{", actions->out);
    put_text(actions->out, "title", title);
    putc(',', actions->out);
    put_text(actions->out, "command", command);
    actions->before = ",";
}

/* The first sentence, for a menu; all of it is shown when it is chosen. */
static char *short_title(const char *text)
{
    const char *stop = strstr(text, ". ");
    size_t length = stop ? (size_t)(stop - text) : strlen(text);
    if (length && text[length - 1] == '.')
        length--;
    size_t cut = length < LONGEST_TITLE ? length : LONGEST_TITLE;
    while (cut && cut < length && ((unsigned char)text[cut] & 0xC0) == 0x80)
        cut--;
    return memory_format("assay: %.*s%s", (int)cut, text, cut < length ? "…" : "");
}

static void put_remedy(struct actions *actions, const char *text)
{
    autofree char *title = short_title(text);
    put_command(actions, title, "assay.remedy");
    fputs(",\"arguments\":[", actions->out);
    report_json_text(actions->out, text, strlen(text));
    fputs("]}}", actions->out);
}

/* "#pragma omp simd" above a for loop of C or C++: an edit of the user's own text, which he asks for. */
static void put_pragma(struct actions *actions)
{
    static const char title[] =
        "assay: #pragma omp simd above the loop (needs -fopenmp-simd; promises that iterations are independent)";
    const struct figures *figures = actions->figures;
    uint32_t start, end;
    size_t length;
    const char *line = figures_line(figures, actions->shown->built_first, &start, &end, &length);
    if (*figures->older || !line || length < start + 4 || strncmp(line + start, "for", 3) != 0 ||
        !strchr(" (", line[start + 3]))
        return;
    autofree char *text = memory_format("%.*s#pragma omp simd\n", (int)start, line);
    fprintf(actions->out, "%s{", actions->before);
    put_text(actions->out, "title", title);
    fputs(",\"kind\":\"quickfix\",\"edit\":{\"changes\":{", actions->out);
    report_json_text(actions->out, figures->document->uri, strlen(figures->document->uri));
    fprintf(actions->out,
            ":[{\"range\":{\"start\":{\"line\":%u,\"character\":0},\"end\":{\"line\":%u,\"character\":0}},",
            actions->shown->first, actions->shown->first);
    put_text(actions->out, "newText", text);
    fputs("}]}}}", actions->out);
    actions->before = ",";
}

static void put_findings(struct actions *actions)
{
    const struct figures *figures = actions->figures;
    const struct model *model = figures->view->model;
    struct quality_rows rows;
    quality_rows_find(&rows, model, actions->shown->loop);
    struct array findings = quality_findings(&rows, figures->view->level);
    for (size_t i = 0; i < findings.count; i++) {
        size_t count;
        const struct remedy_row *remedies =
            quality_remedies(model, ARRAY_AT(struct quality_finding, &findings, i)->advice, &count);
        for (size_t k = 0; k < count; k++) {
            const char *text = model_text(model, remedies[k].text);
            if (remedies[k].action == action_SIMD)
                put_pragma(actions);
            if (text)
                put_remedy(actions, text);
        }
    }
    array_free(&findings);
}

void answer_actions(const struct figures *figures, const struct answer_range *range, FILE *out)
{
    struct array loops = document_loops(figures->document, figures->view);
    struct actions actions = {.figures = figures, .out = out, .before = ""};
    putc('[', out);
    for (size_t i = 0; i < loops.count; i++) {
        actions.shown = ARRAY_AT(struct shown_loop, &loops, i);
        if (!is_within(actions.shown, range))
            continue;
        put_findings(&actions);
        put_command(&actions, "assay: show the assembly of this loop", "assay.assembly");
        putc(',', out);
        put_arguments(figures, actions.shown, out);
        fputs("}}", out);
    }
    putc(']', out);
    array_free(&loops);
}
