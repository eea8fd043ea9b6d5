/* Where the files of tasks lie, and how long it takes until they are where a task could run.

   Only engines that move files have this (simulated clusters): elsewhere all hosts see one file system. A
   file is where the task that wrote it ran, or in the common file system; it comes to the first host of a
   task when the task has its processors. So each host costs a task some seconds more, which the packer adds
   where it puts the task there. Files of tasks that wait themselves are wherever these will be planned: needs
   have their bytes. Sizes are those that workflows declare. */
#include "plan/schedule/state.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SECONDS = 4000000 /* tasks times hosts: beyond that, plans leave located files out */ };

struct link {
    double bytes_per_second, latency;
};

/* Both ways are passed: the narrower one decides.  Where one end is the home, there is one way. */
static struct link link_between(const struct host *from, const struct host *to)
{
    struct link link = {to->bytes_per_second, to->latency};
    if (from && from->bytes_per_second > 0) {
        bool is_narrower = !(link.bytes_per_second > 0) || from->bytes_per_second < link.bytes_per_second;
        link.bytes_per_second = is_narrower ? from->bytes_per_second : link.bytes_per_second;
        link.latency += from->latency;
    }
    return link;
}

static double seconds_between(const struct host *from, const struct host *to, double bytes)
{
    if (from == to || (!from && !to->reaches_common))
        return 0;
    struct link link = link_between(from, to);
    return link.bytes_per_second > 0 ? link.latency + bytes / link.bytes_per_second : 0;
}

static bool ask_for_sizes(struct state *state, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "ask_for_sizes"), ""))
        return false;
    state->has_sizes = ledger_next(&rows);
    return ledger_end(&rows, error);
}

bool locality_begin(struct state *state, struct error *error)
{
    if (!state->kind->measure_moves || state->has_sizes)
        return true;
    return ask_for_sizes(state, error) &&
           (!state->has_sizes || state->kind->measure_moves(state->engine, error));
}

/* By host of the state: what is added where the file has to come there first. */
static void add_file(const struct state *state, struct problem *problem, struct pack_task *task, double bytes,
                     const struct host *from)
{
    float *fetch = (float *)task->fetch;
    if (!fetch)
        task->fetch = fetch = arena_get(&problem->arena, (problem->pack.host_count + 1) * sizeof *fetch);
    for (size_t i = 0, number = 0; i < state->hosts.count && number < problem->pack.host_count; i++) {
        const struct host *host = host_at(state, i);
        if (problem->pack.hosts[number].key != (uint64_t)host->id)
            continue;
        fetch[number++] += (float)seconds_between(from, host, bytes);
    }
}

static const struct host *host_by_id(const struct state *state, int64_t id)
{
    for (size_t i = 0; i < state->hosts.count; i++)
        if (host_at(state, i)->id == id)
            return host_at(state, i);
    return NULL;
}

static const struct host *host_of_task(const struct state *state, uint32_t index)
{
    const struct task *task = task_at(state, index);
    const struct attempt *attempt = task->attempt ? attempt_at(state, task->attempt - 1) : NULL;
    const struct place *place = attempt && attempt->places.count ? attempt->places.data : NULL;
    return place ? host_at(state, place->host) : NULL;
}

static void set_links(const struct state *state, struct pack_problem *pack)
{
    pack->holds_while_moving = true;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const struct host *host = host_at(state, i);
        if (!(host->bytes_per_second > 0) || !isfinite(host->bytes_per_second))
            continue;
        pack->latency = fmax(pack->latency, 2 * host->latency);
        if (!(pack->bytes_per_second > 0) || host->bytes_per_second < pack->bytes_per_second)
            pack->bytes_per_second = host->bytes_per_second;
    }
}

void locality_add(struct state *state, struct problem *problem, struct pack_task *tasks,
                  const uint32_t *numbers)
{
    struct ledger_rows rows;
    struct error ignored = {0};
    if (!state->has_sizes || (double)problem->tasks.count * problem->pack.host_count > MOST_SECONDS)
        return;
    set_links(state, &problem->pack);
    if (!ledger_ask(state->ledger, &rows, &ignored, query_named(schedule_queries, "locality_add"), ""))
        return;
    while (ledger_next(&rows)) {
        uint32_t index = task_of_id(state, ledger_integer(&rows, 0));
        uint32_t writer = ledger_integer(&rows, 2) ? task_of_id(state, ledger_integer(&rows, 2)) : UINT32_MAX;
        bool is_planned = writer != UINT32_MAX && task_at(state, writer)->state == task_WAITING;
        if (index == UINT32_MAX || !numbers[index] || is_planned)
            continue;
        const struct host *from = host_by_id(state, ledger_integer(&rows, 3));
        if (!from && writer != UINT32_MAX)
            from = host_of_task(state, writer);
        add_file(state, problem, &tasks[numbers[index] - 1], ledger_real(&rows, 1), from);
    }
    ledger_end(&rows, &ignored);
}
