/* A simulated cluster: SimGrid's platform file has its hosts, links and failures, and time passes when the
   scheduler waits.

   The simulation begins at the time when it is opened, so that deadlines mean the same as anywhere. A task
   takes its `simulated` seconds on hosts of 1 Gflop/s for each processor, which have speed 1, and less on
   faster ones. Its files come first: from the host that wrote them, or from the common file system, over the
   links of the platform, which tasks share. What a command would do does not matter: nothing is run.

   A simulation that is killed has never been: the tags of an earlier one are unknown here. */
#include "base/regular_file.h"
#include "base/strings.h"
#include "runtime/simgrid/lines_file.h"
#include "plan/schedule/engine.h"
#include "plan/schedule/engine/simulation.h"
#include "run/launch/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double speed_1 = 1e9;  /* flops per second of a processor */
static const double a_day = 86400;  /* the longest that it waits if nothing runs */
static const double forever = 1e10; /* seconds */

struct simulated_host {
    char *name;
    double processors, flops, memory, bytes_per_second, latency;
    bool is_up, is_chosen;
};

struct simulated_job {
    enum engine_state state;
    double processors, started, ended;
    char why[200];
};

struct engine {
    struct simulation simulation;
    double begin, clock; /* since 1970; since then */
    struct strings tags, host_names;
    struct array jobs;  /* of simulated_job, by id of the tag */
    struct array hosts; /* of simulated_host, by id of the name; the first is none */
    size_t running;
    bool has_files;      /* a host is the common file system */
    struct error broken; /* the simulator has ended */
};

static struct simulated_host *find_host(struct engine *engine, const char *name)
{
    string_id id = strings_find(&engine->host_names, name);
    return id ? ARRAY_AT(struct simulated_host, &engine->hosts, id) : NULL;
}

static struct simulated_job *find_job(struct engine *engine, const char *tag)
{
    string_id id = strings_find(&engine->tags, tag);
    return id && id < engine->jobs.count ? ARRAY_AT(struct simulated_job, &engine->jobs, id) : NULL;
}

/* host NAME PROCESSORS FLOPS up|down tasks|files BYTES */
static void add_host(struct engine *engine, char *rest)
{
    char *name = simulation_word(&rest);
    struct simulated_host host = {.name = memory_copy_text(name, strlen(name)),
                                  .processors = strtod(simulation_word(&rest), NULL)};
    host.flops = strtod(simulation_word(&rest), NULL);
    host.is_up = !strcmp(simulation_word(&rest), "up");
    host.is_chosen = strcmp(simulation_word(&rest), SIMULATOR_ROLE_FILES);
    engine->has_files |= !host.is_chosen;
    const char *memory = simulation_word(&rest);
    host.memory = *memory ? strtod(memory, NULL) : NAN;
    string_id id = strings_add(&engine->host_names, name);
    while (engine->hosts.count <= id)
        array_add(&engine->hosts);
    *ARRAY_AT(struct simulated_host, &engine->hosts, id) = host;
}

static bool read_hosts(struct engine *engine, struct error *error)
{
    for (char *line; (line = simulation_line(&engine->simulation, error));) {
        const char *verb = simulation_word(&line);
        if (!strcmp(verb, SIMULATOR_READY)) {
            if (atoi(simulation_word(&line)) == SIMULATOR_LAYOUT)
                return true;
            return error_set(error, NULL, "assay-simulator is of another version than this assay");
        }
        if (!strcmp(verb, SIMULATOR_HOST))
            add_host(engine, line);
    }
    return false;
}

/* --hosts: NAME or NAME:PROCESSORS, with commas between. */
static bool choose_hosts(struct engine *engine, const char *names, const char *platform, struct error *error)
{
    char *copy = memory_copy_text(names, strlen(names)), *rest = copy;
    bool is_fine = true;
    for (size_t i = 0; i < engine->hosts.count; i++)
        ARRAY_AT(struct simulated_host, &engine->hosts, i)->is_chosen = false;
    for (char *word; is_fine && (word = strsep(&rest, ","));) {
        const char *name = strsep(&word, ":");
        struct simulated_host *host = find_host(engine, name);
        char *end = word;
        double processors = word ? strtod(word, &end) : 0;
        if (!host)
            is_fine = error_set(error, platform, "has no host %s, which --hosts names", name);
        else if (word && (end == word || *end || processors != floor(processors) || processors < 1 ||
                          processors > host->processors))
            is_fine = error_set(error, platform, "host %s has %.0f processors, but --hosts wants %s of them",
                                name, host->processors, word);
        else {
            host->is_chosen = true;
            host->processors = word ? processors : host->processors;
        }
    }
    free(copy);
    return is_fine;
}

static bool are_few_enough(const struct engine *engine, const char *platform, struct error *error)
{
    double sum = 0;
    for (size_t i = 0; i < engine->hosts.count; i++) {
        const struct simulated_host *host = ARRAY_AT(struct simulated_host, &engine->hosts, i);
        sum += host->is_chosen ? host->processors : 0;
    }
    return sum <= ENGINE_MOST_PROCESSORS ||
           error_set(error, platform,
                     "has %.0f processors, and a plan can have %d: choose some by --hosts NAME:PROCESSORS,…",
                     sum, ENGINE_MOST_PROCESSORS);
}

