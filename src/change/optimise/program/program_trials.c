/* One trial: built, run once for what it prints, then by turns with the best so far.

   Code that was there before has its figures already.  A trial of an earlier call, by the ledger, is not built at
   all, unless it becomes the best. */
#include "base/clock.h"
#include "base/digest.h"
#include "base/interrupt.h"
#include "change/optimise/program/program_parts.h"
#include "change/optimise/replay/program_runs.h"
#include "change/optimise/replay/shell_command.h"
#include "run/launch/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 25, OWN_ROUNDS = 3 };
static const double LEAST_SECONDS = 0.02;   /* of a run; shorter ones say little */
static const double SHARE_OF_BUDGET = 0.04; /* for the rounds of a trial */
static const double MUCH_SLOWER = 3;        /* not worth more than one run, however busy the computer is */
static const double MANY_TIMES = 10;        /* a run that takes longer than so many is ended */

struct program_trial *program_trials_at(const struct program_trials *trials, size_t place)
{
    return ARRAY_AT(struct program_trial, &trials->answer->trials, place);
}

static double left(const struct program_trials *trials)
{
    return trials->begin + trials->request->budget - clock_monotonic_seconds();
}

/* --- the program as it is --- */
static bool refuse_output(const char *where, const char *what, struct error *error)
{
    return error_set(error, NULL, "%s (%s), so results cannot be compared", what, where);
}

#define NO_MACROS                                                                                            \
    "which was built as its debug information says; that has no macros: assay optimise --record "            \
    "compile_commands.json -- make records them"

/* Whether the program itself fails like that, or only its copy. */
static bool refuse_run(const struct program_trials *trials, const char *problem, struct error *error)
{
    const struct program_request *request = trials->request;
    autofree char *output = NULL, *own = NULL;
    double seconds;
    if (request->program && !program_run_once(request->run, request->program->path, SHELL_COMMAND_LONGEST,
                                              &output, &seconds, &own, error))
        return false;
    return error_set(error, NULL,
                     request->program && !own ? "its copy fails (%s), " NO_MACROS : "the run failed: %s",
                     problem);
}

/* What it prints must not change by itself. */
static bool run_original(struct program_trials *trials, struct error *error)
{
    const struct program_request *request = trials->request;
    autofree char *problem = NULL, *again = NULL, *where = NULL;
    double seconds = 0, largest;
    if (!program_run_once(request->run, trials->original, SHELL_COMMAND_LONGEST, &trials->output, &seconds,
                          &problem, error))
        return false;
    if (problem)
        return refuse_run(trials, problem, error);
    if (seconds < LEAST_SECONDS)
        return error_set(error, NULL,
                         "a run takes %.0f ms of processor time, too short to compare: give it more to do",
                         seconds * 1e3);
    trials->answer->before = seconds;
    if (!program_run_once(request->run, trials->original, SHELL_COMMAND_LONGEST, &again, &seconds, &problem,
                          error))
        return false;
    enum replay_verdict verdict =
        program_output_compare(trials->output, again, request->tolerance, &largest, &where);
    trials->answer->before = (trials->answer->before + seconds) / 2;
    bool is_same = verdict == replay_SAME || verdict == replay_WITHIN;
    trials->answer->is_uncompared = request->may_differ && (!is_same || !*trials->output);
    return trials->answer->is_uncompared || is_same ||
           refuse_output(
               where ? where : "",
               "the program prints something else each time; --measure-with can leave that out, as in "
               "'$ASSAY_PROGRAM input | grep -v seconds'",
               error);
}

/* The program that is there, beside its copy: whether it was really compiled like that. */
static bool compare_own(struct program_trials *trials, struct error *error)
{
    const struct program_request *request = trials->request;
    autofree char *output = NULL, *problem = NULL, *where = NULL;
    struct program_times times;
    double seconds, largest;
    trials->answer->own_ratio = NAN;
    if (!request->program)
        return true;
    if (!program_run_once(request->run, request->program->path, SHELL_COMMAND_LONGEST, &output, &seconds,
                          &problem, error))
        return false;
    enum replay_verdict verdict =
        trials->answer->is_uncompared
            ? replay_SAME
            : program_output_compare(trials->output, output, request->tolerance, &largest, &where);
    if (problem || (verdict != replay_SAME && verdict != replay_WITHIN && verdict != replay_NEAR))
        return refuse_output(problem ? problem
                             : where ? where
                                     : "",
                             "the program prints something else than its copy, " NO_MACROS, error);
    if (!program_measure(request->run, request->program->path, trials->original, OWN_ROUNDS, OWN_ROUNDS, 0,
                         false, &times, error))
        return false;
    trials->answer->own_ratio = times.ratio;
    trials->answer->before = times.other_seconds;
    return true;
}

