/* assay asm: the disassembly as text, as rows or as bytes; for a listing, its text. */
#include "show/report/asm.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/edits.h"
#include "cli/heat.h"
#include "cli/nodes.h"
#include "cli/queries.h"
#include "cli/session.h"
#include "show/report/listing_text.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_selection(struct array *selections, enum asm_part part, int64_t id)
{
    *(struct asm_selection *)array_add(selections) = (struct asm_selection){part, id};
}

/* Sections of code by name (NULL: all) and program (0: all). */
static enum choice add_sections(sqlite3 *connection, const char *name, int64_t program,
                                struct array *selections, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "code_sections"), -1, &rows, NULL) !=
        SQLITE_OK) {
        error_set(error, NULL, "%s", store_problem(connection));
        return choice_BROKEN;
    }
    sqlite3_bind_text(rows, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(rows, 2, program);
    int state;
    while ((state = report_step(rows, error)) == 1)
        add_selection(selections, asm_SECTION, sqlite3_column_int64(rows, 0));
    sqlite3_finalize(rows);
    if (state == 0 && !selections->count) {
        error_set(error, NULL, "no code in %s%s", name ? "a section " : "this file", name ? name : "");
        return choice_MISSING;
    }
    return state < 0 ? choice_BROKEN : choice_FOUND;
}

static enum choice select_parts(sqlite3 *connection, const struct invocation *invocation,
                                struct array *selections, struct error *error)
{
    struct array functions = ARRAY_OF(int64_t);
    int64_t loop, block, program;
    enum choice choices[] = {choose_functions(connection, invocation, &functions, error),
                             choose_row(connection, invocation, OPTION_LOOP, "loops", &loop, error),
                             choose_row(connection, invocation, OPTION_BLOCK, "blocks", &block, error),
                             choose_row(connection, invocation, OPTION_PROGRAM, "programs", &program, error)};
    enum choice worst = choice_NONE;
    unsigned given = 0;
    for (unsigned i = 0; i < 4; i++) {
        worst = choices[i] > worst ? choices[i] : worst;
        given += i < 3 && choices[i] != choice_NONE;
    }
    const char *section = options_value(invocation, OPTION_SECTION);
    if (worst <= choice_FOUND && given + (section != NULL) > 1) {
        error_set(error, NULL, "choose one of --function, --loop, --block and --section");
        worst = choice_BROKEN;
    }
    if (worst <= choice_FOUND) {
        for (size_t i = 0; i < functions.count; i++)
            add_selection(selections, asm_FUNCTION, *ARRAY_AT(int64_t, &functions, i));
        if (loop)
            add_selection(selections, asm_LOOP, loop);
        if (block)
            add_selection(selections, asm_BLOCK, block);
        if (!given)
            worst = add_sections(connection, section, program, selections, error);
    }
    array_free(&functions);
    return worst;
}

/* Instructions as rows, for csv and json. */
static bool print_rows(struct session *session, const struct array *selections, struct error *error)
{
    static const char *const queries[] = {[asm_FUNCTION] = "asm_rows_of_functions",
                                          [asm_LOOP] = "asm_rows_of_loops",
                                          [asm_BLOCK] = "asm_rows_of_blocks",
                                          [asm_SECTION] = "asm_rows_of_sections"};
    struct array ids = ARRAY_OF(int64_t);
    for (size_t i = 0; i < selections->count; i++)
        *(int64_t *)array_add(&ids) = ARRAY_AT(struct asm_selection, selections, i)->id;
    autofree char *list = choose_json(&ids);
    array_free(&ids);
    const char *query =
        query_named(cli_queries, queries[ARRAY_AT(struct asm_selection, selections, 0)->part]);
    sqlite3_stmt *rows = NULL;
    uint64_t count;
    bool done = false;
    if (sqlite3_prepare_v2(session->connection, query, -1, &rows, NULL) != SQLITE_OK) {
        error_set(error, NULL, "%s", store_problem(session->connection));
    } else {
        sqlite3_bind_text(rows, 1, list, -1, SQLITE_STATIC);
        done = report_rows(rows, &session->style, -1, session->out, &count, error);
    }
    sqlite3_finalize(rows);
    return done;
}

