/* How finalists are run: a captured call of the function, replayed with each one's code
   (optimise/replay/replay.h); or the whole program, built and run by the user's commands.

   A variant that changes the source is built from a changed copy (optimise/replay/program_runs.h). The answer
   is verified in the form in which it is handed out: a function in a file of its own is compiled alone with
   its options, and the rest of the program as it was. */
#include "base/child.h"
#include "base/leftovers.h"
#include "base/path.h"
#include "base/progress.h"
#include "cli/folders.h"
#include "cli/optimise.h"
#include "optimise/apply/apply.h"
#include "optimise/replay/program_runs.h"

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
                                     .budget = seconds,
                                     .processor = -1};
    (void)variant;
    return judgement->object ? replay_run(&request, result, error)
                             : error_set(error, NULL, "it has no object file");
}

static bool run_program(void *context, const struct variant *variant, const struct judgement *judgement,
                        double seconds, struct replay_result *result, struct error *error)
{
    const struct optimise_measure *measure = context;
    const struct optimised *search = measure->search;
    struct array changes = optimise_source_changes(&search->choices, variant);
    char *flags = optimise_flags(&search->choices, variant);
    char *text = changes.count ? apply_source(&search->extract, &search->choices, variant, error) : NULL;
    (void)judgement;
    bool is_fine =
        (text || !changes.count) &&
        program_runs_measure(measure->program, &(struct program_change){.flags = flags, .text = text},
                             seconds, measure->work->tolerance, result, error);
    optimise_texts_free(&changes);
    free(flags);
    free(text);
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
                    const struct extract *extract, struct error *error)
{
    struct capture_facts facts = {0};
    measure->runtime = folders_runtime(error);
    if (!measure->runtime || !make_place(measure, error))
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
    bool is_fine = capture_call(&request, &facts, error);
    progress_clear();
    if (!is_fine && facts.is_out_of_time) {
        struct error first = *error;
        *error = (struct error){0};
        error_set(error, NULL, "%s, a third of --budget: a larger --budget, or a smaller input, gets there",
                  first.text);
    }
    if (is_fine)
        measure->words = memory_format("call %llu of %s in %s, replayed with each finalist's code on its own "
                                       "data (%.1f MB)",
                                       (unsigned long long)facts.call, extract->function, loop->words[0],
                                       (double)facts.bytes / 1e6);
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
    char *flags = applied->own_name ? NULL : optimise_flags(&search->choices, variant);
    char *object =
        applied->own_name ? compile_own(search, variant, applied, program_runs_folder(runs), error) : NULL;
    struct program_change change = {.flags = flags, .text = applied->source, .object = object};
    bool is_fine = (object || !applied->own_name) &&
                   program_runs_measure(runs, &change, 0, work->tolerance, result, error);
    free(flags);
    free(object);
    return is_fine;
}

void optimise_verify(const struct optimise_work *work, const struct optimised *search,
                     const struct variant *variant, const struct applied *applied, struct optimise_view *view,
                     char **problem)
{
    struct error error = {0};
    struct replay_result result = {0};
    progress_tell("the whole program, without and with it", 0, 0);
    struct program_runs *runs =
        program_runs_begin(work->build, work->run, search->compilation.source, LONGEST, &error);
    if (runs && measure_applied(work, search, variant, applied, runs, &result, &error)) {
        if (result.verdict == replay_SAME || result.verdict == replay_WITHIN) {
            view->before = result.original_seconds;
            view->after = result.seconds;
        } else
            *problem = memory_format("the whole program does not say the same: %s", result.where);
    } else
        *problem = memory_format("not with a run of the whole program: %s", error.text);
    progress_clear();
    program_runs_end(runs);
    replay_result_free(&result);
}

struct optimise_measure *optimise_measure_begin(struct optimise_work *work, const struct optimise_loop *loop,
                                                const struct extract *extract, char **why_not)
{
    struct error error = {0};
    if (!loop->words && !work->run)
        return NULL;
    struct optimise_measure *measure = memory_get(sizeof *measure);
    measure->work = work;
    bool is_fine;
    if (!loop->words) {
        measure->program = program_runs_begin(work->build, work->run, extract->compilation->source,
                                              loop->budget / 2, &error);
        is_fine = measure->program != NULL;
        measure->words = memory_format("whole runs of %s, the original and the finalist in turn", work->run);
    } else
        is_fine = capture(measure, loop, extract, &error);
    if (!is_fine) {
        *why_not = memory_format("%s", error.text);
        optimise_measure_end(measure);
        return NULL;
    }
    return measure;
}
