/* Which variants are tried, in which order, and which one is the answer. */
#include "base/clock.h"
#include "base/interrupt.h"
#include "change/optimise/program/program_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_ROUNDS = 7, MOST_LAST_ROUNDS = 41, MOST_VERIFIED = 3 };
static const double LAST_SHARE = 0.1; /* of the budget, for the last comparison */
static const double HOPELESS = 1.05;  /* what is so much slower alone is not tried with others */

static struct program_option *change_at(const struct program_trials *trials, size_t place)
{
    return ARRAY_AT(struct program_option, &trials->answer->changes, place);
}

/* Adds a change to a set; others of its group go. */
static uint32_t with_change(const struct program_trials *trials, uint32_t set, unsigned change)
{
    char group = change_at(trials, change)->group;
    for (unsigned i = 0; group && i < trials->answer->changes.count; i++)
        if (change_at(trials, i)->group == group)
            set &= ~(1u << i);
    return set | 1u << change;
}

static size_t try_everywhere(struct program_trials *trials, unsigned change, bool has_it)
{
    autofree uint32_t *sets = memory_get(trials->builder.units * sizeof *sets);
    for (size_t i = 0; i < trials->builder.units; i++)
        sets[i] = has_it ? with_change(trials, trials->sets[i], change) : trials->sets[i] & ~(1u << change);
    return program_trials_try(trials, sets);
}

/* --- each change alone --- */
/* Places of trials by change; SIZE_MAX: not tried. */
static void try_alone(struct program_trials *trials, size_t *alone)
{
    size_t count = trials->answer->changes.count;
    for (unsigned i = 0; i < count; i++)
        alone[i] = SIZE_MAX;
    for (unsigned i = 0; i < count; i++) {
        bool has_other_results = i && alone[i - 1] != SIZE_MAX &&
                                 program_trials_at(trials, alone[i - 1])->is_built &&
                                 !program_trials_at(trials, alone[i - 1])->is_accepted;
        if (change_at(trials, i)->is_second && !has_other_results)
            continue;
        alone[i] = try_everywhere(trials, i, true);
        if (alone[i] == SIZE_MAX) {
            trials->answer->left = (unsigned)count - i;
            return;
        }
    }
}

static bool is_all_the_same(const struct program_trials *trials)
{
    size_t built = 0, same = 0;
    for (size_t i = 0; i < trials->answer->trials.count; i++) {
        built += program_trials_at(trials, i)->is_built;
        same += program_trials_at(trials, i)->is_same_code && program_trials_at(trials, i)->ratio == 1;
    }
    return built > 1 && same == built;
}

/* Changes that are right alone and not hopeless, the fastest first. */
static size_t sort_changes(const struct program_trials *trials, const size_t *alone, unsigned *order)
{
    size_t count = 0;
    for (unsigned i = 0; i < trials->answer->changes.count; i++) {
        const struct program_trial *trial = alone[i] == SIZE_MAX ? NULL : program_trials_at(trials, alone[i]);
        if (!trial || !trial->is_accepted || !(trial->ratio < HOPELESS) || trial->is_same_code)
            continue;
        size_t place = count++;
        for (; place && program_trials_at(trials, alone[order[place - 1]])->ratio > trial->ratio; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    return count;
}

/* --- on top of the best --- */
static bool has_change(const struct program_trials *trials, unsigned change)
{
    for (size_t i = 0; i < trials->builder.units; i++)
        if (!(trials->sets[i] >> change & 1))
            return false;
    return true;
}

static bool combine(struct program_trials *trials, const unsigned *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has_change(trials, order[i]))
            continue;
        size_t place = try_everywhere(trials, order[i], true);
        if (place == SIZE_MAX)
            return false;
        if (program_trials_is_better(trials, place))
            program_trials_promote(trials, place);
    }
    return true;
}

