/* Runs as text: a heading, the answer in sentences, distributions of what they are about, tables, and how it
   was measured.

   A command may be many processes, each of them a run. The few with most to show come in full, the others in
   a line each; --run selects one. */
#include "show/report/probe/histogram.h"

#include "show/report/common/bar.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SHOWN = 3,    /* runs in full */
    MOST_PICTURES = 3, /* distributions */
    MOST_BARS = 16,    /* of a distribution */
    BAR_COLUMNS = 40,
    LONGEST_NAME = 60,    /* of a function */
    LONGEST_COMMAND = 60, /* of a process in a line */
    LONGEST_HEADING = 160 /* of the command in it; scripts may be arguments */
};

static char *shown_command(const struct probed_run *run, size_t most)
{
    const char *command = run->command ? run->command : "a run";
    autofree char *safe = text_safe(command, strlen(command));
    return text_cut(safe, most, false, true);
}

static void print_heading(const struct paper *paper, const struct probed_run *run)
{
    autofree char *command = shown_command(run, LONGEST_HEADING), *seconds = phrase_seconds(run->seconds);
    autofree char *end = phrase_end(run->exit_status, run->end_signal);
    fprintf(paper->out, "%sProbes: %s%s\n", report_ink(&paper->style, ink_BOLD), command,
            report_ink(&paper->style, ink_PLAIN));
    wrap_say(paper->out, 0, paper->width, "process %lld, %lld thread%s, %s, %s; on %s",
             (long long)run->process, (long long)run->threads, run->threads == 1 ? "" : "s", seconds, end,
             run->processor ? run->processor : "an unknown processor");
}

static void print_findings(const struct paper *paper, const struct probed_run *run,
                           const struct array *findings)
{
    putc('\n', paper->out);
    for (size_t i = 0; i < findings->count; i++)
        paper_item(paper, ARRAY_AT(struct probe_finding, findings, i)->text);
    if (!findings->count)
        wrap_say(paper->out, 0, paper->width, "%s",
                 run->subjects ? "Nothing stands out; the tables have the counts." : "No probe was reached.");
}

/* Rows "28 to 32  ██████  81 %", with the ranges to the right. */
static void print_bars(const struct paper *paper, const struct histogram *histogram, bool is_time)
{
    char **ranges = memory_get((histogram->bars.count + 1) * sizeof *ranges);
    size_t widest = 0;
    for (size_t i = 0; i < histogram->bars.count; i++) {
        const struct bar *bar = ARRAY_AT(struct bar, &histogram->bars, i);
        ranges[i] = bar->count ? histogram_range(bar, is_time) : memory_format(" ");
        widest = text_width(ranges[i]) > widest ? text_width(ranges[i]) : widest;
    }
    for (size_t i = 0; i < histogram->bars.count; i++) {
        const struct bar *bar = ARRAY_AT(struct bar, &histogram->bars, i);
        if (bar->count) {
            autofree char *share = phrase_share((double)bar->count / (double)histogram->total);
            fprintf(paper->out, "%*s%s  ", (int)(2 + widest - text_width(ranges[i])), "", ranges[i]);
            size_t columns = report_bar(&paper->style, (double)bar->count / (double)histogram->largest,
                                        BAR_COLUMNS, paper->out);
            fprintf(paper->out, "%*s%s\n", (int)(columns < BAR_COLUMNS ? BAR_COLUMNS + 2 - columns : 2), "",
                    share);
        } else {
            fprintf(paper->out, "%*s%s\n", (int)(1 + widest), "", paper->style.unicode ? "⋮" : ".");
            while (i + 1 < histogram->bars.count &&
                   !ARRAY_AT(struct bar, &histogram->bars, i + 1)->count) /* one line for a gap */
                i++;
        }
    }
    for (size_t i = 0; i < histogram->bars.count; i++)
        free(ranges[i]);
    free(ranges);
}

static bool print_pictures(const struct paper *paper, const struct probed_run *run,
                           const struct array *findings, struct error *error)
{
    size_t told = 0;
    bool done = true;
    for (size_t i = 0; done && i < findings->count && told < MOST_PICTURES; i++) {
        const struct probe_finding *finding = ARRAY_AT(struct probe_finding, findings, i);
        struct distribution of = distribution_of(finding);
        struct histogram histogram;
        if (!of.quantity)
            continue;
        done = histogram_load(&paper->asked, run->id, of.quantity, of.subject, MOST_BARS, &histogram, error);
        if (done && histogram_is_picture(&histogram)) {
            histogram_join_rare(&histogram);
            autofree char *subject = text_safe(finding->text, finding->subject_length);
            autofree char *title = memory_format("%s: %s", subject, of.what);
            paper_title(paper, title);
            print_bars(paper, &histogram, of.is_time);
            told++;
        }
        histogram_free(&histogram);
    }
    return done;
}

static bool print_run(const struct probe_view *view, const struct paper *paper, const struct probed_run *run,
                      struct error *error)
{
    struct array findings, measured;
    if (!probe_find_findings(view, run, &findings, error))
        return false;
    print_heading(paper, run);
    print_findings(paper, run, &findings);
    bool done = print_pictures(paper, run, &findings, error);
    probe_free_findings(&findings);
    for (const struct query *table = probe_sections; done && table->name; table++)
        done = paper_print_table(paper, table, run->id, view->top ? (int64_t)view->top : -1, error);
    if (!done || !probe_find_measured(&paper->asked, run, &measured, error))
        return false;
    if (measured.count) {
        paper_title(paper, "How it was measured");
        paper_paragraph(paper, &measured);
    }
    sentences_free(&measured);
    return true;
}

/* Other processes, in a line each. */
static void print_others(const struct paper *paper, const struct array *runs, size_t first, size_t most)
{
    size_t end = most && runs->count - first > most ? first + most : runs->count;
    if (first == runs->count)
        return;
    paper_title(paper, "Other processes");
    for (size_t i = first; i < end; i++) {
        const struct probed_run *run = ARRAY_AT(struct probed_run, runs, i);
        autofree char *command = shown_command(run, LONGEST_COMMAND), *time = phrase_ns(run->measured_ns);
        autofree char *line =
            memory_format("%s: %s%s (run %lld, process %lld)", command,
                          !run->subjects         ? "no probe was reached"
                          : run->measured_ns > 0 ? time
                                                 : "no times",
                          run->measured_ns > 0 && run->subjects ? " in functions with probes" : "",
                          (long long)run->id, (long long)run->process);
        paper_item(paper, line);
    }
    paper_below_table(paper, "--run N shows one of them.", runs->count - end);
}

bool report_probe_text(const struct probe_view *view, const struct report_style *style, FILE *out,
                       struct error *error)
{
    struct array runs = {0};
    struct asked asked = probe_asked(view);
    struct paper paper = paper_begin(&asked, style, out);
    bool done =
        probe_begin(view, !style->unicode, LONGEST_NAME, error) && probe_find_runs(view, &runs, error);
    size_t shown = 0;
    for (; done && shown < runs.count && shown < MOST_SHOWN; shown++) {
        const struct probed_run *run = ARRAY_AT(struct probed_run, &runs, shown);
        if (shown && !run->subjects)
            break;
        fputs(shown ? "\n\n" : "", out);
        done = print_run(view, &paper, run, error);
    }
    if (done)
        print_others(&paper, &runs, shown, view->top);
    probe_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
