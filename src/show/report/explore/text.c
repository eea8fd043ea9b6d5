/* For people. One compilation is a screen: what was compiled, the loop with its cycles and the compiler's remark,
   the instructions, the findings. Several are a table, and below it the screen of the fastest. */
#include "base/path.h"
#include "show/report/common/phrases.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/explore/explore.h"
#include "show/report/quality/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST_NAME = 24, WIDEST_FLAGS = 36, FIGURES = 46 };

struct page {
    const struct explore_view *view;
    const struct report_style *style;
    FILE *out;
    size_t width;
};

static void say_others(const struct page *page, const struct explore_attempt *attempt)
{
    size_t others = 0;
    for (size_t i = 0; i < attempt->loops.count; i++) {
        struct half half = half_read(attempt->model, *ARRAY_AT(uint32_t, &attempt->loops, i));
        unsigned role = half.role ? half.role->role : loop_role_ONLY;
        others += half.loop != attempt->loop && role != loop_role_PEEL && role != loop_role_TAIL;
    }
    if (others)
        wrap_say(
            page->out, 0, page->width,
            "The line has %zu more loop%s in the code (other versions, parts or inlined copies); shown is the one "
            "that does most in an iteration.",
            others, others == 1 ? "" : "s");
}

static bool print_screen(const struct page *page, const struct explore_attempt *attempt, struct error *error)
{
    struct quality_view quality = page->view->quality;
    autofree char *options = explore_options(attempt);
    wrap_say(page->out, 0, page->width, "%s%s%s: %s", explore_compiler(attempt), *options ? " " : "", options,
             attempt->compilation.version);
    if (attempt->ignored)
        wrap_say(page->out, 0, page->width, "Not as asked: %s.", attempt->ignored);
    if (attempt->compilation.dropped)
        wrap_say(
            page->out, 0, page->width,
            "%u option%s of compile_commands.json %s left out, because a file may not give %s; -- COMMAND may.",
            attempt->compilation.dropped, attempt->compilation.dropped == 1 ? "" : "s",
            attempt->compilation.dropped == 1 ? "was" : "were",
            attempt->compilation.dropped == 1 ? "it" : "them");
    if (!attempt->loop) {
        wrap_say(page->out, 0, page->width, "%s.", attempt->problem);
        return true;
    }
    quality.model = attempt->model;
    quality.loops = &attempt->loop;
    quality.loop_count = quality.analysed_count = 1;
    page->view->choose(quality.context, attempt);
    say_others(page, attempt);
    return report_quality_page(&quality, page->style, attempt->loop, page->view->is_all, page->out, error);
}

/* --- the table --- */
static size_t wider(size_t width, const char *text, size_t most)
{
    autofree char *safe = text_safe(text, strlen(text));
    size_t own = text_width(safe);
    return own < width ? width : own < most ? own : most;
}

static void put(const struct page *page, const char *text, size_t width)
{
    autofree char *safe = text_safe(text, strlen(text));
    autofree char *cut = text_cut(safe, width, false, page->style->unicode);
    fprintf(page->out, "%s%*s", cut, (int)(width - text_width(cut)), "");
}

/* The rule that helps most, and how many there are besides. */
static char *first_advice(const struct page *page, const struct explore_attempt *attempt)
{
    struct quality_rows rows;
    quality_rows_find(&rows, attempt->model, attempt->loop);
    struct array findings = quality_findings(&rows, page->view->quality.level);
    const struct quality_finding *first =
        findings.count ? ARRAY_AT(struct quality_finding, &findings, 0) : NULL;
    const char *name =
        first ? model_text(attempt->model, model_rule_row(attempt->model, first->rule)->name) : NULL;
    char *text = !name                ? memory_format("-")
                 : findings.count > 1 ? memory_format("%s +%zu", name, findings.count - 1)
                                      : memory_format("%s", name);
    array_free(&findings);
    return text;
}

