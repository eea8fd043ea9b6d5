/* Hosts as the engine tells them, and the directory completes it: rows where something about them changed. */
#include "plan/schedule/queries.h"
#include "plan/schedule/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
    [engine_host_UP] = "up", [engine_host_DRAINED] = "drained", [engine_host_DOWN] = "down"};

static bool is_same(double left, double right)
{
    return left == right || (isnan(left) && isnan(right));
}

static struct host *find_host(struct state *state, const char *name, size_t guess)
{
    if (guess < state->hosts.count && !strcmp(host_at(state, guess)->name, name))
        return host_at(state, guess);
    for (size_t i = 0; i < state->hosts.count; i++)
        if (!strcmp(host_at(state, i)->name, name))
            return host_at(state, i);
    return NULL;
}

static bool note_host(struct state *state, struct host *host, const struct engine_host *told, bool is_new,
                      struct error *error)
{
    double now = state_now(state);
    if (!ledger_do(state->ledger, error, query_named(schedule_queries, "write_host"), "ttirrttr",
                   state->kind->name, host->name, (int64_t)told->processors, told->memory, told->speed,
                   words[told->state], told->why, now))
        return false;
    struct ledger_rows rows;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "host_id"), "tt",
                    state->kind->name, host->name))
        return false;
    if (ledger_next(&rows))
        host->id = ledger_integer(&rows, 0);
    return ledger_end(&rows, error) &&
           decide(state, error, "host", -1, -1, host->id, "host %s %s %s: %u processor%s%s%s", host->name,
                  is_new ? "is" : "is now", words[told->state], told->processors,
                  told->processors == 1 ? "" : "s", told->why ? "; " : "", told->why ? told->why : "");
}

static bool take_host(struct state *state, const struct engine_host *told, size_t guess, bool *has_changed,
                      struct error *error)
{
    struct host *host = find_host(state, told->name, guess);
    bool is_new = !host;
    if (is_new) {
        host = array_add(&state->hosts);
        *host = (struct host){.name = memory_format("%s", told->name), .share = 1, .is_gone = true};
    }
    host->load = told->load;
    host->bytes_per_second = told->bytes_per_second;
    host->latency = told->latency;
    host->reaches_common = told->reaches_common;
    if (told->machine && (!host->machine || strcmp(host->machine, told->machine))) {
        free(host->machine);
        host->machine = memory_copy_text(told->machine, strlen(told->machine));
    }
    if (host->taken != told->taken) {
        host->taken = told->taken;
        *has_changed = true;
    }
    bool is_known = !is_new && !host->is_gone && host->state == told->state &&
                    host->processors == told->processors && is_same(host->speed, told->speed) &&
                    is_same(host->memory, told->memory);
    if (is_known)
        return true;
    *has_changed = true;
    host->processors = told->processors;
    host->memory = told->memory;
    host->speed = told->speed > 0 ? told->speed : 1;
    host->state = told->state;
    host->is_gone = false;
    return note_host(state, host, told, is_new, error);
}

static bool lose_host(struct state *state, struct host *host, struct error *error)
{
    host->is_gone = true;
    return ledger_do(state->ledger, error, query_named(schedule_queries, "lose_host"), "ri", state_now(state),
                     host->id) &&
           decide(state, error, "host", -1, -1, host->id,
                  "host %s is gone: the engine does not list it any more", host->name);
}

/* An engine that does not answer may do so the next time; this is told once. */
static bool note_absence(struct state *state, const char *why, struct error *error)
{
    if (!state->hosts.count)
        return error_set(error, NULL, "%s", why);
    if (state->is_away)
        return true;
    state->is_away = true;
    return decide(state, error, "engine", -1, -1, -1,
                  "%s does not answer (%s): what runs goes on, and nothing is started until it is back",
                  state->kind->name, why);
}

static bool note_return(struct state *state, struct error *error)
{
    state->is_away = false;
    state->stale |= stale_PLAN;
    return decide(state, error, "engine", -1, -1, -1, "%s answers again", state->kind->name);
}

/* node-2 before node-10. */
static int by_name(const void *left, const void *right)
{
    return strverscmp(((const struct engine_host *)left)->name, ((const struct engine_host *)right)->name);
}

bool hosts_look(struct state *state, struct error *error)
{
    struct array told = ARRAY_OF(struct engine_host);
    struct error why = {0};
    if (!state->kind->hosts(state->engine, &told, &why))
        return note_absence(state, why.text, error);
    if (state->is_away && !note_return(state, error)) {
        engine_hosts_free(&told);
        return false;
    }
    if (told.count)
        qsort(told.data, told.count, sizeof(struct engine_host), by_name);
    bool has_changed = false;
    bool is_good = ledger_begin(state->ledger, error) && surroundings_publish(state, error) &&
                   surroundings_complete(state, &told, error);
    bool *is_there = memory_get(state->hosts.count + told.count + 1);
    for (size_t i = 0; is_good && i < told.count; i++) {
        const struct engine_host *host = ARRAY_AT(struct engine_host, &told, i);
        is_good = take_host(state, host, i, &has_changed, error);
        is_there[(size_t)(find_host(state, host->name, i) - host_at(state, 0))] = true;
    }
    for (size_t i = 0; is_good && i < state->hosts.count; i++)
        if (!is_there[i] && !host_at(state, i)->is_gone) {
            has_changed = true;
            is_good = lose_host(state, host_at(state, i), error);
        }
    free(is_there);
    engine_hosts_free(&told);
    if (is_good)
        is_good = state_commit(state, error);
    else
        state_undo(state);
    if (has_changed) {
        state_hold(state);
        for (size_t i = 0; i < state->tasks.count; i++)
            task_at(state, i)->is_checked = false;
        state->stale |= stale_PLAN | stale_NUMBERS;
    }
    return is_good;
}
