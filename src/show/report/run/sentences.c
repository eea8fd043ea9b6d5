/* The first lines of the report: what ran, where its processor time went, what could be saved. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "show/report/common/share.h"
#include "show/report/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMMAND = 160 }; /* columns: two lines of a terminal */

static const double MOST_OF_IT = 0.5, LEAST_NAMED = 0.01, SMALL_PART = 0.05;

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static char *say_tasks(const struct sampled_run *run)
{
    const char *threads = plural(run->threads, "thread", "threads");
    if (run->ranks)
        return memory_format("%u %s, %u %s", run->ranks, plural(run->ranks, "rank", "ranks"), run->threads,
                             threads);
    if (run->processes > 1 && run->threads == run->processes)
        return memory_format("%u processes", run->processes);
    if (run->processes > 1)
        return memory_format("%u processes, %u %s", run->processes, run->threads, threads);
    return memory_format("%u %s", run->threads, threads);
}

char *run_say_end(const struct run_report *report)
{
    const struct sampled_run *run = report->run;
    if (run->end_signal != NO_NUMBER && run->end_signal > 0)
        return phrase_end(-1, run->end_signal);
    if (run->exit_status == NO_NUMBER || run->exit_status <= 0)
        return NULL;
    autofree char *end = phrase_end(run->exit_status, 0);
    return memory_format("it failed with %s", end);
}

/* Of a command with sequences or lists of files among its words, the beginning: the answer follows it. */
static char *say_command(const char *whole)
{
    autofree char *safe = text_safe(whole, strlen(whole));
    return text_cut(safe, MOST_COMMAND, false, true);
}

char *run_say_head(const struct run_report *report)
{
    const struct sampled_run *run = report->run;
    const char *whole = model_text(report->model, run->command);
    autofree char *command = whole ? say_command(whole) : NULL;
    autofree char *seconds = phrase_seconds(run->seconds), *cpu = phrase_seconds(run->cpu_seconds);
    autofree char *tasks = say_tasks(run), *end = run_say_end(report);
    return memory_format("%s: %s, %s of processor time, %s%s%s", command ? command : "a run", seconds, cpu,
                         tasks, end ? "; " : "", end ? end : "");
}

static int compare_files(const void *left, const void *right)
{
    const struct run_file *const *a = left, *const *b = right;
    double first = (*a)->share > 0 ? (*a)->share : 0, second = (*b)->share > 0 ? (*b)->share : 0;
    return first > second ? -1 : first < second ? 1 : *a < *b ? -1 : *a > *b;
}

/* Shares of files, the largest first. */
static void say_files(const struct run_report *report, FILE *out)
{
    struct array files = ARRAY_OF(const struct run_file *);
    size_t count, named = 0;
    double others = 0;
    const struct run_file *rows = run_rows(&report->model->run_files, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].share > 0)
            *(const struct run_file **)array_add(&files) = &rows[i];
    if (files.count)
        qsort(files.data, files.count, files.width, compare_files);
    for (size_t i = 0; i < files.count; i++) {
        const struct run_file *file = *ARRAY_AT(const struct run_file *, &files, i);
        if (named >= MOST_NAMED_FILES || (named && file->share < LEAST_NAMED)) {
            others += file->share;
            continue;
        }
        autofree char *name = run_file_name(report, (uint32_t)(file - model_run_file(report->model, 0)));
        fprintf(out, "%s%s %s %%", named ? ", " : "", name, share_words(file->share).text);
        named++;
    }
    if (others >= 0.001)
        fprintf(out, ", others %s %%", share_words(others).text);
    array_free(&files);
}

/* The kernel counts how long threads waited for a processor; the rest is for messages, locks, input or a sleep. */
static void say_for_what(const struct sampled_run *run, FILE *out)
{
    double share = run->queued_seconds / run->waiting_seconds;
    autofree char *queued = phrase_seconds(run->queued_seconds);
    autofree char *rest = phrase_seconds(run->waiting_seconds - run->queued_seconds);
    if (isnan(share))
        fputs("for others, for data or for a processor.", out);
    else if (share > 1 - SMALL_PART)
        fputs("for a free processor.", out);
    else if (share < SMALL_PART)
        fputs("for others or for data.", out);
    else
        fprintf(out, "%s for a free processor, %s for others or for data.", queued, rest);
}

