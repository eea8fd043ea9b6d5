/* The run on one screen, the answer first: what ran and where its time went, the hottest loops and functions,
   what to change, threads and ranks, how it was measured.  Where the reader chose loops, what the run says
   about each of them, then their pages. */
#include "show/report/run/parts.h"

#include "show/report/common/short_name.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/quality/remarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_WIDTH = 100, SHARE = 11, CYCLES = 10, LOOP = 6, LEAST_PLACE = 16, LEAST_NAME = 14, INDENT = 3 };

struct page {
    struct run_report report;
    const struct report_style *style;
    FILE *out;
    size_t width;
};

static void say(const struct page *page, size_t indent, const char *text)
{
    wrap_say(page->out, indent, page->width, "%s", text);
}

static void print_title(const struct page *page, const char *title)
{
    fprintf(page->out, "\n%s", report_ink(page->style, ink_BOLD));
    wrap_print(page->out, title, 0, 0, page->width);
    fputs(report_ink(page->style, ink_PLAIN), page->out);
}

/* Sentences as one paragraph. */
static void print_sentences(const struct page *page, struct array *sentences, const char *joint,
                            const char *ink)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = sentences->count ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; i < sentences->count; i++)
        fprintf(out, "%s%s", i ? joint : "", *ARRAY_AT(char *, sentences, i));
    if (out) {
        fclose(out);
        fputs(ink, page->out);
        say(page, 0, text);
        fputs(*ink ? report_ink(page->style, ink_PLAIN) : "", page->out);
        free(text);
    }
    sentences_free(sentences);
}

static void print_answer(const struct page *page)
{
    autofree char *head = run_say_head(&page->report), *where = run_say_where(&page->report);
    autofree char *saving = run_say_saving(&page->report), *tried = run_say_best_trial(&page->report);
    autofree char *hope = run_say_worth_a_trial(&page->report);
    fputs(report_ink(page->style, ink_BOLD), page->out);
    say(page, 0, head);
    fputs(report_ink(page->style, ink_PLAIN), page->out);
    say(page, 0, where);
    if (tried)
        say(page, 0, tried);
    say(page, 0, saving);
    if (hope)
        say(page, 0, hope);
}

/* The table's last columns share what the figures leave. */
struct layout {
    size_t place, name; /* columns; name 0: both in one */
    bool has_cycles;    /* some row has cycles */
    bool has_calls;     /* some of a function */
};

static char *cut(const struct page *page, char *text, size_t width, bool is_name)
{
    autofree char *safe = text_safe(text, strlen(text));
    char *shown = is_name ? name_fit(safe, width, page->style->unicode)
                          : text_cut(safe, width, true, page->style->unicode);
    free(text);
    return shown;
}

static size_t width_of(char *text)
{
    autofree char *safe = text_safe(text, strlen(text));
    size_t width = text_width(safe);
    free(text);
    return width;
}

/* The name of a row with its remark.  A long name is cut before its remark is, but for the name of the
   function that a loop was inlined into, which is left out first. */
static char *named(const struct page *page, const struct run_hot *hot, size_t width)
{
    char *name = run_hot_name(&page->report, hot), *remark = run_hot_remark(&page->report, hot);
    if (!remark)
        return cut(page, name, width, true);
    char *safe = text_safe(remark, strlen(remark)), *both;
    size_t taken = text_width(safe) + 2, room = width > taken + LEAST_NAME ? width - taken : 0;
    bool is_left_out = !room || (hot->loop && width_of(memory_format("%s", name)) > room);
    autofree char *shown = cut(page, name, is_left_out ? width : room, true);
    both = is_left_out ? memory_format("%s", shown) : memory_format("%s, %s", shown, safe);
    free(safe);
    free(remark);
    return both;
}

