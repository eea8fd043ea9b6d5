/* The way through the rooms: read, structure, then SQL over the tables. Reports cannot see whether the rows
   come from a database or from memory. */
#include "cli/session.h"

#include "base/leftovers.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/cycles.h"
#include "cli/listings.h"
#include "cli/machines.h"
#include "cli/pager.h"
#include "cli/queries.h"
#include "cli/report.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "code/flow/flow.h"
#include "ledger/ledger.h"
#include "code/quality/quality.h"
#include "code/read/listing/preprocess.h"
#include "show/report/common/demangle.h"
#include "show/report/common/places.h"
#include "store/load.h"
#include "code/structure/structure.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned width = columns ? (unsigned)strtoul(columns, NULL, 10) : 0;
    if (!width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        width = size.ws_col;
    return width >= 20 && width <= 10000 ? width : 80;
}

static bool choose_color(const struct invocation *invocation, bool is_terminal, bool *color,
                         struct error *error)
{
    const char *when = options_value(invocation, OPTION_COLOR), *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    *color = is_terminal && !(refused && *refused) && !(terminal && !strcmp(terminal, "dumb"));
    if (!when || !strcmp(when, "auto"))
        return true;
    *color = !strcmp(when, "always");
    if (*color || !strcmp(when, "never"))
        return true;
    return error_set(error, NULL, "--color takes auto, always or never, not '%s'", when);
}

/* Which files may be read because other files name them, and the options for listings. */
static bool take_trust(struct session *session, const struct invocation *invocation, struct error *error)
{
    session->trust = memory_get(sizeof *session->trust);
    session->macros = session->folders = ARRAY_OF(const char *);
    trust_begin(session->trust, options_has(invocation, OPTION_TRUST));
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_DEFINE && !preprocess_is_macro(given->value))
            return error_set(error, NULL, "--define takes NAME or NAME=TEXT, not '%s'", given->value);
        if (given->id == OPTION_DEFINE)
            *(const char **)array_push(&session->macros) = given->value;
        if (given->id == OPTION_INCLUDE) {
            *(const char **)array_push(&session->folders) = given->value;
            trust_add_folder(session->trust, given->value);
        }
    }
    *(const char **)array_push(&session->macros) = NULL;
    *(const char **)array_push(&session->folders) = NULL;
    return true;
}

/* A query that needs too much memory must fail before the computer runs out of it. */
static bool limit_sql(struct error *error)
{
    enum { USUAL_MEGABYTES = 2048 };
    const char *text = getenv("ASSAY_SQL_MEMORY");
    char *end = NULL;
    errno = 0;
    long long megabytes = text && *text ? strtoll(text, &end, 10) : USUAL_MEGABYTES;
    if (errno || (end && *end) || megabytes < 0 || megabytes > INT64_MAX >> 20)
        return error_set(error, "ASSAY_SQL_MEMORY", "takes megabytes (0: no limit), not '%s'", text);
    store_limit_memory((int64_t)megabytes << 20);
    return true;
}

bool session_sql_seconds(unsigned *seconds, struct error *error)
{
    enum { USUAL_SECONDS = 60, MOST_SECONDS = 1000000 };
    const char *text = getenv("ASSAY_SQL_SECONDS");
    char *end = NULL;
    long number = text && *text ? strtol(text, &end, 10) : USUAL_SECONDS;
    *seconds = (unsigned)number;
    return ((!end || !*end) && number > 0 && number <= MOST_SECONDS) ||
           error_set(error, "ASSAY_SQL_SECONDS", "takes seconds from 1 to %d, not '%s'", MOST_SECONDS, text);
}

static void take_filter(struct session *session, FILE *stream)
{
    bool has_color = session->style.color && session->style.format == report_TABLE;
    session->terminal = terminal_open(stream, has_color);
    session->out = session->terminal ? session->terminal : stream;
}

/* A terminal gets what files contain through a filter. */
static void take_stream(struct session *session, FILE *stream)
{
    session->out = stream;
    if (isatty(fileno(stream)))
        take_filter(session, stream);
}

void session_page(struct session *session)
{
    bool is_refused =
        options_has(session->invocation, OPTION_NO_PAGER) || options_has(session->invocation, OPTION_OUTPUT);
    if (!session->terminal || session->style.format != report_TABLE || is_refused || !pager_is_wanted())
        return;
    session->paged = open_memstream(&session->paged_text, &session->paged_size);
    if (!session->paged)
        return;
    fclose(session->terminal);
    take_filter(session, session->paged);
}

