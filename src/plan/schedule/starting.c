/* Starting what the plan puts first.

   A task is started when its processors are free, what it needs is done, and the plan begins it now. First
   the attempt is written with its tag and committed; only then the engine is asked. So after any crash the
   ledger knows every tag that can exist, and a tag that the engine never saw can be started again under its
   own name: engines run a tag at most once. */
#include "plan/schedule/state.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct start {
    uint32_t task, attempt;
};

static const double soon = 0.05; /* seconds: plans are not more exact */

/* Runs of neighbouring processors, host by host. */
static void make_places(const struct state *state, const struct problem *problem,
                        const struct pack_schedule *plan, const struct pack_placed *placed,
                        struct array *places)
{
    *places = ARRAY_OF(struct place);
    for (uint32_t i = 0; i < placed->count; i++) {
        uint32_t processor = *ARRAY_AT(uint32_t, &problem->processors, plan->processors[placed->first + i]);
        uint32_t host = 0;
        struct bisection search = {0, state->hosts.count};
        while (bisect(&search))
            bisect_past(&search, host_at(state, search.middle)->first <= processor);
        host = (uint32_t)search.first - 1;
        while (!host_at(state, host)->processors)
            host--;
        uint32_t number = processor - host_at(state, host)->first;
        struct place *last = places->count ? ARRAY_AT(struct place, places, places->count - 1) : NULL;
        if (last && last->host == host && last->first + last->count == number)
            last->count++;
        else
            *(struct place *)array_push(places) = (struct place){host, number, 1};
    }
}

static bool is_free(const struct state *state, const struct array *places)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = ARRAY_AT(struct place, places, i);
        for (uint32_t n = 0; n < place->count; n++)
            if (state->holders[host_at(state, place->host)->first + place->first + n])
                return false;
    }
    return true;
}

/* What other tasks on the same hosts said they need, too, has to fit. */
static bool has_memory(const struct state *state, const struct task *task, const struct array *places)
{
    for (size_t i = 0; i < places->count && !isnan(task->memory); i++) {
        uint32_t host = ARRAY_AT(struct place, places, i)->host;
        double used = task->memory;
        for (size_t j = 0; j < state->attempts.count; j++) {
            const struct attempt *attempt = attempt_at(state, j);
            bool is_here = false;
            for (size_t k = 0; k < attempt->places.count && !attempt->is_over; k++)
                is_here = is_here || ARRAY_AT(struct place, &attempt->places, k)->host == host;
            double memory = task_at(state, attempt->task)->memory;
            used += is_here && !isnan(memory) ? memory : 0;
        }
        if (used > host_at(state, host)->memory)
            return false;
    }
    return true;
}

static char *words_of_places(const struct state *state, const struct array *places)
{
    char *text = memory_format("%s", "");
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = ARRAY_AT(struct place, places, i);
        char *longer =
            memory_format("%s%s%s:%u", text, i ? ", " : "", host_at(state, place->host)->name, place->count);
        free(text);
        text = longer;
    }
    return text;
}

/* What forecasts have to do with it: others that share its hosts, and the engine's queue.  To be freed. */
static char *words_of_sharing(const struct state *state, const struct array *places, double fetch)
{
    double share = 1;
    char wait[40], files[40];
    for (size_t i = 0; i < places->count; i++)
        share = fmin(share, host_at(state, ARRAY_AT(struct place, places, i)->host)->share);
    char *shared = share < 1
                       ? memory_format(", as others are expected to leave it %.2f of the speed there", share)
                       : memory_format("%s", "");
    char *text = state->wait > 0 ? memory_format("%s, after %s in the queue of %s", shared,
                                                 state_duration(state->wait, wait), state->kind->name)
                                 : memory_format("%s", shared);
    free(shared);
    if (fetch < 0.05)
        return text;
    char *longer =
        memory_format("%s, after %s until its files are there", text, state_duration(fetch, files));
    free(text);
    return longer;
}

