/* assay model pepa FILE: questions to a model in PEPA.  Without options the long run; --time, --passage, --fluid
   and --same-as ask for something else. */
#include "base/interrupt.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/foreign.h"
#include "cli/model.h"
#include "cli/session.h"
#include "show/report/modelling/pepa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_POINTS = 50, MOST_POINTS = 100000, LISTED_STATES = 1000 };

struct work {
    struct session session;
    int code;
    struct output *plot; /* of --plot, which is opened before: where it is written, nothing can be; or NULL */
    struct array settings; /* of char *: name=value */
    double until;          /* 0: not given */
    bool is_lumped;
    unsigned points;
    struct pepa_limits limits;
    struct pepa_view view;
    struct pepa_model *model, *other; /* other: of --same-as */
    struct pepa_structure *structure, *other_structure;
    struct pepa_space *space, *other_space;
    struct pepa_steady steady;
    struct pepa_measures measures;
    struct pepa_curve curve;
    struct pepa_passage passage;
};

/* --set a=1,b=2 is two settings. */
static void take_settings(struct work *work)
{
    const struct array *all = &work->session.invocation->given;
    for (size_t i = 0; i < all->count; i++) {
        const struct given *given = ARRAY_AT(struct given, all, i);
        for (const char *at = given->id == OPTION_SET ? given->value : NULL; at;) {
            size_t length = strcspn(at, ",");
            *(char **)array_add(&work->settings) = memory_copy_text(at, length);
            at = at[length] ? at + length + 1 : NULL;
        }
    }
}

static bool take_options(struct work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    const char *time = options_value(invocation, OPTION_TIME);
    int64_t points, states;
    char *end;
    if (invocation->operands.count != 2)
        return error_set(error, NULL, "assay model pepa takes one file: assay model pepa FILE.pepa");
    if (time) {
        work->until = strtod(time, &end);
        if (end == time || *end || !(work->until > 0) || !isfinite(work->until))
            return error_set(error, NULL,
                             "--time takes a time above 0 in the unit of the model's rates, not '%s'", time);
    }
    if (!options_number(invocation, OPTION_POINTS, USUAL_POINTS, &points, error) ||
        !options_number(invocation, OPTION_MOST_STATES, PEPA_USUAL_STATES, &states, error))
        return false;
    if (points < 1 || points > MOST_POINTS)
        return error_set(error, NULL, "--points takes 1 to %d", MOST_POINTS);
    if (states < 1 || states > 4000000000)
        return error_set(error, NULL, "--most-states takes 1 to 4000000000");
    work->points = (unsigned)points;
    work->limits = (struct pepa_limits){.most_states = (uint64_t)states,
                                        .is_expanded = options_has(invocation, OPTION_EXPAND)};
    work->view.is_expanded = work->limits.is_expanded;
    work->view.passage_words = options_value(invocation, OPTION_PASSAGE);
    work->view.most_states = options_has(invocation, OPTION_STATES) ? LISTED_STATES : 0;
    work->view.other = options_value(invocation, OPTION_SAME_AS);
    work->is_lumped = options_has(invocation, OPTION_LUMP);
    /* A passage may ask for states of parts. */
    work->limits.is_lumped = work->is_lumped && !work->view.passage_words;
    bool is_fluid = options_has(invocation, OPTION_FLUID);
    if (work->view.other &&
        (is_fluid || work->until > 0 || work->view.passage_words || work->view.most_states ||
         work->is_lumped || options_has(invocation, OPTION_PLOT)))
        return error_set(
            error, NULL,
            "--same-as only compares two models: --time, --passage, --fluid, --states, --lump and "
            "--plot do not go with it");
    if (is_fluid && work->is_lumped)
        return error_set(error, NULL, "--fluid has no states that --lump could make one");
    if (is_fluid && (work->view.passage_words || work->view.most_states || work->limits.is_expanded))
        return error_set(error, NULL,
                         "--fluid has no states: it goes with --time, and not with --passage, --states "
                         "or --expand");
    if (options_has(invocation, OPTION_PLOT) && !work->until && !work->view.passage_words)
        return error_set(error, NULL, "--plot draws --time or --passage: add one of them");
    return true;
}

static bool answer_fluid(struct work *work, struct error *error)
{
    if (!pepa_fluid(work->structure, work->until, work->points, &work->curve, error))
        return false;
    if (work->until > 0)
        work->view.curve = &work->curve;
    else
        work->view.measures = ARRAY_AT(struct pepa_measures, &work->curve.moments, 0);
    return true;
}