/* Shows what was collected. */
static bool show_paged(struct session *session, struct error *error)
{
    bool is_good = !fclose(session->paged) && pager_show(session->paged_text, session->paged_size, error);
    free(session->paged_text);
    return is_good;
}

bool session_answer_beside_program(struct session *session, struct error *error)
{
    if (session->style.format != report_TABLE)
        return true;
    bool is_terminal = isatty(STDERR_FILENO);
    if (session->terminal)
        fclose(session->terminal);
    session->terminal = NULL;
    session->style.width = is_terminal ? terminal_width() : 0;
    bool is_done = choose_color(session->invocation, is_terminal, &session->style.color, error);
    take_stream(session, stderr);
    return is_done;
}

bool session_begin(struct session *session, const struct invocation *invocation, struct error *error)
{
    *session = (struct session){
        .out = stdout, .is_quiet = options_has(invocation, OPTION_QUIET), .invocation = invocation};
    if (!take_trust(session, invocation, error))
        return false;
    const char *path = options_value(invocation, OPTION_OUTPUT);
    bool is_terminal = !path && isatty(STDOUT_FILENO);
    if (options_has(invocation, OPTION_JSON) && options_has(invocation, OPTION_CSV))
        return error_set(error, NULL, "choose one of --json and --csv");
    session->style.format = options_has(invocation, OPTION_JSON)  ? report_JSON
                            : options_has(invocation, OPTION_CSV) ? report_CSV
                                                                  : report_TABLE;
    session->style.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
    session->style.width = is_terminal ? terminal_width() : 0;
    session->style.demangle = !options_has(invocation, OPTION_NO_DEMANGLE);
    if (!choose_color(invocation, is_terminal, &session->style.color, error))
        return false;
    if (!limit_sql(error))
        return false;
    progress_enable(!session->is_quiet && isatty(STDERR_FILENO));
    if (path && strcmp(path, "-")) {
        session->output = output_open(path, error);
        if (!session->output)
            return false;
        session->out = output_stream(session->output);
    } else {
        take_stream(session, stdout);
    }
    __fsetlocking(
        session->out,
        FSETLOCKING_BYCALLER); /* only one thread uses it; locks would cost more than the characters */
    return true;
}

bool session_isa(const struct invocation *invocation, enum isa *isa, struct error *error)
{
    static const struct {
        const char *word;
        enum isa isa;
    } known[] = {{"x86-64", isa_X86_64},
                 {"i386", isa_I386},
                 {"aarch64", isa_AARCH64},
                 {"ia64", isa_IA64},
                 {"k1om", isa_K1OM}};
    const char *word = options_value(invocation, OPTION_ISA);
    *isa = isa_NONE;
    for (unsigned i = 0; word && i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i].word))
            *isa = known[i].isa;
    if (word && *isa == isa_NONE)
        return error_set(error, NULL, "--isa takes x86-64, i386, aarch64, ia64 or k1om, not '%s'", word);
    return true;
}

/* Four paths show what a loop does; finding the slowest needs nearly all of them. */
static int64_t usual_paths(const struct invocation *invocation)
{
    static const char *const takers[] = {"cycles", "sql", "show", "analysis", "check", "ui"};
    bool is_taker = options_has(invocation, OPTION_CYCLES) || options_has(invocation, OPTION_REPORT);
    for (size_t i = 0; invocation->command && i < sizeof takers / sizeof *takers; i++)
        is_taker = is_taker || !strcmp(invocation->command->name, takers[i]);
    return is_taker ? 64 : 4;
}

/* The report only analyses paths that stay in the loop, but other paths are listed too: so more are listed
   than it analyses. */
bool session_paths(const struct invocation *invocation, int64_t *limit, struct error *error)
{
    enum { LISTED_FOR_EACH = QUALITY_LISTED_PATHS / QUALITY_PATHS, MOST_LISTED = 1000000 };
    bool is_report = invocation->command && !strcmp(invocation->command->name, "report");
    if (!options_number(invocation, OPTION_PATHS, is_report ? QUALITY_PATHS : usual_paths(invocation), limit,
                        error))
        return false;
    if (*limit > MOST_LISTED)
        return error_set(error, NULL, "--paths %lld is more than %d", (long long)*limit, MOST_LISTED);
    if (is_report && *limit < 1)
        return error_set(error, NULL, "--paths takes 1 or more");
    if (is_report)
        *limit = *limit > MOST_LISTED / LISTED_FOR_EACH ? MOST_LISTED : *limit * LISTED_FOR_EACH;
    return true;
}

