/* How finalists are run: a captured call of the function, replayed with each one's code
   (change/optimise/replay/replay.h); or the whole program, built and run by the user's commands.

   A function that is inlined everywhere has no call. Then the program is built again, with the function kept
   out of line, and a call of that is captured; where that fails, too, whole programs are run. The commands for
   it are the user's, or found out from the program (change/optimise/compile/relink.h).

   A variant that changes the source is built from a changed copy (change/optimise/replay/program_runs.h). The
   answer is verified in the form in which it is handed out: a function in a file of its own is compiled alone
   with its options, and the rest of the program as it was. */
#include "base/child.h"
#include "base/interrupt.h"
#include "base/leftovers.h"
#include "base/path.h"
#include "base/progress.h"
#include "cli/folders.h"
#include "cli/optimise.h"
#include "change/optimise/apply/apply.h"
#include "change/optimise/replay/program_runs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MEMORY = 1 << 30, LONGEST = 3600 /* seconds of a verifying run */ };

struct optimise_measure {
    const struct optimise_work *work;
    const struct optimised *search;
    struct program_runs *program; /* NULL: a codelet */
    char *runtime, *codelet, *folder, *words;
};

static bool run_codelet(void *context, const struct variant *variant, const struct judgement *judgement,
                        double seconds, struct replay_result *result, struct error *error)
{
    const struct optimise_measure *measure = context;
    const struct extract *extract = &measure->search->extract;
    struct replay_request request = {.codelet = measure->codelet,
                                     .runtime = measure->runtime,
                                     .object = judgement->object,
                                     .function = extract->symbol,
                                     .source = extract->compilation->source,
                                     .tolerance = measure->work->tolerance,
                                     .ulps = measure->work->ulps,
                                     .budget = seconds,
                                     .processor = -1};
    (void)variant;
    return judgement->object ? replay_run(&request, result, error)
                             : error_set(error, NULL, "it has no object file");
}

/* Of numbers that a program prints, which have no array to be part of. */
static double printed_tolerance(const struct optimise_work *work)
{
    return fmax(work->tolerance, work->ulps * DBL_EPSILON);
}

static bool run_program(void *context, const struct variant *variant, const struct judgement *judgement,
                        double seconds, struct replay_result *result, struct error *error)
{
    const struct optimise_measure *measure = context;
    const struct optimised *search = measure->search;
    struct array changes = optimise_source_changes(&search->choices, variant);
    autofree char *flags = optimise_flags(&search->choices, variant);
    autofree char *text =
        changes.count ? apply_source(&search->extract, &search->choices, variant, error) : NULL;
    (void)judgement;
    bool is_fine =
        (text || !changes.count) &&
        program_runs_measure(measure->program, &(struct program_change){.flags = flags, .text = text},
                             seconds, printed_tolerance(measure->work), result, error);
    optimise_texts_free(&changes);
    return is_fine;
}

struct search_measure optimise_measure_of(struct optimise_measure *measure, const struct optimised *search)
{
    measure->search = search;
    return (struct search_measure){.context = measure, .run = measure->program ? run_program : run_codelet};
}

const char *optimise_measure_words(const struct optimise_measure *measure)
{
    return measure->words;
}

bool optimise_measure_is_program(const struct optimise_measure *measure)
{
    return measure->program != NULL;
}

void optimise_measure_end(struct optimise_measure *measure)
{
    if (!measure)
        return;
    if (measure->folder) {
        leftovers_remove_folder(measure->folder);
        leftovers_drop(measure->folder);
    }
    program_runs_end(measure->program);
    free(measure->runtime);
    free(measure->codelet);
    free(measure->folder);
    free(measure->words);
    free(measure);
}

static bool make_place(struct optimise_measure *measure, struct error *error)
{
    measure->folder = leftovers_make_folder(error);
    if (!measure->folder)
        return false;
    measure->codelet = memory_format("%s/codelet", measure->folder);
    return true;
}