static void simgrid_close(struct engine *engine)
{
    simulation_end(&engine->simulation);
    for (size_t i = 0; i < engine->hosts.count; i++)
        free(ARRAY_AT(struct simulated_host, &engine->hosts, i)->name);
    array_free(&engine->hosts);
    array_free(&engine->jobs);
    strings_free(&engine->tags);
    strings_free(&engine->host_names);
    free(engine);
}

static struct engine *simgrid_open(const struct engine_settings *settings, struct error *error)
{
    if (!settings->platform) {
        error_set(error, NULL,
                  "a simulation needs a platform file of SimGrid: --platform cluster.xml "
                  "(examples/schedule has some)");
        return NULL;
    }
    char *program =
        settings->runtime ? launch_find_part(settings->runtime, "simgrid", "assay-simulator") : NULL;
    if (!program) {
        error_set(error, NULL,
                  "this assay was built without SimGrid; install libsimgrid-dev and build it again "
                  "(or set ASSAY_RUNTIME to the folder " LAUNCH_RUNTIME ")");
        return NULL;
    }
    struct engine *engine = memory_get(sizeof *engine);
    engine->jobs = ARRAY_OF(struct simulated_job);
    engine->hosts = ARRAY_OF(struct simulated_host);
    engine->simulation = (struct simulation){.socket = -1, .messages.descriptor = -1};
    engine->begin = (double)time(NULL);
    int file = regular_file_open(settings->platform, NULL, error);
    if (file >= 0)
        close(file);
    bool is_open = file >= 0 && simulation_begin(&engine->simulation, program, settings->platform, error) &&
                   read_hosts(engine, error) &&
                   (!settings->hosts || choose_hosts(engine, settings->hosts, settings->platform, error)) &&
                   are_few_enough(engine, settings->platform, error);
    free(program);
    if (is_open)
        return engine;
    simgrid_close(engine);
    return NULL;
}

static bool is_broken(const struct engine *engine, struct error *error)
{
    if (engine->broken.set && !error->set)
        *error = engine->broken;
    return engine->broken.set;
}

static bool simgrid_hosts(struct engine *engine, struct array *hosts, struct error *error)
{
    if (is_broken(engine, error))
        return false;
    *hosts = ARRAY_OF(struct engine_host);
    for (size_t i = 0; i < engine->hosts.count; i++) {
        const struct simulated_host *host = ARRAY_AT(struct simulated_host, &engine->hosts, i);
        if (!host->name || !host->is_chosen)
            continue;
        *(struct engine_host *)array_add(hosts) = (struct engine_host){
            .name = memory_copy_text(host->name, strlen(host->name)),
            .processors = (uint32_t)host->processors,
            .memory = host->memory,
            .speed = host->flops / speed_1,
            .load = NAN,
            .bytes_per_second = host->bytes_per_second,
            .latency = host->latency,
            .reaches_common = engine->has_files,
            .state = host->is_up ? engine_host_UP : engine_host_DOWN,
            .why = host->is_up ? NULL : memory_format("failed, by the platform file"),
        };
    }
    return true;
}

/* Hosts that an order may name; a file of another engine's host comes from the common file system. */
static void order_start(struct engine *engine, const struct engine_job *job, double seconds)
{
    struct simulation *simulation = &engine->simulation;
    unsigned inputs = 0;
    for (unsigned i = 0; i < job->file_count; i++)
        inputs += !job->files[i].is_output && job->files[i].bytes > 0;
    simulation_order(simulation, "%s\t%s\t%.17g\t%u", SIMULATOR_START, job->tag, seconds * speed_1,
                     job->place_count);
    for (unsigned i = 0; i < job->place_count; i++)
        simulation_order(simulation, "\t%s\t%u", job->places[i].host, job->places[i].count);
    simulation_order(simulation, "\t%u", inputs);
    for (unsigned i = 0; i < job->file_count; i++) {
        const struct engine_file *file = &job->files[i];
        if (!file->is_output && file->bytes > 0)
            simulation_order(simulation, "\t%s\t%.17g",
                             file->from && find_host(engine, file->from) ? file->from : "", file->bytes);
    }
    simulation_order(simulation, "\n");
}

