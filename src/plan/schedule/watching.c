/* Overruns and deadlines: what did not go as planned is said once.

   A task that runs beyond its estimate gets half as much again, as often as it needs: the plan after it
   moves while it runs, not only when it ends. That is told of estimates, not of tasks about which nothing
   is known. Nor is a deadline in danger because a guess says so: it has to be missed even if things go
   well (likely.c). */
#include "plan/schedule/state.h"

#include <math.h>
#include <stdlib.h>

static bool watch_attempts(struct state *state, double now, struct error *error)
{
    for (size_t i = 0; i < state->attempts.count; i++) {
        struct attempt *attempt = attempt_at(state, i);
        char took[40], next[40];
        double elapsed = now - attempt->started;
        if (attempt->is_over || isnan(attempt->started) || elapsed < attempt_patience(attempt))
            continue;
        attempt->expected = fmax(1.5 * attempt->expected, elapsed + 0.1);
        state->stale |= stale_PLAN;
        if (task_is_unknown(task_at(state, attempt->task)))
            continue;
        if (!decide(state, error, "overrun", task_at(state, attempt->task)->id, attempt->id, -1,
                    "it runs for %s, longer than expected; now %s are expected",
                    state_duration(elapsed, took), state_duration(attempt->expected, next)))
            return false;
    }
    return true;
}

static bool watch_tasks(struct state *state, double now, struct error *error)
{
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *task = task_at(state, i);
        if (task->was_told_late || task->state == task_GONE || now <= task->deadline)
            continue;
        task->was_told_late = true;
        if (!decide(state, error, "deadline", task->id, -1, -1, "missed its deadline: it is not done"))
            return false;
    }
    return true;
}

static bool watch_unfit(struct state *state, struct error *error)
{
    for (size_t i = 0; i < state->tasks.count; i++) {
        struct task *task = task_at(state, i);
        if (!task->is_checked || !task->is_unfit || task->was_told_unfit || task->state != task_WAITING)
            continue;
        char *reason = task_unfit_reason(state, task);
        task->was_told_unfit = true;
        bool is_good =
            !reason || decide(state, error, "block", task->id, -1, -1, "it fits no host: %s", reason);
        free(reason);
        if (!is_good)
            return false;
    }
    return true;
}

bool watching_look(struct state *state, struct error *error)
{
    double now = state_now(state);
    if (!ledger_begin(state->ledger, error))
        return false;
    if (watch_attempts(state, now, error) && watch_tasks(state, now, error) && watch_unfit(state, error))
        return state_commit(state, error);
    state_undo(state);
    return false;
}

/* Who has the processors that a task waits for. */
static char *holders_of(const struct state *state, const struct problem *problem,
                        const struct pack_schedule *plan, const struct pack_placed *placed)
{
    for (uint32_t i = 0; i < placed->count; i++) {
        uint32_t processor = *ARRAY_AT(uint32_t, &problem->processors, plan->processors[placed->first + i]);
        uint32_t holder = state->holders[processor];
        if (holder == UINT32_MAX)
            return memory_format("others have its processors");
        if (holder) {
            char *title = task_title(state, task_at(state, attempt_at(state, holder - 1)->task));
            char *text = memory_format("%s has its processors", title);
            free(title);
            return text;
        }
    }
    return memory_format("the plan puts other tasks first, or keeps processors together for it");
}

static bool tell_waiting(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                         const struct pack_placed *placed, double now, struct error *error)
{
    struct task *task = task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, placed->task));
    bool is_ready = task->state == task_WAITING && !task->was_told_waiting &&
                    !workflow_of(state, task)->is_speculative && task_is_ready(state, task);
    if (!is_ready || placed->begins < now + 1)
        return true;
    char wait[40];
    char *why = holders_of(state, problem, plan, placed);
    task->was_told_waiting = true;
    bool is_good = decide(state, error, "pack", task->id, -1, -1, "it waits, for %s as planned: %s",
                          state_duration(placed->begins - now, wait), why);
    free(why);
    return is_good;
}

/* What a new plan says: tasks that have to wait although they could start, and deadlines that will be missed.
 */
bool watching_plan(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                   struct error *error)
{
    double now = state_now(state);
    if (!ledger_begin(state->ledger, error))
        return false;
    bool is_good = true;
    double *likely = NULL;
    for (uint32_t i = 0; is_good && i < plan->count; i++) {
        const struct pack_placed *placed = &plan->placed[i];
        struct task *task = task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, placed->task));
        char late[40];
        is_good = tell_waiting(state, problem, plan, placed, now, error);
        if (!is_good || task->was_told_late || placed->ends <= task->deadline + 1 ||
            task->state != task_WAITING)
            continue;
        likely = likely ? likely : likely_ends(state, problem, plan);
        if (likely[i] <= task->deadline + 1)
            continue;
        task->was_told_late = true;
        is_good = decide(state, error, "deadline", task->id, -1, -1,
                         "it will miss its deadline by %s, as planned now",
                         state_duration(placed->ends - task->deadline, late));
    }
    free(likely);
    if (is_good)
        return state_commit(state, error);
    state_undo(state);
    return false;
}