static bool capture(struct optimise_measure *measure, const struct optimise_loop *loop,
                    const struct extract *extract, struct capture_facts *facts, struct error *error)
{
    if (!measure->runtime)
        measure->runtime = folders_runtime(error);
    if (!measure->runtime || (!measure->folder && !make_place(measure, error)))
        return false;
    struct capture_request request = {.words = loop->words,
                                      .runtime = measure->runtime,
                                      .function =
                                          extract->program_symbol ? extract->program_symbol : extract->symbol,
                                      .object = loop->object,
                                      .call = (uint64_t)measure->work->call,
                                      .memory_limit = MOST_MEMORY,
                                      .seconds = loop->budget / 3, /* of each of two runs */
                                      .is_silent = true,
                                      .path = measure->codelet};
    progress_tell("capturing a call", 0, 0);
    bool is_fine = capture_call(&request, facts, error);
    progress_clear();
    if (!is_fine && facts->is_out_of_time) {
        struct error first = *error;
        *error = (struct error){0};
        error_set(error, NULL, "%s, a third of --budget: a larger --budget, or a smaller input, gets there",
                  first.text);
    }
    return is_fine;
}

static void word_captured(struct optimise_measure *measure, const char *program,
                          const struct extract *extract, const struct capture_facts *facts, const char *how)
{
    measure->words = memory_format(
        "call %llu of %s in %s%s, replayed with each finalist's code on its own data "
        "(%.1f MB)",
        (unsigned long long)facts->call, extract->function, program, how, (double)facts->bytes / 1e6);
}

/* How the whole program is built and run, where the user did not say: the program of --capture, linked again. */
static bool find_build(struct optimise_loop *loop, const struct compilation *compilation, struct error *error)
{
    if (loop->build)
        return true;
    if (!relink_begin(loop->words[0], compilation, &loop->relink, error))
        return false;
    loop->build = memory_format("%s", loop->relink.command);
    loop->run = memory_format("\"$ASSAY_PROGRAM\"");
    for (const char *const *word = loop->words + 1; *word; word++)
        relink_add_quoted(&loop->run, *word);
    return true;
}

/* A call of the function in a program where it is kept out of line. */
static bool capture_out_of_line(struct optimise_measure *measure, const struct optimise_loop *loop,
                                const struct optimised *search, struct error *error)
{
    struct capture_facts facts = {0};
    struct optimise_loop built = *loop;
    autofree char *text = apply_out_of_line(&search->extract, &search->choices, error);
    const char *program =
        text ? program_runs_build(measure->program, &(struct program_change){.text = text}, error) : NULL;
    struct array words = ARRAY_OF(const char *);
    *(const char **)array_push(&words) = program;
    for (const char *const *word = loop->words + 1; *word; word++)
        *(const char **)array_push(&words) = *word;
    *(const char **)array_push(&words) = NULL;
    built.words = words.data;
    built.object = NULL;
    bool is_fine = program && capture(measure, &built, &search->extract, &facts, error);
    if (is_fine)
        word_captured(measure, loop->words[0], &search->extract, &facts, ", where it was kept out of line");
    array_free(&words);
    return is_fine;
}

static bool begin_program(struct optimise_measure *measure, const struct optimise_loop *loop,
                          const struct optimised *search, struct error *error)
{
    measure->program =
        program_runs_begin(loop->build, loop->run, search->compilation.source, loop->budget / 2, error);
    return measure->program != NULL;
}

/* What remains where the program's own code has no call to capture: why_not is the sentence, which gets longer
   where this fails, too. */
static bool measure_rebuilt(struct optimise_measure *measure, struct optimise_loop *loop,
                            const struct optimised *search, bool is_absent, struct error *why_not)
{
    struct error error = {0}, first = *why_not;
    progress_tell("building the program", 0, 0);
    bool is_fine =
        find_build(loop, &search->compilation, &error) && begin_program(measure, loop, search, &error);
    progress_clear();
    if (is_fine && is_absent && capture_out_of_line(measure, loop, search, &error)) {
        program_runs_end(measure->program);
        measure->program = NULL;
    } else if (is_fine)
        measure->words = memory_format(
            "whole runs of %s, the original and the finalist in turn, because one call cannot be captured",
            loop->words[0]);
    else {
        *why_not = (struct error){0};
        error_set(
            why_not, NULL,
            "%s. The program could not be built again, either (%s): --build-with 'cc -O2 $ASSAY_FLAGS -o "
            "$ASSAY_PROGRAM …' says how",
            first.text, error.text);
    }
    return is_fine;
}

