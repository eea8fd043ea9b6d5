/* Probes: runs of a task's program on smaller data, as tasks of their own.

   They come into being when the scheduler first looks at a task with a predictor, and go before other work,
   because a better estimate makes a better plan for all. The work itself does not wait for them: where hosts
   would be idle otherwise, it starts at once, and probes that are still waiting are cancelled. Probes with
   the same command (one reference image for many pairs) are run once.

   A probe costs its time and that of starting a job. What it can gain is a better plan. Where tasks have no
   choice of processors, all hosts are alike and nothing has a deadline, a plan is an order, and a better
   order gains only at the end, where some processors have no work left: half the time of a task on average,
   by all processors but one (measured on drawn workloads: bench/results/schedule-measured.md; a chain of tasks varies
   as the root of its length), less where earlier runs have made the estimate good already. So there the
   probes of a task are left out when they would cost more than its part of that gain. */
#include "plan/schedule/state.h"

#include "base/output.h"
#include "base/regular_file.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs in a private folder. The times that count are printed after everything else. */
static char *probe_command(const struct predict_probe *probe)
{
    return memory_format("folder=$(mktemp -d) || exit 1\n"
                         "trap 'rm -rf \"$folder\"' EXIT\n"
                         "cd \"$folder\" || exit 1\n"
                         "( %s\n) || exit 1\n"
                         "began=$(date +%%s.%%N)\n"
                         "( %s\nstatus=$?; echo; echo assay-probe-times; times; exit $status )\n"
                         "status=$?\n"
                         "echo \"assay-probe $began $(date +%%s.%%N) $status\"\n"
                         "exit $status",
                         probe->shrink ? probe->shrink : "true", probe->command);
}

static bool is_planned(struct state *state, const char *command, bool *is_there, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "is_planned"), "t", command))
        return false;
    *is_there = ledger_next(&rows);
    return ledger_end(&rows, error);
}

static bool add_probe(struct state *state, const struct task *task, const struct predict_probe *probe,
                      struct error *error)
{
    char *command = probe_command(probe);
    char *name =
        memory_format("%s.probe-%g%s%s", task->name, probe->factor, probe->is_identity ? "-same" : "", "");
    bool is_there = false;
    bool is_good = is_planned(state, command, &is_there, error);
    if (is_good && !is_there)
        is_good = ledger_do(state->ledger, error, query_named(schedule_queries, "add_probe"), "ititiirtttri",
                            workflow_of(state, task)->id, name, task->id, command, (int64_t)probe->processors,
                            (int64_t)probe->processors, task->memory, task->hosts, task->predictor,
                            task->inputs, probe->factor, (int64_t)probe->is_identity) &&
                  decide(state, error, "submit", task->id, -1, -1, "probe %s: on data %g times smaller%s",
                         name, probe->factor, probe->is_identity ? ", with inputs made the same" : "");
    free(name);
    free(command);
    return is_good;
}

/* --- whether probes pay --- */

/* Seconds from asking the engine to the beginning of a job. */
static bool start_delay(struct state *state, double *delay, struct error *error)
{
    static const double usual = 0.5;
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "start_delay"), "t",
                    state->kind->name))
        return false;
    *delay = ledger_next(&rows) && !ledger_is_null(&rows, 0) ? ledger_real(&rows, 0) : usual;
    return ledger_end(&rows, error);
}

/* What probes of this size of the same program took, or the usual guess. */
static bool probe_seconds(struct state *state, const struct task *task, const struct predict_probe *probe,
                          double *seconds, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "probe_seconds"), "iri",
                    predict_predictor(task->query), probe->factor, (int64_t)probe->is_identity))
        return false;
    bool is_known = ledger_next(&rows) && !ledger_is_null(&rows, 0);
    *seconds =
        is_known ? ledger_real(&rows, 0) : task_seconds(state, task, 1) / fmax(pow(probe->factor, 2), 1);
    return ledger_end(&rows, error);
}

struct outlook {
    uint32_t processors, waiting, probed; /* tasks that wait; of them, with a predictor */
    double mean;                          /* seconds of the tasks that wait */
    uint32_t longest;                     /* chain of them, in tasks */
    bool has_choice;                      /* processors, hosts or deadlines: more than an order is decided */
};

