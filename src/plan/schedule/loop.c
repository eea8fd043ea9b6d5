/* The loop: look (hosts, ends, estimates, deadlines), pack, start, wait.

   Whatever changes what the plan rests on leads to a new plan within a tenth of a second, and the packer goes
   on improving it for a while, in slices between looks. What it may use of this computer is limited, because
   jobs may run here, too: a slice is short where there is little to pack, and the first slice that finds
   nothing better is the last one.

   A write that fails (a full disk) undoes its transaction; the picture is made again from the rows, and after
   a pause the round is tried again. When it still fails after a while, the loop ends with that error: jobs go
   on, and what they did is found by the next run. */
#include "plan/schedule/state.h"

#include "base/clock.h"
#include "base/expect.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_QUIET_WAITS = 100,
    MOST_FAILURES = 10,
    MOST_REFUSED = 20,
    STEPS_BY_SIZE = 10000000,
    LEAST_STEPS = 16,
    MOST_STEPS = 4000,
    PACKED_AT_ONCE = 50000 /* tasks times processors */
};
static const double shortest_slice = 0.005, longest_slice = 0.1, slice_by_task = 2e-4, usual_packing = 1;
static const double worth_searching = 1e-4; /* of the fitness: a slice that gains less is the last one */
static const double host_pause = 5, plan_pause = 1, failure_pause = 1;

struct loop {
    struct state state;
    struct packer *packer;
    struct problem problem;
    const struct pack_schedule *plan; /* of the packer */
    bool has_problem, is_plan_written;
    double packing_left, fitness;
    double packed; /* fitness after the last slice */
    unsigned failures, quiet_waits;
    unsigned stale; /* changes since it was packed */
};

static bool is_stopped(const struct loop *loop)
{
    return loop->state.options->stop && *loop->state.options->stop;
}

/* Hosts that the ledger knows of, so that attempts of an earlier scheduler find theirs. */
static bool remember_hosts(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "hosts_of_engine"), "t",
                    state->kind->name))
        return false;
    while (ledger_next(&rows))
        *(struct host *)array_add(&state->hosts) =
            (struct host){.id = ledger_integer(&rows, 0),
                          .name = memory_format("%s", ledger_text(&rows, 1)),
                          .processors = (uint32_t)ledger_integer(&rows, 2),
                          .memory = ledger_real(&rows, 3),
                          .speed = ledger_real(&rows, 4),
                          .load = NAN,
                          .share = 1,
                          .is_gone = true};
    return ledger_end(&rows, error);
}

/* Told once in a lifetime of the task, not of the scheduler. */
static bool remember_told(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "remember_told"), ""))
        return false;
    while (ledger_next(&rows)) {
        uint32_t index = task_of_id(state, ledger_integer(&rows, 0));
        if (index == UINT32_MAX)
            continue;
        if (!strcmp(ledger_text(&rows, 1), "deadline"))
            task_at(state, index)->was_told_late = true;
        else
            task_at(state, index)->was_told_jump = true;
    }
    return ledger_end(&rows, error);
}

bool schedule_open_state(struct state *state, const struct schedule_options *options, struct ledger *ledger,
                         struct error *error)
{
    *state = (struct state){.ledger = ledger, .kind = options->engine, .options = options, .mean = NAN};
    state->hosts = ARRAY_OF(struct host);
    estimates_begin(state);
    decide_begin(state);
    state->engine = options->engine->open(&options->settings, error);
    return state->engine && remember_hosts(state, error) && state_load(state, error) &&
           remember_told(state, error) && surroundings_begin(state, error) && locality_begin(state, error) &&
           hosts_look(state, error);
}

void schedule_close_state(struct state *state)
{
    if (state->engine)
        state->kind->close(state->engine);
    state_free(state);
}