bool session_reading(const struct session *session, struct read_options *reading, struct error *error)
{
    const struct invocation *invocation = session->invocation;
    int64_t threads;
    if (!options_number(invocation, OPTION_THREADS, 0, &threads, error))
        return false;
    if (threads > 1024)
        return error_set(error, NULL, "--threads %lld is more than 1024", (long long)threads);
    *reading = (struct read_options){.threads = (unsigned)threads,
                                     .without_debug = options_has(invocation, OPTION_NO_DEBUG),
                                     .debug_directory = options_value(invocation, OPTION_DEBUG_DIR),
                                     .trust = session->trust,
                                     .macros = session->macros.data,
                                     .folders = session->folders.data};
    return session_isa(invocation, &reading->isa, error);
}

bool session_build(const struct session *session, struct model *model, const char *const *paths, size_t count,
                   struct error *error)
{
    return session_build_parts(session, model, paths, count, NULL, 0, error);
}

bool session_build_parts(const struct session *session, struct model *model, const char *const *paths,
                         size_t count, const struct model_part *parts, size_t part_count, struct error *error)
{
    const struct invocation *invocation = session->invocation;
    struct read_options reading;
    int64_t path_limit;
    if (!session_reading(session, &reading, error) || !session_paths(invocation, &path_limit, error))
        return false;
    for (size_t i = 0; i < count; i++)
        trust_add_file(session->trust, paths[i]);
    reading.parts = parts;
    reading.part_count = part_count;
    struct structure_options structuring = {
        .threads = reading.threads,
        .parts = parts,
        .part_count = part_count,
        .path_limit = (unsigned)path_limit,
        .without_code = invocation->command && listings_do_without_code(invocation->command->name)};
    bool done = read_files(model, paths, count, &reading, error);
    done = done && structure_build(model, &structuring, error);
    if (done)
        machines_bound_listings(model, reading.threads);
    memory_used_for(NULL);
    progress_clear();
    return done;
}

unsigned session_threads(const struct invocation *invocation)
{
    int64_t threads;
    struct error ignored = {0};
    return options_number(invocation, OPTION_THREADS, 0, &threads, &ignored) && threads <= 1024
               ? (unsigned)threads
               : 0;
}

bool session_follow(struct session *session, struct error *error)
{
    (void)error;
    flow_build(session->model, &(struct flow_options){.threads = session_threads(session->invocation)});
    progress_clear();
    return true;
}

static bool has_table(const char *const *tables, const char *table)
{
    while (*tables && strcmp(*tables, table) != 0)
        tables++;
    return *tables;
}

static bool is_of_flow(const char *table)
{
    static const char *const tables[] = {"def_use", "live_ranges", "stack_accesses", "useless_accesses",
                                         NULL};
    return has_table(tables, table);
}

static bool is_of_cycles(const char *table)
{
    static const char *const tables[] = {"loop_cycles", "core_bounds", "loop_levels", NULL};
    return has_table(tables, table);
}

/* Tables that are computed when a statement first reads one of them.  is_there is the query that asks a
   database whether it has them, or nothing that could be in them; rules, for one, is written with every
   report. */
static const struct {
    const char *name, *option, *is_there;
    bool (*has)(const char *table);
    bool (*make)(struct session *session, struct error *error);
} supplies[SUPPLY_COUNT] = {
    [SUPPLY_CYCLES] = {"cycles", "cycles", "has_cycles", is_of_cycles, cycles_store},
    [SUPPLY_REPORT] = {"report", "report", "has_report", report_has_table, report_store},
    [SUPPLY_FLOW] = {"data flow", "flow", "has_flow", is_of_flow, session_follow},
};

static void make_supply(struct session *session, enum supply kind)
{
    struct error error = {0};
    session->has[kind] = true; /* or reported missing, once */
    session->lacks[kind] = !session->model;
    if (session->lacks[kind]) {
        if (!session->needs_all)
            session_say(session, "this database has no %s; write it again with assay db --%s",
                        supplies[kind].name, supplies[kind].option);
        return;
    }
    if (!supplies[kind].make(session, &error))
        session_say(session, "no %s: %s", supplies[kind].name, error.text);
    else if (kind == SUPPLY_REPORT) /* it computes them, too */
        session->has[SUPPLY_CYCLES] = true;
}