static struct layout find_layout(const struct page *page)
{
    struct layout layout = {0};
    size_t places = LEAST_PLACE, names = LEAST_NAME;
    for (size_t i = 0; i < page->report.shown; i++) {
        const struct run_hot *hot = ARRAY_AT(struct run_hot, &page->report.hot, i);
        size_t place = width_of(run_hot_place(&page->report, hot));
        size_t name = width_of(named(page, hot, WRAP_WIDEST));
        layout.has_calls |= run_hot_function(&page->report, hot) != NULL;
        layout.has_cycles |= hot->loop != 0 || layout.has_calls;
        places = place > places ? place : places;
        names = name > names ? name : names;
    }
    size_t used = SHARE + 2 + (layout.has_cycles ? 2 * CYCLES + LOOP + 2 : 0);
    size_t room = page->width > used ? page->width - used : 0;
    if (room < LEAST_PLACE + LEAST_NAME + 2) {
        layout.place = room > LEAST_NAME ? room : LEAST_NAME;
        return layout;
    }
    layout.place = places;
    if (places + 2 + names > room) {
        size_t half = (room - 2) / 2;
        layout.place = places < half ? places : names < half ? room - 2 - names : half;
    }
    layout.name = room - 2 - layout.place;
    return layout;
}

static void print_padded(FILE *out, const char *text, size_t width)
{
    size_t used = text_width(text);
    fprintf(out, "%*s%s", used < width ? (int)(width - used) : 0, "", text);
}

static void print_cycles(const struct page *page, double cycles)
{
    autofree char *figure = isfinite(cycles) ? run_figure(cycles) : NULL;
    print_padded(page->out, figure ? figure : page->style->unicode ? "—" : "-", CYCLES);
}

/* Of a call: as if calls overlapped, and as if none began before the one before has ended. */
static void print_range(const struct page *page, const struct run_function *row)
{
    static const double MUCH = 1.2;
    autofree char *least = run_figure(row->predicted_cycles), *most = run_figure(row->chain_cycles);
    autofree char *range = memory_format("%s-%s", least, most);
    if (row->predicted_by && row->chain_cycles > MUCH * row->predicted_cycles && text_width(range) < CYCLES)
        print_padded(page->out, range, CYCLES);
    else
        print_cycles(page, row->predicted_by ? row->predicted_cycles : NAN);
}

static void print_row(const struct page *page, const struct layout *layout, const struct run_hot *hot)
{
    double error = hot->loop && hot->figures->error > 0 ? hot->figures->error : run_error(hot->samples);
    autofree char *share = run_share(&page->report, hot->share, error);
    print_padded(page->out, share, SHARE);
    if (layout->has_cycles && hot->loop) {
        print_cycles(page, run_measured(hot->figures));
        print_cycles(page, hot->figures->predicted_cycles);
        fprintf(page->out, "  %s%*u%s", report_ink(page->style, ink_LOOP), LOOP, hot->loop,
                report_ink(page->style, ink_PLAIN));
    } else if (run_hot_function(&page->report, hot)) {
        print_cycles(page, run_hot_measured(&page->report, hot));
        print_range(page, run_hot_function(&page->report, hot));
        fprintf(page->out, "%*s", LOOP + 2, "");
    } else if (layout->has_cycles) {
        fprintf(page->out, "%*s", 2 * CYCLES + LOOP + 2, "");
    }
    bool has_place = hot->loop || hot->library_call ||
                     (hot->function && model_function(page->report.model, hot->function)->file);
    if (!layout->name) {
        autofree char *shown = has_place ? cut(page, run_hot_place(&page->report, hot), layout->place, false)
                                         : named(page, hot, layout->place);
        fprintf(page->out, "  %s\n", shown);
        return;
    }
    autofree char *place = cut(page, run_hot_place(&page->report, hot), layout->place, false);
    autofree char *name = named(page, hot, layout->name);
    bool is_same = !strcmp(place, name);
    fprintf(page->out, "  %s%s%s", report_ink(page->style, ink_SOURCE), place,
            report_ink(page->style, ink_PLAIN));
    if (!is_same)
        fprintf(page->out, "%*s  %s", (int)(layout->place - text_width(place)), "", name);
    putc('\n', page->out);
}