/* What the best does not need goes. */
static bool drop(struct program_trials *trials)
{
    for (unsigned change = 0; change < trials->answer->changes.count; change++) {
        uint32_t all = 0;
        for (size_t i = 0; i < trials->builder.units; i++)
            all |= trials->sets[i];
        if (!(all >> change & 1) || !(all & ~(1u << change)))
            continue;
        size_t place = try_everywhere(trials, change, false);
        if (place == SIZE_MAX)
            return false;
        const struct program_trial *trial = program_trials_at(trials, place);
        if (trial->is_accepted && isfinite(trial->step) &&
            (trial->step <= 1 || !program_is_clear(trial->step, trial->step_error)))
            program_trials_promote(trials, place);
    }
    return true;
}

/* --- hot units apart --- */
static bool is_for_units(const struct program_option *change)
{
    return change->kind == program_FLAGS || change->kind == program_LESS;
}

/* A hot unit without a change that all have, or with one that none has. */
static bool try_apart(struct program_trials *trials, const unsigned *order, size_t count)
{
    const struct program_request *request = trials->request;
    autofree uint32_t *sets = memory_get(trials->builder.units * sizeof *sets);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < request->hot_count && trials->builder.units > 1; k++) {
            uint32_t unit = request->hot[k];
            if (!is_for_units(change_at(trials, order[i])))
                continue;
            memcpy(sets, trials->sets, trials->builder.units * sizeof *sets);
            bool has_it = sets[unit] >> order[i] & 1;
            sets[unit] = has_it ? sets[unit] & ~(1u << order[i]) : with_change(trials, sets[unit], order[i]);
            size_t place = program_trials_try(trials, sets);
            if (place == SIZE_MAX)
                return false;
            if (program_trials_is_better(trials, place))
                program_trials_promote(trials, place);
        }
    return true;
}

/* --- the answer --- */
static char *build_line(const struct program_trials *trials)
{
    static const char *const names[] = {"${ASSAY_FLAGS}", "$ASSAY_FLAGS"};
    const char *build = trials->request->build, *at = NULL;
    size_t length = 0;
    for (unsigned i = 0; build && i < sizeof names / sizeof *names && !at; i++) {
        at = strstr(build, names[i]);
        length = strlen(names[i]);
    }
    if (!at || program_changes_has(&trials->answer->changes, trials->sets[0], program_PROFILE))
        return NULL;
    autofree char *flags = program_builder_flags(&trials->builder, trials->sets[0]);
    return memory_format("%.*s%s%s", (int)(at - build), build, flags, at + length);
}

/* The best of what seemed faster than the program as it is; SIZE_MAX: nothing. */
static size_t next_best(const struct program_trials *trials)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < trials->answer->trials.count; i++) {
        const struct program_trial *trial = program_trials_at(trials, i);
        bool seems_faster =
            trial->is_accepted && trial->ratio < 1 && program_is_clear(trial->ratio, trial->step_error);
        if (seems_faster && (best == SIZE_MAX || trial->ratio < program_trials_at(trials, best)->ratio))
            best = i;
    }
    return best;
}

/* The first trial of the same code; the trial itself where there is none before it. */
static size_t twin_of(const struct program_trials *trials, size_t place)
{
    const char *digest = array_at(&trials->digests, place);
    size_t first = 0;
    while (*digest && first < place && strcmp(digest, array_at(&trials->digests, first)) != 0)
        first++;
    return *digest ? first : place;
}

/* What chance made look faster has the figures of the last comparison from now on; what was compared with it is no
   faster than that makes it. */
static void take_back(struct program_trials *trials, const struct program_times *times)
{
    size_t twin = twin_of(trials, trials->place);
    for (size_t i = 0; i < trials->answer->trials.count; i++) {
        struct program_trial *trial = program_trials_at(trials, i);
        size_t own = twin_of(trials, i);
        const struct program_trial *same = own < i ? program_trials_at(trials, own) : NULL;
        if (own == twin) {
            trial->ratio = trial->step = times->ratio;
            trial->step_error = times->error;
            trial->rounds = times->rounds;
            trial->beside = SIZE_MAX;
        } else if (same) {
            trial->ratio = same->ratio;
        } else if (trial->beside != SIZE_MAX && !trial->is_same_code) {
            trial->ratio = trial->step * program_trials_at(trials, trial->beside)->ratio;
        }
    }
    trials->answer->best = SIZE_MAX;
}