/* Everything that may have happened since the last round. */
static bool look(struct loop *loop, struct error *error)
{
    struct state *state = &loop->state;
    double now = clock_monotonic_seconds();
    if ((ledger_has_news(state->ledger) || (state->stale & stale_PICTURE)) && !state_load(state, error))
        return false;
    if (state->kind->is_virtual || now >= state->hosts_asked + host_pause) {
        state->hosts_asked = now;
        if (!hosts_look(state, error))
            return false;
    }
    if (!surroundings_look(state, error) || !locality_begin(state, error))
        return false;
    if (!ending_cancel(state, error) || !ending_look(state, error) || !watching_look(state, error) ||
        !estimates_look(state, 0.5, error))
        return false;
    return !(state->stale & stale_PICTURE) || state_load(state, error);
}

static bool explain_fault(struct loop *loop, enum pack_fault fault, uint32_t bad, struct error *error)
{
    const struct task *task = task_at(&loop->state, *ARRAY_AT(uint32_t, &loop->problem.tasks, bad));
    char *title = task_title(&loop->state, task);
    error_set(error, title, "%s",
              fault == pack_CYCLE          ? "waits for itself, through other tasks"
              : fault == pack_FITS_NOWHERE ? "fits no host"
                                           : "has an estimate that is not a time");
    free(title);
    return false;
}

static bool set_problem(struct loop *loop, struct error *error)
{
    uint32_t bad = 0;
    if (loop->has_problem)
        problem_free(&loop->problem);
    problem_make(&loop->state, &loop->problem);
    loop->has_problem = true;
    loop->state.stale &= ~(unsigned)stale_NUMBERS;
    loop->stale = 0;
    loop->is_plan_written = false;
    loop->fitness = INFINITY;
    loop->packing_left = 0;
    if (!loop->problem.pack.task_count)
        return true;
    enum pack_fault fault = pack_set(loop->packer, &loop->problem.pack, &bad);
    return fault == pack_FINE || explain_fault(loop, fault, bad, error);
}

static double packing_time(const struct loop *loop)
{
    double given = loop->state.options->pack_seconds;
    return !isnan(given) ? given : usual_packing;
}

static double slice_of(const struct loop *loop)
{
    double wanted = slice_by_task * loop->problem.pack.task_count;
    return fmin(fmax(wanted, shortest_slice), longest_slice);
}

/* A simulation that is repeated should go the same way: the packer's steps are counted there, not its time.
 */
static void pack(struct loop *loop, bool is_new)
{
    const struct state *state = &loop->state;
    double all = packing_time(loop), now = is_new ? fmin(slice_of(loop), all) : slice_of(loop);
    uint64_t size = (uint64_t)loop->problem.pack.task_count * loop->problem.pack.processor_count;
    uint64_t steps = STEPS_BY_SIZE / (size + 1);
    if (state->kind->is_virtual && isnan(state->options->pack_seconds))
        pack_steps(loop->packer, steps < LEAST_STEPS ? LEAST_STEPS : steps > MOST_STEPS ? MOST_STEPS : steps);
    else
        pack_work(loop->packer, now, (const volatile int *)state->options->stop);
    loop->packing_left = is_new ? all - now : loop->packing_left - now;
}

/* Changes that a large plan may be followed through before it is packed again: 10,000 tasks on 16,000
   processors cannot be packed after each end of a task. */
static unsigned most_stale(const struct loop *loop)
{
    double size = (double)loop->problem.pack.task_count * loop->problem.pack.processor_count;
    return 1 + (unsigned)(size / PACKED_AT_ONCE);
}

static bool is_to_pack(struct loop *loop)
{
    const struct state *state = &loop->state;
    if (!loop->has_problem || (state->stale & stale_NUMBERS) ||
        ((state->stale & stale_PLAN) && !state->attempts.count))
        return true;
    return (state->stale & stale_PLAN) && ++loop->stale >= most_stale(loop);
}

static bool tell_plan(struct loop *loop, const struct pack_schedule *plan, struct error *error)
{
    struct state *state = &loop->state;
    if (!watching_plan(state, &loop->problem, plan, error))
        return false;
    if (loop->is_plan_written || clock_monotonic_seconds() < state->plan_written + plan_pause)
        return true;
    state->plan_written = clock_monotonic_seconds();
    loop->is_plan_written = true;
    return plan_write(state, &loop->problem, plan, error);
}

