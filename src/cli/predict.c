/* assay predict: how long a program will take on these inputs.

   The order of things: what is known already gives a first estimate; each probe that is not known is run, and
   gives a better one; then the answer. The ledger has every step before the next one begins, so that nothing
   is lost when this is stopped. */
#include "base/progress.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/predict.h"
#include "cli/say.h"
#include "plan/forecast/share.h"
#include "show/report/common/times.h"
#include "show/report/predict/predict_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exit code after Ctrl-C, as in shells. */
enum { INTERRUPTED = 130 };

/* What times belong to: the machine file of this computer, or its name where none describes it. */
static char *kind_of_host(const struct predict_work *work)
{
    const char *given = options_value(work->session.invocation, OPTION_HOST);
    if (given)
        return memory_copy_text(given, strlen(given));
    struct array folders = folders_find("ASSAY_MACHINES", "machines");
    struct machine *machine = machines_host(&folders);
    char *name = machine ? memory_copy_text(machine->name, strlen(machine->name)) : NULL;
    machine_free(machine);
    folders_free(&folders);
    return name;
}

static bool ask(struct predict_work *work, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    work->description = predict_describe(options_operand(invocation, 0), error);
    if (!work->description)
        return false;
    predict_limit_features(work->description, work->budget);
    work->ledger = ledger_open(options_value(invocation, OPTION_LEDGER), true, error);
    if (!work->ledger)
        return false;
    const char **bindings = memory_get((invocation->operands.count + 1) * sizeof *bindings);
    for (size_t i = 1; i < invocation->operands.count; i++)
        bindings[i - 1] = options_operand(invocation, i);
    autofree char *host = kind_of_host(work);
    work->query = predict_ask(work->description, bindings, NULL, host, work->ledger, error);
    free(bindings);
    if (!work->query || !predict_take_processors(work, error))
        return false;
    work->subject = (struct predict_subject){predict_name(work->description), predict_label(work->query),
                                             predict_host(work->query), work->processors};
    return true;
}

static bool tell_step(struct predict_work *work, const struct predict_probe *probe, const char *problem,
                      struct error *error)
{
    struct predict_step step = {.number = work->done,
                                .count = work->to_do,
                                .probe = probe,
                                .problem = problem && *problem ? problem : NULL,
                                .spent = work->spent};
    if (!predict_estimate(work->query, work->processors, false, &step.estimate, error))
        return false;
    work->estimate = step.estimate;
    progress_clear();
    if (probe || !isnan(step.estimate.seconds))
        report_predict_step(&work->subject, &step, &work->session.style, work->session.out);
    fflush(work->session.out);
    return true;
}

/* Runs what is not known.  *error aside, failing probes do not stop the others. */
static bool run_probes(struct predict_work *work, struct array *probes, struct error *error)
{
    for (size_t i = 0; i < probes->count && !work->stopped; i++) {
        struct predict_probe *probe = ARRAY_AT(struct predict_probe, probes, i);
        double left = work->deadline - clock_monotonic_seconds();
        char problem[300], what[80];
        bool is_stopped;
        if (probe->is_known)
            continue;
        if (left <= 0) {
            work->stopped = "the budget is used up";
            break;
        }
        snprintf(what, sizeof what, "probe at 1/%g%s", probe->factor,
                 probe->is_identity ? " (identity)" : "");
        progress_tell(what, work->done, work->to_do);
        if (!predict_run_probe(&work->running, work->query, probe, left, problem, &is_stopped, error))
            return false;
        work->spent = predict_spent(work->query);
        if (is_stopped) {
            work->stopped = predict_run_was_interrupted() ? "interrupted" : "the budget is used up";
            break;
        }
        work->done++;
        work->failed += *problem != 0;
        if (!tell_step(work, probe, problem, error))
            return false;
        probe->is_known = !*problem;
    }
    return true;
}