bool program_trials_begin(struct program_trials *trials, const struct program_request *request,
                          struct program_answer *answer, struct error *error)
{
    *trials = (struct program_trials){.request = request,
                                      .answer = answer,
                                      .digests = (struct array){.width = DIGEST_TEXT},
                                      .place = SIZE_MAX,
                                      .candidate_place = SIZE_MAX,
                                      .name = memory_format("as it is"),
                                      .begin = clock_monotonic_seconds()};
    if (!program_builder_begin(&trials->builder, request, &answer->changes, error))
        return false;
    trials->sets = memory_get(trials->builder.units * sizeof *trials->sets);
    const char *folder = trials->builder.folder;
    trials->original = memory_format("%s/original", folder);
    trials->best = memory_format("%s/best", folder);
    trials->candidate = memory_format("%s/candidate", folder);
    trials->trial = memory_format("%s/trial", folder);
    autofree char *problem = NULL;
    if (request->progress)
        request->progress("as it is", 0, left(trials));
    if (!program_builder_build(&trials->builder, trials->sets, trials->original, &problem))
        return error_set(error, NULL, "%s", problem);
    return run_original(trials, error) && compare_own(trials, error) &&
           digest_file(trials->original, trials->original_digest, NULL, error) &&
           program_memory_begin(&trials->memory, request, trials->original, answer->is_uncompared, error);
}

void program_trials_end(struct program_trials *trials)
{
    program_builder_end(&trials->builder);
    array_free(&trials->digests);
    free(trials->original);
    free(trials->best);
    free(trials->candidate);
    free(trials->trial);
    free(trials->output);
    free(trials->sets);
    free(trials->name);
}

/* --- trials --- */
static const char *best_path(const struct program_trials *trials)
{
    return trials->place == SIZE_MAX ? trials->original : trials->best;
}

static double best_ratio(const struct program_trials *trials)
{
    return trials->place == SIZE_MAX ? 1 : program_trials_at(trials, trials->place)->ratio;
}

static bool has_right_results(const struct program_trial *trial)
{
    return trial->is_built &&
           (trial->result.verdict == replay_SAME || trial->result.verdict == replay_WITHIN);
}

/* Figures of a trial with the same code, or of the program as it is. */
static bool take_known(const struct program_trials *trials, const char *digest, struct program_trial *trial)
{
    if (!strcmp(digest, trials->original_digest)) {
        trial->result.verdict = replay_SAME;
        trial->result.seconds = trials->answer->before;
        trial->ratio = 1;
        trial->step = 1 / best_ratio(trials);
        trial->step_error = 0;
        return trial->is_same_code = true;
    }
    for (size_t i = 0; i < trials->digests.count; i++) {
        const struct program_trial *known = program_trials_at(trials, i);
        if (strcmp(digest, array_at(&trials->digests, i)) != 0)
            continue;
        trial->result = known->result;
        trial->result.where = known->result.where ? memory_format("%s", known->result.where) : NULL;
        trial->rounds = known->rounds;
        trial->ratio = known->ratio;
        trial->step = known->ratio / best_ratio(trials);
        trial->step_error = known->step_error;
        return trial->is_same_code = true;
    }
    return false;
}

/* The first run, for what it prints; false: Ctrl-C. */
static bool check_output(const struct program_trials *trials, struct program_trial *trial)
{
    const struct program_request *request = trials->request;
    autofree char *output = NULL;
    struct error error = {0};
    double before = trials->answer->before;
    if (!program_run_once(request->run, trials->trial, 60 + MANY_TIMES * before, &output,
                          &trial->result.seconds, &trial->problem, &error))
        return false;
    trial->result.original_seconds = before;
    if (trial->problem)
        trial->result.verdict = replay_CRASHED;
    else if (!trials->answer->is_uncompared)
        trial->result.verdict = program_output_compare(trials->output, output, request->tolerance,
                                                       &trial->result.largest_error, &trial->result.where);
    trial->result.is_strange = isinf(trial->result.largest_error);
    trial->step = trial->result.seconds / before / best_ratio(trials);
    trial->ratio = trial->result.seconds / before;
    return true;
}

