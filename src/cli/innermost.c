#include "cli/innermost.h"
#include "model/isa.h"

#include "cli/choose.h"
#include "cli/machines.h"
#include "report/common/demangle.h"
#include "report/machine.h"
#include "report/common/places.h"
#include "report/common/rows.h"
#include "store/load.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

bool innermost_read(struct innermost *innermost, const char *const *tables, struct error *error)
{
    const char *path = options_operand(innermost->invocation, 0);
    struct model *model = innermost->session->model = memory_get(sizeof *model);
    model_init(model);
    trust_add_file(innermost->session->trust, path);
    if (!store_is_database(path))
        return session_build(innermost->session, model, innermost->invocation, &path, 1, error);
    if (!session_takes_database(innermost->invocation, error))
        return false;
    struct store *store = store_open_file(path, error);
    bool good = store && store_load(store, model, tables, error);
    store_close(store);
    return good;
}

bool innermost_connect(struct session *session, struct error *error)
{
    session->store = store_open_model(session->model, error);
    if (!session->store)
        return false;
    session->connection = store_connection(session->store);
    return demangle_register(session->connection, error) && places_register(session->connection, error);
}

void innermost_disconnect(struct session *session)
{
    store_close(session->store);
    session->store = NULL;
    session->connection = NULL;
}

static bool split_line(const char *place, size_t *length, int64_t *line, struct error *error)
{
    const char *colon = place ? strrchr(place, ':') : NULL;
    char *end = NULL;
    *line = colon ? strtol(colon + 1, &end, 10) : 0;
    if (colon && (end == colon + 1 || *end || *line < 1))
        return error_set(error, NULL, "--line needs FILE or FILE:LINE, not '%s'", place);
    *length = colon ? (size_t)(colon - place) : place ? strlen(place) : 0;
    return true;
}

/* Ids of the selected innermost loops. */
static bool select_loops(struct innermost *innermost, const struct array *functions, int64_t loop,
                         int64_t program, bool obeys_limit, struct error *error)
{
    static const char query[] =
        "select l.id from loops l join functions f on f.id = l.function left join files p on p.id = l.file "
        "where l.is_innermost and (?1 is null or l.function in (select value from json_each(?1))) "
        "and (?2 = 0 or l.id = ?2) and (?3 = 0 or f.program = ?3) "
        "and (?4 is null or ((p.path = ?4 or substr(p.path, -length(?4) - 1) = '/' || ?4) "
        "and (?5 = 0 or ?5 between l.first_line and l.last_line))) order by l.id limit ?6";
    const char *place = options_value(innermost->invocation, OPTION_LINE);
    size_t length = 0;
    int64_t line = 0, limit;
    if (!split_line(place, &length, &line, error) ||
        !options_number(innermost->invocation, OPTION_LIMIT, INT64_MAX, &limit, error))
        return false;
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(innermost->session->connection, query, -1, &rows, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(innermost->session->connection));
    char *list = functions->count ? choose_json(functions) : NULL;
    sqlite3_bind_text(rows, 1, list, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(rows, 2, loop);
    sqlite3_bind_int64(rows, 3, program);
    sqlite3_bind_text(rows, 4, place, (int)length, SQLITE_TRANSIENT);
    sqlite3_bind_int64(rows, 5, line);
    sqlite3_bind_int64(rows, 6, obeys_limit ? limit : INT64_MAX);
    free(list);
    int state;
    while ((state = report_step(rows, error)) == 1)
        *(int64_t *)array_add(&innermost->loops) = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    return state == 0;
}

static int choose_connected(struct innermost *innermost, bool obeys_limit, struct error *error)
{
    struct array functions = ARRAY_OF(int64_t);
    int64_t loop, program;
    enum choice by_function =
        choose_functions(innermost->session->connection, innermost->invocation, &functions, error);
    enum choice by_loop =
        choose_row(innermost->session->connection, innermost->invocation, OPTION_LOOP, "loops", &loop, error);
    enum choice by_program = choose_row(innermost->session->connection, innermost->invocation, OPTION_PROGRAM,
                                        "programs", &program, error);
    enum choice worst = by_function > by_loop ? by_function : by_loop;
    worst = by_program > worst ? by_program : worst;
    int code = worst > choice_FOUND ? choice_exit(worst) : 0;
    if (!code && by_loop == choice_FOUND &&
        !model_loop(innermost->session->model, (uint32_t)loop)->is_innermost) {
        error_set(error, NULL,
                  "loop %lld contains other loops; this command works on innermost loops only (assay loops "
                  "--innermost lists them)",
                  (long long)loop);
        code = 2;
    }
    if (!code && !select_loops(innermost, &functions, loop, program, obeys_limit, error))
        code = 2;
    array_free(&functions);
    bool is_chosen = innermost->is_chosen =
        worst == choice_FOUND || options_has(innermost->invocation, OPTION_LINE);
    if (code || innermost->loops.count)
        return code;
    error_set(error, is_chosen ? NULL : options_operand(innermost->invocation, 0),
              is_chosen ? "no innermost loop matches the selection (assay loops lists them)"
                        : "contains no loop");
    return 1;
}

int innermost_choose(struct innermost *innermost, bool obeys_limit, struct error *error)
{
    int code =
        innermost_connect(innermost->session, error) ? choose_connected(innermost, obeys_limit, error) : 2;
    innermost_disconnect(innermost->session);
    return code;
}

enum isa innermost_isa(const struct model *model, uint32_t loop)
{
    uint32_t function = model_loop(model, loop)->function;
    enum isa isa = (enum isa)model_program(model, model_function(model, function)->program)->isa;
    return isa_facts(isa)->machine;
}

bool innermost_take_machines(struct innermost *innermost, struct error *error)
{
    const char *name = options_value(innermost->invocation, OPTION_MACHINE);
    for (size_t i = 0; i < innermost->loops.count; i++) {
        enum isa isa =
            innermost_isa(innermost->session->model, (uint32_t)*ARRAY_AT(int64_t, &innermost->loops, i));
        if (innermost->machines[isa])
            continue;
        struct machine *machine = machines_take(name, isa, &innermost->is_host[isa], error);
        if (!machine)
            return false;
        innermost->machines[isa] = machine;
        if (!machine_runs(machine, isa))
            return error_set(error, NULL, "%s does not run this code; choose another machine", machine->name);
    }
    return true;
}

void innermost_print_machine(FILE *out, const struct machine *machine, bool is_named, bool is_host)
{
    char *words = report_machine_words(machine, is_named, is_host);
    fprintf(out, "machine: %s\n", words);
    free(words);
}

void innermost_print_machines(const struct innermost *innermost)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (innermost->machines[isa])
            innermost_print_machine(innermost->session->out, innermost->machines[isa],
                                    options_has(innermost->invocation, OPTION_MACHINE),
                                    innermost->is_host[isa]);
}

void innermost_free(struct innermost *innermost)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        machine_free(innermost->machines[isa]);
    array_free(&innermost->loops);
}