/* Why it starts now and not earlier. */
static char *reason_to_start(struct state *state, const struct task *task, double now, const char *where,
                             const struct array *places, double expected, double fetch, uint32_t place)
{
    struct ledger_rows rows;
    struct error ignored = {0};
    double ready = workflow_of(state, task)->submitted;
    char last[120] = "", waited[40], takes[40];
    if (ledger_ask(state->ledger, &rows, &ignored, query_named(schedule_queries, "reason_to_start"), "i",
                   task->id)) {
        if (ledger_next(&rows) && ledger_real(&rows, 0) > ready) {
            ready = ledger_real(&rows, 0);
            snprintf(last, sizeof last, " after %.100s was done", ledger_text(&rows, 1));
        }
        ledger_end(&rows, &ignored);
    }
    state_duration(fmax(now - ready, 0), waited);
    char *shared = words_of_sharing(state, places, fetch);
    char *reason = memory_format(
        "starts on %s, place %u of the plan, %s %s%s; it waited %s%s%s", where, place + 1,
        task_is_unknown(task) ? "nobody knows for how long: planned as" : "expected to take",
        state_duration(expected, takes), shared, now - ready < 1 ? "" : "for processors ", waited, last);
    free(shared);
    return reason;
}

static double speed_of_host(const struct host *host)
{
    return host->speed * host->share;
}

static double speed_of(const struct state *state, const struct array *places)
{
    double speed = INFINITY;
    for (size_t i = 0; i < places->count; i++)
        speed = fmin(speed, speed_of_host(host_at(state, ARRAY_AT(struct place, places, i)->host)));
    return isfinite(speed) && speed > 0 ? speed : 1;
}

/* What others are expected to leave of the host that decides how fast it is. */
static double share_of(const struct state *state, const struct array *places)
{
    double speed = INFINITY, share = 1;
    for (size_t i = 0; i < places->count; i++) {
        const struct host *host = host_at(state, ARRAY_AT(struct place, places, i)->host);
        if (speed_of_host(host) < speed) {
            speed = speed_of_host(host);
            share = host->share;
        }
    }
    return share > 0 ? share : 1;
}

static bool write_attempt(struct state *state, struct attempt *attempt, const struct task *task,
                          uint32_t order, struct error *error)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uint32_t)attempt->asked;
    char *tag = memory_format("%s-%lld-%lld-%04x", state->options->settings.session, (long long)task->id,
                              (long long)task->tries + 1, random & 0xffff);
    size_t size = strlen(tag) + 1;
    attempt->tag = memcpy(arena_get(&state->texts, size), tag, size);
    free(tag);
    if (!ledger_do(state->ledger, error, query_named(schedule_queries, "add_attempt"), "ittirr", task->id,
                   attempt->tag, state->kind->name, (int64_t)attempt->processors, attempt->expected,
                   attempt->asked))
        return false;
    attempt->id = ledger_last_id(state->ledger);
    double share = share_of(state, &attempt->places);
    if (!ledger_do(state->ledger, error, query_named(schedule_queries, "add_attempt_estimate"), "irrt",
                   attempt->id, attempt->expected * share, share,
                   task->estimate_from ? task->estimate_from : "mean"))
        return false;
    for (size_t i = 0; i < attempt->places.count; i++) {
        const struct place *place = ARRAY_AT(struct place, &attempt->places, i);
        if (!ledger_do(state->ledger, error, query_named(schedule_queries, "add_attempt_host"), "iiii",
                       attempt->id, host_at(state, place->host)->id, (int64_t)place->count,
                       (int64_t)place->first))
            return false;
    }
    char *where = words_of_places(state, &attempt->places);
    char *reason = reason_to_start(state, task, attempt->asked, where, &attempt->places, attempt->expected,
                                   attempt->fetch, order);
    const struct place *first = attempt->places.data;
    bool is_good =
        ledger_do(state->ledger, error, query_named(schedule_queries, "run_task"), "i", task->id) &&
        ledger_do(state->ledger, error, query_named(schedule_queries, "unplan_task"), "i", task->id) &&
        decide(state, error, "start", task->id, attempt->id, host_at(state, first->host)->id, "%s", reason);
    free(reason);
    free(where);
    return is_good;
}

static void hold(struct state *state, const struct array *places, uint32_t holder)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = ARRAY_AT(struct place, places, i);
        for (uint32_t n = 0; n < place->count; n++)
            state->holders[host_at(state, place->host)->first + place->first + n] = holder;
    }
}

