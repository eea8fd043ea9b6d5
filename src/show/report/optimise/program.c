/* For people: the answer first. */
#include "base/path.h"
#include "base/text.h"
#include "show/report/common/phrases.h"
#include "show/report/common/wrap.h"
#include "show/report/optimise/optimise.h"
#include "show/report/optimise/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 14 };
static const double OWN_DIFFERS = 0.05; /* of the program's time to its copy's */

struct page {
    const struct optimise_program_view *view;
    const struct report_style *style;
    FILE *out;
    size_t width;
};

static const struct program_trial *trial_at(const struct page *page, size_t place)
{
    return ARRAY_AT(struct program_trial, &page->view->answer->trials, place);
}

static bool uses(const struct page *page, const struct program_trial *trial, size_t change)
{
    size_t count = page->view->units ? page->view->units->count : 1;
    for (size_t i = 0; i < count; i++)
        if (trial->sets[i] >> change & 1)
            return true;
    return false;
}

static bool uses_kind(const struct page *page, const struct program_trial *trial, enum program_kind kind)
{
    const struct array *changes = &page->view->answer->changes;
    for (size_t i = 0; i < changes->count; i++)
        if (ARRAY_AT(struct program_option, changes, i)->kind == kind && uses(page, trial, i))
            return true;
    return false;
}

static void say(const struct page *page, const char *label, char *text)
{
    fprintf(page->out, "  %-*s", LABEL - 2, label);
    wrap_print(page->out, text, LABEL, LABEL, page->width);
    free(text);
}

/* "12 ±1 %" */
static char *saving_words(double ratio, double error)
{
    double percent = 100 * (1 - ratio), most = 100 * error;
    if (!isfinite(most))
        return memory_format("about %.0f %%", percent);
    return most >= 0.95 || fabs(percent) >= 9.95
               ? memory_format("%.0f ±%.0f %%", percent, fmax(1, ceil(most)))
               : memory_format("%.1f ±%.1f %%", percent, fmax(0.1, most));
}

static char *result_words(const struct program_trial *trial)
{
    if (!trial->is_built)
        return memory_format("not built");
    if (trial->result.verdict == replay_WITHIN || trial->result.verdict == replay_NEAR)
        return memory_format("within %.0e", trial->result.largest_error);
    return memory_format("%s", optimise_verdict(trial->result.verdict));
}

/* --- the answer --- */
static void print_heading(const struct page *page, const char *what)
{
    fputs(report_ink(page->style, ink_BOLD), page->out);
    text_print_safe(page->view->program, strlen(page->view->program), page->out);
    fprintf(page->out, "%s: %s\n", report_ink(page->style, ink_PLAIN), what);
}

static void print_change(const struct page *page, const struct program_trial *best)
{
    const struct program_answer *answer = page->view->answer;
    autofree char *saving = saving_words(answer->ratio, answer->error);
    autofree char *what = memory_format("build it %s%s%s: saves %s of the run's processor time",
                                        strncmp(best->name, "without ", 8) ? "with " : "", best->name,
                                        answer->rounds ? "" : " (measured by an earlier call)", saving);
    print_heading(page, what);
}

static void say_measured(const struct page *page, const struct program_trial *best)
{
    const struct program_answer *answer = page->view->answer;
    autofree char *before = phrase_seconds(answer->before), *after = phrase_seconds(answer->after);
    say(page, "measured",
        memory_format("%s → %s a run, medians of %u by turns; what it prints is the same%s", before, after,
                      answer->rounds,
                      best->result.verdict == replay_WITHIN ? " within --tolerance" : ", byte for byte"));
}

static void say_risks(const struct page *page, const struct program_trial *best)
{
    const struct array *changes = &page->view->answer->changes;
    unsigned risks = 0;
    const char *label = "risks";
    for (size_t i = 0; i < changes->count; i++)
        if (uses(page, best, i))
            risks |= ARRAY_AT(struct program_option, changes, i)->risks;
    struct array texts = optimise_risks(risks);
    for (size_t i = 0; i < changes->count; i++) {
        const char *also = ARRAY_AT(struct program_option, changes, i)->also;
        if (also && uses(page, best, i))
            *(char **)array_push(&texts) = memory_format("%s", also);
    }
    for (size_t i = 0; i < texts.count; i++, label = "")
        say(page, label, memory_format("%s", *ARRAY_AT(char *, &texts, i)));
    optimise_texts_free(&texts);
}