static void print_figures(const struct page *page, const struct explore_attempt *attempt)
{
    const struct half *half = &attempt->half;
    const struct loop *loop = model_loop(attempt->model, attempt->loop);
    autofree char *advice = first_advice(page, attempt);
    char cycles[24] = "-", own[24] = "-", times[16] = "?", vectors[16] = "-";
    if (isfinite(attempt->cycles))
        snprintf(cycles, sizeof cycles, "%.2f", attempt->cycles);
    if (isfinite(half->cycles))
        snprintf(own, sizeof own, "%.2f", half->cycles);
    if (attempt->iterations > 0)
        snprintf(times, sizeof times, "%.4g", attempt->iterations);
    if (attempt->vector_bits)
        snprintf(vectors, sizeof vectors, "%u", attempt->vector_bits);
    fprintf(page->out, "%8s  %8s %5s  %7s  %5u  %-13s %s", cycles, own, times, vectors,
            loop->instruction_count, isfinite(half->cycles) ? core_part_word(half->limit) : "-", advice);
}

static void print_row(const struct page *page, const struct explore_attempt *attempt, size_t names,
                      size_t flags, bool is_best)
{
    autofree char *own = explore_options(attempt);
    fputs(is_best ? "> " : "  ", page->out);
    put(page, explore_compiler(attempt), names);
    fputs("  ", page->out);
    put(page,
        attempt->is_prepared && attempt->compilation.compiler ? own
        : attempt->flags                                      ? attempt->flags
                                                              : "",
        flags);
    fputs("  ", page->out);
    if (attempt->loop) {
        print_figures(page, attempt);
        putc('\n', page->out);
    } else {
        autofree char *safe = text_safe(attempt->problem, strlen(attempt->problem));
        size_t at = 2 + names + 2 + flags + 2;
        wrap_print(page->out, safe, at, at, page->width > at + FIGURES ? page->width : at + FIGURES);
    }
}

static void print_table(const struct page *page)
{
    const struct explored *explored = page->view->explored;
    size_t names = strlen("compiler"), flags = strlen("options"), ignored = 0;
    for (size_t i = 0; i < explored->count; i++) {
        const struct explore_attempt *attempt = &explored->attempts[i];
        autofree char *own = explore_options(attempt);
        names = wider(names, explore_compiler(attempt), WIDEST_NAME);
        flags = wider(flags, attempt->is_prepared ? own : attempt->flags ? attempt->flags : "", WIDEST_FLAGS);
    }
    fprintf(page->out, "\n%s  %-*s  %-*s  %8s  %8s %5s  %7s  %5s  %-13s %s%s\n",
            report_ink(page->style, ink_BOLD), (int)names, "compiler", (int)flags, "options", "cycles",
            "code", "times", "vectors", "instr", "limited by", "advice", report_ink(page->style, ink_PLAIN));
    for (size_t i = 0; i < explored->count; i++)
        print_row(page, &explored->attempts[i], names, flags, i == page->view->best);
    putc('\n', page->out);
    wrap_say(
        page->out, 0, page->width,
        "cycles: per iteration of the source; code: per iteration of the compiled loop, which does that many times "
        "an iteration of the source (?: its code does not show it); vectors: bits of the widest.");
    for (size_t i = 0; i < explored->count; i++)
        if (explored->attempts[i].ignored && !ignored++)
            wrap_say(page->out, 0, page->width, "%s ignores an option: %s.",
                     explore_compiler(&explored->attempts[i]), explored->attempts[i].ignored);
}

bool report_explore_text(const struct explore_view *view, const struct report_style *style, FILE *out,
                         struct error *error)
{
    const struct explored *explored = view->explored;
    struct page page = {
        .view = view, .style = style, .out = out, .width = style->width ? style->width : WRAP_USUAL_WIDTH};
    bool is_fine = true;
    if (page.width > WRAP_WIDEST)
        page.width = WRAP_WIDEST;
    wrap_say(out, 0, page.width, "%s:%u%s%s", path_name(explored->file), explored->line,
             view->machine ? ", figures for " : "", view->machine ? view->machine : "");
    if (explored->count > 1)
        print_table(&page);
    else
        putc('\n', out);
    for (size_t i = 0; i < explored->count && is_fine; i++) {
        if (explored->count > 1 && !view->is_all && i != view->best)
            continue;
        if (explored->count > 1)
            putc('\n', out);
        is_fine = print_screen(&page, &explored->attempts[i], error);
    }
    return is_fine && (!ferror(out) || error_set_errno(error, NULL, "cannot write the answer"));
}