char *run_say_where(const struct run_report *report)
{
    const struct sampled_run *run = report->run;
    double waiting = run->waiting_seconds, lived = waiting + run->sampled_seconds;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!run->samples) {
        fputs("No sample was taken: it hardly used the processor.", out);
    } else {
        fputs("Processor time: ", out);
        say_files(report, out);
        putc('.', out);
    }
    if (run->samples && waiting > 0 && lived > 0 && waiting / lived >= LEAST_NAMED) {
        autofree char *seconds = phrase_seconds(waiting);
        bool is_one = run->threads == 1;
        fprintf(out, " %s waited %s %% of %s time%s%s%s: ", is_one ? "It" : "Threads",
                share_words(waiting / lived).text, is_one ? "the" : "their", is_one ? " (" : "",
                is_one ? seconds : "", is_one ? ")" : "");
        say_for_what(run, out);
    }
    fclose(out);
    return text;
}

static double kind_share(const struct run_report *report, enum run_kind kind)
{
    size_t count;
    double share = 0;
    const struct run_file *rows = run_rows(&report->model->run_files, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].share > 0 && run_file_kind(report, &rows[i]) == kind)
            share += rows[i].share;
    return share;
}

static double library_share(const struct run_report *report)
{
    double share = 0;
    for (size_t i = 0; i < report->hot.count; i++)
        share += ARRAY_AT(struct run_hot, &report->hot, i)->library_call
                     ? ARRAY_AT(struct run_hot, &report->hot, i)->share
                     : 0;
    return share;
}

static bool has_few(const struct run_report *report)
{
    size_t count;
    const struct run_limit *limits = run_rows(&report->model->run_limits, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (limits[i].kind == run_limit_kind_FEW)
            return true;
    return report->run->samples < FEWEST_SAMPLES;
}

/* Code that was made at run time, and that nobody told the bytes of. */
static double unread_share(const struct run_report *report)
{
    size_t count;
    const struct run_file *files = run_rows(&report->model->run_files, report->view->run, &count);
    double share = 0;
    for (size_t i = 0; i < count; i++)
        share += files[i].state == run_file_state_GENERATED && !files[i].program ? files[i].share : 0;
    return share;
}

static char *say_kernel(const struct run_report *report)
{
    const struct sampled_run *run = report->run;
    autofree char *faults = phrase_count(run->minor_faults + run->major_faults);
    autofree char *switches = phrase_count(run->voluntary_switches + run->involuntary_switches);
    char *text =
        memory_format("Most of it is the kernel's work for the program (%s page %s, %s %s): advice on "
                      "loops cannot save that.",
                      faults, plural(run->minor_faults + run->major_faults, "fault", "faults"), switches,
                      plural(run->voluntary_switches + run->involuntary_switches, "switch of threads",
                             "switches of threads"));
    return text;
}

char *run_say_saving(const struct run_report *report)
{
    double saving = run_rest_savings(report);
    bool is_tried = run_best_trial(report) != NULL;
    if (!report->run->samples && report->run->seconds >= 1)
        return memory_format("It waited nearly all of the time.");
    if (!report->run->samples)
        return memory_format("Give it more work to see which loops matter.");
    if (has_few(report))
        return memory_format("%llu %s too few to say which loops matter: give it more work.",
                             (unsigned long long)report->run->samples,
                             plural(report->run->samples, "sample is", "samples are"));
    if (saving >= 0.005)
        return memory_format("%s below would save up to %s %% of the run.",
                             is_tried ? "Besides, the other advice" : "The advice", share_words(saving).text);
    if (kind_share(report, RUN_KERNEL) > MOST_OF_IT)
        return say_kernel(report);
    if (unread_share(report) > MOST_OF_IT)
        return memory_format(
            "Most of it is code that was made while the program ran: its compiler has to tell Assay of it, by "
            "a jitdump file (docs/run.md).");
    if (report->changes.count)
        return memory_format(
            "Assay has no advice with a known gain for the hot loops; those below take longer "
            "than predicted.");
    double library = library_share(report);
    if (library >= 0.05)
        return memory_format(
            "Assay has no advice with a known gain for the hot loops; library calls took %s %%: "
            "who makes them stands below.",
            share_words(library).text);
    return memory_format("Assay has no advice with a known gain for the hot loops.");
}
