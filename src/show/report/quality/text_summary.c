/* The first screen: file, machine, compiler and counts in few lines; what would help the whole program; the
   loops that matter. */
#include "show/report/quality/text.h"

#include "model/tables.h"
#include "show/report/common/phrases.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/machine.h"
#include "show/report/quality/sentences.h"
#include "show/report/quality/remarks.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL = 10,
    LONGEST_FLAGS = 120,
    MOST_LIMITS = 5,
    LEAST_COLUMNS = 24,
    LEAST_NAME = 14,
    MOST_LINES = 40, /* of the summary */
    FEWEST_ACTIONS = 3
};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_label(const struct text_report *report, const char *label, const char *text)
{
    autofree char *safe = text_safe(text, strlen(text));
    fprintf(report->out, "%s%-*s%s", report_ink(report->style, ink_BOLD), LABEL, label,
            report_ink(report->style, ink_PLAIN));
    wrap_print(report->out, safe, LABEL, LABEL, report->width);
}

static void print_machines(const struct text_report *report)
{
    const struct quality_view *view = report->view;
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        const struct machine *machine = view->machines[isa];
        if (!machine)
            continue;
        autofree char *text = report_machine_words(machine, view->is_named, view->is_host[isa]);
        print_label(report, "machine", text);
    }
}

/* The compiler of most loops; --all has the others. */
static void print_compilers(const struct text_report *report)
{
    size_t count = report->summary.compilers.count, shown = report->view->is_whole ? count : count > 0;
    for (size_t i = 0; i < shown; i++) {
        const struct quality_compiler *it = ARRAY_AT(struct quality_compiler, &report->summary.compilers, i);
        const char *flags = it->compiler.flags;
        size_t most = report->is_full ? 400 : LONGEST_FLAGS;
        char more[96] = "";
        if (count > 1)
            snprintf(more, sizeof more, " (%zu loop%s%s", it->loop_count, plural(it->loop_count),
                     shown < count ? "" : ")");
        if (count > shown)
            snprintf(more + strlen(more), sizeof more - strlen(more), "; %zu other compilers or options)",
                     count - shown);
        autofree char *text = memory_format("%s%s%.*s%s%s", it->compiler.name ? it->compiler.name : "unknown",
                                            flags               ? " "
                                            : it->compiler.name ? ", options unknown"
                                                                : "",
                                            flags ? (int)most : 0, flags ? flags : "",
                                            flags && strlen(flags) > most ? "..." : "", more);
        print_label(report, i ? "" : "compiler", text);
    }
}

/* "1,204 innermost loops, 2,310 paths; 410 have advice: 102 at level gain, 380 at level potential (…)" */
static void print_counts(const struct text_report *report)
{
    const struct quality_view *view = report->view;
    const struct quality_summary *summary = &report->summary;
    autofree char *text = NULL, *loops = phrase_count(view->analysed_count),
                  *paths = phrase_count(summary->path_count);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s innermost loop%s, %s path%s, all data in the L1 cache; ", loops,
            plural(view->analysed_count), paths, plural(summary->path_count));
    fprintf(out, "%zu with advice", summary->advised_count);
    for (unsigned i = 0; i <= view->level; i++)
        fprintf(out, "%s%zu at level %s", i ? ", " : ": ", summary->advised[i], advice_level_word(i));
    for (unsigned i = view->level + 1u; i < advice_level_COUNT; i++)
        if (summary->advised[i])
            fprintf(out, "; --level %s: %zu", advice_level_word(i), summary->advised[i]);
    fclose(out);
    print_label(report, "loops", text);
}

/* "latency 120, ports 88, …": loops by what limits them. */
static void print_limits(const struct text_report *report)
{
    const size_t *limits = report->summary.limits;
    bool is_done[core_part_COUNT] = {false};
    autofree char *text = NULL;
    size_t size = 0, said = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    for (; said < MOST_LIMITS; said++) {
        unsigned most = core_part_COUNT;
        for (unsigned i = 0; i < core_part_COUNT; i++)
            if (!is_done[i] && limits[i] && (most == core_part_COUNT || limits[i] > limits[most]))
                most = i;
        if (most == core_part_COUNT)
            break;
        is_done[most] = true;
        fprintf(out, "%s%s %zu", said ? ", " : "", core_part_word(most), limits[most]);
    }
    fclose(out);
    if (said)
        print_label(report, "limits", text);
}

/* What the figures leave out. */
static void print_gaps(const struct text_report *report)
{
    const struct quality_summary *summary = &report->summary;
    autofree char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    if (summary->unplaced_count)
        fprintf(out, "%zu loop%s no source lines: compile with -g. ", summary->unplaced_count,
                summary->unplaced_count == 1 ? " has" : "s have");
    if (summary->cut_count)
        fprintf(out, "%zu loop%s more paths than were analysed (raise --paths). ", summary->cut_count,
                summary->cut_count == 1 ? " has" : "s have");
    if (summary->known_count < summary->instruction_count)
        fprintf(out, "The machine file has costs for %s%% of their instructions. ",
                share_words((double)summary->known_count / (double)summary->instruction_count).text);
    if (summary->unanswered_count) {
        struct quality_rows rows;
        quality_rows_find(&rows, report->view->model, summary->unanswered);
        char *refusal =
            quality_refusal(report->view, summary->unanswered, rows.cycle_count ? &rows.cycles[0] : NULL);
        fprintf(out, "%zu loop%s no cycles; loop %u because %s. ", summary->unanswered_count,
                summary->unanswered_count == 1 ? " has" : "s have", summary->unanswered,
                refusal ? refusal : "its code could not be read");
        free(refusal);
    }
    fclose(out);
    if (size)
        print_label(report, "gaps", text);
}