static bool choose(struct state *state, const struct pack_placed *placed, uint32_t order, uint32_t index,
                   struct array *places, struct array *starts, struct error *error)
{
    struct task *task = task_at(state, index);
    struct attempt *attempt = array_add(&state->attempts);
    *attempt = (struct attempt){.task = index,
                                .processors = placed->count,
                                .state = attempt_STARTING,
                                .asked = state_now(state),
                                .started = NAN,
                                .asked_to_cancel = NAN,
                                .is_ours = true,
                                .places = *places};
    attempt->expected = task_seconds(state, task, placed->count) / speed_of(state, places);
    if (state->has_sizes)
        attempt->fetch = fmax(0, placed->ends - placed->begins - state->wait - attempt->expected);
    hold(state, &attempt->places, (uint32_t)state->attempts.count);
    task->state = task_RUNNING;
    task->attempt = (uint32_t)state->attempts.count;
    *(struct start *)array_push(starts) = (struct start){index, (uint32_t)state->attempts.count - 1};
    return write_attempt(state, attempt, task, order, error) && probes_drop(state, index, error);
}

/* {processors} of a command. To be freed. */
static char *fill_in(const char *command, uint32_t processors)
{
    static const char word[] = "{processors}";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (const char *at; (at = strstr(command, word)); command = at + sizeof word - 1)
        fprintf(out, "%.*s%u", (int)(at - command), command, processors);
    fputs(command, out);
    fclose(out);
    return text;
}

/* Files, for engines that move them: who wrote each, and where that was. */
static void list_files(struct state *state, const struct task *task, struct array *files, struct arena *arena)
{
    struct ledger_rows rows;
    struct error ignored = {0};
    if (!state->kind->is_virtual || !ledger_ask(state->ledger, &rows, &ignored,
                                                query_named(schedule_queries, "list_files"), "i", task->id))
        return;
    while (ledger_next(&rows)) {
        const char *path = ledger_text(&rows, 0), *from = ledger_text(&rows, 3);
        *(struct engine_file *)array_push(files) = (struct engine_file){
            .path = strcpy(arena_get(arena, strlen(path) + 1), path),
            .bytes = ledger_real(&rows, 1) > 0 ? ledger_real(&rows, 1) : 0,
            .is_output = ledger_integer(&rows, 2),
            .from =
                from && !ledger_integer(&rows, 2) ? strcpy(arena_get(arena, strlen(from) + 1), from) : NULL};
    }
    ledger_end(&rows, &ignored);
}

static bool ask_engine(struct state *state, const struct attempt *attempt, struct error *error)
{
    const struct task *task = task_at(state, attempt->task);
    struct engine_place *places = memory_get((attempt->places.count + 1) * sizeof *places);
    struct array files = ARRAY_OF(struct engine_file);
    struct arena arena = {0};
    for (size_t i = 0; i < attempt->places.count; i++) {
        const struct place *place = ARRAY_AT(struct place, &attempt->places, i);
        places[i] = (struct engine_place){host_at(state, place->host)->name, place->count, place->first};
    }
    list_files(state, task, &files, &arena);
    char *title = task_title(state, task), *command = fill_in(task->command, attempt->processors);
    double share = scaling_share(&task->scaling, attempt->processors);
    double real = task->simulated > 0 ? task->simulated * (share > 0 ? share : 1)
                                      : task_seconds(state, task, attempt->processors);
    struct engine_job job = {.tag = attempt->tag,
                             .name = title,
                             .folder = workflow_of(state, task)->folder,
                             .command = command,
                             .places = places,
                             .place_count = (unsigned)attempt->places.count,
                             .expected = attempt->expected,
                             .memory = task->memory,
                             .simulated = real,
                             .files = files.data,
                             .file_count = (unsigned)files.count};
    bool is_good = state->kind->start(state->engine, &job, error);
    free(command);
    free(title);
    free(places);
    array_free(&files);
    arena_free(&arena);
    return is_good;
}

/* The engine refused: nothing runs, and the task waits a while before it is tried again. */
static bool take_back(struct state *state, struct attempt *attempt, const char *why, struct error *error)
{
    enum { PAUSE = 5 };
    struct task *task = task_at(state, attempt->task);
    attempt->is_over = true;
    task->state = task_WAITING;
    task->attempt = 0;
    task->ready = state_now(state) + PAUSE;
    state->refused++;
    if (ledger_begin(state->ledger, error) &&
        ledger_do(state->ledger, error, query_named(schedule_queries, "lose_attempt"), "rti",
                  state_now(state), why, attempt->id) &&
        ledger_do(state->ledger, error, query_named(schedule_queries, "return_task"), "i", task->id) &&
        decide(state, error, "engine", task->id, attempt->id, -1, "the engine could not start it: %s", why))
        return state_commit(state, error);
    state_undo(state);
    return false;
}

