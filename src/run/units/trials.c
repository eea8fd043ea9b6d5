/* A promise is a computation, a trial is a run: where both speak about the same option, the trial counts.

   Options of units are promised one by one, and tried for all units that have them: the saving is shared out by the
   promises.  Advice on loops keeps its order, but all loops together save no more than the build did; a build that
   saved nothing leaves none of them. */
#include "run/units/trials.h"

#include "code/quality/actions.h"
#include "model/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_SAVING = 0.01; /* of the run: less is no difference between two builds */
static const double SURE = 2;            /* standard errors */

#if defined __aarch64__
#define NATIVE "-mcpu=native"
#else
#define NATIVE "-march=native"
#endif

/* By turns; or once, where that was enough: the same code, or several times slower. */
static bool is_timed(const struct run_trial *trial)
{
    return isfinite(trial->saving) && (trial->rounds || trial->saving <= 0) &&
           (trial->result == trial_result_SAME || trial->result == trial_result_UNKNOWN);
}

/* What a build saved; 0 where that is no difference. */
static double saved_by(const struct run_trial *trial)
{
    double error = isfinite(trial->error) ? trial->error : 0;
    return trial->saving > fmax(LEAST_SAVING, SURE * error) ? trial->saving : 0;
}

const struct run_trial *units_trial_of(const struct model *model, const char *options)
{
    for (uint32_t i = 0; options && i < model->run_trials.count; i++) {
        const struct run_trial *trial = model_run_trial(model, i);
        const char *text = model_text(model, trial->options);
        if (is_timed(trial) && text && !strcmp(text, options))
            return trial;
    }
    return NULL;
}

const char *units_trial_options(enum action action)
{
    switch (action) {
    case action_OPTIMISE:
        return "-O3";
    case action_TARGET:
    case action_CONTRACT:
    case action_VECTOR_WIDTH:
        return NATIVE;
    case action_LINK_TIME:
        return "-flto";
    case action_UNROLL:
        return "-funroll-loops";
    case action_NO_CHECKS:
        return "-DNDEBUG";
    case action_MATH_ERRNO:
    case action_TRAPPING_MATH:
        return "-fno-math-errno -fno-trapping-math";
    case action_FAST_MATH:
    case action_ASSOCIATIVE_MATH:
        return "-ffast-math";
    default:
        return NULL;
    }
}

/* ---- order ---- */

/* The answer, what was accepted by time, what was refused by time, the rest. */
static int rank_of(const struct run_trial *trial)
{
    return trial->is_answer ? 0 : is_timed(trial) ? 1 : isfinite(trial->saving) ? 2 : 3;
}

static int by_time(const void *left, const void *right)
{
    const struct run_trial *a = left, *b = right;
    if (rank_of(a) != rank_of(b))
        return rank_of(a) - rank_of(b);
    if (isfinite(a->saving) && a->saving != b->saving)
        return a->saving > b->saving ? -1 : 1;
    return (a->options > b->options) - (a->options < b->options);
}

static void sort_trials(struct model *model)
{
    if (model->run_trials.count)
        qsort(model->run_trials.data, model->run_trials.count, model->run_trials.width, by_time);
    for (uint32_t i = 0; i < model->run_trials.count; i++)
        model_run_trial(model, i)->position = i + 1;
}

/* ---- options of units ---- */

static const struct run_trial *trial_of_option(const struct model *model, const struct run_option *option)
{
    const char *name = model_text(model, option->option);
    autofree char *without = name ? memory_format("without %s", name) : NULL;
    switch ((enum option_rule)option->rule) {
    case option_rule_ASSERTIONS:
    case option_rule_SEPARATE:
        return units_trial_of(model, name);
    case option_rule_OVERRIDDEN:
        return units_trial_of(model, "-O3");
    case option_rule_LOWER: {
        const struct run_trial *high = units_trial_of(model, "-O3"), *usual = units_trial_of(model, "-O2");
        return !high || (usual && usual->saving > high->saving) ? usual : high;
    }
    case option_rule_OLD_TARGET:
    case option_rule_EMULATED:
        return units_trial_of(model, NATIVE);
    case option_rule_UNOPTIMISED:
        return units_trial_of(model, "-O2");
    default:
        return units_trial_of(model, without);
    }
}

/* What a row promises of what all with its trial do; by shares where one of them has no figure. */
static double weight_of(const struct run_option *option, bool is_known)
{
    return !is_known ? option->share : isfinite(option->saving) ? option->saving : 0;
}

