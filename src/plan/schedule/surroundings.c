/* What is around the scheduler: what the directory knows about its hosts, what the processes of others leave
   of them, and how long jobs wait in the engine's own queue.

   The directory is soft state: a row counts until it expires. The scheduler writes what its engine can tell
   (this computer, nodes of Slurm) before the last word about it expires, and reads what anybody wrote: memory
   that the engine does not know, hosts that a file calls drained or down, and the machine file of a host, by
   which runs are learned from.

   Loads and waits are forecast from their past (plan/forecast/forecast.h). A forecast changes plans and what
   a task is expected to take there, never what is learned from its run: others come and go. Small changes of
   a forecast are no news, since each would be a new plan. */
#include "plan/forecast/directory.h"
#include "base/clock.h"
#include "plan/forecast/forecast.h"
#include "plan/forecast/series.h"
#include "plan/forecast/spin.h"
#include "plan/forecast/waits.h"
#include "plan/schedule/state.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_LOOKS = 10, LOOK_PAUSE = 10 /* milliseconds */, MOST_WAITS = 1000 };
static const double look_pause = 1;        /* seconds between two looks at the load */
static const double try_pause = 30;        /* and between two tries what that load leaves */
static const double try_seconds = 0.1;     /* that each try takes */
static const double hardly_shared = 0.8;   /* who gets that much is taken to be alone */
static const double least_share = 0.05;    /* of the speed: nobody is starved for long */
static const double news_pause = 15;       /* seconds between two small ones of a host */
static const double load_minutes = 300;    /* seconds that a node's load is a mean of */
static const double small_change = 0.2;    /* of a share: no news */
static const double hardly_waits = 0.2;    /* seconds */
static const double longest_known = 86400; /* a queue that takes longer says nothing about the next job */

void surroundings_free(struct state *state)
{
    for (size_t i = 0; i < state->hosts.count; i++) {
        if (host_at(state, i)->others)
            forecast_close(host_at(state, i)->others);
        free(host_at(state, i)->machine);
    }
    if (state->waits)
        forecast_close(state->waits);
    state->waits = NULL;
}

/* --- the directory --- */

static bool write_own(struct state *state, double now, struct error *error)
{
    struct directory_host host;
    struct error ignored = {0};
    if (!directory_ask_self(&host, state->options->machine, &ignored))
        return true;
    bool is_good = directory_write(state->ledger, "self", &host, now, directory_own_seconds, error);
    directory_host_free(&host);
    return is_good;
}

static bool write_nodes(struct state *state, double now, struct error *error)
{
    struct array hosts;
    struct error ignored = {0};
    bool is_good = true;
    if (directory_ask_slurm(&hosts, &ignored))
        for (size_t i = 0; is_good && i < hosts.count; i++)
            is_good = directory_write(state->ledger, "slurm", ARRAY_AT(struct directory_host, &hosts, i), now,
                                      directory_slurm_seconds, error);
    directory_free(&hosts);
    return is_good;
}

/* Within a transaction of the caller. */
bool surroundings_publish(struct state *state, struct error *error)
{
    double now = (double)time(NULL);
    bool is_local = state->kind == &engine_local, is_slurm = state->kind == &engine_slurm;
    double pause = (is_local ? directory_own_seconds : directory_slurm_seconds) / 2;
    if ((!is_local && !is_slurm) || now < state->published + pause)
        return true;
    state->published = now;
    return (is_local ? write_own(state, now, error) : write_nodes(state, now, error)) &&
           directory_clean(state->ledger, now, error);
}

static struct engine_host *find_told(struct array *told, const char *name)
{
    for (size_t i = 0; i < told->count; i++)
        if (!strcmp(ARRAY_AT(struct engine_host, told, i)->name, name))
            return ARRAY_AT(struct engine_host, told, i);
    return NULL;
}

