/* Computation that a model gives as a loop of a program: cycles of an iteration of the source loop, by the
   model of that binary on the machine asked for.

   The program is read like that of assay report, and its table loop_metrics is asked.  Of several compiled
   loops at the line the main one counts, of its paths the slowest. */
#include "cli/model_open.h"

#include "base/path.h"
#include "cli/machines.h"
#include "cli/queries.h"
#include "model/isa.h"
#include "model/model.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *where_of(const struct language_loop *loop)
{
    return memory_format("%s:%u:%u", loop->file, loop->line, loop->column);
}

static char *path_of(const struct language_loop *loop)
{
    return *loop->program == '/' || !strcmp(loop->folder, ".")
               ? memory_format("%s", loop->program)
               : memory_format("%s/%s", loop->folder, loop->program);
}

/* The program that a model names is read only if a file may name it. */
static bool read_program(struct model_work *work, const char *path, const struct language_loop *loop,
                         struct error *error)
{
    autofree char *where = where_of(loop);
    bool is_fine = true;
    if (access(path, R_OK))
        is_fine = error_set(error, where,
                            "the program %s cannot be read; paths are relative to the model's folder", path);
    else if (!trust_allows(&work->trust, path))
        is_fine = error_set(
            error, where,
            "the program %s is outside of the folders that this file may name; --trust reads it", path);
    else if (store_is_database(path))
        is_fine = error_set(error, where, "%s is a database; name the program itself", path);
    return is_fine && session_read(&work->session, &path, 1, NULL, error) &&
           session_answer(&work->session, error);
}

static void release_program(struct model_work *work)
{
    struct session *session = &work->session;
    session_disconnect(session);
    if (session->model) {
        model_free(session->model);
        free(session->model);
        session->model = NULL;
    }
}

/* Sets the cycles of all loops of the model that are in the program that was read. */
static bool ask_program(struct model_work *work, const char *path, struct error *error)
{
    struct session *session = &work->session;
    struct array *loops = language_loops(work->model);
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(session->connection, query_named(cli_queries, "cycles_of_innermost"), -1, &rows,
                           NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(session->connection));
    int state;
    while ((state = report_step(rows, error)) == 1) {
        uint32_t id = (uint32_t)sqlite3_column_int64(rows, 0);
        bool has_source = sqlite3_column_type(rows, 2) != SQLITE_NULL, is_main = sqlite3_column_int(rows, 3);
        if (sqlite3_column_type(rows, 1) == SQLITE_NULL || !is_main)
            continue;
        double cycles = sqlite3_column_double(rows, has_source ? 2 : 1);
        for (size_t i = 0; i < loops->count; i++) {
            struct language_loop *loop = ARRAY_AT(struct language_loop, loops, i);
            autofree char *own = path_of(loop);
            bool is_same = !strcmp(own, path);
            if (!is_same ||
                !loop_place_is_at(session->model, id, loop->source, strlen(loop->source), loop->source_line))
                continue;
            if (isnan(loop->cycles) || cycles > loop->cycles)
                loop->cycles = cycles;
            if (!has_source)
                session_say(session,
                            "%s:%u: how many source iterations one of the compiled loop does is not known; "
                            "it is taken as 1",
                            loop->source, loop->source_line);
        }
    }
    sqlite3_finalize(rows);
    return state >= 0;
}

static bool find_in(struct model_work *work, const struct language_loop *loop, struct error *error)
{
    autofree char *path = path_of(loop);
    bool is_fine = read_program(work, path, loop, error);
    if (is_fine && !work->machine && work->session.model->programs.count > 1)
        work->machine =
            machines_take(NULL, isa_facts((enum isa)model_program(work->session.model, 1)->isa)->machine,
                          &work->is_host, error);
    is_fine = is_fine && work->machine && ask_program(work, path, error);
    if (is_fine && isnan(loop->cycles)) {
        autofree char *where = where_of(loop);
        is_fine = error_set(error, where,
                            "%s has no innermost loop with cycles at %s:%u (assay loops --innermost lists "
                            "them; is there debug information?)",
                            path, loop->source, loop->source_line);
    }
    release_program(work);
    return is_fine;
}

bool model_find_loops(struct model_work *work, struct error *error)
{
    struct array *loops = language_loops(work->model);
    for (size_t i = 0; i < loops->count; i++)
        if (isnan(ARRAY_AT(struct language_loop, loops, i)->cycles) &&
            !find_in(work, ARRAY_AT(struct language_loop, loops, i), error))
            return false;
    return true;
}