/* The part of a trial's saving that is this row's: a build that helps against several of them saves once. */
static double part_of(const struct model *model, const struct run_trial *const *trials, uint32_t row)
{
    double all = 0, known = 0;
    for (uint32_t i = 0; i < model->run_options.count; i++)
        if (trials[i] == trials[row])
            known += model_run_option(model, i)->saving;
    bool is_known = known > 0; /* NaN where one has none */
    for (uint32_t i = 0; i < model->run_options.count; i++)
        if (trials[i] == trials[row])
            all += weight_of(model_run_option(model, i), is_known);
    return all > 0 ? weight_of(model_run_option(model, row), is_known) / all : 1;
}

static void measure_options(struct model *model)
{
    uint32_t count = (uint32_t)model->run_options.count, kept = 0;
    autofree double *savings = memory_get((count + 1) * sizeof *savings);
    autofree const struct run_trial **trials = memory_get((count + 1) * sizeof *trials);
    for (uint32_t i = 0; i < count; i++)
        trials[i] = trial_of_option(model, model_run_option(model, i));
    for (uint32_t i = 0; i < count; i++)
        savings[i] = trials[i] ? saved_by(trials[i]) * part_of(model, trials, i) : NAN;
    for (uint32_t i = 0; i < count; i++) {
        struct run_option option = *model_run_option(model, i);
        if (isfinite(savings[i])) {
            option.saving = savings[i];
            option.cost = option.share > 0 ? fmin(savings[i] / option.share, 1) : NAN;
            option.is_tried = 1;
        }
        if (!(option.is_tried && option.saving <= 0))
            *model_run_option(model, kept++) = option;
    }
    model->run_options.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        model_run_option(model, i)->position = i + 1;
}

/* ---- advice on loops ---- */

/* What advice for one action promises for all loops, each loop once; in code for this processor as well. */
static double promised(const struct model *model, enum action action, bool is_native)
{
    double all = 0;
    for (uint32_t i = 0; i < model->run_savings.count; i++) {
        const struct run_saving *row = model_run_saving(model, i);
        bool is_best = actions_of_advice(model, row->advice) == action;
        for (uint32_t k = 0; is_best && k < i; k++) {
            const struct run_saving *other = model_run_saving(model, k);
            is_best = other->loop != row->loop || actions_of_advice(model, other->advice) != action;
        }
        if (is_best)
            all += is_native && row->native_saving > row->saving ? row->native_saving : row->saving;
    }
    return all;
}

/* The part of a promise that is left beside what was measured; 1: all of it, also where nothing was. */
static double part_left(double all, const struct run_trial *trial, const struct run_trial *besides)
{
    const struct run_trial *best = !trial || (besides && besides->saving > trial->saving) ? besides : trial;
    if (!best)
        return 1;
    double error = isfinite(best->error) ? best->error : 0, saved = saved_by(best);
    double most = saved > 0 ? saved + SURE * error : 0;
    return all > most ? most / all : 1;
}

static void limit_savings(struct model *model)
{
    uint32_t kept = 0;
    const struct run_trial *both = units_trial_of(model, "-O3 " NATIVE);
    double parts[action_COUNT], native_parts[action_COUNT];
    for (unsigned action = 0; action < action_COUNT; action++) {
        const char *options = units_trial_options((enum action)action);
        const struct run_trial *trial = units_trial_of(model, options);
        bool is_native = options && !strcmp(options, NATIVE);
        parts[action] =
            part_left(promised(model, (enum action)action, false), trial, is_native ? both : NULL);
        native_parts[action] = part_left(promised(model, (enum action)action, true), both, NULL);
    }
    for (uint32_t i = 0; i < model->run_savings.count; i++) {
        struct run_saving row = *model_run_saving(model, i);
        enum action action = actions_of_advice(model, row.advice);
        row.saving *= parts[action];
        row.native_saving *= action == action_OPTIMISE ? native_parts[action] : 1;
        if (!(row.native_saving > row.saving))
            row.native_saving = NAN;
        if (row.saving > 0 || row.native_saving > 0)
            *model_run_saving(model, kept++) = row;
    }
    model->run_savings.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        model_run_saving(model, i)->position = i + 1;
}

/* ---- */

void units_take_trials(struct model *model)
{
    sort_trials(model);
    measure_options(model);
    limit_savings(model);
    model_expect(model, "trials");
}