/* By turns with the best; false: Ctrl-C. */
static bool measure(const struct program_trials *trials, struct program_trial *trial)
{
    const struct program_request *request = trials->request;
    struct program_times times;
    struct error error = {0};
    double seconds = fmin(SHARE_OF_BUDGET * request->budget, left(trials));
    if (!program_measure(request->run, trials->trial, best_path(trials), LEAST_ROUNDS, MOST_ROUNDS, seconds,
                         true, &times, &error)) {
        trial->result.verdict = replay_CRASHED;
        trial->problem = memory_format("%s", error.text);
        return !interrupt_came();
    }
    trial->rounds = times.rounds;
    trial->step = times.ratio;
    trial->step_error = times.error;
    trial->ratio = times.ratio * best_ratio(trials);
    trial->result.seconds = times.seconds;
    trial->result.original_seconds = times.other_seconds;
    return true;
}

/* false: Ctrl-C, and the trial is none. */
static bool run_trial(struct program_trials *trials, struct program_trial *trial, char digest[DIGEST_TEXT])
{
    struct error error = {0};
    trial->is_built = program_builder_build(&trials->builder, trial->sets, trials->trial, &trial->problem);
    if (interrupt_came())
        return false;
    if (!trial->is_built || !digest_file(trials->trial, digest, NULL, &error) ||
        take_known(trials, digest, trial))
        return true;
    if (!check_output(trials, trial))
        return false;
    return !has_right_results(trial) || trial->step > MUCH_SLOWER || measure(trials, trial);
}

/* The fastest program of a stage stays, so that it need not be built again. */
static void keep_candidate(struct program_trials *trials, size_t place)
{
    const struct program_trial *trial = program_trials_at(trials, place);
    bool is_kept = trials->candidate_place != SIZE_MAX;
    if (trial->is_remembered || trial->is_same_code || !trial->is_accepted ||
        (is_kept && trial->ratio >= program_trials_at(trials, trials->candidate_place)->ratio))
        return;
    trials->candidate_place = rename(trials->trial, trials->candidate) ? SIZE_MAX : place;
}

static size_t add_trial(struct program_trials *trials, const struct program_trial *trial, const char *digest)
{
    struct error error = {0};
    size_t place = trials->answer->trials.count;
    *(struct program_trial *)array_push(&trials->answer->trials) = *trial;
    snprintf(array_add(&trials->digests), DIGEST_TEXT, "%s", digest);
    program_trials_at(trials, place)->is_accepted = has_right_results(trial);
    if (!trial->is_remembered)
        program_memory_add(&trials->memory, trials->name, trial, &error);
    keep_candidate(trials, place);
    return place;
}

size_t program_trials_try(struct program_trials *trials, const uint32_t *sets)
{
    const struct program_request *request = trials->request;
    size_t size = trials->builder.units * sizeof *sets;
    struct program_trial trial = {
        .step = NAN, .step_error = NAN, .ratio = NAN, .beside = trials->place, .sets = memory_get(size)};
    char digest[DIGEST_TEXT] = "";
    double begin = clock_monotonic_seconds();
    memcpy(trial.sets, sets, size);
    trial.name = program_changes_name(&trials->answer->changes, sets, request->units);
    bool is_fine = !interrupt_came();
    if (is_fine && program_memory_find(&trials->memory, trials->name, &trial)) {
        trial.ratio = trial.step * best_ratio(trials);
    } else if (is_fine) {
        trials->answer->is_out_of_time |= left(trials) < trials->longest;
        is_fine = !trials->answer->is_out_of_time;
        if (is_fine && request->progress)
            request->progress(trial.name, trials->answer->trials.count, left(trials));
        is_fine = is_fine && run_trial(trials, &trial, digest);
        trials->longest = fmax(trials->longest, clock_monotonic_seconds() - begin);
    }
    trials->answer->was_interrupted |= interrupt_came();
    if (is_fine)
        return add_trial(trials, &trial, digest);
    free(trial.sets);
    free(trial.name);
    free(trial.problem);
    replay_result_free(&trial.result);
    return SIZE_MAX;
}

bool program_trials_is_better(const struct program_trials *trials, size_t place)
{
    const struct program_trial *trial = program_trials_at(trials, place);
    return trial->is_accepted && trial->step < 1 && program_is_clear(trial->step, trial->step_error);
}

bool program_trials_promote(struct program_trials *trials, size_t place)
{
    const struct program_trial *trial = program_trials_at(trials, place);
    autofree char *problem = NULL;
    bool is_there = trials->candidate_place == place
                        ? !rename(trials->candidate, trials->best)
                        : program_builder_build(&trials->builder, trial->sets, trials->best, &problem);
    trials->candidate_place = SIZE_MAX;
    if (!is_there)
        return false;
    memcpy(trials->sets, trial->sets, trials->builder.units * sizeof *trials->sets);
    free(trials->name);
    trials->name = memory_format("%s", trial->name);
    trials->place = place;
    return true;
}