/* No processor twice, no task before what it needs; looked at where that is quick. */
static bool keeps_rules(const struct pack_problem *problem, const struct pack_schedule *plan)
{
    enum { MOST_TASKS = 200 };
    char *broken = plan->count <= MOST_TASKS ? pack_check(problem, plan) : NULL;
    bool is_sound = !broken;
    free(broken);
    return is_sound;
}

/* Packs for a slice and starts what comes first, again and again while something could be started. */
static bool pack_and_start(struct loop *loop, struct error *error)
{
    struct state *state = &loop->state;
    do {
        bool is_new = is_to_pack(loop), is_followed = !is_new && (state->stale & stale_PLAN);
        if (is_new && !set_problem(loop, error))
            return false;
        state->stale &= ~(unsigned)stale_PLAN;
        if (!loop->problem.pack.task_count) {
            /* Nothing waits: an empty plan. */
            bool is_good = loop->is_plan_written || plan_write(state, &loop->problem, NULL, error);
            loop->is_plan_written = true;
            return is_good;
        }
        bool is_packed = is_new || (!is_followed && loop->packing_left > 0);
        if (is_packed)
            pack(loop, is_new);
        const struct pack_schedule *plan = is_packed ? pack_best(loop->packer) : loop->plan;
        expect(!is_packed || keeps_rules(&loop->problem.pack, plan));
        loop->plan = plan;
        if (is_packed && !is_new && plan->fitness > loop->packed * (1 - worth_searching))
            loop->packing_left = 0;
        loop->packed = plan->fitness;
        if (is_new || is_followed || plan->fitness < loop->fitness * (1 - 1e-9)) {
            loop->fitness = plan->fitness;
            loop->is_plan_written = loop->is_plan_written && is_followed;
            if (!starting_look(state, &loop->problem, plan, is_followed, error))
                return false;
        }
        /* What a plan starts at once, it starts in one go; only a simulation does not look again. */
        if (state->kind->is_virtual && is_new)
            state->stale &= ~(unsigned)stale_PLAN;
        if (!(state->stale & stale_PLAN) && !is_followed && !tell_plan(loop, plan, error))
            return false;
    } while ((state->stale & stale_PLAN) && !is_stopped(loop));
    return true;
}

static double next_event(struct loop *loop)
{
    struct state *state = &loop->state;
    double now = state_now(state), next = now + (state->kind->is_virtual ? 1e8 : host_pause);
    if (loop->packing_left > 0 && !state->kind->is_virtual)
        return now;
    for (size_t i = 0; i < state->attempts.count; i++) {
        const struct attempt *attempt = attempt_at(state, i);
        if (!isnan(attempt->started))
            next = fmin(next, attempt->started + attempt_patience(attempt) + 0.001);
    }
    for (size_t i = 0; i < state->tasks.count; i++) {
        const struct task *task = task_at(state, i);
        if (task->state == task_WAITING && task->ready > now)
            next = fmin(next, task->ready);
        if (!task->was_told_late && task->deadline > now)
            next = fmin(next, task->deadline + 0.001);
    }
    if (!state->kind->is_virtual && !loop->is_plan_written && loop->has_problem)
        next = fmin(next, now + 0.3);
    return fmax(next, now);
}

/* Whether anything can still happen without somebody from outside. */
static bool is_idle(const struct loop *loop, bool *has_rest)
{
    const struct state *state = &loop->state;
    bool is_busy = false;
    *has_rest = false;
    for (size_t i = 0; i < state->tasks.count; i++) {
        const struct task *task = task_at(state, i);
        const struct known_workflow *workflow = workflow_of(state, task);
        is_busy = is_busy || task->attempt;
        if (task->state != task_WAITING || workflow->is_speculative || workflow->is_cancelled)
            continue;
        *has_rest = true;
        is_busy =
            is_busy || (!state->kind->is_virtual && task->is_unfit && task_waits_for_hosts(state, task));
    }
    /* Of the rest, what is in the problem can be started some time. */
    for (size_t i = 0; i < loop->problem.tasks.count && loop->has_problem; i++) {
        const struct task *task = task_at(state, *ARRAY_AT(uint32_t, &loop->problem.tasks, i));
        is_busy = is_busy || (task->state == task_WAITING && !workflow_of(state, task)->is_speculative);
    }
    return !is_busy;
}

