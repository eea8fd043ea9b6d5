/* assay schedule run and what-if: an engine is opened, and the scheduler does the rest.

   The first Ctrl-C stops the scheduler, not the jobs; everything is in the ledger, and another run goes on.
 */
#include "base/strings.h"
#include "base/clock.h"
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/queries.h"
#include "cli/schedule.h"
#include "cli/session.h"
#include "show/report/schedule/schedule.h"
#include "plan/schedule/schedule.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND; /* a second one ends the process */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write that fails is an error of that write */
    signal(SIGPIPE, SIG_IGN);
}

struct running {
    struct session *session;
    struct schedule_options options;
    struct ledger *ledger;
    char *spool, *name, *runtime;
    struct machine *machine;
};

/* The same for a ledger from run to run, so that jobs are found again, and different for different ledgers.
 */
static char *session_name(const char *path)
{
    struct stat facts = {0};
    autofree char *whole = realpath(path, NULL);
    uint64_t hash = strings_hash(whole ? whole : path, strlen(whole ? whole : path));
    if (!stat(path, &facts))
        hash = hash_mix(hash_mix(hash, facts.st_dev), facts.st_ino);
    return memory_format("assay-%08x", (unsigned)(hash ^ hash >> 32));
}

static bool make_spool(const char *path, struct error *error)
{
    return !mkdir(path, 0700) || errno == EEXIST || error_set_errno(error, path, "cannot be made for jobs");
}

static void close_running(struct running *running)
{
    ledger_close(running->ledger);
    free(running->spool);
    free(running->name);
    free(running->runtime);
    machine_free(running->machine);
}

static bool read_seconds(const struct invocation *invocation, double *seconds, struct error *error)
{
    const char *text = options_value(invocation, OPTION_PACK);
    *seconds = NAN;
    return !text || (settings_parse_seconds(text, seconds) && *seconds <= 3600) ||
           error_set(error, NULL, "--pack takes seconds (0.5, 10), not '%s'", text);
}

static bool open_running(struct running *running, const struct invocation *invocation, bool to_write,
                         struct error *error)
{
    const char *word = options_value(invocation, OPTION_ENGINE);
    const struct engine_kind *engine = engine_find(word ? word : "local", error);
    struct error ignored = {0};
    if (!engine)
        return false;
    if (options_has(invocation, OPTION_PLATFORM) && !engine->is_virtual)
        return error_set(error, NULL, "--platform is for simulated clusters: add --engine simgrid");
    running->ledger = ledger_open(options_value(invocation, OPTION_LEDGER), to_write, error);
    if (!running->ledger)
        return false;
    running->spool = schedule_spool(ledger_path(running->ledger));
    running->name = session_name(ledger_path(running->ledger));
    running->runtime = folders_runtime(&ignored);
    struct array folders = folders_find("ASSAY_MACHINES", "machines");
    running->machine = machines_host(&folders);
    folders_free(&folders);
    running->options =
        (struct schedule_options){.ledger = running->ledger,
                                  .engine = engine,
                                  .settings = {.hosts = options_value(invocation, OPTION_HOSTS),
                                               .platform = options_value(invocation, OPTION_PLATFORM),
                                               .spool = running->spool,
                                               .session = running->name,
                                               .runtime = running->runtime,
                                               .seed = 1},
                                  .machine = running->machine ? running->machine->name : NULL,
                                  .is_staying = options_has(invocation, OPTION_STAY),
                                  .threads = session_threads(invocation),
                                  .stop = &is_interrupted,
                                  .context = running};
    if (!running->options.threads && !engine->is_virtual)
        running->options.threads = 1; /* jobs may want the other processors */
    return make_spool(running->spool, error) &&
           read_seconds(invocation, &running->options.pack_seconds, error);
}

/* Plans and estimates change all the time: assay schedule why has them. */
static bool is_news(const char *kind)
{
    return strcmp(kind, "pack") != 0 && strcmp(kind, "estimate") != 0 && strcmp(kind, "submit") != 0;
}

static void tell(void *context, double moment, const char *kind, const char *text)
{
    struct running *running = context;
    char clock[20] = "";
    time_t seconds = (time_t)moment;
    struct tm time;
    if (localtime_r(&seconds, &time))
        strftime(clock, sizeof clock, "%H:%M:%S", &time);
    if (running->session->is_quiet || !is_news(kind))
        return;
    fprintf(running->session->out, "%s  %-8s  %s\n", clock, kind, text);
    fflush(running->session->out);
}

