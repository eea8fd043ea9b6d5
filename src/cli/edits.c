/* From scripts to an edited listing: whose rows are edits, the text that they are about, and what is said of them. */
#include "cli/edits.h"

#include "base/progress.h"
#include "base/regular_file.h"
#include "cli/choose.h"
#include "cli/foreign.h"
#include "cli/queries.h"
#include "cli/scripts.h"
#include "code/read/listing/preprocess.h"
#include "show/report/listing_text.h"
#include "store/load.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_SCRIPT = 1 << 20, MOST_SAID = 10 };

/* What the data flow of a listing stands on. */
static const char *const tables[] = {"programs",      "files",   "functions",    "blocks",
                                     "loops",         "edges",   "calls",        "loop_blocks",
                                     "registers",     "code",    "encodings",    "operands",
                                     "register_uses", "bundles", "issue_groups", "listing_instructions",
                                     "directives",    NULL};

struct edits {
    struct session *session;
    const struct invocation *invocation;
    const struct model *model;
    struct model loaded; /* of a database */
    struct array wishes; /* of struct edit_wish */
    uint32_t program, file;
    const char *path;
    char *text;
    size_t size;
};

/* Scripts */

struct asking {
    struct edits *edits;
    const struct analysis *analysis;
    struct store_choice choice;
    struct edit_rows rows;
};

static bool ask(void *context, struct error *error)
{
    struct asking *asking = context;
    struct session *session = asking->edits->session;
    const struct analysis *analysis = asking->analysis;
    struct analysis_value all = {"most", "1000000"};
    size_t count = 0;
    for (size_t i = 0; i < analysis->parameters.count; i++)
        count |= !strcmp(ARRAY_AT(struct analysis_parameter, &analysis->parameters, i)->name, all.name);
    if (!analysis->is_script)
        return analysis_run(session->store, analysis, &asking->choice, &all, count, edit_rows_write,
                            &asking->rows, error);
    struct scripts scripts;
    struct script_host host;
    struct printing printing = {.session = session};
    scripts_begin(&scripts, session, &printing, &asking->choice, &host);
    bool done = script_analysis(&host, analysis, &all, count, edit_rows_write, &asking->rows, error);
    scripts_end(&scripts);
    return done;
}

static bool take_rows(struct edits *edits, const struct analysis *analysis, struct error *error)
{
    struct asking asking = {.edits = edits, .analysis = analysis};
    asking.rows = (struct edit_rows){tmpfile(), analysis->name, (enum analysis_edits)analysis->edits};
    if (!asking.rows.file)
        return error_set_errno(error, NULL, "no temporary file can be made for the rows");
    bool done =
        choose_macros(edits->session->connection, edits->invocation, &asking.choice, error) <= choice_FOUND;
    if (done && options_has(edits->invocation, OPTION_TRUST))
        done = ask(&asking, error);
    else
        done = done && foreign_run(&(struct foreign){.session = edits->session,
                                                     .work = ask,
                                                     .context = &asking,
                                                     .what = "the script",
                                                     .file = asking.rows.file},
                                   error);
    done = done && !error->set && edit_rows_read(&asking.rows, &edits->wishes, error);
    fclose(asking.rows.file);
    return done;
}

/* A file by its path; it needs no header. */
static bool take_file(struct edits *edits, const char *path, struct error *error)
{
    autofree char *text = regular_file_text(path, LARGEST_SCRIPT, "a script", error);
    if (!text)
        return false;
    struct analysis analysis;
    analysis_parse(&analysis, path, text);
    if (!analysis.title && !analysis.does)
        analysis.error = (struct error){0};
    bool good = !analysis.error.set || error_set(error, NULL, "%s", analysis.error.text);
    good = good && take_rows(edits, &analysis, error);
    analysis_free(&analysis);
    return good;
}

static bool take_named(struct edits *edits, const char *name, struct error *error)
{
    struct array list = scripts_find();
    const struct analysis *analysis = analyses_named(&list, name);
    bool good = analysis != NULL;
    if (!analysis)
        error_set(error, NULL,
                  "no analysis is called %s (assay analyses lists them), and a file ends in .sql or .lua",
                  name);
    good = good && take_rows(edits, analysis, error);
    analyses_free(&list);
    return good;
}