/* The new file of a patch as an object; its path, to be freed; NULL: the error says why. */
static char *compile_own(const struct optimised *search, const struct variant *variant,
                         const struct applied *applied, const char *folder, struct error *error)
{
    const char *dot = strrchr(applied->own_name, '.');
    char *path = memory_format("%s/own%s", folder, dot ? dot : ""),
         *object = memory_format("%s/own.o", folder);
    struct array words = applied_own_command(&search->extract, &search->choices, variant, path, object);
    struct child_job job = {
        .words = words.data,
        .place = child_place_PRIVATE,
        .limits = {.memory = 4ull << 30, .file_size = 256ull << 20, .output = 1 << 16, .seconds = 60}};
    struct child_answer answer;
    FILE *file = fopen(path, "we");
    bool is_fine = file && fputs(applied->own_text, file) >= 0;
    if (file && fclose(file))
        is_fine = false;
    if (!is_fine)
        error_set_errno(error, path, "cannot be written");
    else if ((is_fine = child_run(&job, &answer, error))) {
        is_fine = answer.end == child_end_DONE ||
                  error_set(error, path_name(applied->own_name), "does not compile");
        child_answer_free(&answer);
    }
    extract_command_free(&words);
    free(path);
    if (is_fine)
        return object;
    free(object);
    return NULL;
}

static bool measure_applied(const struct optimise_work *work, const struct optimised *search,
                            const struct variant *variant, const struct applied *applied,
                            struct program_runs *runs, struct replay_result *result, struct error *error)
{
    autofree char *flags = applied->own_name ? NULL : optimise_flags(&search->choices, variant);
    char *object =
        applied->own_name ? compile_own(search, variant, applied, program_runs_folder(runs), error) : NULL;
    struct program_change change = {.flags = flags, .text = applied->source, .object = object};
    bool is_fine = (object || !applied->own_name) &&
                   program_runs_measure(runs, &change, 0, printed_tolerance(work), result, error);
    free(object);
    return is_fine;
}

/* Beyond what repeated runs differ by. */
static bool is_clearly_slower(const struct replay_result *result)
{
    double more = result->seconds - result->original_seconds;
    return more > 0.02 * result->original_seconds && more > 2 * (result->spread + result->original_spread);
}

void optimise_verify(const struct optimise_work *work, const struct optimise_loop *loop,
                     const struct optimised *search, const struct variant *variant,
                     const struct applied *applied, struct optimise_view *view, char **problem)
{
    struct error error = {0};
    struct replay_result result = {0};
    progress_tell("the whole program, without and with it", 0, 0);
    struct program_runs *runs =
        program_runs_begin(loop->build, loop->run, search->compilation.source, LONGEST, &error);
    if (runs && measure_applied(work, search, variant, applied, runs, &result, &error)) {
        if (result.verdict == replay_SAME || result.verdict == replay_WITHIN) {
            view->before = result.original_seconds;
            view->after = result.seconds;
            view->is_slower = is_clearly_slower(&result);
        } else {
            *problem = memory_format("the whole program does not say the same: %s", result.where);
            view->is_different = true;
        }
    } else
        *problem = memory_format("not with a run of the whole program: %s", error.text);
    progress_clear();
    program_runs_end(runs);
    replay_result_free(&result);
}

struct optimise_measure *optimise_measure_begin(struct optimise_work *work, struct optimise_loop *loop,
                                                const struct optimised *search, char **why_not)
{
    struct error error = {0};
    struct capture_facts facts = {0};
    if (!loop->words && !loop->run)
        return NULL;
    struct optimise_measure *measure = memory_get(sizeof *measure);
    measure->work = work;
    bool is_fine;
    if (!loop->words) {
        is_fine = begin_program(measure, loop, search, &error);
        measure->words = memory_format("whole runs of %s, the original and the finalist in turn", work->run);
    } else if ((is_fine = capture(measure, loop, &search->extract, &facts, &error)))
        word_captured(measure, loop->words[0], &search->extract, &facts, "");
    else if (measure->runtime && !facts.is_out_of_time && !interrupt_came())
        is_fine = measure_rebuilt(measure, loop, search, facts.is_absent, &error);
    if (!is_fine) {
        *why_not = memory_format("%s", error.text);
        optimise_measure_end(measure);
        return NULL;
    }
    return measure;
}