/* Whether the selection is from an IA-64 listing, whose code has no bytes. */
static bool has_no_bytes(sqlite3 *connection, const struct asm_selection *selection)
{
    static const char *const queries[] = {
        [asm_FUNCTION] = "asm_function_has_no_bytes",
        [asm_LOOP] = "asm_loop_has_no_bytes",
        [asm_BLOCK] = "asm_block_has_no_bytes",
        [asm_SECTION] = "asm_section_has_no_bytes",
    };
    sqlite3_stmt *row = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, queries[selection->part]), -1, &row, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_int64(row, 1, selection->id);
        found = sqlite3_step(row) == SQLITE_ROW;
    }
    sqlite3_finalize(row);
    return found;
}

static bool write_raw(struct session *session, const struct array *selections, struct error *error)
{
    if (selections->count && has_no_bytes(session->connection, selections->data))
        return error_set(error, NULL, "an IA-64 listing has no bytes: assemble it and give the object file");
    if (!session->output && isatty(STDOUT_FILENO))
        return error_set(error, NULL, "--raw writes bytes; name a file with --output");
    if (selections->count > 1 && ARRAY_AT(struct asm_selection, selections, 0)->part == asm_SECTION)
        return error_set(error, NULL,
                         "--raw writes one section, but %zu match; choose one with --section and --program",
                         selections->count);
    for (size_t i = 0; i < selections->count; i++)
        if (!report_raw(session->connection, ARRAY_AT(struct asm_selection, selections, i), session->out,
                        error))
            return false;
    return true;
}

static bool print_code(struct session *session, const struct invocation *invocation,
                       const struct array *selections, struct error *error)
{
    if (options_has(invocation, OPTION_RAW))
        return write_raw(session, selections, error);
    if (session->style.format != report_TABLE)
        return print_rows(session, selections, error);
    struct asm_options options = {.without_bytes = options_has(invocation, OPTION_NO_BYTES),
                                  .without_source = options_has(invocation, OPTION_NO_SOURCE),
                                  .trust = session->trust};
    return report_asm(session->connection, selections->data, selections->count, &options, &session->style,
                      session->out, error);
}

/* The next program after an id (only `wanted` if that is set), and whether it is a listing; 0 for none. */
static int64_t next_program(sqlite3 *connection, int64_t after, int64_t wanted, bool *is_listing,
                            struct error *error)
{
    sqlite3_stmt *row = NULL;
    int64_t id = 0;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "next_program"), -1, &row, NULL) !=
        SQLITE_OK) {
        error_set(error, NULL, "%s", store_problem(connection));
        return 0;
    }
    sqlite3_bind_int64(row, 1, after);
    sqlite3_bind_int64(row, 2, wanted);
    if (report_step(row, error) == 1) {
        id = sqlite3_column_int64(row, 0);
        *is_listing = sqlite3_column_int(row, 1) != 0;
    }
    sqlite3_finalize(row);
    return id;
}

/* Without a selection: listings unchanged, the code of other programs. Returns the exit code. */
static int print_programs(struct session *session, const struct invocation *invocation, int64_t wanted,
                          struct error *error)
{
    bool is_listing = false;
    for (int64_t id = 0; (id = next_program(session->connection, id, wanted, &is_listing, error));) {
        struct array sections = ARRAY_OF(struct asm_selection);
        bool done = is_listing
                        ? report_listing(session->connection, id, &session->style, session->out, error)
                        : add_sections(session->connection, NULL, id, &sections, error) <= choice_FOUND &&
                              print_code(session, invocation, &sections, error);
        array_free(&sections);
        if (!done)
            return 2;
    }
    return error->set ? 2 : 0;
}

/* Whether to print the text of a listing: no selection and no other format. */
static bool is_listing_wanted(struct session *session, const struct invocation *invocation, int64_t program,
                              struct error *error)
{
    static const enum option_id others[] = {OPTION_FUNCTION, OPTION_LOOP, OPTION_BLOCK, OPTION_SECTION,
                                            OPTION_RAW};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (options_has(invocation, others[i]))
            return false;
    if (session->style.format != report_TABLE)
        return false;
    bool is_listing = false;
    for (int64_t id = 0;
         !is_listing && (id = next_program(session->connection, id, program, &is_listing, error));)
        ;
    return is_listing;
}

/* Edits are of the whole text, or listed as rows. */
static bool check_edit_options(const struct invocation *invocation, struct error *error)
{
    static const enum option_id others[] = {OPTION_FUNCTION, OPTION_LOOP,     OPTION_BLOCK,
                                            OPTION_SECTION,  OPTION_NO_BYTES, OPTION_NO_SOURCE,
                                            OPTION_RAW,      OPTION_PROBE,    OPTION_WITHOUT_PROBES};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (options_has(invocation, others[i]))
            return error_set(error, NULL, "--apply writes a whole listing, so it does not go with --%s",
                             option_described(others[i])->name);
    return true;
}