/* On a simulated cluster, waiting costs nothing: a host that failed may come back.  A wait without jobs takes
   a day at most. */
static bool may_come_back(struct loop *loop)
{
    const struct state *state = &loop->state;
    bool is_down = false;
    for (size_t i = 0; i < state->hosts.count; i++)
        is_down = is_down || ARRAY_AT(struct host, &state->hosts, i)->state == engine_host_DOWN;
    return state->kind->is_virtual && is_down && loop->quiet_waits++ < MOST_QUIET_WAITS;
}

static bool round_of(struct loop *loop, struct error *error)
{
    return look(loop, error) && pack_and_start(loop, error);
}

/* false: it failed too often. */
static bool may_go_on(struct loop *loop, const struct error *why)
{
    struct state *state = &loop->state;
    if (++loop->failures >= MOST_FAILURES)
        return false;
    state->stale |= stale_PICTURE;
    if (state->options->tell) {
        char *text = memory_format("%s; trying again", why->text);
        state->options->tell(state->options->context, state_now(state), "engine", text);
        free(text);
    }
    nanosleep(&(struct timespec){.tv_sec = (time_t)failure_pause}, NULL);
    return true;
}

static enum schedule_end run(struct loop *loop, struct error *error)
{
    struct state *state = &loop->state;
    while (!is_stopped(loop)) {
        struct error why = {0};
        bool has_rest;
        if (!round_of(loop, &why)) {
            if (may_go_on(loop, &why))
                continue;
            error_set(error, NULL, "%s", why.text);
            return schedule_ERROR;
        }
        loop->failures = 0;
        if (state->refused >= MOST_REFUSED) {
            error_set(error, NULL,
                      "the engine %s refused to start %d tasks, one after the other; the decisions "
                      "in the ledger say why",
                      state->kind->name, MOST_REFUSED);
            return schedule_ERROR;
        }
        bool is_over =
            !(state->stale & stale_PLAN) && is_idle(loop, &has_rest) && !state->options->is_staying;
        if (is_over && !(has_rest && may_come_back(loop)))
            return has_rest ? schedule_TROUBLE : schedule_DONE;
        loop->quiet_waits = is_over ? loop->quiet_waits : 0;
        if (!(state->stale & stale_PLAN))
            state->kind->wait(state->engine, next_event(loop));
    }
    return schedule_STOPPED;
}

static bool has_trouble(struct ledger *ledger, double since)
{
    struct ledger_rows rows;
    struct error ignored = {0};
    bool has = false;
    if (!ledger_ask(ledger, &rows, &ignored, query_named(schedule_queries, "has_trouble"), "r", since))
        return false;
    has = ledger_next(&rows);
    ledger_end(&rows, &ignored);
    return has;
}

enum schedule_end schedule_run(const struct schedule_options *options, struct error *error)
{
    struct loop loop = {.fitness = INFINITY};
    enum schedule_end end = schedule_ERROR;
    if (!ledger_take_lock(options->ledger, error))
        return end;
    if (schedule_open_state(&loop.state, options, options->ledger, error)) {
        double begin = state_now(&loop.state);
        loop.packer = pack_open(1, options->threads, &pack_usual_aims);
        end = run(&loop, error);
        if (end == schedule_DONE && has_trouble(options->ledger, begin))
            end = schedule_TROUBLE;
    }
    if (loop.has_problem)
        problem_free(&loop.problem);
    pack_close(loop.packer);
    schedule_close_state(&loop.state);
    return end;
}