/* What the compiler says of the loops. */
static void print_records(const struct text_report *report)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    quality_say_records(out, report->view);
    fclose(out);
    if (size)
        print_label(report, "compiler", text);
}

static void print_order(const struct text_report *report)
{
    print_label(report, "order",
                report->view->basis == quality_by_SAMPLES
                    ? "by what the advice would save of the sampled run"
                    : "by what the advice would save, with nesting and calls in place of time: no run was "
                      "sampled (assay run -- ./prog gives shares of time)");
}

/* A function's name or the place of a loop in so many columns. */
static void print_cell(const struct text_report *report, const char *text, size_t width, bool is_name)
{
    autofree char *safe = text_safe(text, strlen(text));
    autofree char *cut = is_name ? name_fit(safe, width, report->style->unicode)
                                 : text_cut(safe, width, true, report->style->unicode);
    fprintf(report->out, "%s%*s", cut, is_name ? (int)(width - text_width(cut)) : 0, "");
}

static void print_row(const struct text_report *report, uint32_t loop, size_t names, size_t lines)
{
    const struct quality_view *view = report->view;
    struct quality_rows rows;
    quality_rows_find(&rows, view->model, loop);
    const struct loop_cycle *slowest = quality_slowest(&rows);
    double gain = quality_gain(view->model, loop, view->level);
    double saving = quality_saving(view->model, loop, view->level);
    autofree char *name = quality_function(view->model, loop, view->demangle);
    autofree char *place = loop_place_short(view->model, loop, report->places.working_directory);
    char saved[40] = "", faster[40] = "";
    if (saving >= 0.001)
        snprintf(saved, sizeof saved, "%s %%", share_words(saving).text);
    if (gain > 1)
        snprintf(faster, sizeof faster, "%s%.1f %s",
                 quality_up_to(quality_gain_is_upper(view->model, loop, view->level)), gain,
                 report->style->unicode ? "×" : "x");
    fprintf(report->out, "%7s %*s%s %8.2f %6u  ", saved, (int)(12 - text_width(faster)), "", faster,
            slowest ? quality_cycles(&rows, slowest) : NAN, loop);
    print_cell(report, name, names, true);
    fputs("  ", report->out);
    print_cell(report, place, lines, false);
    putc('\n', report->out);
}

/* Columns for names: places get what the longest of them needs, as far as names keep their least. */
static size_t name_columns(const struct text_report *report, size_t count, size_t room)
{
    size_t widest = 0;
    for (size_t i = 0; i < count; i++) {
        autofree char *place = loop_place_short(report->view->model, *ARRAY_AT(uint32_t, &report->loops, i),
                                                report->places.working_directory);
        size_t width = strlen(place);
        widest = width > widest ? width : widest;
    }
    return room > widest + LEAST_NAME ? room - widest : LEAST_NAME;
}

static void print_loops(const struct text_report *report)
{
    enum { FIGURES = 38, BETWEEN = 2 };
    size_t count = report->loops.count < MOST_TO_GAIN ? report->loops.count : MOST_TO_GAIN;
    size_t room =
        report->width > FIGURES + BETWEEN + LEAST_COLUMNS ? report->width - FIGURES - BETWEEN : LEAST_COLUMNS;
    size_t names = name_columns(report, count, room);
    if (!count)
        return;
    fprintf(report->out, "\n%s%s%s\n", report_ink(report->style, ink_BOLD),
            report->view->is_chosen ? "Loops" : "Loops that matter", report_ink(report->style, ink_PLAIN));
    fprintf(report->out, "%s  saves         gain   cycles   loop  %-*s  lines%s\n",
            report_ink(report->style, ink_DIM), (int)names, "function", report_ink(report->style, ink_PLAIN));
    for (size_t i = 0; i < count; i++)
        print_row(report, *ARRAY_AT(uint32_t, &report->loops, i), names, room - names);
}

static void print_summary(struct text_report *report)
{
    bool has_many = report->view->analysed_count > 1;
    print_label(report, "file", report->view->path);
    print_machines(report);
    print_compilers(report);
    print_counts(report);
    if (has_many)
        print_limits(report);
    print_gaps(report);
    if (has_many)
        print_records(report);
    if (!has_many)
        return;
    if (!report->view->is_chosen)
        print_order(report);
    text_print_actions(report);
    print_loops(report);
}

/* The summary with fewer actions, until it fits a screen. */
void text_print_summary(struct text_report *report)
{
    FILE *out = report->out;
    for (;;) {
        char *text = NULL;
        size_t size = 0, lines = 0;
        report->out = open_memstream(&text, &size);
        if (report->out) {
            print_summary(report);
            fclose(report->out);
        }
        report->out = out;
        for (const char *at = text; at && *at; at++)
            lines += *at == '\n';
        bool fits = lines <= MOST_LINES || report->action_count <= FEWEST_ACTIONS || report->view->is_whole;
        fputs(fits && text ? text : "", out);
        free(text);
        if (fits)
            return;
        report->action_count--;
    }
}