static bool simgrid_start(struct engine *engine, const struct engine_job *job, struct error *error)
{
    double seconds = isnan(job->simulated) ? job->expected : job->simulated, processors = 0;
    if (is_broken(engine, error))
        return false;
    if (isnan(seconds) || seconds < 0)
        return error_set(error, NULL, "task %s: how long it really takes is not said (simulated = …)",
                         job->name);
    if (strpbrk(job->tag, "\t\n"))
        return error_set(error, NULL, "%s cannot be the tag of a job", job->tag);
    for (unsigned i = 0; i < job->place_count; i++) {
        if (!find_host(engine, job->places[i].host))
            return error_set(error, engine->simulation.platform, "has no host %s", job->places[i].host);
        processors += job->places[i].count;
    }
    string_id id = strings_add(&engine->tags, job->tag);
    if (id < engine->jobs.count && ARRAY_AT(struct simulated_job, &engine->jobs, id)->state != engine_UNKNOWN)
        return true; /* a tag is run once */
    while (engine->jobs.count <= id)
        array_add(&engine->jobs);
    *ARRAY_AT(struct simulated_job, &engine->jobs, id) =
        (struct simulated_job){.state = engine_QUEUED, .processors = processors, NAN, NAN};
    order_start(engine, job, seconds);
    engine->running++;
    return true;
}

static bool simgrid_poll(struct engine *engine, const char *const *tags, unsigned count,
                         struct engine_status *status, struct error *error)
{
    if (is_broken(engine, error))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct simulated_job *job = find_job(engine, tags[i]);
        status[i] = (struct engine_status){engine_UNKNOWN, 0, NAN, NAN, NAN, "", ""};
        if (!job)
            continue;
        status[i].state = job->state;
        status[i].started = job->started;
        status[i].ended = job->ended;
        status[i].cpu_seconds = (job->ended - job->started) * job->processors;
        memcpy(status[i].why, job->why, sizeof status[i].why);
    }
    return true;
}

static bool simgrid_cancel(struct engine *engine, const char *tag, struct error *error)
{
    if (is_broken(engine, error))
        return false;
    const struct simulated_job *job = find_job(engine, tag);
    if (job && (job->state == engine_QUEUED || job->state == engine_RUNNING))
        simulation_order(&engine->simulation, "%s\t%s\n", SIMULATOR_KILL, tag);
    return true;
}

static double simgrid_now(struct engine *engine)
{
    return engine->begin + engine->clock;
}

static void take_job_event(struct engine *engine, const char *verb, char *rest)
{
    struct simulated_job *job = find_job(engine, simulation_word(&rest));
    double time = engine->begin + strtod(simulation_word(&rest), NULL);
    if (!job)
        return;
    if (!strcmp(verb, SIMULATOR_BEGUN)) {
        job->state = engine_RUNNING;
        job->started = time;
        return;
    }
    job->state = strcmp(verb, SIMULATOR_DONE) ? engine_LOST : engine_DONE;
    job->ended = time;
    if (job->state == engine_LOST)
        snprintf(job->why, sizeof job->why, "%s", simulation_word(&rest));
    engine->running--;
}

static void take_route(struct engine *engine, char *rest)
{
    struct simulated_host *host = find_host(engine, simulation_word(&rest));
    if (!host)
        return;
    host->bytes_per_second = strtod(simulation_word(&rest), NULL);
    host->latency = strtod(simulation_word(&rest), NULL);
}

static void take_events(struct engine *engine)
{
    for (char *line; (line = simulation_line(&engine->simulation, &engine->broken));) {
        const char *verb = simulation_word(&line);
        if (!strcmp(verb, SIMULATOR_NOW)) {
            engine->clock = strtod(simulation_word(&line), NULL);
            return;
        }
        if (!strcmp(verb, SIMULATOR_ROUTE)) {
            take_route(engine, line);
        } else if (!strcmp(verb, SIMULATOR_UP) || !strcmp(verb, SIMULATOR_DOWN)) {
            struct simulated_host *host = find_host(engine, simulation_word(&line));
            if (host)
                host->is_up = !strcmp(verb, SIMULATOR_UP);
        } else
            take_job_event(engine, verb, line);
    }
}

static void simgrid_wait(struct engine *engine, double until)
{
    double longest = engine->clock + (engine->running ? forever : a_day);
    if (engine->broken.set)
        return;
    until -= engine->begin;
    if (!(until < longest))
        until = longest;
    if (until < engine->clock)
        until = engine->clock;
    simulation_order(&engine->simulation, "%s\t%.17g\n", SIMULATOR_ADVANCE, until);
    if (simulation_send(&engine->simulation, &engine->broken))
        take_events(engine);
}

static bool simgrid_measure_moves(struct engine *engine, struct error *error)
{
    if (is_broken(engine, error))
        return false;
    simulation_order(&engine->simulation, "%s\n%s\t%.17g\n", SIMULATOR_ROUTES, SIMULATOR_ADVANCE,
                     engine->clock);
    if (simulation_send(&engine->simulation, &engine->broken))
        take_events(engine);
    return !is_broken(engine, error);
}

const struct engine_kind engine_simgrid = {
    .name = "simgrid",
    .open = simgrid_open,
    .close = simgrid_close,
    .hosts = simgrid_hosts,
    .start = simgrid_start,
    .poll = simgrid_poll,
    .cancel = simgrid_cancel,
    .now = simgrid_now,
    .wait = simgrid_wait,
    .is_virtual = true,
    .measure_moves = simgrid_measure_moves,
};