static bool is_file(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') ||
           (length > 4 && (!strcmp(name + length - 4, ".sql") || !strcmp(name + length - 4, ".lua")));
}

/* The rows of a database's own table. */
static bool take_table(struct edits *edits, struct error *error)
{
    struct edit_rows own = {tmpfile(), "edits", EDITS_ARE_COMMANDS};
    sqlite3_stmt *rows = NULL;
    bool good = own.file || error_set_errno(error, NULL, "no temporary file can be made for the rows");
    if (good && sqlite3_prepare_v2(edits->session->connection, query_named(cli_queries, "edits_of_database"),
                                   -1, &rows, NULL) != SQLITE_OK)
        good = error_set(error, NULL, "%s", store_problem(edits->session->connection));
    good = good && edit_rows_write(&own, rows, error) && edit_rows_read(&own, &edits->wishes, error);
    sqlite3_finalize(rows);
    if (own.file)
        fclose(own.file);
    return good;
}

static bool take_wishes(struct edits *edits, struct error *error)
{
    const struct invocation *invocation = edits->invocation;
    if (!edits->session->model && !take_table(edits, error))
        return false;
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_APPLY && !(is_file(given->value) ? take_file(edits, given->value, error)
                                                                 : take_named(edits, given->value, error)))
            return false;
    }
    return true;
}

/* The listing */

static bool find_listing(struct edits *edits, struct error *error)
{
    const struct model *model = edits->model;
    uint32_t count = 0;
    for (uint32_t id = 1; id < model->programs.count; id++) {
        if (model_program(model, id)->format != format_LISTING)
            continue;
        edits->program = id;
        edits->path = model_text(model, model_program(model, id)->path);
        count++;
    }
    for (uint32_t i = 0; i < model->listing_instructions.count; i++) {
        const struct listing_instruction *row = model_listing_instruction(model, i);
        if (edits->file && row->file && row->file != edits->file)
            return error_set(error, edits->path,
                             "was read together with other listings; edit each on its own");
        edits->file = row->file ? row->file : edits->file;
    }
    if (!count)
        return error_set(error, options_operand(edits->invocation, 0),
                         "is no assembly listing; edits change the text of one");
    if (count > 1)
        return error_set(error, options_operand(edits->invocation, 0),
                         "has %u programs; edit each on its own", count);
    if (edits->file)
        edits->path = model_text(model, model_file(model, edits->file)->path);
    return !preprocess_is_wanted(edits->path) ||
           error_set(
               error, edits->path,
               "goes through the C preprocessor, so its lines are no places for edits; preprocess it first");
}

static bool read_text(struct edits *edits, struct error *error)
{
    struct report_style plain = {.format = report_TABLE};
    FILE *stream = open_memstream(&edits->text, &edits->size);
    if (!stream)
        return error_set_errno(error, NULL, "no memory for the text");
    bool good = report_listing(edits->session->connection, edits->program, &plain, stream, error);
    return !fclose(stream) && good;
}

static bool take_model(struct edits *edits, struct error *error)
{
    edits->model = edits->session->model;
    if (edits->model)
        return true;
    edits->model = &edits->loaded;
    return store_load(edits->session->store, &edits->loaded, tables, error);
}

/* What is said */

static void say_refusals(const struct edits *edits)
{
    uint32_t said = 0, left = 0;
    for (size_t i = 0; i < edits->wishes.count; i++) {
        const struct edit_wish *wish = array_at(&edits->wishes, i);
        if (!wish->refusal)
            continue;
        if (said++ < MOST_SAID)
            session_say(edits->session, "%s:%u: not %s: %s", edits->path,
                        edit_line_of(edits->model, wish->instruction),
                        wish->kind == edit_kind_DELETE                                         ? "deleted"
                        : wish->kind == edit_kind_REPLACE                                      ? "replaced"
                        : wish->kind == edit_kind_SWAP || wish->kind == edit_kind_SWAP_BUNDLES ? "swapped"
                                                                                               : "inserted",
                        wish->refusal);
        else
            left++;
    }
    if (left)
        session_say(edits->session, "and %u more (--json lists all)", left);
}

