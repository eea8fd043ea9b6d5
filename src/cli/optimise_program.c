/* assay optimise --program: the options of a whole program, by whole runs.

   The program is the first word after --, and is built again from its debug information; or --build-with builds
   it.  A database of assay run before -- names the hot sources, and its own command with --trust. */
#include "base/output.h"
#include "base/progress.h"
#include "cli/optimise.h"
#include "cli/source_compilation.h"
#include "cli/queries.h"
#include "cli/say.h"
#include "code/source/parts.h"
#include "run/launch/program.h"
#include "show/report/optimise/program.h"

#include <stdlib.h>
#include <string.h>

static const double LEAST_SHARE = 0.05; /* of the run: a source that is tried apart */
enum { MOST_HOT = 5 };

struct job {
    struct array words;    /* of char *: the program and its arguments; empty: --build-with alone */
    struct array recorded; /* of char *: names of hot sources, absolute */
    struct array units;    /* of struct program_unit */
    struct launch_program program;
    uint32_t hot[MOST_HOT];
    size_t hot_count;
    char *run, *shown; /* the command that runs it, for the shell and for people */
};

static void read_hot(sqlite3 *connection, struct array *names)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "hot_units"), -1, &rows, NULL) == SQLITE_OK) {
        sqlite3_bind_double(rows, 1, LEAST_SHARE);
        sqlite3_bind_int(rows, 2, MOST_HOT);
        while (sqlite3_step(rows) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(rows, 0),
                       *folder = (const char *)sqlite3_column_text(rows, 1);
            autofree char *joined = name ? source_join_path(folder ? folder : "/", name) : NULL;
            char *path = joined ? realpath(joined, NULL) : NULL;
            if (path)
                *(char **)array_push(names) = path;
        }
    }
    sqlite3_finalize(rows);
}

/* The recorded run, where one is named: hot sources, and the command, if that may be run. */
static bool read_database(const struct optimise_work *work, const char *path, struct job *job,
                          struct error *error)
{
    if (!store_is_database(path))
        return error_set(error, path,
                         "is not a database of assay run; the program and its arguments stand after --");
    struct store *store = store_open_file(path, error);
    if (!store)
        return false;
    autofree char *command = optimise_recorded_command(store_connection(store));
    read_hot(store_connection(store), &job->recorded);
    store_close(store);
    if (job->words.count || work->build)
        return true;
    if (command && options_has(work->session.invocation, OPTION_TRUST))
        return optimise_split_words(command, &job->words, error);
    return error_set(error, path, "its command is run only with --trust; or give it after --: -- %s",
                     command ? command : "./program its arguments");
}

static bool take_words(const struct optimise_work *work, struct job *job, struct error *error)
{
    const struct invocation *invocation = work->session.invocation;
    size_t first = invocation->before;
    for (size_t i = first; i < invocation->operands.count; i++)
        *(char **)array_push(&job->words) =
            memory_format("%s", *ARRAY_AT(const char *, &invocation->operands, i));
    if (job->words.count)
        *(char **)array_push(&job->words) = NULL;
    if (first > 1)
        return error_set(error, NULL, "takes one database of assay run before --, and the program after it");
    if (first == 1 && !read_database(work, options_operand(invocation, 0), job, error))
        return false;
    if (work->build && !work->run)
        return error_set(error, NULL,
                         "--build-with needs --measure-with: the command that runs $ASSAY_PROGRAM");
    return job->words.count || work->build ||
           error_set(error, NULL,
                     "--program takes the program and its arguments after --: assay optimise --program -- "
                     "./solve input.dat");
}

static void word_run(const struct optimise_work *work, struct job *job)
{
    if (work->run) {
        job->run = memory_format("%s", work->run);
        job->shown = memory_format("%s", work->run);
        return;
    }
    job->run = memory_format("\"$ASSAY_PROGRAM\"");
    job->shown = memory_format("%s", *ARRAY_AT(char *, &job->words, 0));
    for (size_t i = 1; i < job->words.count && *ARRAY_AT(char *, &job->words, i); i++) {
        relink_add_quoted(&job->run, *ARRAY_AT(char *, &job->words, i));
        char *longer = memory_format("%s %s", job->shown, *ARRAY_AT(char *, &job->words, i));
        free(job->shown);
        job->shown = longer;
    }
}