bool session_supply_has(enum supply kind, const char *table)
{
    return supplies[kind].has(table);
}

void session_supply(struct session *session, enum supply kind)
{
    if (!session->has[kind])
        make_supply(session, kind);
}

/* Called when a statement reads a table. */
static void supply(void *context, const char *table)
{
    for (enum supply kind = 0; kind < SUPPLY_COUNT; kind++)
        if (supplies[kind].has(table))
            session_supply(context, kind);
}

bool session_database_has(sqlite3 *connection, enum supply kind)
{
    sqlite3_stmt *rows = NULL;
    bool has = true;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, supplies[kind].is_there), -1, &rows, NULL) ==
            SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW)
        has = sqlite3_column_int(rows, 0);
    sqlite3_finalize(rows);
    return has;
}

/* Whether all given options have an effect on a database. */
static bool takes_database(const struct invocation *invocation, struct error *error)
{
    static const enum option_id of_programs[] = {OPTION_ISA, OPTION_NO_DEBUG, OPTION_DEBUG_DIR};
    for (unsigned i = 0; i < sizeof of_programs / sizeof *of_programs; i++)
        if (options_has(invocation, of_programs[i]))
            return error_set(error, NULL,
                             "--%s affects how a program is read, so it cannot be used with a database",
                             option_described(of_programs[i])->name);
    return true;
}

/* A database has cycles only for the machine that it was written for. */
static bool database_is_for(sqlite3 *connection, const char *machine, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    bool is_it = !machine;
    if (machine && sqlite3_prepare_v2(connection, query_named(cli_queries, "processor_named"), -1, &rows,
                                      NULL) == SQLITE_OK) {
        sqlite3_bind_text(rows, 1, machine, -1, SQLITE_STATIC);
        is_it = sqlite3_step(rows) == SQLITE_ROW;
    }
    sqlite3_finalize(rows);
    return is_it || error_set(error, NULL,
                              "--machine %s: this database has no cycles for it; write it again with assay "
                              "db --cycles --machine %s, or give the program itself",
                              machine, machine);
}

static struct store *running_store;
static volatile sig_atomic_t was_interrupted;

/* A query that does not stop soon, or the second Ctrl-C, ends the process: SQLite looks between its steps
   only, and the work going on may not be SQL. */
static void stop_query(int signal_number)
{
    enum { GRACE_SECONDS = 2 };
    (void)signal_number;
    was_interrupted = 1;
    if (running_store)
        store_interrupt(running_store);
    leftovers_guard();
    leftovers_end_within(GRACE_SECONDS);
}

bool session_was_interrupted(void)
{
    return was_interrupted;
}

/* From here on Ctrl-C stops the query, not the process: a result is either complete or reported as
   incomplete. */
