/* assay optimise run.db: the hot loops of a recorded run, those that cost most first, until the budget is
   spent. Each gets half of what is left, so that the first ones get most.

   How a source was compiled comes from --compile-commands, else from a compile_commands.json near it, else
   from the debug information (change/optimise/compile/compilation.h). The run's own command is in the database, but a database may be somebody else's: it is run
   only with --trust; --capture gives a command explicitly. */
#include "base/interrupt.h"
#include "base/clock.h"
#include "cli/optimise.h"
#include "cli/source_compilation.h"
#include "cli/queries.h"
#include "cli/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_SHARE = 0.02, LEAST_BUDGET = 3;
enum { MOST_LOOPS = 20 };

static const char remedy[] =
    "; how it was compiled is only guessed from the debug information, which has no -D: in the folder of the "
    "build, assay optimise --record compile_commands.json -- make records it, for --compile-commands";

struct hot_loop {
    char *file, *producer, *directory, *unit, *program;
    unsigned line;
    double share;
};

static char *text_at(sqlite3_stmt *rows, int column)
{
    const char *text = (const char *)sqlite3_column_text(rows, column);
    return text ? memory_format("%s", text) : NULL;
}

static bool read_loops(sqlite3 *connection, struct array *loops, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "hot_loops"), -1, &rows, NULL) != SQLITE_OK)
        return error_set(error, NULL,
                         "the database has no run: assay run -o run.db -- ./program makes one (%s)",
                         sqlite3_errmsg(connection));
    sqlite3_bind_int(rows, 1, MOST_LOOPS);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        double share = sqlite3_column_double(rows, 2);
        if (share < LEAST_SHARE)
            break;
        *(struct hot_loop *)array_push(loops) =
            (struct hot_loop){.file = text_at(rows, 0),
                              .line = (unsigned)sqlite3_column_int(rows, 1),
                              .share = share,
                              .producer = text_at(rows, 3),
                              .directory = text_at(rows, 4),
                              .unit = text_at(rows, 5),
                              .program = text_at(rows, 6)};
    }
    sqlite3_finalize(rows);
    return loops->count || error_set(error, NULL,
                                     "no loop takes 2 %% of the run and has lines in the debug information; "
                                     "record a run of a program that was compiled with -g");
}

char *optimise_recorded_command(sqlite3 *connection)
{
    sqlite3_stmt *rows = NULL;
    char *command = NULL;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "last_command"), -1, &rows, NULL) ==
            SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW)
        command = text_at(rows, 0);
    sqlite3_finalize(rows);
    return command;
}

static void loops_free(struct array *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        struct hot_loop *loop = ARRAY_AT(struct hot_loop, loops, i);
        free(loop->file);
        free(loop->producer);
        free(loop->directory);
        free(loop->unit);
        free(loop->program);
    }
    array_free(loops);
}

static bool take_compilation(const struct optimise_work *work, const struct hot_loop *hot,
                             struct compilation *compilation, bool *is_guessed, struct error *error)
{
    autofree char *source = hot->unit && *hot->unit != '/' && hot->directory
                                ? memory_format("%s/%s", hot->directory, hot->unit)
                                : memory_format("%s", hot->unit ? hot->unit : hot->file);
    autofree char *listed = source_compilation_commands(work->session.invocation);
    return compilation_recover(&(struct compilation_trace){.source = source,
                                                           .commands = listed,
                                                           .producer = hot->producer,
                                                           .folder = hot->directory,
                                                           .program = hot->program},
                               compilation, is_guessed, error);
}

/* One after the other; a loop that fails is told, and the next one has its turn. */
static void optimise_all(struct optimise_work *work, const struct array *loops, const struct array *words,
                         bool *is_found)
{
    double end = clock_monotonic_seconds() + work->budget;
    bool has_printed = false;
    for (size_t i = 0; i < loops->count && !interrupt_came(); i++) {
        const struct hot_loop *hot = ARRAY_AT(struct hot_loop, loops, i);
        double left = end - clock_monotonic_seconds();
        struct error error = {0};
        if (left < LEAST_BUDGET && i)
            break;
        struct optimise_loop loop = {.line = hot->line,
                                     .budget = i + 1 < loops->count ? left / 2 : left,
                                     .share = hot->share,
                                     .words = words->count ? words->data : NULL,
                                     .is_inner = has_printed};
        bool is_better = false, is_guessed = false;
        if (take_compilation(work, hot, &loop.compilation, &is_guessed, &error) &&
            optimise_one(work, &loop, &is_better, &error))
            has_printed = true;
        else
            say("%s:%u, %.0f %% of the run: %s%s", hot->file, hot->line, 100 * hot->share, error.text,
                is_guessed ? remedy : "");
        *is_found |= is_better;
        compilation_free(&loop.compilation);
    }
}

bool optimise_run(struct optimise_work *work, const char *path, bool *is_found, struct error *error)
{
    struct array loops = ARRAY_OF(struct hot_loop), own = ARRAY_OF(char *);
    const struct array *words = &work->capture;
    char *command = NULL;
    bool is_fine = store_is_database(path) ||
                   error_set(error, path, "is not a database; assay run -o run.db -- ./program makes one");
    struct store *store = is_fine ? store_open_file(path, error) : NULL;
    if (store) {
        sqlite3 *connection = store_connection(store);
        is_fine = read_loops(connection, &loops, error);
        command = is_fine ? optimise_recorded_command(connection) : NULL;
        store_close(store);
    }
    is_fine = is_fine && store;
    if (is_fine && !words->count && command && options_has(work->session.invocation, OPTION_TRUST)) {
        is_fine = optimise_split_words(command, &own, error);
        words = &own;
    } else if (is_fine && !words->count && command)
        say("nothing is run: --capture '%s', or --trust for the run's own command, measures finalists",
            command);
    if (is_fine)
        optimise_all(work, &loops, words, is_found);
    optimise_free_words(&own);
    loops_free(&loops);
    free(command);
    return is_fine;
}