static bool print_rows(const struct edits *edits, struct error *error)
{
    sqlite3 *connection = NULL;
    sqlite3_stmt *insert = NULL, *rows = NULL;
    struct printing printing = {.session = edits->session};
    /* A table of this function alone, which no schema has. */
    bool good =
        sqlite3_open(":memory:", &connection) == SQLITE_OK &&
        sqlite3_exec(connection, "create table made(kind, file, line, other_line, text, reason, refusal)",
                     NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(connection, "insert into made values (?1, ?2, ?3, nullif(?4, 0), ?5, ?6, ?7)", -1,
                           &insert, NULL) == SQLITE_OK;
    for (size_t i = 0; good && i < edits->wishes.count; i++) {
        const struct edit_wish *wish = array_at(&edits->wishes, i);
        sqlite3_reset(insert);
        sqlite3_bind_text(insert, 1, edit_kind_word(wish->kind), -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, edits->path, -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 3, edit_line_of(edits->model, wish->instruction));
        sqlite3_bind_int64(insert, 4, wish->other ? edit_line_of(edits->model, wish->other) : 0);
        sqlite3_bind_text(insert, 5, wish->text, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 6, wish->reason, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 7, wish->refusal, -1, SQLITE_STATIC);
        sqlite3_step(insert);
    }
    good = good && sqlite3_prepare_v2(connection, "select * from made order by line, rowid", -1, &rows,
                                      NULL) == SQLITE_OK;
    if (!good)
        error_set(error, NULL, "%s", store_problem(connection));
    good = good && printing_rows(&printing, rows, error);
    sqlite3_finalize(insert);
    sqlite3_finalize(rows);
    sqlite3_close(connection);
    return good;
}

static int finish(const struct edits *edits, const struct array *out, const struct edit_outcome *outcome,
                  struct error *error)
{
    bool has_rows = edits->session->style.format != report_TABLE, is_written = outcome->is_written;
    if (has_rows && !print_rows(edits, error))
        return 2;
    if (!has_rows && is_written)
        fwrite(out->data, 1, out->count, edits->session->out);
    fflush(edits->session->out);
    if (!has_rows)
        say_refusals(edits);
    session_say(edits->session, "%s: %u of %zu edits made%s", edits->path, is_written ? outcome->made : 0,
                edits->wishes.count,
                !is_written         ? "; nothing is written, because some cannot be made"
                : outcome->replaced ? "; that replacements compute the same is your word"
                                    : "");
    return is_written ? 0 : 1;
}

static int apply(struct edits *edits, struct error *error)
{
    struct read_options reading;
    struct edit_outcome outcome = {0};
    struct array out = ARRAY_OF(char);
    int code = 2;
    if (session_reading(edits->session, &reading, error)) {
        struct edit_work work = {.model = edits->model,
                                 .program = edits->program,
                                 .file = edits->file,
                                 .path = edits->path,
                                 .text = {(const uint8_t *)edits->text, edits->size},
                                 .reading = reading,
                                 .has_no_volatile = options_has(edits->invocation, OPTION_NO_VOLATILE)};
        bool good = edit_apply(&work, &edits->wishes, &out, &outcome, error);
        progress_clear();
        code = good ? finish(edits, &out, &outcome, error) : 2;
    }
    array_free(&out);
    return code;
}

bool edits_are_wanted(struct session *session, const struct invocation *invocation)
{
    sqlite3_stmt *row = NULL;
    if (options_has(invocation, OPTION_APPLY))
        return true;
    bool has_rows = !session->model &&
                    sqlite3_prepare_v2(session->connection, query_named(cli_queries, "has_edits"), -1, &row,
                                       NULL) == SQLITE_OK &&
                    sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return has_rows;
}

int edits_asm(struct session *session, const struct invocation *invocation, struct error *error)
{
    struct edits edits = {.session = session, .invocation = invocation, .wishes = ARRAY_OF(struct edit_wish)};
    model_init(&edits.loaded);
    session->needs_all = true;
    int code = 2;
    if (take_model(&edits, error) && find_listing(&edits, error) && read_text(&edits, error) &&
        take_wishes(&edits, error))
        code = apply(&edits, error);
    edit_wishes_free(&edits.wishes);
    model_free(&edits.loaded);
    free(edits.text);
    return code;
}