static void find_hot(struct job *job)
{
    for (size_t i = 0; i < job->recorded.count; i++)
        for (uint32_t k = 0; k < job->units.count && job->hot_count < MOST_HOT; k++)
            if (!strcmp(ARRAY_AT(struct program_unit, &job->units, k)->compilation.source,
                        *ARRAY_AT(char *, &job->recorded, i)))
                job->hot[job->hot_count++] = k;
}

static bool find_units(const struct optimise_work *work, struct job *job, struct error *error)
{
    struct error first = {0};
    if (work->build)
        return true;
    autofree char *listed = source_compilation_commands(work->session.invocation);
    if (!launch_find_program(*ARRAY_AT(char *, &job->words, 0), &job->program, error))
        return false;
    if (!program_units_list(&job->program, listed, &job->units, &first))
        return error_set(
            error, NULL,
            "%s. So the program cannot be built again; --build-with 'make -B CFLAGS=\"-O2 "
            "$ASSAY_FLAGS\" && mv solve $ASSAY_PROGRAM' --measure-with '$ASSAY_PROGRAM input' says "
            "how",
            first.text);
    find_hot(job);
    return true;
}

static void show_progress(const char *what, size_t done, double seconds_left)
{
    autofree char *text =
        memory_format("%zu tried, now %s, %.0f s left", done, what, seconds_left > 0 ? seconds_left : 0);
    progress_tell(text, 0, 0);
}

static bool write_lines(struct optimise_work *work, struct optimise_program_view *view, struct error *error)
{
    const char *file = options_value(work->session.invocation, OPTION_APPLY);
    if (!file)
        return true;
    if (view->answer->best == SIZE_MAX)
        return error_set(error, file, "nothing to write: nothing that was tried is clearly faster");
    struct output *output = output_open(file, error);
    if (!output)
        return false;
    report_program_lines(view, output_stream(output));
    view->applied = file;
    return output_finish(output, error);
}

static bool print(struct optimise_work *work, const struct job *job, const struct program_answer *answer,
                  struct error *error)
{
    struct optimise_program_view view = {
        .answer = answer,
        .units = work->build ? NULL : &job->units,
        .program = job->words.count ? *ARRAY_AT(char *, &job->words, 0) : "the program",
        .run = job->shown,
        .tolerance = options_value(work->session.invocation, OPTION_TOLERANCE),
        .has_hot = job->hot_count > 0};
    struct error unwritten = {0};
    bool is_written = write_lines(work, &view, &unwritten);
    if (work->session.style.format == report_TABLE)
        report_program_text(&view, &work->session.style, work->session.out);
    else
        report_program_rows(&view, &work->session.style, work->session.out);
    return is_written || error_set(error, NULL, "%s", unwritten.text);
}

static bool search(struct optimise_work *work, const struct job *job, struct error *error)
{
    struct program_request request = {.units = work->build ? NULL : &job->units,
                                      .program = work->build ? NULL : &job->program,
                                      .build = work->build,
                                      .run = job->run,
                                      .hot = job->hot,
                                      .hot_count = job->hot_count,
                                      .ledger = work->ledger,
                                      .tolerance = work->tolerance,
                                      .has_tolerance = work->tolerance > 0,
                                      .budget = work->budget,
                                      .forbidden = work->forbidden,
                                      .processes = session_threads(work->session.invocation),
                                      .progress = show_progress};
    struct program_answer answer;
    bool is_fine = program_search(&request, &answer, error);
    progress_clear();
    is_fine = is_fine && print(work, job, &answer, error);
    program_answer_free(&answer);
    return is_fine;
}

bool optimise_program(struct optimise_work *work, struct error *error)
{
    struct job job = {
        .words = ARRAY_OF(char *), .recorded = ARRAY_OF(char *), .units = ARRAY_OF(struct program_unit)};
    bool is_fine = take_words(work, &job, error) && find_units(work, &job, error);
    if (is_fine) {
        word_run(work, &job);
        is_fine = search(work, &job, error);
    }
    array_free_texts(&job.words);
    array_free_texts(&job.recorded);
    program_units_free(&job.units);
    launch_free_program(&job.program);
    free(job.run);
    free(job.shown);
    return is_fine;
}
