/* The report as text: a summary, then a page for each loop with advice, the largest gain first. */
#include "report/machine.h"
#include "report/quality/page.h"
#include "report/quality/sentences.h"
#include "report/quality/summary.h"
#include "report/quality/words.h"
#include "report/common/short_name.h"
#include "report/common/text.h"
#include "report/common/wrap.h"
#include "report/common/share.h"

#include "model/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 10, MOST_COMPILERS = 5, MOST_RULES = 8, LONGEST_FLAGS = 200 };

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_label(struct text_report *report, const char *label, const char *text)
{
    char *safe = text_safe(text, strlen(text));
    fprintf(report->out, "%s%-*s%s", report_ink(report->style, ink_BOLD), LABEL, label,
            report_ink(report->style, ink_PLAIN));
    wrap_print(report->out, safe, LABEL, LABEL, report->width);
    free(safe);
}

static void print_machines(struct text_report *report)
{
    const struct quality_view *view = report->view;
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        const struct machine *machine = view->machines[isa];
        if (!machine)
            continue;
        char *text = report_machine_words(machine, view->is_named, view->is_host[isa]);
        print_label(report, "machine", text);
        free(text);
    }
}

static void print_compilers(struct text_report *report, const struct quality_summary *summary)
{
    for (size_t i = 0; i < summary->compilers.count && i < MOST_COMPILERS; i++) {
        const struct quality_compiler *it = ARRAY_AT(struct quality_compiler, &summary->compilers, i);
        const char *flags = it->compiler.flags;
        bool is_long = flags && strlen(flags) > LONGEST_FLAGS;
        char count[48] = "";
        if (summary->compilers.count > 1)
            snprintf(count, sizeof count, " (%zu loop%s)", it->loop_count, plural(it->loop_count));
        char *text =
            memory_format("%s%s%.*s%s%s", it->compiler.name ? it->compiler.name : "unknown",
                          flags               ? " "
                          : it->compiler.name ? ", options unknown"
                                              : "",
                          flags ? LONGEST_FLAGS : 0, flags ? flags : "", is_long ? "..." : "", count);
        print_label(report, i ? "" : "compiler", text);
        free(text);
    }
    if (summary->compilers.count > MOST_COMPILERS) {
        char *text =
            memory_format("and %zu more (listed by --json)", summary->compilers.count - MOST_COMPILERS);
        print_label(report, "", text);
        free(text);
    }
}

static void print_counts(struct text_report *report, const struct quality_summary *summary)
{
    const struct quality_view *view = report->view;
    char known[32] = "all";
    if (summary->known_count < summary->instruction_count)
        snprintf(known, sizeof known, "%s%% of",
                 share_words((double)summary->known_count / (double)summary->instruction_count).text);
    char *text = memory_format("%zu innermost loop%s, %zu path%s; the machine file has costs for %s their "
                               "instructions; all data is assumed to be in the L1 cache",
                               view->analysed_count, plural(view->analysed_count), summary->path_count,
                               plural(summary->path_count), known);
    print_label(report, "loops", text);
    free(text);
    if (summary->cut_count) {
        text = memory_format("%zu of them ha%s more paths than were analysed (raise --paths, for a program "
                             "or when writing a database)",
                             summary->cut_count, summary->cut_count == 1 ? "s" : "ve");
        print_label(report, "", text);
        free(text);
    }
    if (summary->unplaced_count) {
        text = memory_format("%zu of them ha%s no source lines; compile with -g to see the lines of each "
                             "loop and of each finding",
                             summary->unplaced_count, summary->unplaced_count == 1 ? "s" : "ve");
        print_label(report, "", text);
        free(text);
    }
}

static void print_advised(struct text_report *report, const struct quality_summary *summary)
{
    const char *label = "advice";
    for (unsigned i = 0; i < advice_level_COUNT; i++) {
        bool is_shown = i <= report->view->level;
        const char *word = advice_level_word(i);
        if (!is_shown && !summary->advised[i])
            continue;
        char *text = is_shown ? memory_format("%zu loop%s at level %s (%s)", summary->advised[i],
                                              plural(summary->advised[i]), word, advice_level_doc(i))
                              : memory_format("%zu more at level %s (show with --level %s)",
                                              summary->advised[i], word, word);
        print_label(report, label, text);
        label = "";
        free(text);
    }
}

static void print_title(struct text_report *report, const char *title)
{
    fprintf(report->out, "\n%s%s%s\n", report_ink(report->style, ink_BOLD), title,
            report_ink(report->style, ink_PLAIN));
}

/* Why the first loop without cycles has none. */
static void print_unanswered(struct text_report *report, const struct quality_summary *summary)
{
    struct quality_rows rows;
    quality_rows_find(&rows, report->view->model, summary->unanswered);
    char *refusal =
        quality_refusal(report->view, summary->unanswered, rows.cycle_count ? &rows.cycles[0] : NULL);
    char *text = refusal ? memory_format("no cycles could be computed; for loop %u because %s",
                                         summary->unanswered, refusal)
                         : memory_format("no cycles could be computed");
    fprintf(report->out, "%7zu  %-18s", summary->unanswered_count, "unknown");
    wrap_print(report->out, text, 27, 27, report->width);
    free(refusal);
    free(text);
}