/* The best by turns with the program as it is, once more. */
static bool verify_best(struct program_trials *trials, struct error *error)
{
    const struct program_request *request = trials->request;
    struct program_answer *answer = trials->answer;
    struct program_times times;
    const struct program_trial *trial = program_trials_at(trials, trials->place);
    answer->best = trials->place;
    answer->ratio = trial->ratio;
    answer->error = trial->step_error;
    answer->after = answer->before * trial->ratio;
    answer->rounds = trial->rounds;
    if (interrupt_came())
        return true;
    if (request->progress)
        request->progress("the best once more", answer->trials.count, LAST_SHARE * request->budget);
    if (!program_measure(request->run, trials->best, trials->original, LAST_ROUNDS, MOST_LAST_ROUNDS,
                         LAST_SHARE * request->budget, false, &times, error))
        return interrupt_came();
    answer->ratio = times.ratio;
    answer->error = times.error;
    answer->rounds = times.rounds;
    answer->before = times.other_seconds;
    answer->after = times.seconds;
    if (!(times.ratio < 1) || !program_is_clear(times.ratio, times.error))
        take_back(trials, &times);
    return true;
}

/* Of many trials chance makes some look better than they are: then the next best may be the answer. */
static bool verify(struct program_trials *trials, struct error *error)
{
    for (unsigned i = 0; i < MOST_VERIFIED && trials->place != SIZE_MAX; i++) {
        if (!verify_best(trials, error))
            return false;
        size_t next = next_best(trials);
        if (trials->answer->best != SIZE_MAX || interrupt_came() || next == SIZE_MAX ||
            !program_trials_promote(trials, next))
            break;
    }
    return true;
}

static bool search(struct program_trials *trials, struct error *error)
{
    size_t alone[PROGRAM_MOST_CHANGES];
    unsigned order[PROGRAM_MOST_CHANGES];
    try_alone(trials, alone);
    if (trials->request->build && is_all_the_same(trials))
        return error_set(
            error, NULL,
            "whatever the options, the program is the same: the command of --build-with must use "
            "$ASSAY_FLAGS and compile everything again (make -B CFLAGS=\"-O2 $ASSAY_FLAGS\")");
    size_t count = sort_changes(trials, alone, order);
    bool goes_on = !trials->answer->is_out_of_time && !interrupt_came();
    if (count && program_trials_is_better(trials, alone[order[0]]) &&
        program_trials_promote(trials, alone[order[0]]) && goes_on) {
        bool is_done = combine(trials, order, count) && drop(trials) && try_apart(trials, order, count);
        (void)is_done;
    } else if (goes_on) {
        try_apart(trials, order, count);
    }
    bool is_fine = verify(trials, error);
    trials->answer->was_interrupted |= interrupt_came();
    trials->answer->line = trials->answer->best != SIZE_MAX ? build_line(trials) : NULL;
    return is_fine;
}

bool program_search(const struct program_request *request, struct program_answer *answer, struct error *error)
{
    struct program_trials trials;
    *answer = (struct program_answer){.trials = ARRAY_OF(struct program_trial),
                                      .best = SIZE_MAX,
                                      .ratio = NAN,
                                      .error = NAN,
                                      .after = NAN,
                                      .own_ratio = NAN};
    program_changes_list(request, &answer->changes);
    bool is_fine = program_trials_begin(&trials, request, answer, error) && search(&trials, error);
    answer->seconds = clock_monotonic_seconds() - trials.begin;
    program_trials_end(&trials);
    return is_fine;
}

void program_answer_free(struct program_answer *answer)
{
    for (size_t i = 0; i < answer->trials.count; i++) {
        struct program_trial *trial = ARRAY_AT(struct program_trial, &answer->trials, i);
        free(trial->sets);
        free(trial->name);
        free(trial->problem);
        replay_result_free(&trial->result);
    }
    array_free(&answer->trials);
    program_changes_free(&answer->changes);
    free(answer->line);
}