static unsigned count_unknown(const struct array *probes, size_t first, unsigned *known)
{
    unsigned unknown = 0;
    for (size_t i = first; i < probes->count; i++)
        if (ARRAY_AT(struct predict_probe, probes, i)->is_known)
            ++*known;
        else
            unknown++;
    return unknown;
}

/* One smaller input, to see which sizes of probes are cheap. */
static bool try_shrinking(struct predict_work *work, struct error *error)
{
    struct array probes = ARRAY_OF(struct predict_probe);
    double factor;
    if (!predict_wants_trial(work->query, &factor, error))
        return false;
    if (factor == 0)
        return true;
    progress_tell("a smaller input", 0, 1);
    bool is_fine = predict_probes_add(work->query, factor, &probes, error) &&
                   predict_run_trial(&work->running, work->query,
                                     ARRAY_AT(struct predict_probe, &probes, probes.count - 1),
                                     work->deadline - clock_monotonic_seconds(), error);
    predict_probes_free(&probes);
    work->spent = predict_spent(work->query);
    if (predict_run_was_interrupted())
        work->stopped = "interrupted";
    return is_fine;
}

/* Without a whole run to learn from, larger probes as long as they are cheap. */
static bool probe_further(struct predict_work *work, struct array *probes, struct error *error)
{
    while (!work->stopped) {
        double factor;
        size_t before = probes->count;
        if (!predict_next_factor(work->query, &work->estimate, probes, &factor, error))
            return false;
        if (factor == 0)
            break;
        if (!predict_probes_add(work->query, factor, probes, error))
            return false;
        work->to_do += count_unknown(probes, before, &work->cached);
        if (!run_probes(work, probes, error))
            return false;
    }
    return true;
}

static bool probe(struct predict_work *work, struct error *error)
{
    struct array probes, more;
    if (!try_shrinking(work, error) || !predict_probes(work->query, &probes, error))
        return false;
    bool is_fine = predict_scaling_probes(work->query, work->scaling, work->scaling_count, &more, error);
    if (is_fine) {
        work->to_do = count_unknown(&probes, 0, &work->cached) + count_unknown(&more, 0, &work->cached);
        is_fine = tell_step(work, NULL, NULL, error) && run_probes(work, &probes, error) &&
                  run_probes(work, &more, error) && probe_further(work, &probes, error);
        predict_probes_free(&more);
    }
    predict_probes_free(&probes);
    progress_clear();
    return is_fine;
}

/* Estimates are for a computer that is idle. */
static void tell_share(const struct predict_work *work)
{
    static const double much = 0.8;
    struct host_share share;
    struct error ignored = {0};
    if (isnan(work->estimate.seconds) || !share_forecast(work->processors, 0, false, &share, &ignored) ||
        share.share >= much)
        return;
    autofree char *now = phrase_duration(work->estimate.seconds / share.share);
    session_say(&work->session,
                "this computer is busy: others have about %.0f processes that want its %u processor%s; "
                "started now, it "
                "would take about %s here",
                share.others, share.processors, share.processors == 1 ? "" : "s", now);
}

static bool tell_answer(struct predict_work *work, struct error *error)
{
    struct predict_answer answer = {.spent = work->spent,
                                    .shrinking = predict_shrinking(work->query),
                                    .cached = work->cached,
                                    .failed = work->failed,
                                    .stopped = work->stopped};
    if (!predict_estimate(work->query, work->processors, true, &answer.estimate, error))
        return false;
    work->estimate = answer.estimate;
    bool is_fine = report_predict_answer(work->ledger, &work->subject, &answer, &work->session.style,
                                         work->session.out, error);
    fflush(work->session.out);
    if (is_fine && work->estimate.is_scaled && !work->estimate.is_scaling_known &&
        !isnan(work->estimate.seconds))
        session_say(
            &work->session,
            "how it scales is not known: the estimate assumes perfect scaling, the interval includes none "
            "(--scaling 1,2,4 measures it)");
    if (is_fine && !options_has(work->session.invocation, OPTION_HOST))
        tell_share(work);
    return is_fine;
}