static uint32_t chain_of(const struct state *state, uint32_t index, uint32_t *chains)
{
    const struct task *task = task_at(state, index);
    if (chains[index])
        return chains[index];
    chains[index] = 1; /* also ends a circle, which the packer refuses */
    uint32_t longest = 0;
    for (uint32_t i = 0; i < task->need_count; i++) {
        uint32_t needed = ARRAY_AT(struct task_need, &state->needs, task->first_need + i)->task;
        uint32_t chain = task_at(state, needed)->state == task_GONE ? 0 : chain_of(state, needed, chains);
        longest = chain > longest ? chain : longest;
    }
    return chains[index] = longest + 1;
}

static struct outlook look_ahead(const struct state *state)
{
    struct outlook outlook = {0};
    uint32_t *chains = memory_get((state->tasks.count + 1) * sizeof *chains);
    double speed = NAN, sum = 0;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        if (host->is_gone || host->state != engine_host_UP || !host->processors)
            continue;
        outlook.processors += host->processors;
        outlook.has_choice = outlook.has_choice || host->speed < speed || host->speed > speed;
        speed = host->speed;
    }
    for (size_t i = 0; i < state->tasks.count; i++) {
        const struct task *task = task_at(state, i);
        const struct known_workflow *workflow = workflow_of(state, task);
        if (task->state != task_WAITING || task->probe_of || workflow->is_speculative ||
            workflow->is_cancelled)
            continue;
        outlook.has_choice = outlook.has_choice || task->most > task->least || isfinite(task->deadline);
        outlook.probed += task->predictor != NULL;
        uint32_t chain = chain_of(state, (uint32_t)i, chains);
        outlook.longest = chain > outlook.longest ? chain : outlook.longest;
        sum += task_seconds(state, task, task->least);
        outlook.waiting++;
    }
    outlook.mean = outlook.waiting ? sum / outlook.waiting : 0;
    free(chains);
    return outlook;
}

static bool do_pay(struct state *state, struct task *task, const struct array *probes, bool *is_worth,
                   struct error *error)
{
    static const double usual_spread = 0.5; /* of run times, where nothing is known */
    struct outlook outlook = look_ahead(state);
    double delay, cost = 0, processors = outlook.processors ? outlook.processors : 1;
    *is_worth = true;
    if (outlook.has_choice)
        return true;
    if (!start_delay(state, &delay, error))
        return false;
    for (size_t i = 0; i < probes->count; i++) {
        const struct predict_probe *probe = ARRAY_AT(struct predict_probe, probes, i);
        double seconds = 0;
        if (!probe->is_known && !probe_seconds(state, task, probe, &seconds, error))
            return false;
        cost += probe->is_known ? 0 : seconds + delay;
    }
    double all = cost * outlook.probed / processors;
    /* With a processor for each of them, there is not even an order. */
    double gain = outlook.waiting <= outlook.processors
                      ? 0
                      : 0.5 * (1 - 1 / processors) * outlook.mean * sqrt(outlook.longest);
    /* What runs of the same program have told already cannot be gained again. */
    if (task->lower > 0 && task->upper > task->lower)
        gain *= fmin(1, log(task->upper / task->lower) / (2 * 1.645) / usual_spread);
    char lost[40], gained[40];
    *is_worth = all <= gain;
    if (*is_worth || task->was_told_probes)
        return true;
    task->was_told_probes = true;
    return decide(
        state, error, "estimate", task->id, -1, -1,
        "it is not probed: tasks have no choice of processors, so an order is all that estimates decide; "
        "a better one gains about %s, and probes of all tasks like this one would cost %s",
        state_duration(gain, gained), state_duration(all, lost));
}

bool probes_add(struct state *state, uint32_t index, struct error *error)
{
    struct task *task = task_at(state, index);
    struct array probes = ARRAY_OF(struct predict_probe);
    struct error why = {0};
    bool is_worth = true;
    if (state->kind->is_virtual || workflow_of(state, task)->is_speculative)
        return true;
    if (!predict_probes(task->query, &probes, &why)) {
        task->is_probing = true; /* there is nothing more to do about it */
        return decide(state, error, "estimate", task->id, -1, -1, "it cannot be probed: %s", why.text);
    }
    bool is_good = do_pay(state, task, &probes, &is_worth, error);
    task->is_probing = is_good && is_worth;
    for (size_t i = 0; is_good && is_worth && i < probes.count; i++) {
        const struct predict_probe *probe = ARRAY_AT(struct predict_probe, &probes, i);
        if (probe->is_known)
            continue;
        is_good = add_probe(state, task, probe, error);
        state->stale |= stale_PICTURE;
    }
    predict_probes_free(&probes);
    return is_good;
}