static void print_hot(const struct page *page)
{
    struct array lacks = ARRAY_OF(char *);
    struct layout layout = find_layout(page);
    if (!page->report.shown)
        return;
    print_title(page, layout.has_calls ? "Hottest loops and functions by processor time (cycles are for an "
                                         "iteration or a call)"
                      : layout.has_cycles
                          ? "Hottest loops and functions by processor time (cycles are for an iteration)"
                          : "Hottest functions by processor time");
    fputs(report_ink(page->style, ink_DIM), page->out);
    fprintf(page->out, "%*s", SHARE, "share");
    if (layout.has_cycles)
        fprintf(page->out, "%*s%*s  %*s", CYCLES, "measured", CYCLES, "predicted", LOOP, "loop");
    if (layout.name)
        fprintf(page->out, "  %-*s  function", (int)layout.place, "place");
    else
        fputs("  place", page->out);
    fprintf(page->out, "%s\n", report_ink(page->style, ink_PLAIN));
    for (size_t i = 0; i < page->report.shown; i++)
        print_row(page, &layout, ARRAY_AT(struct run_hot, &page->report.hot, i));
    run_say_lacks(&page->report, &lacks);
    print_sentences(page, &lacks, " ", report_ink(page->style, ink_DIM));
}

/* "solver.c:40-52, loop 12 in solve: 41 % of the time, would save 12 % of the whole run" */
static char *change_heading(const struct page *page, const struct run_change *change)
{
    const struct run_report *report = &page->report;
    autofree char *place = run_loop_places(report, change->loop);
    autofree char *name = run_loop_origin(report, change->loop);
    autofree char *safe = text_safe(name, strlen(name)),
                  *shorter = name_shorten(safe, 40, page->style->unicode);
    autofree char *share = run_share(report, change->figures->self_share, change->figures->error);
    autofree char *saved = change->worth > 0 ? phrase_share(change->worth) : NULL;
    autofree char *besides = run_say_native(report, change);
    return memory_format("%s, loop %u in %s: %s of the time%s%s%s%s%s", place, change->loop, shorter, share,
                         !saved                                       ? ""
                         : run_change_is_upper(report->model, change) ? "; would save up to "
                                                                      : "; would save ",
                         saved ? saved : "", saved ? " of the whole run" : "", besides ? ", " : "",
                         besides ? besides : "");
}

static void print_options(const struct page *page)
{
    size_t count;
    const struct run_option *options = run_options_of(&page->report, &count);
    if (!count)
        return;
    print_title(page, "How it was compiled costs time");
    for (size_t i = 0; i < count && i < page->report.rows; i++) {
        if (!run_option_is_first(options, i))
            continue;
        autofree char *heading = run_option_heading(&page->report, &options[i]);
        autofree char *safe = text_safe(heading, strlen(heading));
        autofree char *words = run_say_option(&page->report, &options[i]);
        fprintf(page->out, "%s-%s  ", report_ink(page->style, ink_BOLD), report_ink(page->style, ink_PLAIN));
        wrap_print(page->out, safe, INDENT, INDENT, page->width);
        say(page, INDENT, words);
    }
}

static void print_list(const struct page *page, const char *title, struct array *sentences)
{
    if (sentences->count)
        print_title(page, title);
    for (size_t i = 0; i < sentences->count; i++)
        say(page, 0, *ARRAY_AT(char *, sentences, i));
    sentences_free(sentences);
}

static void print_trials(const struct page *page)
{
    struct array sentences = ARRAY_OF(char *);
    run_say_trials(&page->report, &sentences);
    print_list(page, "Other options, tried by whole runs", &sentences);
}

/* What the compiler says about a loop. */
static void print_remarks(const struct page *page, uint32_t loop)
{
    autofree char *text = NULL;
    size_t size = 0;
    struct quality_rows rows;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    quality_rows_find(&rows, page->report.model, loop);
    quality_say_remarks(out, &rows);
    fclose(out);
    if (size)
        wrap_say(page->out, INDENT, page->width, "%s", text);
}

static void print_changes(const struct page *page)
{
    const struct run_report *report = &page->report;
    if (!report->changes.count)
        return;
    bool has_saving = ARRAY_AT(struct run_change, &report->changes, 0)->worth > 0;
    print_title(page, has_saving ? "What to change, the largest saving first" : "Slower than predicted");
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        bool is_known = change->gap_count || isfinite(run_measured(change->figures));
        autofree char *heading = change_heading(page, change);
        autofree char *cycles =
            is_known ? run_say_cycles(report, change->loop) : NULL; /* else the table has them */
        autofree char *advice = run_say_change(report, change);
        autofree char *safe = text_safe(heading, strlen(heading));
        fprintf(page->out, "%s%zu.%s ", report_ink(page->style, ink_BOLD), i + 1,
                report_ink(page->style, ink_PLAIN));
        wrap_print(page->out, safe, INDENT, INDENT, page->width);
        if (cycles)
            say(page, INDENT, cycles);
        if (advice)
            say(page, INDENT, advice);
        print_remarks(page, change->loop);
    }
    if (report->change_count > report->changes.count)
        wrap_say(page->out, INDENT, page->width, "and %zu more (--top %zu)",
                 report->change_count - report->changes.count,
                 report->change_count > USUAL_ROWS ? report->change_count : USUAL_ROWS + 1);
    autofree char *options = run_say_options(report);
    if (options)
        say(page, 0, options);
}

