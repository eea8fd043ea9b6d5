/* The report in text: the answer, the chart, and then what needs a look: failures, deadlines, idle hosts. */
#include "show/report/common/phrases.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/schedule/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAILED = 5, MOST_LATE = 10, MOST_REASONS = 8 };

static size_t width_of(const struct report_style *style)
{
    return !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
}

static void print_title(const struct report_style *style, const char *title, FILE *out)
{
    fprintf(out, "\n%s%s%s\n", report_ink(style, ink_BOLD), title, report_ink(style, ink_PLAIN));
}

static void print_item(const struct report_style *style, const char *text, FILE *out)
{
    autofree char *safe = text_safe(text, strlen(text));
    fputs("- ", out);
    wrap_print(out, safe, 2, 2, width_of(style));
}

/* In bold: the first sentence is what most came for. */
static void print_answer(const struct schedule_view *view, const struct report_style *style, FILE *out)
{
    struct array sentences = schedule_answer(view);
    autofree char *rest = NULL;
    size_t size = 0;
    FILE *others = open_memstream(&rest, &size);
    for (size_t i = 1; i < sentences.count; i++)
        fprintf(others, "%s%s", i > 1 ? " " : "", *ARRAY_AT(char *, &sentences, i));
    fclose(others);
    fputs(report_ink(style, ink_BOLD), out);
    wrap_say(out, 0, width_of(style), "%s", *ARRAY_AT(char *, &sentences, 0));
    fputs(report_ink(style, ink_PLAIN), out);
    if (*rest)
        wrap_say(out, 0, width_of(style), "%s", rest);
    sentences_free(&sentences);
}

static void print_output(const struct schedule_view *view, const struct report_style *style,
                         const struct view_task *task, FILE *out)
{
    for (const char *line = task->output; line && *line;) {
        size_t length = strcspn(line, "\n");
        autofree char *safe = text_safe(line, length);
        char *cut = style->width > 10 ? text_cut(safe, style->width - 4, false, style->unicode) : safe;
        fprintf(out, "    %s%s%s\n", report_ink(style, ink_DIM), cut, report_ink(style, ink_PLAIN));
        if (cut != safe)
            free(cut);
        line += length + (line[length] == '\n');
    }
    autofree char *path = view_output_path(view, task);
    if (path)
        wrap_say(out, 2, 9999, "all of it: %s", path);
}

static void print_failed(const struct schedule_view *view, const struct report_style *style, FILE *out)
{
    struct array failed = schedule_failed(view);
    if (failed.count)
        print_title(style, "Failed", out);
    for (size_t i = 0; i < failed.count && i < MOST_FAILED; i++) {
        const struct view_task *task = VIEW_TASK(view, *ARRAY_AT(uint32_t, &failed, i));
        autofree char *words = schedule_failure_words(view, task);
        print_item(style, words, out);
        print_output(view, style, task, out);
    }
    if (failed.count > MOST_FAILED)
        fprintf(out, "… and %zu more; --csv lists all tasks\n", failed.count - MOST_FAILED);
    array_free(&failed);
}

static void print_late(const struct schedule_view *view, const struct report_style *style, FILE *out)
{
    if (view->late.count)
        print_title(style, "Deadlines", out);
    for (size_t i = 0; i < view->late.count && i < MOST_LATE; i++) {
        autofree char *words = schedule_late_words(view, ARRAY_AT(struct view_late, &view->late, i));
        print_item(style, words, out);
    }
    if (view->late.count > MOST_LATE)
        fprintf(out, "… and %zu more; --csv lists all tasks\n", view->late.count - MOST_LATE);
}

static void print_stuck(const struct schedule_view *view, const struct report_style *style, FILE *out)
{
    struct array sentences = schedule_stuck(view, MOST_LATE);
    if (sentences.count)
        print_title(style, "Cannot be started", out);
    for (size_t i = 0; i < sentences.count; i++)
        print_item(style, *ARRAY_AT(char *, &sentences, i), out);
    sentences_free(&sentences);
}

static void print_idle(const struct schedule_view *view, const struct report_style *style, size_t most,
                       FILE *out)
{
    struct array sentences = schedule_idle(view, most);
    if (sentences.count)
        print_title(style, "Why hosts are idle", out);
    for (size_t i = 0; i < sentences.count; i++)
        print_item(style, *ARRAY_AT(char *, &sentences, i), out);
    sentences_free(&sentences);
}

static void print_foot(const struct schedule_view *view, const struct report_style *style, FILE *out)
{
    if (!view->others)
        return;
    autofree char *count = phrase_count(view->others);
    fprintf(out, "\n%s%s more workflow%s: assay schedule show --all%s\n", report_ink(style, ink_DIM), count,
            view->others == 1 ? "" : "s", report_ink(style, ink_PLAIN));
}

bool report_schedule(const struct schedule_view *view, const struct report_style *style, unsigned lines,
                     FILE *out, struct error *error)
{
    if (style->format != report_TABLE) {
        schedule_print_rows(view, style, out);
    } else {
        print_answer(view, style, out);
        if (view->bars.count)
            putc('\n', out);
        schedule_print_chart(view, style, lines, out);
        print_failed(view, style, out);
        print_stuck(view, style, out);
        print_late(view, style, out);
        print_idle(view, style, lines == UINT32_MAX ? 0 : MOST_REASONS, out);
        print_foot(view, style, out);
    }
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