static void catch_interrupts(struct store *store)
{
    running_store = store;
    leftovers_end_within(0);
    if (!store) {
        leftovers_guard();
        return;
    }
    struct sigaction action = {.sa_handler = stop_query};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool session_read(struct session *session, const char *const *paths, size_t count, const char *const *tables,
                  struct error *error)
{
    bool is_database = count == 1 && store_is_database(*paths);
    if (is_database) {
        trust_add_file(session->trust, *paths);
        session->store = takes_database(session->invocation, error) ? store_open_file(*paths, error) : NULL;
        if (!session->store || !tables)
            return session->store;
    }
    session->model = memory_get(sizeof *session->model);
    model_init(session->model);
    if (!is_database)
        return session_build(session, session->model, paths, count, error);
    bool good = store_load(session->store, session->model, tables, error);
    session_disconnect(session);
    return good;
}

bool session_read_outline(struct session *session, const char *path, const char *const *tables,
                          struct error *error)
{
    trust_add_file(session->trust, path);
    session->store = takes_database(session->invocation, error) ? store_open_file(path, error) : NULL;
    if (!session->store)
        return false;
    session->model = memory_get(sizeof *session->model);
    model_init(session->model);
    bool good = store_load_outline(session->store, session->model, tables, store_function_tables, error);
    session_disconnect(session);
    return good;
}

bool session_read_functions(struct session *session, const char *path, const uint8_t *wanted,
                            struct error *error)
{
    session->store = store_open_file(path, error);
    bool good = session->store && store_load_functions(session->store, session->model, wanted, error);
    session_disconnect(session);
    return good;
}

bool session_connect(struct session *session, struct error *error)
{
    if (!session->store)
        session->store = store_open_model(session->model, error);
    if (!session->store)
        return false;
    session->connection = store_connection(session->store);
    return demangle_register(session->connection, error) && places_register(session->connection, error);
}

void session_disconnect(struct session *session)
{
    store_close(session->store);
    session->store = NULL;
    session->connection = NULL;
}

bool session_answer(struct session *session, struct error *error)
{
    if (!session_connect(session, error))
        return false;
    for (enum supply kind = 0; kind < SUPPLY_COUNT; kind++)
        session->has[kind] = !session->model && session_database_has(session->connection, kind);
    if (!session->model &&
        !database_is_for(session->connection, options_value(session->invocation, OPTION_MACHINE), error))
        return false;
    store_supply(session->store, supply, session);
    catch_interrupts(session->store);
    return true;
}

bool session_open(struct session *session, const struct invocation *invocation, const char *path,
                  struct error *error)
{
    output_spare(path);
    if (!session_begin(session, invocation, error))
        return false;
    return session_read(session, &path, 1, NULL, error) && session_answer(session, error);
}

bool session_open_ledger(struct session *session, const struct invocation *invocation, const char *path,
                         struct error *error)
{
    output_spare(path);
    if (!session_begin(session, invocation, error))
        return false;
    /* A ledger has a log that its readers write to, which is not for strangers' queries. */
    struct ledger *ledger = ledger_open(path, false, error),
                  *copy = ledger ? ledger_copy(ledger, error) : NULL;
    ledger_close(ledger);
    if (!copy)
        return false;
    session->store = store_open_connection(ledger_leave_connection(copy));
    return session_answer(session, error);
}

void session_release_interrupts(void)
{
    catch_interrupts(NULL);
}

/* Reports once which files were not read, and frees the list. */
static void end_trust(struct session *session, bool has_failed)
{
    if (!session->trust)
        return;
    const struct array *refused = &session->trust->refused;
    if (refused->count && !has_failed)
        session_say(session,
                    "%zu file%s not read, such as %s: outside the folder and project of FILE and the current "
                    "directory (--trust allows reading them)",
                    refused->count, refused->count > 1 ? "s were" : " was", *ARRAY_AT(char *, refused, 0));
    trust_free(session->trust);
    free(session->trust);
    array_free(&session->macros);
    array_free(&session->folders);
}

int session_end(struct session *session, int code, struct error *error)
{
    catch_interrupts(NULL);
    progress_clear();
    if (error->set && session->out && ferror(session->out)) {
        /* The printing code knows only the stream, not the file name. */
        struct error nameless = *error;
        *error = (struct error){0};
        error_set(error, session->output ? output_path(session->output) : "standard output", "%s",
                  nameless.text);
    }
    if (session->output && code != 2 && !error->set) {
        if (!output_finish(session->output, error))
            code = 2;
    } else if (session->output) {
        output_abandon(session->output);
    } else if (session->terminal && fclose(session->terminal)) {
        error_set_errno(error, NULL, "cannot write to standard output");
        code = 2;
    }
    if (session->paged && !show_paged(session, error))
        code = 2;
    end_trust(session, error->set);
    if (session->store)
        store_close(session->store);
    if (session->model) {
        model_free(session->model);
        free(session->model);
    }
    return code;
}

void session_say(const struct session *session, const char *format, ...)
{
    if (session->is_quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    autofree char *text = NULL;
    if (vasprintf(&text, format, arguments) >= 0)
        say("%s", text);
    va_end(arguments);
}

void session_say_problems(const struct session *session)
{
    if (session->is_quiet || session->style.format != report_TABLE)
        return;
    sqlite3_stmt *rows = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(session->connection, query_named(cli_queries, "count_problems"), -1, &rows,
                           NULL) != SQLITE_OK)
        return;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(rows, 0);
        char *longer = memory_format("%s%s%s %lld", text ? text : "", text ? ", " : "", kind ? kind : "?",
                                     (long long)sqlite3_column_int64(rows, 1));
        free(text);
        text = longer;
    }
    sqlite3_finalize(rows);
    fflush(session->out);
    if (text)
        session_say(session, "gaps: %s (see assay problems)", text);
    free(text);
}