static bool is_changed(const struct run_report *report, uint32_t loop)
{
    for (size_t i = 0; i < report->changes.count; i++)
        if (ARRAY_AT(struct run_change, &report->changes, i)->loop == loop)
            return true;
    return false;
}

/* Of hot loops that there is nothing to change about. */
static void print_other_remarks(const struct page *page)
{
    const struct run_report *report = &page->report;
    bool has_title = false;
    for (size_t i = 0; i < report->shown; i++) {
        const struct run_hot *hot = ARRAY_AT(struct run_hot, &report->hot, i);
        struct quality_rows rows;
        if (!hot->loop || is_changed(report, hot->loop))
            continue;
        quality_rows_find(&rows, report->model, hot->loop);
        if (!rows.remark_count)
            continue;
        if (!has_title)
            print_title(page, "What the compiler says of other hot loops");
        has_title = true;
        autofree char *place = run_loop_places(report, hot->loop);
        wrap_say(page->out, 0, page->width, "%s, loop %u:", place, hot->loop);
        print_remarks(page, hot->loop);
    }
}

static void print_library(const struct page *page)
{
    struct array sentences = ARRAY_OF(char *);
    run_say_library(&page->report, &sentences);
    if (sentences.count)
        print_title(page, "Library calls, by who calls them");
    for (size_t i = 0; i + 1 < sentences.count; i += 2) {
        const char *heading = *ARRAY_AT(char *, &sentences, i),
                   *advice = *ARRAY_AT(char *, &sentences, i + 1);
        autofree char *safe = text_safe(heading, strlen(heading));
        fprintf(page->out, "%s%zu.%s ", report_ink(page->style, ink_BOLD), i / 2 + 1,
                report_ink(page->style, ink_PLAIN));
        wrap_print(page->out, safe, INDENT, INDENT, page->width);
        if (*advice)
            say(page, INDENT, advice);
    }
    sentences_free(&sentences);
}

static void print_points(const struct page *page)
{
    size_t count;
    const struct run_point *points = run_points_of(&page->report, &count);
    if (count)
        print_title(page, "Instructions that take much of the time");
    for (size_t i = 0; i < count && i < page->report.rows; i++) {
        autofree char *heading = run_point_heading(&page->report, &points[i]);
        autofree char *source = run_point_source(&page->report, &points[i]);
        autofree char *words = run_say_point(&page->report, &points[i]);
        autofree char *safe = text_safe(heading, strlen(heading));
        fprintf(page->out, "%s%zu.%s ", report_ink(page->style, ink_BOLD), i + 1,
                report_ink(page->style, ink_PLAIN));
        wrap_print(page->out, safe, INDENT, INDENT, page->width);
        if (source) {
            char *line = memory_copy_text(source, strlen(source));
            autofree char *shown = cut(page, line, page->width - 2 * INDENT, false);
            fprintf(page->out, "%*s%s%s%s\n", 2 * INDENT, "", report_ink(page->style, ink_SOURCE), shown,
                    report_ink(page->style, ink_PLAIN));
        }
        say(page, INDENT, words);
    }
}

/* Innermost loops of the code that was read, without samples. */
static void say_rest(const struct page *page)
{
    const struct model *model = page->report.model;
    size_t cold = 0;
    for (uint32_t id = 1; id < model->loops.count; id++)
        cold += model_loop(model, id)->is_innermost && !run_figures(&page->report, id);
    if (cold)
        wrap_say(page->out, 0, page->width,
                 "%zu other innermost loop%s no samples (--function or --line shows their report).", cold,
                 cold == 1 ? " has" : "s have");
}