bool starting_again(struct state *state, struct attempt *attempt, struct error *error)
{
    struct error why = {0};
    attempt->is_ours = true;
    attempt->asked = state_now(state);
    if (attempt->places.count && ask_engine(state, attempt, &why))
        return true;
    return take_back(state, attempt, *why.text ? why.text : "its host is gone", error);
}

static bool is_startable(const struct state *state, const struct task *task)
{
    const struct known_workflow *workflow = workflow_of(state, task);
    return task->state == task_WAITING && !workflow->is_speculative && !workflow->is_cancelled &&
           task_is_ready(state, task);
}

/* A speculative task whose turn has come: the others go past it. */
static bool jump(struct state *state, struct task *task, struct error *error)
{
    if (task->was_told_jump)
        return true;
    task->was_told_jump = true;
    return decide(state, error, "jump", task->id, -1, -1,
                  "it is speculative: its turn would have come, and the others go past it");
}

/* Processors of tasks that come earlier in a plan that is followed, and cannot be started yet. */
static bool is_reserved(const struct problem *problem, const struct pack_schedule *plan,
                        const struct pack_placed *placed, bool *reserved, bool is_next)
{
    bool is = false;
    for (uint32_t i = 0; i < placed->count; i++) {
        bool *mark =
            &reserved[*ARRAY_AT(uint32_t, &problem->processors, plan->processors[placed->first + i])];
        is = is || *mark;
        *mark = *mark || is_next;
    }
    return is;
}

static bool look_at_placed(struct state *state, const struct problem *problem,
                           const struct pack_schedule *plan, uint32_t order, bool *reserved,
                           struct array *starts, struct error *error)
{
    const struct pack_placed *placed = &plan->placed[order];
    uint32_t index = *ARRAY_AT(uint32_t, &problem->tasks, placed->task);
    struct task *task = task_at(state, index);
    struct array places;
    bool is_speculative = workflow_of(state, task)->is_speculative;
    if (task->state != task_WAITING || !placed->count)
        return true;
    if (is_speculative)
        return reserved || jump(state, task, error);
    if (reserved && is_reserved(problem, plan, placed, reserved, true))
        return true;
    if (!is_startable(state, task) || task->ready > state_now(state))
        return true;
    make_places(state, problem, plan, placed, &places);
    if (is_free(state, &places) && has_memory(state, task, &places))
        return choose(state, placed, order, index, &places, starts, error);
    array_free(&places);
    return true;
}

bool starting_look(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                   bool is_followed, struct error *error)
{
    struct array starts = ARRAY_OF(struct start);
    if (state->is_away)
        return true;
    double until = state_now(state) + (state->kind->is_virtual ? 1e-6 : soon);
    bool *reserved = is_followed ? memory_get(state->processor_count + 1) : NULL;
    bool is_good = ledger_begin(state->ledger, error);
    for (uint32_t i = 0; is_good && i < plan->count; i++)
        if (is_followed || plan->placed[i].begins <= until)
            is_good = look_at_placed(state, problem, plan, i, reserved, &starts, error);
    free(reserved);
    if (is_good)
        is_good = state_commit(state, error);
    else
        state_undo(state);
    for (size_t i = 0; is_good && i < starts.count; i++) {
        struct attempt *attempt = attempt_at(state, ARRAY_AT(struct start, &starts, i)->attempt);
        struct error why = {0};
        if (ask_engine(state, attempt, &why)) {
            state->refused = 0;
            continue;
        }
        is_good = take_back(state, attempt, why.text, error) && hosts_look(state, error);
        /* No refusal: the others are asked for again, under their tags, when it is back. */
        if (state->is_away) {
            state->refused = 0;
            break;
        }
    }
    if (starts.count) {
        state_hold(state);
        state->stale |= stale_PLAN;
    }
    array_free(&starts);
    return is_good;
}
