#include "cli/heat.h"

#include "cli/choose.h"
#include "cli/queries.h"
#include "cli/session.h"
#include "show/report/heat/heat.h"
#include "show/report/run/run.h"

#include <stdlib.h>
#include <string.h>

/* What is needed of the whole program; of the functions that are shown, store_function_tables. */
static const char *const outline[] = {
    "programs",  "sections",    "symbols", "units",         "files",         "functions",
    "blocks",    "loops",       "calls",   "registers",     "runs",          "run_processes",
    "run_files", "run_threads", "samples", "run_functions", "run_positions", NULL};

static const double least_share = 0.01;
enum { USUAL_FUNCTIONS = 10 };

bool heat_is_wanted_by(const struct invocation *invocation, struct error *error)
{
    static const enum option_id options[] = {OPTION_UNFOLD, OPTION_NO_ASSEMBLY, OPTION_TOP, OPTION_ALL,
                                             OPTION_NO_PAGER};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options_has(invocation, options[i]))
            return error_set(error, NULL, "--%s goes with --heat", option_described(options[i])->name);
    return true;
}

static bool check_options(const struct invocation *invocation, struct error *error)
{
    static const enum option_id others[] = {OPTION_BLOCK,    OPTION_SECTION,       OPTION_PROGRAM,
                                            OPTION_NO_BYTES, OPTION_RAW,           OPTION_APPLY,
                                            OPTION_PROBE,    OPTION_WITHOUT_PROBES};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (options_has(invocation, others[i]))
            return error_set(error, NULL, "--heat shows whole functions, so it does not go with --%s",
                             option_described(others[i])->name);
    if (options_has(invocation, OPTION_FUNCTION) && options_has(invocation, OPTION_LOOP))
        return error_set(error, NULL, "choose one of --function and --loop");
    if ((options_has(invocation, OPTION_NO_SOURCE) || options_has(invocation, OPTION_NO_ASSEMBLY) ||
         options_has(invocation, OPTION_UNFOLD) || options_has(invocation, OPTION_ALL)) &&
        (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL,
                         "--json and --csv have everything: leave out --no-source, --no-assembly, --unfold "
                         "and --all");
    if (options_has(invocation, OPTION_NO_SOURCE) && options_has(invocation, OPTION_NO_ASSEMBLY))
        return error_set(error, NULL, "--no-source and --no-assembly together leave nothing to show");
    return true;
}

/* A function that is nowhere may be everywhere: inlined.  Says so in place of the error. */
static void explain_missing(const struct invocation *invocation, struct error *error)
{
    struct error ignored = {0};
    const char *name = options_value(invocation, OPTION_FUNCTION);
    struct store *store = name ? store_open_file(options_operand(invocation, 0), &ignored) : NULL;
    sqlite3_stmt *row = NULL;
    if (store && sqlite3_prepare_v2(store_connection(store), query_named(cli_queries, "inlined_into"), -1,
                                    &row, NULL) == SQLITE_OK) {
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
        if (sqlite3_step(row) == SQLITE_ROW) {
            *error = (struct error){0};
            error_set(error, NULL, "%s was inlined: its time is in %s (--function %s --unfold)", name,
                      (const char *)sqlite3_column_text(row, 0), (const char *)sqlite3_column_text(row, 0));
        }
    }
    sqlite3_finalize(row);
    if (store)
        store_close(store);
}

/* Those that were named, the most time first; or the hottest. */
static int choose(struct session *session, const struct invocation *invocation, uint32_t run, int64_t top,
                  struct array *functions, struct error *error)
{
    const struct model *model = session->model;
    struct array named = ARRAY_OF(int64_t), hot;
    int64_t loop = 0;
    enum choice choices[] = {choose_functions(session->connection, invocation, &named, error),
                             choose_row(session->connection, invocation, OPTION_LOOP, "loops", &loop, error)};
    enum choice choice = choices[0] > choices[1] ? choices[0] : choices[1];
    if (loop && choice == choice_FOUND)
        *(int64_t *)array_push(&named) = model_loop(model, (uint32_t)loop)->function;
    heat_functions(model, run, choice == choice_NONE ? least_share : 0, choice != choice_NONE, SIZE_MAX,
                   &hot);
    for (size_t i = 0; i < hot.count && choice <= choice_FOUND && (int64_t)functions->count < top; i++) {
        uint32_t function = *ARRAY_AT(uint32_t, &hot, i);
        bool is_wanted = choice == choice_NONE;
        for (size_t k = 0; k < named.count && !is_wanted; k++)
            is_wanted = *ARRAY_AT(int64_t, &named, k) == function;
        if (is_wanted)
            *(uint32_t *)array_push(functions) = function;
    }
    array_free(&named);
    array_free(&hot);
    if (choice == choice_MISSING)
        explain_missing(invocation, error);
    if (choice > choice_FOUND)
        return choice_exit(choice);
    if (functions->count)
        return 0;
    error_set(error, options_operand(invocation, 0), "%s",
              choice == choice_NONE
                  ? "no function that was read has 1 % of the time; --function NAME shows one with less"
                  : "no sample is in that function, nor in what it calls; assay report shows where they are");
    return 1;
}

static int show(struct session *session, const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 0);
    struct model *model = session->model;
    struct array functions = ARRAY_OF(uint32_t);
    int64_t top;
    bool has_names = options_has(invocation, OPTION_FUNCTION);
    if (!options_number(invocation, OPTION_TOP, has_names ? INT64_MAX : USUAL_FUNCTIONS, &top, error))
        return 2;
    if (top < 1)
        return error_set(error, NULL, "--top takes 1 or more") ? 0 : 2;
    uint32_t run = model_last(&model->runs);
    int code = session_connect(session, error) ? choose(session, invocation, run, top, &functions, error) : 2;
    session_disconnect(session);
    autofree uint8_t *wanted = memory_get(model->functions.count + 1);
    for (size_t i = 0; i < functions.count; i++)
        wanted[*ARRAY_AT(uint32_t, &functions, i)] = 1;
    if (!code && !session_read_functions(session, path, wanted, error))
        code = 2;
    if (!code) {
        struct places places;
        places_take(&places, model, session->style.demangle, session->trust);
        struct heat_view view = {.model = model,
                                 .run = run,
                                 .functions = functions.data,
                                 .count = functions.count,
                                 .places = &places,
                                 .demangle = session->style.demangle,
                                 .is_unfolded = options_has(invocation, OPTION_UNFOLD),
                                 .is_whole = options_has(invocation, OPTION_ALL),
                                 .without_source = options_has(invocation, OPTION_NO_SOURCE),
                                 .without_assembly = options_has(invocation, OPTION_NO_ASSEMBLY)};
        bool good = session->style.format == report_TABLE
                        ? report_heat_text(&view, &session->style, session->out, error)
                        : report_heat_rows(&view, session->style.format == report_JSON, session->out, error);
        code = good ? 0 : 2;
        places_free(&places);
    }
    array_free(&functions);
    return code;
}

int heat_asm(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    const char *path = options_operand(invocation, 0);
    int code = 2;
    if (!check_options(invocation, error))
        return 2;
    if (!store_is_database(path)) {
        error_set(error, path,
                  "is no database of a run, which --heat needs: assay run -o run.db -- PROGRAM, then assay "
                  "asm run.db --heat");
        return 2;
    }
    bool has_begun = session_begin(&session, invocation, error);
    if (has_begun)
        session_page(&session);
    if (has_begun && session_read_outline(&session, path, outline, error)) {
        if (report_run_has(session.model))
            code = show(&session, invocation, error);
        else
            error_set(error, path, "has no sampled run, which --heat needs: assay run -o run.db -- PROGRAM");
    }
    return session_end(&session, code, error);
}