static void print_how(const struct page *page, const struct program_trial *best)
{
    const struct optimise_program_view *view = page->view;
    fputs("\n", page->out);
    if (view->answer->line)
        wrap_say(page->out, 4, page->width, "The build line: %s", view->answer->line);
    else if (view->units)
        wrap_say(
            page->out, 4, page->width,
            "Put these options after the others that the sources are compiled with (CFLAGS, CXXFLAGS, FFLAGS, "
            "CMAKE_BUILD_TYPE's flags): the last one counts.%s",
            uses_kind(page, best, program_LINK) ? " -flto is for linking, too (LDFLAGS)." : "");
    if (uses_kind(page, best, program_PROFILE))
        wrap_say(
            page->out, 4, page->width,
            "A profile: build with -fprofile-generate, run the program on typical input, and build again with "
            "-fprofile-use -fprofile-correction -Wno-missing-profile in the same folder, with the same other options.");
    if (view->applied)
        wrap_say(page->out, 4, page->width, "%s has it.", view->applied);
    else
        wrap_say(page->out, 4, page->width, "--apply FILE writes it.");
}

/* A refused variant that would be faster, and what would accept it. */
static void say_refused(const struct page *page)
{
    const struct program_answer *answer = page->view->answer;
    double best = answer->best == SIZE_MAX ? 1 : answer->ratio;
    const struct program_trial *found = NULL;
    for (size_t i = 0; i < answer->trials.count; i++) {
        const struct program_trial *trial = trial_at(page, i);
        if (trial->is_built && !trial->is_accepted && trial->ratio < 0.97 * best && !trial->problem &&
            !trial->result.is_strange && (!found || trial->ratio < found->ratio))
            found = trial;
    }
    if (!found)
        return;
    autofree char *tolerance = optimise_accepted_by(&found->result);
    say(page, "also",
        memory_format("%s was refused, because %s; in its one run it took %.0f %% less time%s%s", found->name,
                      found->result.where ? found->result.where : "it prints something else",
                      100 * (1 - found->ratio), tolerance ? ". It is accepted by " : "",
                      tolerance ? tolerance : ""));
}

/* --- the table --- */
static int by_time(const void *a, const void *b)
{
    const struct program_trial *x = *(const struct program_trial *const *)a,
                               *y = *(const struct program_trial *const *)b;
    double one = x->is_accepted ? x->ratio : 100 + (isnan(x->ratio) ? 100 : x->ratio),
           two = y->is_accepted ? y->ratio : 100 + (isnan(y->ratio) ? 100 : y->ratio);
    return one < two ? -1 : one > two ? 1 : strcmp(x->name, y->name);
}

/* A variant that was tried beside several others has one row. */
static bool has_row(const struct page *page, const struct program_trial *const *order, size_t place)
{
    const struct program_answer *answer = page->view->answer;
    const struct program_trial *best = answer->best == SIZE_MAX ? NULL : trial_at(page, answer->best);
    if (best && order[place] != best && !strcmp(order[place]->name, best->name))
        return true;
    for (size_t i = 0; i < place && order[place] != best; i++)
        if (!strcmp(order[i]->name, order[place]->name))
            return true;
    return false;
}