static int64_t count(struct ledger *ledger, const char *sql)
{
    struct ledger_rows rows;
    struct error ignored = {0};
    int64_t number = 0;
    if (!ledger_ask(ledger, &rows, &ignored, sql, ""))
        return 0;
    if (ledger_next(&rows))
        number = ledger_integer(&rows, 0);
    ledger_end(&rows, &ignored);
    return number;
}

static void say_end(struct running *running, enum schedule_end end)
{
    struct session *session = running->session;
    long long jobs = (long long)count(running->ledger, query_named(cli_ledger_queries, "count_running"));
    long long waiting = (long long)count(running->ledger, query_named(cli_ledger_queries, "count_waiting"));
    fflush(session->out);
    if (end == schedule_STOPPED)
        session_say(
            session,
            "stopped; %lld task%s still wait%s and %lld job%s on. assay schedule run goes on from here; "
            "assay schedule cancel WORKFLOW, and a run after it, ends jobs",
            waiting, waiting == 1 ? "" : "s", waiting == 1 ? "s" : "", jobs, jobs == 1 ? " goes" : "s go");
    if (end == schedule_TROUBLE && waiting)
        session_say(session, "%lld task%s cannot be started: assay schedule show says why", waiting,
                    waiting == 1 ? "" : "s");
    else if (end == schedule_TROUBLE)
        session_say(session, "some tasks failed or are blocked: assay schedule show says which");
    if (end == schedule_DONE)
        session_say(session, "all is done");
}

int schedule_start(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct running running = {.session = &session};
    int code = 2;
    bool is_good = session_begin(&session, invocation, error);
    if (is_good && invocation->operands.count > 1)
        is_good = error_set(error, NULL, "schedule run takes no names: it runs all that was submitted");
    if (is_good && open_running(&running, invocation, true, error)) {
        running.options.tell = tell;
        catch_signals();
        enum schedule_end end = schedule_run(&running.options, error);
        if (end != schedule_ERROR)
            say_end(&running, end);
        code = end == schedule_ERROR ? 2 : end == schedule_DONE ? 0 : 1;
    }
    close_running(&running);
    return session_end(&session, code, error);
}

/* --- what-if --- */

static void print_what_if(const struct session *session, const struct workflow *workflow,
                          const struct schedule_what_if *found)
{
    autofree struct what_if_task *tasks = memory_get((found->tasks.count + 1) * sizeof *tasks);
    for (size_t i = 0; i < found->tasks.count; i++) {
        const struct schedule_placed *placed = ARRAY_AT(struct schedule_placed, &found->tasks, i);
        tasks[i] = (struct what_if_task){.name = placed->name,
                                         .estimate_from = placed->estimate_from,
                                         .hosts = placed->hosts,
                                         .processors = placed->processors,
                                         .begins = placed->begins,
                                         .ends = placed->ends,
                                         .deadline = placed->deadline,
                                         .likely = placed->likely};
    }
    struct what_if result = {.workflow = workflow->name,
                             .now = found->now,
                             .ends = found->ends,
                             .likely = found->likely,
                             .latest = found->latest,
                             .others_end = found->others_end,
                             .others_end_with = found->others_end_with,
                             .deadline = found->deadline,
                             .late_before = found->late_before,
                             .late_with = found->late_with,
                             .others = found->others,
                             .share = found->share,
                             .wait = found->wait,
                             .wait_upper = found->wait_upper,
                             .has_clock = true,
                             .tasks = tasks,
                             .count = (unsigned)found->tasks.count};
    report_what_if(&result, &session->style, session->out);
}

static bool guess(struct running *running, const char *path, struct error *error)
{
    struct workflow workflow;
    struct schedule_what_if found;
    double seconds = isnan(running->options.pack_seconds) ? 1 : running->options.pack_seconds;
    bool is_good = workflow_read(&workflow, path, clock_calendar_seconds(), error);
    if (is_good) {
        is_good = schedule_what_if(&running->options, &workflow, seconds, &found, error);
        if (is_good)
            print_what_if(running->session, &workflow, &found);
        schedule_what_if_free(&found);
    }
    workflow_free(&workflow);
    return is_good;
}

int schedule_guess(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct running running = {.session = &session};
    int code = 2;
    bool is_good = session_begin(&session, invocation, error);
    if (is_good && invocation->operands.count != 2)
        is_good = error_set(error, NULL, "schedule what-if takes one workflow: assay schedule what-if FLOW");
    if (is_good && open_running(&running, invocation, true, error)) {
        catch_signals();
        code = guess(&running, options_operand(invocation, 1), error) ? 0 : 2;
    }
    close_running(&running);
    return session_end(&session, code, error);
}
