/* What builds with other options showed (assay run --try), in words. */
#include "show/report/run/parts.h"

#include "show/report/common/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 0.01;        /* of the run: below it two builds take the same time */
static const double HOPEFUL = 0.03;      /* what a refused build saves, to be worth a word */
static const double LEAST_LONGER = 0.03; /* what takes longer is not run often */
enum { ENOUGH = 100 };                   /* samples */
static const double LITTLE = 0.05;       /* promised */
static const double SURE = 2;            /* standard errors */

const struct run_trial *run_trials_of(const struct run_report *report, size_t *count)
{
    return run_rows(&report->model->run_trials, report->view->run, count);
}

const struct run_trial *run_best_trial(const struct run_report *report)
{
    size_t count;
    const struct run_trial *rows = run_trials_of(report, &count);
    return count && rows->is_answer ? rows : NULL;
}

static const char *options_of(const struct run_report *report, const struct run_trial *trial)
{
    const char *text = model_text(report->model, trial->options);
    return text ? text : "?";
}

/* "with -O3", "without -ffloat-store". */
static const char *joint(const char *options)
{
    return strncmp(options, "without ", strlen("without ")) ? "with " : "";
}

static bool is_accepted(const struct run_trial *trial)
{
    return trial->rounds && (trial->result == trial_result_SAME || trial->result == trial_result_UNKNOWN);
}

static bool is_clear(const struct run_trial *trial)
{
    double error = isfinite(trial->error) ? trial->error : 0;
    return fabs(trial->saving) > fmax(LEAST, SURE * error);
}

/* "9.8 ±0.6 %" */
static char *saving_words(const struct run_report *report, const struct run_trial *trial)
{
    double percent = 100 * fabs(trial->saving), error = 100 * trial->error;
    const char *sign = report->is_plain ? "+-" : "±";
    if (!(error >= 0))
        return memory_format("%.0f %%", percent);
    return percent >= 9.95 || error >= 0.95
               ? memory_format("%.0f %s%.0f %%", percent, sign, fmax(1, ceil(error)))
               : memory_format("%.1f %s%.1f %%", percent, sign, fmax(0.1, error));
}

/* "None of the 7 other builds that were tried is clearly faster." */
static char *say_none(const struct run_trial *rows, size_t count)
{
    size_t timed = 0;
    for (size_t i = 0; i < count; i++)
        timed += is_accepted(&rows[i]);
    return timed > 1 ? memory_format("None of the %zu other builds that were tried is clearly faster.", timed)
           : timed == 1 ? memory_format("The one other build that was tried is not clearly faster.")
                        : memory_format("No other build could be tried to its end.");
}

/* Where little else is promised.  The programs are those of docs/field.md. */
char *run_say_worth_a_trial(const struct run_report *report)
{
    if (report->run->samples < ENOUGH || !(run_rest_savings(report) < LITTLE) || !run_can_be_tried(report))
        return NULL;
    return memory_format("What other options would save is not known without a try (--try): a profile alone "
                         "saved 4 to 34 %% of 9 of 17 programs, nothing of the others.");
}

char *run_say_best_trial(const struct run_report *report)
{
    size_t count;
    const struct run_trial *rows = run_trials_of(report, &count), *best = run_best_trial(report);
    if (!count)
        return NULL;
    if (!best)
        return say_none(rows, count);
    const char *options = options_of(report, best);
    autofree char *saving = saving_words(report, best);
    return memory_format("Built %s%s, it takes %s less time (tried; see below).", joint(options), options,
                         saving);
}

static const char *says_of(const struct run_trial *trial)
{
    return trial->result == trial_result_UNKNOWN
               ? "results were not compared, because it prints nothing, or something else each time"
               : "it prints the same";
}