/* The work has begun: what its probes would tell comes too late for it. */
bool probes_drop(struct state *state, uint32_t index, struct error *error)
{
    const struct task *task = task_at(state, index);
    if (!task->predictor || task->probe_of)
        return true;
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *probe = task_at(state, i);
        if (probe->probe_of != task->id || probe->state != task_WAITING)
            continue;
        probe->state = task_GONE;
        if (!ledger_do(state->ledger, error, query_named(schedule_queries, "cancel_task"), "i", probe->id) ||
            !decide(state, error, "cancel", probe->id, -1, -1,
                    "the task that it would measure has started, since hosts were free"))
            return false;
    }
    return true;
}

/* The end of what a job printed. */
static char *tail_of_output(const struct state *state, const char *tag)
{
    char *path = memory_format("%s/%s/output", state->options->settings.spool, tag), *text = NULL;
    FILE *file = fopen(path, "re");
    free(path);
    if (!file)
        return NULL;
    char buffer[4096];
    if (!fseek(file, 0, SEEK_END)) {
        long size = ftell(file);
        fseek(file, size > (long)sizeof buffer - 1 ? size - ((long)sizeof buffer - 1) : 0, SEEK_SET);
        size_t got = fread(buffer, 1, sizeof buffer - 1, file);
        text = memory_copy_text(buffer, got);
    }
    fclose(file);
    return text;
}

static double read_times(const char *text)
{
    double minutes[4], seconds[4];
    const char *at = strstr(text, "\nassay-probe-times\n");
    if (!at || sscanf(at, " assay-probe-times %lfm%lfs %lfm%lfs %lfm%lfs %lfm%lfs", &minutes[0], &seconds[0],
                      &minutes[1], &seconds[1], &minutes[2], &seconds[2], &minutes[3], &seconds[3]) != 8)
        return NAN;
    return 60 * (minutes[2] + minutes[3]) + seconds[2] + seconds[3];
}

static const struct predict_probe *same_probe(const struct array *probes, const struct task *task)
{
    for (size_t i = 0; i < probes->count; i++) {
        const struct predict_probe *probe = ARRAY_AT(struct predict_probe, probes, i);
        if (fabs(probe->factor - task->factor) < 1e-6 && probe->is_identity == task->is_identity)
            return probe;
    }
    return NULL;
}

bool probes_note(struct state *state, uint32_t index, const struct attempt *attempt,
                 const struct engine_status *status, struct error *error)
{
    const struct task *task = task_at(state, index);
    uint32_t owner = task_of_id(state, task->probe_of);
    if (owner == UINT32_MAX || !task_at(state, owner)->query)
        return true;
    struct predict_query *query = task_at(state, owner)->query;
    struct array probes = ARRAY_OF(struct predict_probe);
    struct error why = {0};
    if (!predict_probes(query, &probes, &why))
        return true;
    const struct predict_probe *probe = same_probe(&probes, task);
    char *text = tail_of_output(state, attempt->tag);
    double began = NAN, ended = NAN;
    const char *line = text ? strstr(text, "assay-probe ") : NULL;
    bool is_good = true;
    if (line && sscanf(line, "assay-probe %lf %lf", &began, &ended) != 2)
        began = ended = NAN;
    bool is_success = !status->exit_status || predict_is_success(query, status->exit_status);
    bool has_worked = is_success && status->state == engine_DONE && ended >= began;
    char problem[100];
    snprintf(problem, sizeof problem, "the probe ended with status %d", status->exit_status);
    if (probe)
        is_good = predict_note_probe(query, probe, has_worked ? ended - began : NAN,
                                     has_worked && text ? read_times(text) : NAN, began - status->started,
                                     has_worked ? NULL : problem, error);
    predict_probes_free(&probes);
    free(text);
    estimates_ask_again(state, task->predictor);
    return is_good;
}