/* How far off the estimate was: a line, or an object. */
static void tell_run(struct predict_work *work, double seconds)
{
    const struct predict_estimate *estimate = &work->estimate;
    bool is_known = !isnan(estimate->seconds);
    bool is_inside = is_known && seconds >= estimate->lower && !(seconds > estimate->upper);
    double off = 100 * (estimate->seconds - seconds) / seconds;
    if (work->session.style.format == report_JSON) {
        fprintf(work->session.out, "{\"measured\":%.9g", seconds);
        if (is_known)
            fprintf(work->session.out, ",\"predicted\":%.9g,\"off_percent\":%.4g,\"is_inside\":%s",
                    estimate->seconds, off, is_inside ? "true" : "false");
        fprintf(work->session.out, "}\n");
    } else if (is_known) {
        fprintf(
            work->session.out,
            "It took %.3g s: the estimate of %.3g s is %.0f %% too %s, and the time is %s the interval.\n",
            seconds, estimate->seconds, fabs(off), off < 0 ? "low" : "high",
            is_inside ? "inside" : "outside");
    } else {
        fprintf(work->session.out, "It took %.3g s. Later predictions learn from it.\n", seconds);
    }
}

/* The program itself, with its output on standard error: ours is on standard output. */
static bool run_it(struct predict_work *work, struct error *error)
{
    autofree char *command = predict_command(work->query, NULL, work->processors);
    struct running_result result;
    session_say(&work->session, "running %s", command);
    bool is_fine =
        predict_run_shell(&work->running, command, false, work->processors, INFINITY, &result, error);
    if (!is_fine)
        return false;
    if (result.end == running_INTERRUPTED) {
        work->stopped = "interrupted";
        return true;
    }
    if (result.end == running_SIGNALLED)
        return error_set(error, NULL, "the program was ended by signal %d; its time is not recorded",
                         result.status);
    if (!predict_is_success(work->query, result.status))
        return error_set(error, NULL, "the program failed with status %d; its time is not recorded",
                         result.status);
    if (!predict_note_run(work->query, work->processors, result.seconds, result.cpu_seconds, "predict",
                          error))
        return false;
    tell_run(work, result.seconds);
    return true;
}

/* A time that the user measured: no probes are needed. */
static bool take_told(struct predict_work *work, struct error *error)
{
    return predict_estimate(work->query, work->processors, true, &work->estimate, error) &&
           predict_note_run(work->query, work->processors, work->took, NAN, "told", error) &&
           (tell_run(work, work->took), true);
}

static bool answer(struct predict_work *work, struct error *error)
{
    if (work->has_took)
        return take_told(work, error);
    const char *output;
    bool runs = options_has(work->session.invocation, OPTION_RUN_IT);
    if (runs && predict_needs_output(work->query, &output))
        return error_set(error, NULL, "--run would throw the result away: say where it goes by %s=FILE",
                         output);
    session_release_interrupts();
    work->deadline = clock_monotonic_seconds() + work->budget;
    return predict_run_begin(&work->running, error) && probe(work, error) && tell_answer(work, error) &&
           (!runs || work->stopped || run_it(work, error));
}

int command_predict(const struct invocation *invocation, struct error *error)
{
    if (options_has(invocation, OPTION_FROM))
        return predict_static(invocation, error);
    struct predict_work work = {.session.invocation = invocation};
    int code = 2;
    if (!session_begin(&work.session, invocation, error) || !predict_take_options(&work, error))
        return session_end(&work.session, code, error);
    if (options_has(invocation, OPTION_HISTORY)) {
        code = predict_history(&work, error);
    } else if (ask(&work, error) && answer(&work, error)) {
        code = predict_run_was_interrupted()                    ? INTERRUPTED
               : isnan(work.estimate.seconds) && !work.has_took ? 1
                                                                : 0;
    }
    predict_run_finish(&work.running);
    predict_query_free(work.query);
    predict_description_free(work.description);
    ledger_close(work.ledger);
    return session_end(&work.session, code, error);
}