static bool answer_chain(struct work *work, struct error *error)
{
    work->space = pepa_explore(work->structure, &work->limits, error);
    work->view.space = work->space;
    if (!work->space ||
        (work->is_lumped && !pepa_lump(work->space, work->structure, work->view.passage_words, error)))
        return false;
    if (work->until > 0 && !work->view.passage_words) {
        work->view.curve = &work->curve;
        return pepa_transient(work->space, work->until, work->points, &work->curve, error);
    }
    if (!pepa_steady(work->space, &work->steady, error))
        return false;
    work->view.steady = &work->steady;
    if (work->view.passage_words) {
        work->view.passage = &work->passage;
        return pepa_passage(work->space, &work->steady, work->view.passage_words, work->until, work->points,
                            &work->passage, error);
    }
    work->measures = pepa_measures_new(work->structure);
    pepa_measure(work->space, work->steady.probability, &work->measures);
    work->view.measures = &work->measures;
    return true;
}

static bool answer_same(struct work *work, struct error *error)
{
    work->space = pepa_explore(work->structure, &work->limits, error);
    work->view.space = work->space;
    work->other = work->space ? pepa_read(work->view.other, NULL, 0, error) : NULL;
    work->other_structure = work->other ? pepa_build(work->other, &work->limits, error) : NULL;
    work->other_space =
        work->other_structure ? pepa_explore(work->other_structure, &work->limits, error) : NULL;
    work->view.other_space = work->other_space;
    return work->other_space &&
           pepa_compare(work->space, work->other_space, &work->view.is_same, &work->view.difference, error);
}

static bool answer(struct work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    take_settings(work);
    work->model = pepa_read(options_operand(invocation, 1), work->settings.data, work->settings.count, error);
    work->structure = work->model ? pepa_build(work->model, &work->limits, error) : NULL;
    work->view.model = work->model;
    work->view.structure = work->structure;
    bool is_fine = work->structure && (options_has(invocation, OPTION_FLUID) ? answer_fluid(work, error)
                                       : work->view.other                    ? answer_same(work, error)
                                                                             : answer_chain(work, error));
    progress_clear();
    for (size_t i = 0; work->model && i < work->model->warnings.count; i++) {
        const struct pepa_warning *warning = ARRAY_AT(struct pepa_warning, &work->model->warnings, i);
        session_say(&work->session, "%s:%u: %s", work->model->path, warning->place.line, warning->text);
    }
    return is_fine;
}

static bool plot(const struct work *work, struct error *error)
{
    if (!work->plot)
        return true;
    FILE *out = output_stream(work->plot);
    report_pepa_plot(&work->view, out);
    return !fflush(out) || error_set_errno(error, output_path(work->plot), "cannot write");
}

static void finish(struct work *work)
{
    for (size_t i = 0; i < work->settings.count; i++)
        free(*ARRAY_AT(char *, &work->settings, i));
    array_free(&work->settings);
    pepa_measures_free(&work->measures);
    pepa_curve_free(&work->curve);
    pepa_passage_free(&work->passage);
    pepa_steady_free(&work->steady);
    pepa_space_free(work->space);
    pepa_structure_free(work->structure);
    pepa_free(work->model);
    pepa_space_free(work->other_space);
    pepa_structure_free(work->other_structure);
    pepa_free(work->other);
    pepa_difference_free(&work->view.difference);
}

static bool answer_and_print(void *context, struct error *error)
{
    struct work *work = context;
    interrupt_catch();
    bool is_fine = answer(work, error) && plot(work, error);
    if (is_fine) {
        report_pepa(&work->view, &work->session.style, work->session.out);
        work->code = (work->view.measures && work->view.steady && report_pepa_deadlocks(&work->view)) ||
                             (work->view.other && !work->view.is_same)
                         ? 1
                         : 0;
    }
    finish(work);
    return is_fine;
}

static bool work_apart(struct work *work, struct error *error)
{
    return foreign_run(&(struct foreign){.session = &work->session,
                                         .work = answer_and_print,
                                         .context = work,
                                         .what = "the model",
                                         .file = work->plot ? output_stream(work->plot) : NULL,
                                         .result = &work->code,
                                         .result_size = sizeof work->code,
                                         .ends_gently = true},
                       error);
}

int model_pepa(const struct invocation *invocation, struct error *error)
{
    struct work work = {.settings = ARRAY_OF(char *), .code = 2};
    if (!session_begin(&work.session, invocation, error) || !take_options(&work, error))
        return session_end(&work.session, 2, error);
    const char *path = options_value(invocation, OPTION_PLOT);
    if (path && !(work.plot = output_open(path, error)))
        return session_end(&work.session, 2, error);
    interrupt_catch();
    bool is_fine = work_apart(&work, error);
    if (work.plot && is_fine)
        is_fine = output_finish(work.plot, error);
    else if (work.plot)
        output_abandon(work.plot);
    int code = is_fine ? work.code : interrupt_came() ? MODEL_STOPPED : 2;
    interrupt_release();
    return session_end(&work.session, code, error);
}
