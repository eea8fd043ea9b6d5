/* How finalists are run: a captured call of the function, replayed with each one's code
   (optimise/replay/replay.h); or the whole program, built and run by the user's commands.

   Whole programs (optimise/replay/program_runs.h) cannot be built with variants that change the source: these
   are told, and not measured. */
#include "base/leftovers.h"
#include "base/progress.h"
#include "cli/folders.h"
#include "cli/optimise.h"
#include "optimise/replay/program_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MEMORY = 1 << 30 };

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
    const struct choices *choices = &measure->search->choices;
    struct array changes = optimise_source_changes(choices, variant);
    char *flags = optimise_flags(choices, variant);
    (void)judgement;
    bool is_fine = changes.count
                       ? error_set(error, NULL, "it changes the source: --build-with cannot do that")
                       : program_runs_measure(measure->program, flags ? flags : "", seconds,
                                              measure->work->tolerance, result, error);
    optimise_texts_free(&changes);
    free(flags);
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
    const char *base = getenv("TMPDIR");
    measure->folder = memory_format("%s/assay-XXXXXX", base && *base == '/' ? base : "/tmp");
    if (!mkdtemp(measure->folder)) {
        error_set_errno(error, measure->folder, "cannot be created");
        free(measure->folder);
        measure->folder = NULL;
        return false;
    }
    leftovers_add(measure->folder);
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
                                      .seconds = 10 * loop->budget,
                                      .is_silent = true,
                                      .path = measure->codelet};
    progress_tell("capturing a call", 0, 0);
    bool is_fine = capture_call(&request, &facts, error);
    progress_clear();
    if (is_fine)
        measure->words = memory_format("call %llu of %s in %s, replayed with each finalist's code on its own "
                                       "data (%.1f MB)",
                                       (unsigned long long)facts.call, extract->function, loop->words[0],
                                       (double)facts.bytes / 1e6);
    return is_fine;
}

void optimise_verify(const struct optimise_work *work, const struct optimised *search,
                     const struct variant *variant, struct optimise_view *view, char **problem)
{
    struct error error = {0};
    struct replay_result result = {0};
    struct array changes = optimise_source_changes(&search->choices, variant);
    char *flags = optimise_flags(&search->choices, variant);
    progress_tell("the whole program, without and with it", 0, 0);
    struct program_runs *runs = changes.count ? NULL : program_runs_begin(work->build, work->run, &error);
    if (runs && program_runs_measure(runs, flags ? flags : "", 0, work->tolerance, &result, &error)) {
        if (result.verdict == replay_SAME || result.verdict == replay_WITHIN) {
            view->before = result.original_seconds;
            view->after = result.seconds;
        } else
            *problem = memory_format("the whole program does not say the same: %s", result.where);
    } else
        *problem = changes.count ? memory_format("not with a run of the whole program: it changes the source")
                                 : memory_format("not with a run of the whole program: %s", error.text);
    progress_clear();
    program_runs_end(runs);
    replay_result_free(&result);
    optimise_texts_free(&changes);
    free(flags);
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
        measure->program = program_runs_begin(work->build, work->run, &error);
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