/* An option that would have no effect is an error: the user expects one. */
static bool check_options(const struct invocation *invocation, struct error *error)
{
    bool is_raw = options_has(invocation, OPTION_RAW);
    bool has_rows = options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV);
    if (is_raw && has_rows)
        return error_set(error, NULL,
                         "--raw writes bytes, not rows; it cannot be combined with --json or --csv");
    if ((is_raw || has_rows) &&
        (options_has(invocation, OPTION_NO_BYTES) || options_has(invocation, OPTION_NO_SOURCE)))
        return error_set(error, NULL,
                         "--no-bytes and --no-source apply to text output, not to --raw, --json or --csv");
    return true;
}

/* Nodes go into the whole text, or out of it. */
static bool check_node_options(const struct invocation *invocation, struct error *error)
{
    static const enum option_id others[] = {
        OPTION_FUNCTION, OPTION_LOOP,      OPTION_BLOCK, OPTION_SECTION, OPTION_PROGRAM,
        OPTION_NO_BYTES, OPTION_NO_SOURCE, OPTION_RAW,   OPTION_JSON,    OPTION_CSV};
    bool has_plan = options_has(invocation, OPTION_PROBE);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (options_has(invocation, others[i]))
            return error_set(error, NULL, "--%s writes a whole listing, so it does not go with --%s",
                             has_plan ? "probe" : "without-probes", option_described(others[i])->name);
    return !has_plan || !options_has(invocation, OPTION_WITHOUT_PROBES) ||
           error_set(error, NULL, "choose one of --probe and --without-probes");
}

/* A listing, or the runtime that is there without one. */
static bool check_file(const struct invocation *invocation, struct error *error)
{
    bool wants_runtime = options_has(invocation, OPTION_PROBE_RUNTIME);
    static const enum option_id others[] = {OPTION_PROBE, OPTION_WITHOUT_PROBES, OPTION_APPLY, OPTION_JSON,
                                            OPTION_CSV};
    for (unsigned i = 0; wants_runtime && i < sizeof others / sizeof *others; i++)
        if (options_has(invocation, others[i]))
            return error_set(error, NULL,
                             "--probe-runtime prints a text of its own, so it does not go with --%s",
                             option_described(others[i])->name);
    if (wants_runtime && invocation->operands.count)
        return error_set(error, NULL, "--probe-runtime prints a text of its own; it does not take %s",
                         options_operand(invocation, 0));
    return wants_runtime || invocation->operands.count ||
           error_set(error, NULL, "asm needs an operand (usage: assay asm FILE)");
}

int command_asm(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    struct array selections = ARRAY_OF(struct asm_selection);
    int code = 2;
    if (!check_file(invocation, error))
        return 2;
    if (options_has(invocation, OPTION_PROBE_RUNTIME)) {
        if (session_begin(&session, invocation, error))
            code = fputs(nodes_ia64_runtime, session.out) < 0 ? 2 : 0;
        return session_end(&session, code, error);
    }
    if (options_has(invocation, OPTION_HEAT))
        return heat_asm(invocation, error);
    if (!heat_is_wanted_by(invocation, error))
        return 2;
    if (options_has(invocation, OPTION_APPLY) && !check_edit_options(invocation, error))
        return 2;
    if (options_has(invocation, OPTION_PROBE) || options_has(invocation, OPTION_WITHOUT_PROBES)) {
        if (check_node_options(invocation, error) && session_begin(&session, invocation, error))
            code = nodes_asm(&session, invocation, error);
        return session_end(&session, code, error);
    }
    if (check_options(invocation, error) &&
        session_open(&session, invocation, options_operand(invocation, 0), error)) {
        int64_t program = 0;
        enum choice choice =
            choose_row(session.connection, invocation, OPTION_PROGRAM, "programs", &program, error);
        bool is_text = choice <= choice_FOUND && is_listing_wanted(&session, invocation, program, error);
        if (choice <= choice_FOUND && (is_text || options_has(invocation, OPTION_APPLY))) {
            code = edits_are_wanted(&session, invocation)
                       ? edits_asm(&session, invocation, error)
                       : print_programs(&session, invocation, program, error);
            return session_end(&session, code, error);
        }
        if (choice <= choice_FOUND)
            choice = select_parts(session.connection, invocation, &selections, error);
        if (choice > choice_FOUND)
            code = choice_exit(choice);
        else if (print_code(&session, invocation, &selections, error))
            code = 0;
    }
    array_free(&selections);
    return session_end(&session, code, error);
}