static char *say_answer(const struct run_report *report, const struct run_trial *best)
{
    const char *options = options_of(report, best);
    autofree char *saving = saving_words(report, best), *seconds = phrase_seconds(best->seconds);
    bool is_native = strstr(options, "native") != NULL,
         has_profile = strstr(options, "-fprofile-use") != NULL;
    return memory_format(
        "Built %s%s, a run takes %s less time: %s, the median of %u by turns with the program as it is; %s.%s%s%s "
        "Put the options behind the others: the last one counts.",
        joint(options), options, saving, seconds, best->rounds, says_of(best),
        is_native ? " It runs on this kind of processor only then." : "",
        has_profile
            ? " A profile is made by building with -fprofile-generate, running it on typical input, and "
              "building again with -fprofile-use in the same folder."
            : "",
        strstr(options, "-flto") ? " -flto is for linking, too." : "");
}

static void append(char **text, const char *separator, char *more)
{
    char *longer = memory_format("%s%s%s", *text, **text ? separator : "", more);
    free(*text);
    free(more);
    *text = longer;
}

/* The others: what each saves, what it costs, and what makes no difference. */
static char *say_others(const struct run_report *report, const struct run_trial *rows, size_t count)
{
    autofree char *saves = memory_format("%s", ""), *costs = memory_format("%s", ""),
                  *same = memory_format("%s", "");
    for (size_t i = 0; i < count; i++) {
        const struct run_trial *trial = &rows[i];
        if (trial->is_answer || !is_accepted(trial))
            continue;
        const char *options = options_of(report, trial);
        if (!is_clear(trial) || (trial->saving < 0 && trial->saving > -LEAST_LONGER)) {
            append(&same, ", ", memory_format("%s", options));
            continue;
        }
        autofree char *saving = saving_words(report, trial);
        append(trial->saving > 0 ? &saves : &costs, ", ", memory_format("%s %s", options, saving));
    }
    if (!*saves && !*costs && !*same)
        return NULL;
    const char *less = run_best_trial(report) ? "Saves less: " : "Seemed faster when it was tried first: ";
    return memory_format("%s%s%s%s%s%s%s%s%s", *saves ? less : "", saves, *saves ? ". " : "",
                         *costs ? "Takes longer: " : "", costs, *costs ? ". " : "",
                         *same ? "No clear difference: " : "", same, *same ? "." : "");
}

/* The build that would save more if other results were accepted. */
static char *say_refused(const struct run_report *report, const struct run_trial *rows, size_t count)
{
    const struct run_trial *best = run_best_trial(report);
    for (size_t i = 0; i < count; i++) {
        const struct run_trial *trial = &rows[i];
        const char *why = trial->problem ? model_text(report->model, trial->problem) : NULL;
        if (trial->result != trial_result_ROUNDED && trial->result != trial_result_OTHER)
            continue;
        if (!(trial->saving > (best ? best->saving : 0) + HOPEFUL))
            continue;
        return memory_format("%s took %.0f %% less time in its one run, but %s: %s.",
                             options_of(report, trial), 100 * trial->saving,
                             trial->result == trial_result_ROUNDED ? "numbers differ in their last digits"
                                                                   : "it prints something else",
                             why ? why : "?");
    }
    return NULL;
}

static char *say_failed(const struct run_report *report, const struct run_trial *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].result == trial_result_FAILED) {
            const char *why = rows[i].problem ? model_text(report->model, rows[i].problem) : NULL;
            return memory_format("Not tried: %s (%s).", options_of(report, &rows[i]), why ? why : "?");
        }
    return NULL;
}

void run_say_trials(const struct run_report *report, struct array *sentences)
{
    size_t count;
    const struct run_trial *rows = run_trials_of(report, &count), *best = run_best_trial(report);
    if (!count)
        return;
    sentences_say(
        sentences,
        best ? say_answer(report, best)
             : memory_format("Of what was tried, nothing is clearly faster than the program as it is."));
    char *more[] = {say_others(report, rows, count), say_refused(report, rows, count),
                    say_failed(report, rows, count)};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i])
            sentences_say(sentences, more[i]);
}