static void print_limits(struct text_report *report, const struct quality_summary *summary)
{
    bool is_done[core_part_COUNT] = {false};
    print_title(report, "What limits the loops");
    for (;;) {
        unsigned most = 0;
        for (unsigned i = 0; i < core_part_COUNT; i++)
            if (!is_done[i] && summary->limits[i] > (is_done[most] ? 0 : summary->limits[most]))
                most = i;
        if (is_done[most] || !summary->limits[most])
            break;
        is_done[most] = true;
        const char *word = core_part_word(most);
        fprintf(report->out, "%7zu  %s%*s", summary->limits[most], word, (int)(18 - text_width(word)), "");
        wrap_print(report->out, quality_limit_words((enum core_part)most), 27, 27, report->width);
    }
    if (summary->unanswered_count)
        print_unanswered(report, summary);
}

static void print_rules(struct text_report *report, const struct quality_summary *summary)
{
    const struct model *model = report->view->model;
    if (!summary->rules.count)
        return;
    print_title(report, "Most frequent findings");
    for (size_t i = 0; i < summary->rules.count && i < MOST_RULES; i++) {
        const struct quality_rule_use *use = ARRAY_AT(struct quality_rule_use, &summary->rules, i);
        const char *title = model_text(model, model_rule_row(model, use->rule)->title);
        fprintf(report->out, "%7zu  ", use->loop_count);
        wrap_print(report->out, title ? title : "?", 9, 9, report->width);
    }
}

/* A function's name or the place of a loop in so many columns. */
static void print_cell(struct text_report *report, const char *text, size_t width, bool is_name)
{
    char *safe = text_safe(text, strlen(text));
    char *cut = is_name ? name_fit(safe, width, report->style->unicode)
                        : text_cut(safe, width, true, report->style->unicode);
    fprintf(report->out, "%s%*s", cut, is_name ? (int)(width - text_width(cut)) : 0, "");
    free(cut);
    free(safe);
}

static void print_top(struct text_report *report, const struct quality_summary *summary)
{
    const struct quality_view *view = report->view;
    size_t room = report->width > 52 ? report->width - 38 : 14, names = room / 2;
    if (!summary->top_count)
        return;
    print_title(report, "Largest gains");
    fprintf(report->out, "           gain    cycles     loop  %-*s  lines\n", (int)names, "function");
    for (size_t i = 0; i < summary->top_count; i++) {
        uint32_t loop = summary->top[i];
        struct quality_rows rows;
        quality_rows_find(&rows, view->model, loop);
        const struct loop_cycle *slowest = quality_slowest(&rows);
        char *name = quality_function(view->model, loop, view->demangle);
        char *place = loop_place_short(view->model, loop, report->places.working_directory);
        fprintf(report->out, "%6s%7.1f %s  %8.2f %8u  ",
                quality_up_to(quality_gain_is_upper(view->model, loop, view->level)),
                quality_gain(view->model, loop, view->level), report->style->unicode ? "×" : "x",
                slowest ? slowest->cycles : 0, loop);
        print_cell(report, name, names, true);
        fputs("  ", report->out);
        print_cell(report, place, room - names, false);
        putc('\n', report->out);
        free(name);
        free(place);
    }
}

static bool has_advice(const struct text_report *report, uint32_t loop)
{
    struct quality_rows rows;
    quality_rows_find(&rows, report->view->model, loop);
    for (size_t i = 0; i < rows.advice_count; i++)
        if (rows.advice[i].level <= report->view->level)
            return true;
    return false;
}

static void print_summary(struct text_report *report)
{
    struct quality_summary summary;
    quality_summarise(&summary, report->view);
    print_label(report, "file", report->view->path);
    print_machines(report);
    print_compilers(report, &summary);
    print_counts(report, &summary);
    print_advised(report, &summary);
    if (report->view->analysed_count > 1) {
        print_limits(report, &summary);
        print_rules(report, &summary);
        print_top(report, &summary);
    }
    quality_summary_free(&summary);
}

bool report_quality_text(const struct quality_view *view, const struct report_style *style, FILE *out,
                         struct error *error)
{
    struct text_report report = {
        .view = view, .style = style, .out = out, .width = style->width ? style->width : WRAP_USUAL_WIDTH};
    if (report.width > WRAP_WIDEST)
        report.width = WRAP_WIDEST;
    bool shows_all = view->is_chosen || view->level == advice_level_EXPERT || view->analysed_count == 1;
    size_t pages = 0;
    places_take(&report.places, view->model, view->demangle, view->trust);
    report.explained = memory_get((view->model->rules.count + 1) * sizeof *report.explained);
    print_summary(&report);
    for (size_t i = 0; i < view->loop_count && !ferror(out); i++)
        if (shows_all || has_advice(&report, view->loops[i])) {
            page_print(&report, view->loops[i]);
            pages++;
        }
    if (!pages)
        fputs("\nNo loop has advice at this level; --loop N shows one anyway.\n", out);
    free(report.explained);
    places_free(&report.places);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}