static void take_row(struct engine_host *host, const struct ledger_rows *row)
{
    const char *source = ledger_text(row, 1), *state = ledger_text(row, 4), *machine = ledger_text(row, 5);
    bool is_file = strcmp(source, "self") && strcmp(source, "slurm");
    if (isnan(host->memory))
        host->memory = ledger_real(row, 2);
    if (isnan(host->load))
        host->load = ledger_real(row, 3);
    if (machine && !host->machine)
        host->machine = memory_copy_text(machine, strlen(machine));
    /* What the engine says itself about states is newer than what it wrote. */
    if (is_file && host->state == engine_host_UP && (!strcmp(state, "drained") || !strcmp(state, "down"))) {
        host->state = engine_host_DRAINED;
        free(host->why);
        host->why = memory_format("the directory says that it is %s (%s)", state, source);
    }
}

/* Completes what the engine told by what the directory knows, the newest rows first. */
bool surroundings_complete(struct state *state, struct array *told, struct error *error)
{
    struct ledger_rows rows;
    if (state->kind->is_virtual)
        return true;
    if (!ledger_ask(state->ledger, &rows, error, query_named(schedule_queries, "surroundings_complete"), "r",
                    (double)time(NULL)))
        return false;
    while (ledger_next(&rows)) {
        struct engine_host *host = find_told(told, ledger_text(&rows, 0));
        if (host)
            take_row(host, &rows);
    }
    return ledger_end(&rows, error);
}

const char *surroundings_machine(const struct state *state)
{
    const char *best = NULL;
    uint32_t most = 0;
    for (size_t i = 0; i < state->hosts.count; i++) {
        const char *machine = host_at(state, i)->machine;
        uint32_t sum = 0;
        for (size_t j = 0; machine && j < state->hosts.count; j++) {
            const struct host *other = host_at(state, j);
            sum +=
                !other->is_gone && other->machine && !strcmp(other->machine, machine) ? other->processors : 0;
        }
        if (sum > most) {
            most = sum;
            best = machine;
        }
    }
    return best ? best : state->options->machine;
}

/* --- load --- */

static double own_processors(const struct state *state, uint32_t host)
{
    double sum = 0;
    for (size_t i = 0; i < state->attempts.count; i++) {
        const struct attempt *attempt = attempt_at(state, i);
        for (size_t j = 0; j < attempt->places.count && !attempt->is_over; j++) {
            const struct place *place = ARRAY_AT(struct place, &attempt->places, j);
            sum += host == UINT32_MAX || place->host == host ? place->count : 0;
        }
    }
    return sum;
}

/* weight: of a process of others, beside one of ours. */
static bool take_share(struct state *state, struct host *host, double wanted, double capacity, double weight,
                       struct error *error)
{
    struct forecast next = forecast_next(host->others);
    double share = fmin(1, capacity / fmax(weight * fmax(next.value, 0) + wanted, 1));
    share = !(share < hardly_shared) ? 1 : fmax(share, least_share);
    double now = clock_monotonic_seconds(), factor = fmax(share / host->share, host->share / share);
    if (factor <= 1 + small_change || (factor < 2 && now < host->share_at + news_pause))
        return true;
    host->share = share;
    host->share_at = now;
    state->stale |= stale_PLAN;
    if (share == 1)
        return decide(state, error, "host", -1, -1, host->id,
                      "host %s: others are expected to leave its processors alone, so it counts as fast as "
                      "ever",
                      host->name);
    return decide(state, error, "host", -1, -1, host->id,
                  "host %s: %.1f processes of others are expected there (by %s, after %zu looks), so its "
                  "processors count as %.2f times as fast",
                  host->name, next.value, forecasters[next.method].name, forecast_count(host->others), share);
}

static void note_others(struct host *host, double others)
{
    if (!host->others)
        host->others = forecast_open(forecast_SQUARES);
    forecast_add(host->others, fmax(others, 0));
}

/* What the processes that run here leave to tasks, if there are more of them than processors. */
static void weigh_others(struct state *state, double others, double own, double here)
{
    double now = clock_monotonic_seconds(), tried = fmax(here - own, 1);
    if (!(others >= 1) || others + own + tried <= here ||
        (state->weighed > 0 && now < state->weighed + try_pause))
        return;
    double weight =
        spin_weight(spin_share((unsigned)tried, try_seconds, true), fmin(tried, here) + own, others, here);
    state->weight = state->weighed > 0 ? (state->weight + weight) / 2 : weight;
    state->weighed = now;
}