static void print_row(const struct page *page, const struct program_trial *trial)
{
    const struct program_answer *answer = page->view->answer;
    bool is_best = answer->best != SIZE_MAX && trial == trial_at(page, answer->best);
    autofree char *time =
        isfinite(trial->ratio) ? phrase_seconds(answer->before * trial->ratio) : memory_format("—");
    autofree char *saves = !isfinite(trial->ratio)                    ? memory_format("—")
                           : trial->is_same_code && trial->ratio == 1 ? memory_format("same code")
                           : trial->rounds ? memory_format("%.1f %%", 100 * (1 - trial->ratio))
                                           : memory_format("~%.0f %%", 100 * (1 - trial->ratio));
    autofree char *results = result_words(trial);
    fprintf(page->out, "  %s %9s  %9s  %-13s  ", is_best ? "*" : " ", time, saves, results);
    text_print_safe(trial->name, strlen(trial->name), page->out);
    fputs(trial->is_remembered ? "  (earlier call)\n" : "\n", page->out);
}

static void print_table(const struct page *page)
{
    const struct array *trials = &page->view->answer->trials;
    autofree const struct program_trial **order = memory_get((trials->count + 1) * sizeof *order);
    bool is_told = false;
    for (size_t i = 0; i < trials->count; i++)
        order[i] = trial_at(page, i);
    qsort(order, trials->count, sizeof *order, by_time);
    autofree char *time = phrase_seconds(page->view->answer->before);
    fprintf(page->out, "\n    %9s  %9s  %-13s  %s\n", "time", "saves", "results", "change");
    for (size_t i = 0; i <= trials->count; i++) {
        bool is_after = i == trials->count || !order[i]->is_accepted || order[i]->ratio > 1;
        if (is_after && !is_told)
            fprintf(page->out, "    %9s  %9s  %-13s  as it is\n", time, "", "");
        is_told |= is_after;
        if (i < trials->count && !has_row(page, order, i))
            print_row(page, order[i]);
    }
    for (size_t i = 0; i < trials->count; i++) {
        const char *why = order[i]->problem       ? order[i]->problem
                          : order[i]->is_accepted ? NULL
                                                  : order[i]->result.where;
        if (why)
            wrap_say(page->out, 4, page->width, "%s: %s", order[i]->name, why);
    }
}

static void print_effort(const struct page *page)
{
    const struct program_answer *answer = page->view->answer;
    autofree char *seconds = phrase_seconds(answer->seconds);
    fputs("\n", page->out);
    wrap_say(
        page->out, 0, page->width,
        "Times: processor time of whole runs (%s), each variant by turns with the best so far; the first line by "
        "turns with the program as it is, once more.",
        page->view->run);
    wrap_say(page->out, 0, page->width, "Tried %zu variants in %s.%s", answer->trials.count, seconds,
             answer->was_interrupted ? " Interrupted: this is the best so far; the same command goes on."
             : answer->is_out_of_time
                 ? " The budget ended the search: a larger --budget, or the same command again, goes on."
                 : "");
    if (fabs(1 - answer->own_ratio) > OWN_DIFFERS)
        wrap_say(
            page->out, 0, page->width,
            "The program that is there takes %.2f times as long as its copy, which was built as its debug "
            "information says: some of its options are not known (%s).",
            answer->own_ratio, "assay optimise --record compile_commands.json -- make records them");
    if (page->view->units && page->view->units->count > 1 && !page->view->has_hot)
        wrap_say(
            page->out, 0, page->width,
            "All sources have the same changes: a recorded run (assay run -o run.db -- …) before -- lets hot "
            "ones be tried apart.");
}

void report_program_text(const struct optimise_program_view *view, const struct report_style *style,
                         FILE *out)
{
    size_t width = style->width ? style->width : WRAP_USUAL_WIDTH;
    const struct program_answer *answer = view->answer;
    struct page page = {view, style, out, width > WRAP_WIDEST ? WRAP_WIDEST : width};
    if (answer->best != SIZE_MAX) {
        const struct program_trial *best = trial_at(&page, answer->best);
        print_change(&page, best);
        say_measured(&page, best);
        say_risks(&page, best);
        say_refused(&page);
        print_how(&page, best);
    } else {
        print_heading(
            &page, answer->left
                       ? "no answer yet: the time was up before every change was tried"
                       : "leave the options as they are: nothing that was tried is clearly faster and right");
        say_refused(&page);
    }
    print_table(&page);
    print_effort(&page);
}
