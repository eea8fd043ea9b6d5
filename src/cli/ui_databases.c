/* A program is written as a database into a private folder.  So is a copy of a database that comes without
   the tables of the report, with these tables.

   The report on a large program takes minutes, and nobody wants to wait for it before the first page.  Then
   the tables without it are served at first, and a second process goes on: it computes the report for one
   file after the other, from the model that is still in memory or else from the database, and writes a
   complete database beside the first.  The same model gives the same ids, so pages can change from one to the
   other.  The process has low priority, does not outlive us, and says in shared memory how far it is. */
#include "cli/ui_databases.h"

#include "base/leftovers.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/innermost.h"
#include "cli/queries.h"
#include "cli/report.h"
#include "model/tables.h"
#include "store/load.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUICK_PATHS = 6000 }; /* paths through loops that are analysed in about a second */

void ui_databases_begin(struct ui_databases *databases, struct session *session, size_t count)
{
    *databases = (struct ui_databases){.session = session,
                                       .sources = ARRAY_OF(struct ui_source),
                                       .guard = {.pipe = -1},
                                       .work_size = count * sizeof *databases->work};
    void *shared =
        mmap(NULL, databases->work_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    databases->work = shared == MAP_FAILED ? NULL : shared;
}

const char *ui_databases_folder(struct ui_databases *databases, struct error *error)
{
    const char *parent = getenv("TMPDIR");
    if (databases->folder)
        return databases->folder;
    parent = parent && *parent == '/' ? parent : "/tmp";
    char *folder = memory_format("%s/assay-ui-XXXXXX", parent);
    if (!mkdtemp(folder)) {
        error_set_errno(error, parent, "cannot create a folder for databases");
        free(folder);
        return NULL;
    }
    databases->folder = folder;
    leftovers_add(folder);
    databases->guard = guard_begin(folder);
    return folder;
}

static void forget_model(struct ui_databases *databases)
{
    struct session *session = databases->session;
    if (session->model) {
        model_free(session->model);
        free(session->model);
    }
    session->model = NULL;
    databases->in_memory = 0;
}

static char *new_file(struct ui_databases *databases, const char *what, struct error *error)
{
    const char *folder = ui_databases_folder(databases, error);
    return folder ? memory_format("%s/%zu%s.db", folder, databases->sources.count, what) : NULL;
}

static bool write_model(struct ui_databases *databases, const char *path, struct error *error)
{
    struct session *session = databases->session;
    bool done = path && store_write(session->model, path, session_threads(session->invocation), error);
    progress_clear();
    return done;
}

/* Has the worker complete this source later; without it, says why there is no report. */
static bool complete_later(struct ui_databases *databases, struct ui_source *source, struct error *error)
{
    source->complete = databases->work ? new_file(databases, "-complete", error) : NULL;
    source->work = source->complete ? &databases->work[databases->sources.count - 1] : NULL;
    return source->complete || error_set(error, NULL, "no memory can be shared with another process");
}

/* A machine that the user named and that cannot be had is an error now, not minutes later. */
static bool has_machines(struct session *session, struct error *error)
{
    struct innermost innermost = {.session = session, .loops = ARRAY_OF(int64_t)};
    bool good = !options_has(session->invocation, OPTION_MACHINE) || innermost_take_all(&innermost, error);
    innermost_free(&innermost);
    return good;
}

/* The tables of the report, if there is a machine for this instruction set. */
static void add_report(struct session *session, struct ui_source *source)
{
    struct error error = {0};
    source->has_report = report_store(session, &error);
    if (!source->has_report)
        source->problem = memory_copy_text(error.text, strlen(error.text));
}

static bool is_listing(const struct model *model)
{
    for (uint32_t id = 1; id < model->programs.count; id++)
        if (model_program(model, id)->format != format_LISTING)
            return false;
    return true;
}

static bool add_program(struct ui_databases *databases, struct ui_source *source, struct error *error)
{
    struct session *session = databases->session;
    forget_model(databases);
    if (!session_read(session, &source->path, 1, NULL, error) || !has_machines(session, error))
        return false;
    if (is_listing(session->model))
        session_follow(session, error);
    bool is_quick = session->model->paths.count <= QUICK_PATHS;
    if (is_quick)
        add_report(session, source);
    source->database = new_file(databases, "", error);
    bool done = write_model(databases, source->database, error);
    if (done && !is_quick) {
        databases->in_memory = databases->sources.count;
        return complete_later(databases, source, error);
    }
    forget_model(databases);
    return done;
}

static int64_t number_of(sqlite3 *connection, const char *query)
{
    sqlite3_stmt *row = NULL;
    int64_t number = 0;
    if (sqlite3_prepare_v2(connection, query, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        number = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return number;
}

/* The report on a database, in a copy of it. */
static bool copy_with_report(struct session *session, const char *from, const char *path, struct error *error)
{
    struct store *store = store_open_file(from, error);
    bool done = store && store_copy(store, path, session->model, report_tables, error);
    store_close(store);
    return done;
}

static bool load_all(struct session *session, const char *path, struct error *error)
{
    const char **tables = memory_get((table_count + 1) * sizeof *tables);
    for (unsigned i = 0; i < table_count; i++)
        tables[i] = table_descriptions[i].name;
    bool good = session_read(session, &path, 1, tables, error);
    free(tables);
    return good;
}

static bool add_database(struct ui_databases *databases, struct ui_source *source, struct error *error)
{
    struct session *session = databases->session;
    struct store *store = store_open_file(source->path, error);
    if (!store)
        return false;
    sqlite3 *connection = store_connection(store);
    bool is_quick = number_of(connection, query_named(cli_queries, "count_paths")) <= QUICK_PATHS;
    source->has_report = session_database_has(connection, SUPPLY_REPORT);
    store_close(store);
    trust_add_file(session->trust, source->path);
    source->database = memory_copy_text(source->path, strlen(source->path));
    if (source->has_report)
        return true;
    if (!is_quick)
        return complete_later(databases, source, error);
    forget_model(databases);
    bool done = load_all(session, source->path, error);
    if (done)
        add_report(session, source);
    if (done && source->has_report) {
        free((char *)(uintptr_t)source->database);
        source->database = new_file(databases, "", error);
        done = source->database && copy_with_report(session, source->path, source->database, error);
    }
    forget_model(databases);
    return done;
}

bool ui_databases_add(struct ui_databases *databases, const char *path, struct error *error)
{
    struct ui_source *source = array_push(&databases->sources);
    *source = (struct ui_source){.path = path};
    output_spare(path);
    return store_is_database(path) ? add_database(databases, source, error)
                                   : add_program(databases, source, error);
}

/* The parts of the work, in thousandths up to the end of each; loops are most of it. */
static const struct {
    const char *what;
    unsigned end;
} parts[] = {{"following values", 80}, {"analysing loops", 850}, {"writing rows", 1000}};

static void note_progress(void *context, const char *what, size_t done, size_t total)
{
    struct ui_work *work = context;
    unsigned first = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; first = parts[i++].end) {
        if (strcmp(parts[i].what, what) || !total || done > total)
            continue;
        unsigned now = first + (unsigned)((double)(parts[i].end - first) * (double)done / (double)total);
        if (now > atomic_load(&work->done))
            atomic_store(&work->done, now);
    }
}

static void work_on(struct ui_databases *databases, size_t number)
{
    const struct ui_source *source = ARRAY_AT(struct ui_source, &databases->sources, number - 1);
    struct ui_work *work = &databases->work[number - 1];
    struct session *session = databases->session;
    struct error error = {0};
    atomic_store(&work->stage, ui_stage_WORKING);
    progress_follow(note_progress, work);
    bool is_here = databases->in_memory == number;
    bool done = (is_here || load_all(session, source->database, &error)) && report_store(session, &error);
    done = done && (is_here ? write_model(databases, source->complete, &error)
                            : copy_with_report(session, source->database, source->complete, &error));
    if (!done)
        snprintf(work->problem, sizeof work->problem, "%s", error.text);
    forget_model(databases);
    atomic_store(&work->stage, done ? ui_stage_DONE : ui_stage_FAILED);
}

/* What is in memory first: it is freed before anything else is loaded. */
static void work_on_all(struct ui_databases *databases)
{
    size_t first = databases->in_memory;
    if (first)
        work_on(databases, first);
    for (size_t i = 1; i <= databases->sources.count; i++)
        if (i != first && ARRAY_AT(struct ui_source, &databases->sources, i - 1)->work)
            work_on(databases, i);
}

/* The parent decides when it ends, and removes the folder. */
static _Noreturn void be_worker(struct ui_databases *databases, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    prctl(PR_SET_NAME, "assay-report");
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    if (databases->guard.pipe >= 0)
        close(databases->guard.pipe);
    leftovers_drop(databases->folder);
    progress_enable(false);
    struct sched_param parameters = {0}; /* only when nobody else wants the processor: pages come first */
    if (sched_setscheduler(0, SCHED_IDLE, &parameters))
        errno = 0;
    work_on_all(databases);
    _exit(0);
}

void ui_databases_complete(struct ui_databases *databases)
{
    bool is_needed = false;
    for (size_t i = 0; i < databases->sources.count; i++)
        is_needed |= ARRAY_AT(struct ui_source, &databases->sources, i)->work != NULL;
    pid_t parent = getpid();
    fflush(NULL);
    databases->worker = is_needed ? fork() : 0;
    if (is_needed && !databases->worker)
        be_worker(databases, parent);
    forget_model(databases);
    if (is_needed && databases->worker < 0) {
        databases->worker = 0;
        ui_databases_reap(databases);
    }
}

void ui_databases_reap(struct ui_databases *databases)
{
    int status = 0;
    if (databases->worker && waitpid(databases->worker, &status, WNOHANG) != databases->worker)
        return;
    databases->worker = 0;
    for (size_t i = 0; i < databases->sources.count; i++) {
        struct ui_work *work = &databases->work[i];
        if (!ARRAY_AT(struct ui_source, &databases->sources, i)->work ||
            atomic_load(&work->stage) >= ui_stage_DONE)
            continue;
        snprintf(work->problem, sizeof work->problem, "the process that computes the report has ended%s",
                 WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                     ? ": it was killed, perhaps for lack of memory"
                     : "");
        atomic_store(&work->stage, ui_stage_FAILED);
    }
}

void ui_databases_end(struct ui_databases *databases)
{
    if (databases->worker > 0) {
        kill(databases->worker, SIGKILL);
        while (waitpid(databases->worker, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    for (size_t i = 0; i < databases->sources.count; i++) {
        struct ui_source *source = ARRAY_AT(struct ui_source, &databases->sources, i);
        free((char *)(uintptr_t)source->database);
        free((char *)(uintptr_t)source->complete);
        free((char *)(uintptr_t)source->problem);
    }
    if (databases->folder) {
        leftovers_remove_folder(databases->folder);
        leftovers_drop(databases->folder);
        guard_end(&databases->guard);
    }
    free(databases->folder);
    if (databases->work)
        munmap(databases->work, databases->work_size);
    array_free(&databases->sources);
}
