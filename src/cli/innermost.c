#include "cli/innermost.h"
#include "model/isa.h"

#include "cli/choose.h"
#include "cli/machines.h"
#include "cli/queries.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

static bool split_line(const char *place, size_t *length, uint32_t *line, struct error *error)
{
    const char *colon = place ? strrchr(place, ':') : NULL;
    char *end = NULL;
    long number = colon ? strtol(colon + 1, &end, 10) : 0;
    if (colon && (end == colon + 1 || *end || number < 1))
        return error_set(error, NULL, "--line needs FILE or FILE:LINE, not '%s'", place);
    *line = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    *length = colon ? (size_t)(colon - place) : place ? strlen(place) : 0;
    return true;
}

/* Ids of the selected innermost loops. */
static bool select_loops(struct innermost *innermost, const struct array *functions, int64_t loop,
                         int64_t program, bool obeys_limit, struct error *error)
{
    const char *place = options_value(innermost->session->invocation, OPTION_LINE);
    size_t length = 0;
    uint32_t line = 0;
    int64_t limit;
    if (!split_line(place, &length, &line, error) ||
        !options_number(innermost->session->invocation, OPTION_LIMIT, INT64_MAX, &limit, error))
        return false;
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(innermost->session->connection, query_named(cli_queries, "innermost_loops"), -1,
                           &rows, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(innermost->session->connection));
    autofree char *list = functions->count ? choose_json(functions) : NULL;
    sqlite3_bind_text(rows, 1, list, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(rows, 2, loop);
    sqlite3_bind_int64(rows, 3, program);
    int state = 0;
    limit = obeys_limit ? limit : INT64_MAX;
    while ((int64_t)innermost->loops.count < limit && (state = report_step(rows, error)) == 1) {
        int64_t id = sqlite3_column_int64(rows, 0);
        if (!place || loop_place_is_at(innermost->session->model, (uint32_t)id, place, length, line))
            *(int64_t *)array_add(&innermost->loops) = id;
    }
    sqlite3_finalize(rows);
    return state >= 0;
}

static int choose_connected(struct innermost *innermost, bool obeys_limit, struct error *error)
{
    struct array functions = ARRAY_OF(int64_t);
    int64_t loop, program;
    enum choice by_function =
        choose_functions(innermost->session->connection, innermost->session->invocation, &functions, error);
    enum choice by_loop = choose_row(innermost->session->connection, innermost->session->invocation,
                                     OPTION_LOOP, "loops", &loop, error);
    enum choice by_program = choose_row(innermost->session->connection, innermost->session->invocation,
                                        OPTION_PROGRAM, "programs", &program, error);
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
        worst == choice_FOUND || options_has(innermost->session->invocation, OPTION_LINE);
    if (code || innermost->loops.count)
        return code;
    error_set(error, is_chosen ? NULL : options_operand(innermost->session->invocation, 0),
              is_chosen ? "no innermost loop matches the selection (assay loops lists them)"
                        : "contains no loop");
    return 1;
}

int innermost_choose(struct innermost *innermost, bool obeys_limit, struct error *error)
{
    int code =
        session_connect(innermost->session, error) ? choose_connected(innermost, obeys_limit, error) : 2;
    session_disconnect(innermost->session);
    return code;
}

static enum isa code_of(const struct model *model, uint32_t loop)
{
    uint32_t function = model_loop(model, loop)->function;
    return (enum isa)model_program(model, model_function(model, function)->program)->isa;
}

enum isa innermost_isa(const struct model *model, uint32_t loop)
{
    return isa_facts(code_of(model, loop))->machine;
}

bool innermost_take_machines(struct innermost *innermost, struct error *error)
{
    const char *name = innermost->machine ? innermost->machine
                                          : options_value(innermost->session->invocation, OPTION_MACHINE);
    for (size_t i = 0; i < innermost->loops.count; i++) {
        enum isa code =
            code_of(innermost->session->model, (uint32_t)*ARRAY_AT(int64_t, &innermost->loops, i));
        enum isa isa = isa_facts(code)->machine;
        if (innermost->machines[isa])
            continue;
        innermost->machines[isa] = machines_take(name, code, &innermost->is_host[isa], error);
        if (!innermost->machines[isa])
            return false;
    }
    return true;
}

bool innermost_take_all(struct innermost *innermost, struct error *error)
{
    struct session *session = innermost->session;
    for (uint32_t id = 1; id < session->model->loops.count; id++)
        if (model_loop(session->model, id)->is_innermost)
            *(int64_t *)array_push(&innermost->loops) = id;
    if (!innermost_take_machines(innermost, error))
        return false;
    for (unsigned isa = 0; isa < isa_COUNT && session->store && !session->has_said_machines; isa++)
        if (innermost->machines[isa])
            machines_say(session, innermost->machines[isa], innermost->is_host[isa]);
    session->has_said_machines = session->store;
    return true;
}

void innermost_print_machines(const struct innermost *innermost)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (innermost->machines[isa])
            machines_print(innermost->session, innermost->machines[isa], innermost->is_host[isa]);
}

void innermost_free(struct innermost *innermost)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        machine_free(innermost->machines[isa]);
    array_free(&innermost->loops);
}
