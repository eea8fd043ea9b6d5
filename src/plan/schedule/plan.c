/* The plan as rows: what is still to come, for whoever looks at the ledger. */
#include "plan/schedule/queries.h"
#include "plan/schedule/state.h"

#include <stdlib.h>

static uint32_t host_of(const struct state *state, uint32_t processor)
{
    struct bisection search = {0, state->hosts.count};
    while (bisect(&search))
        bisect_past(&search, host_at(state, search.middle)->first <= processor);
    uint32_t host = (uint32_t)search.first - 1;
    while (!host_at(state, host)->processors)
        host--;
    return host;
}

static bool write_placed(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                         uint32_t place, struct error *error)
{
    const struct pack_placed *placed = &plan->placed[place];
    const struct task *task = task_at(state, *ARRAY_AT(uint32_t, &problem->tasks, placed->task));
    for (uint32_t i = 0; i < placed->count && task->state == task_WAITING;) {
        const uint32_t *processors = problem->processors.data, *own = plan->processors + placed->first;
        uint32_t first = processors[own[i]], host = host_of(state, first), count = 1;
        while (i + count < placed->count && processors[own[i + count]] == first + count &&
               host_of(state, first + count) == host)
            count++;
        if (!ledger_do(state->ledger, error, query_named(schedule_queries, "add_planned"), "iiiiirrr",
                       task->id, (int64_t)place, host_at(state, host)->id, (int64_t)count,
                       (int64_t)(first - host_at(state, host)->first), placed->begins, placed->ends,
                       problem->pack.now))
            return false;
        i += count;
    }
    return true;
}

bool plan_write(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                struct error *error)
{
    if (!ledger_begin(state->ledger, error))
        return false;
    bool is_good = ledger_do(state->ledger, error, query_named(schedule_queries, "forget_plan"), "");
    for (uint32_t i = 0; is_good && plan && i < plan->count; i++)
        is_good = write_placed(state, problem, plan, i, error);
    if (is_good)
        return state_commit(state, error);
    state_undo(state);
    return false;
}