/* The parts of this computer have its processors together. */
static bool look_here(struct state *state, struct error *error)
{
    struct series_sampler sampler = {0};
    struct error ignored = {0};
    double running = 0, wanted = 0, own = own_processors(state, UINT32_MAX),
           here = (double)sysconf(_SC_NPROCESSORS_ONLN);
    unsigned looks = state->load_asked > 0 ? 1 : FIRST_LOOKS;
    for (size_t i = 0; i < state->hosts.count; i++)
        wanted += host_at(state, i)->is_gone ? 0 : host_at(state, i)->processors;
    for (unsigned look = 0; look < looks; look++) {
        if (look)
            nanosleep(&(struct timespec){.tv_nsec = LOOK_PAUSE * 1000000}, NULL);
        if (!series_sample("running", &sampler, &running, &ignored))
            return true; /* no /proc: nothing is known about others */
        for (size_t i = 0; i < state->hosts.count; i++)
            note_others(host_at(state, i), running - 1 - own); /* without the process that looks */
    }
    weigh_others(state, running - 1 - own, own, here);
    double weight = state->weighed > 0 ? state->weight : 1;
    for (size_t i = 0; i < state->hosts.count; i++)
        if (!host_at(state, i)->is_gone &&
            !take_share(state, host_at(state, i), wanted, fmax(here, wanted), weight, error))
            return false;
    return true;
}

/* The processors that are given away now, as a mean of the last minutes has them. */
static double settled(struct host *host, double given, double now)
{
    double passed = host->settled_at > 0 ? now - host->settled_at : INFINITY;
    host->settled = given + (host->settled - given) * exp(-passed / load_minutes);
    host->settled_at = now;
    return host->settled;
}

/* Slurm tells the load of each node; processors that it gave away are not for others to be slow on. That load is a mean of
   five minutes, so what our own tasks add to it comes and goes as slowly: with the tasks of this moment taken off, a
   node would be busy with others after each of them. */
static bool look_at_nodes(struct state *state, struct error *error)
{
    double now = clock_monotonic_seconds();
    for (size_t i = 0; i < state->hosts.count; i++) {
        struct host *host = host_at(state, i);
        if (host->is_gone || isnan(host->load))
            continue;
        note_others(host, host->load - settled(host, own_processors(state, (uint32_t)i) + host->taken, now));
        if (!take_share(state, host, host->processors, host->processors, 1, error))
            return false;
    }
    return true;
}

bool surroundings_look(struct state *state, struct error *error)
{
    double now = clock_monotonic_seconds();
    if (state->kind->is_virtual || now < state->load_asked + look_pause)
        return true;
    if (!ledger_begin(state->ledger, error))
        return false;
    bool is_good = state->kind == &engine_local ? look_here(state, error) : look_at_nodes(state, error);
    state->load_asked = now;
    if (is_good)
        return state_commit(state, error);
    state_undo(state);
    return false;
}

/* --- waits --- */

static void forecast_wait(struct state *state)
{
    double wait = forecast_value(state->waits);
    state->wait = wait >= hardly_waits ? fmin(wait, longest_known) : 0;
}

bool surroundings_begin(struct state *state, struct error *error)
{
    struct series waits;
    state->waits = forecast_open(forecast_SQUARES);
    if (state->kind->is_virtual)
        return true;
    if (!waits_of_ledger(&waits, state->ledger, state->kind->name, error)) {
        series_free(&waits);
        return false;
    }
    size_t first = waits.points.count > MOST_WAITS ? waits.points.count - MOST_WAITS : 0;
    for (size_t i = first; i < waits.points.count; i++)
        forecast_add(state->waits, ARRAY_AT(struct series_point, &waits.points, i)->value);
    series_free(&waits);
    forecast_wait(state);
    return true;
}

void surroundings_note_wait(struct state *state, double seconds)
{
    if (state->kind->is_virtual || !(seconds >= 0))
        return;
    forecast_add(state->waits, seconds);
    forecast_wait(state);
}