static void print_measured(const struct page *page)
{
    struct array measured = ARRAY_OF(char *), faults = ARRAY_OF(char *), next = ARRAY_OF(char *);
    print_title(page, "How it was measured");
    run_say_measured(&page->report, &measured);
    run_say_limits(&page->report, &measured);
    print_sentences(page, &measured, " ", "");
    autofree char *coverage = run_say_coverage(&page->report);
    if (coverage)
        say(page, 0, coverage);
    run_say_faults(&page->report, &faults);
    for (size_t i = 0; i < faults.count; i += 2) {
        say(page, 0, *ARRAY_AT(char *, &faults, i));
        fprintf(page->out, "  %s\n", *ARRAY_AT(char *, &faults, i + 1)); /* whole, to be copied */
    }
    sentences_free(&faults);
    if (page->report.view->database)
        say_rest(page);
    run_say_next(&page->report, &next);
    if (next.count)
        fputs("Next: ", page->out);
    for (size_t i = 0; i < next.count; i++) {
        const char *text = *ARRAY_AT(char *, &next, i);
        autofree char *safe = text_safe(text, strlen(text));
        fprintf(page->out, "%s", i ? "      " : "");
        wrap_print(page->out, safe, 6, 6, page->width);
    }
    sentences_free(&next);
}

/* What the run says about a loop that the reader chose. */
static void print_chosen(const struct page *page, uint32_t loop)
{
    const struct run_report *report = &page->report;
    const struct run_loop *figures = run_figures(report, loop);
    autofree char *name = run_loop_origin(report, loop);
    autofree char *place = run_loop_places(report, loop);
    if (!figures) {
        wrap_say(page->out, 0, page->width, "Loop %u in %s, %s: no sample.", loop, name, place);
    } else {
        autofree char *share = run_share(report, figures->self_share, figures->error);
        autofree char *total = phrase_share(figures->total_share > 0 ? figures->total_share : 0);
        autofree char *cycles = run_say_cycles(report, loop);
        const struct run_saving *saving = run_saving_of(report, loop);
        wrap_say(page->out, 0, page->width,
                 "Loop %u in %s, %s: %s of the processor time (%s with what it calls). %s", loop, name, place,
                 share, total, cycles ? cycles : "");
        if (figures->iterations && figures->entries) {
            autofree char *iterations = phrase_count(figures->iterations),
                          *entries = phrase_count(figures->entries);
            wrap_say(page->out, 0, page->width, "%s iterations in %s entries.", iterations, entries);
        }
        autofree char *seen = run_say_seen(figures);
        if (seen)
            wrap_say(page->out, 0, page->width, "%s", seen);
        autofree char *paths = run_say_paths(report, loop);
        if (paths)
            say(page, 0, paths);
        if (saving) {
            autofree char *saved = phrase_share(saving->saving);
            wrap_say(page->out, 0, page->width,
                     "The advice with the largest gain would save %s%s of the whole run.",
                     quality_up_to(run_saving_is_upper(report->model, saving)), saved);
        }
    }
}

static void print_run(const struct page *page)
{
    struct array balance = ARRAY_OF(char *), counters = ARRAY_OF(char *);
    print_answer(page);
    print_hot(page);
    print_trials(page);
    print_options(page);
    print_changes(page);
    print_other_remarks(page);
    print_points(page);
    print_library(page);
    run_say_balance(&page->report, &balance);
    print_list(page, page->report.run->ranks > 1 ? "Ranks and threads" : "Threads", &balance);
    run_say_counters(&page->report, &counters);
    print_list(page, "Counters", &counters);
    print_measured(page);
}

bool report_run_text(const struct run_view *view, const struct report_style *style, FILE *out,
                     struct error *error)
{
    const struct quality_view *quality = &view->quality;
    struct page page = {.style = style, .out = out, .width = style->width ? style->width : USUAL_WIDTH};
    if (page.width > WRAP_WIDEST)
        page.width = WRAP_WIDEST;
    if (!run_report_begin(&page.report, view, !style->unicode, error))
        return false;
    bool done = true;
    if (quality->is_chosen) {
        autofree char *head = run_say_head(&page.report);
        say(&page, 0, head);
        for (size_t i = 0; i < quality->loop_count; i++)
            print_chosen(&page, quality->loops[i]);
        putc('\n', out);
        done = report_quality_text(quality, style, out, error);
    } else {
        print_run(&page);
    }
    run_report_end(&page.report);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write the report"));
}
