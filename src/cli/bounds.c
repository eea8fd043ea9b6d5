/* assay bounds: the MACS table of innermost loops.

   The bounds are computed in C, so a database becomes a model again first.  What is printed comes from the
   rows of bounds and from what is known beside them. */
#include "cli/bounds_sources.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/machines.h"
#include "cli/session.h"
#include "report/bounds.h"
#include "report/demangle.h"
#include "report/places.h"
#include "report/rows.h"
#include "store/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the bounds and their words are made of. */
static const char *const needed[] = {"programs",
                                     "units",
                                     "files",
                                     "functions",
                                     "blocks",
                                     "loops",
                                     "loop_blocks",
                                     "edges",
                                     "code",
                                     "encodings",
                                     "operands",
                                     "register_uses",
                                     "registers",
                                     "source_lines",
                                     "inlined_calls",
                                     "bundles",
                                     "pipelined_loops",
                                     "listing_instructions",
                                     "compiler_blocks",
                                     NULL};

struct work {
    struct session session;
    const struct invocation *invocation;
    struct array loops;                  /* of int64_t */
    struct machine *machines[isa_COUNT]; /* those in use */
    bool is_host[isa_COUNT];
    struct bounds_sources sources;
    struct macs *macs;
    struct bounds_view *views;
    size_t count;
};

static bool read_model(struct work *work, struct error *error)
{
    const char *path = options_operand(work->invocation, 0);
    struct model *model = work->session.model = memory_get(sizeof *model);
    model_init(model);
    if (!store_is_database(path))
        return session_build(model, work->invocation, &path, 1, error);
    struct store *store = store_open_file(path, error);
    bool good = store && store_load(store, model, needed, error);
    store_close(store);
    return good;
}

static bool connect(struct session *session, struct error *error)
{
    session->store = store_open_model(session->model, error);
    if (!session->store)
        return false;
    session->connection = store_connection(session->store);
    return demangle_register(session->connection, error) && places_register(session->connection, error);
}

static void disconnect(struct session *session)
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

/* Ids of the innermost loops that are meant. */
static bool select_loops(struct work *work, const struct array *functions, int64_t loop, int64_t program,
                         struct error *error)
{
    static const char query[] =
        "select l.id from loops l join functions f on f.id = l.function left join files p on p.id = l.file "
        "where l.is_innermost and (?1 is null or l.function in (select value from json_each(?1))) "
        "and (?2 = 0 or l.id = ?2) and (?3 = 0 or f.program = ?3) "
        "and (?4 is null or ((p.path = ?4 or substr(p.path, -length(?4) - 1) = '/' || ?4) "
        "and (?5 = 0 or ?5 between l.first_line and l.last_line))) order by l.id limit ?6";
    const char *place = options_value(work->invocation, OPTION_LINE);
    size_t length = 0;
    int64_t line = 0, limit;
    if (!split_line(place, &length, &line, error) ||
        !options_number(work->invocation, OPTION_LIMIT, INT64_MAX, &limit, error))
        return false;
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(work->session.connection, query, -1, &rows, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", sqlite3_errmsg(work->session.connection));
    char *list = functions->count ? choose_json(functions) : NULL;
    sqlite3_bind_text(rows, 1, list, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(rows, 2, loop);
    sqlite3_bind_int64(rows, 3, program);
    sqlite3_bind_text(rows, 4, place, (int)length, SQLITE_TRANSIENT);
    sqlite3_bind_int64(rows, 5, line);
    sqlite3_bind_int64(rows, 6, limit);
    free(list);
    int state;
    while ((state = report_step(rows, error)) == 1)
        *(int64_t *)array_add(&work->loops) = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    return state == 0;
}

/* 0, or the exit code. */
static int choose_loops(struct work *work, struct error *error)
{
    struct array functions = ARRAY_OF(int64_t);
    int64_t loop, program;
    enum choice by_function = choose_functions(work->session.connection, work->invocation, &functions, error);
    enum choice by_loop =
        choose_row(work->session.connection, work->invocation, OPTION_LOOP, "loops", &loop, error);
    enum choice by_program =
        choose_row(work->session.connection, work->invocation, OPTION_PROGRAM, "programs", &program, error);
    enum choice worst = by_function > by_loop ? by_function : by_loop;
    worst = by_program > worst ? by_program : worst;
    int code = worst > choice_FOUND ? choice_exit(worst) : 0;
    if (!code && by_loop == choice_FOUND && !model_loop(work->session.model, (uint32_t)loop)->is_innermost) {
        error_set(error, NULL,
                  "loop %lld contains other loops; bounds are those of innermost loops "
                  "(assay loops --innermost lists them)",
                  (long long)loop);
        code = 2;
    }
    if (!code && !select_loops(work, &functions, loop, program, error))
        code = 2;
    array_free(&functions);
    if (code || work->loops.count)
        return code;
    bool is_chosen = worst == choice_FOUND || options_has(work->invocation, OPTION_LINE);
    error_set(error, is_chosen ? NULL : options_operand(work->invocation, 0),
              is_chosen ? "no innermost loop matches the selection (assay loops lists them)"
                        : "there is no loop in it");
    return 1;
}

static enum isa isa_of(const struct model *model, uint32_t loop)
{
    uint32_t function = model_loop(model, loop)->function;
    enum isa isa = (enum isa)model_program(model, model_function(model, function)->program)->isa;
    return isa == isa_I386 ? isa_X86_64 : isa;
}

static bool take_machines(struct work *work, struct error *error)
{
    const char *name = options_value(work->invocation, OPTION_MACHINE);
    for (size_t i = 0; i < work->loops.count; i++) {
        enum isa isa = isa_of(work->session.model, (uint32_t)*ARRAY_AT(int64_t, &work->loops, i));
        if (work->machines[isa])
            continue;
        struct machine *machine = machines_take(name, isa, &work->is_host[isa], error);
        if (!machine)
            return false;
        work->machines[isa] = machine;
        if (!machine_runs(machine, isa))
            return error_set(error, NULL, "%s does not run this code; choose another machine for it",
                             machine->name);
    }
    return true;
}

static bool take_measured(const struct work *work, double *measured, struct error *error)
{
    const char *text = options_value(work->invocation, OPTION_MEASURED);
    char *end = NULL;
    *measured = text ? strtod(text, &end) : NAN;
    if (!text)
        return true;
    if (end == text || *end || !(*measured > 0) || !isfinite(*measured))
        return error_set(error, NULL, "--measured takes the cycles of an iteration, not '%s'", text);
    if (work->loops.count > 1)
        return error_set(error, NULL, "--measured is for one loop and %zu are meant; choose it with --loop",
                         work->loops.count);
    return true;
}

static bool compute(struct work *work, struct error *error)
{
    struct model *model = work->session.model;
    struct macs_options options = {.proves = true,
                                   .single_bundles = options_has(work->invocation, OPTION_SINGLE_BUNDLES)};
    if (!take_machines(work, error) || !take_measured(work, &options.measured, error))
        return false;
    bounds_sources_read(&work->sources, model, &work->loops, work->invocation);
    options.source_of = work->sources.source_of;
    model->bounds.count = 0;
    work->macs = memory_get(work->loops.count * sizeof *work->macs);
    work->views = memory_get(work->loops.count * sizeof *work->views);
    struct macs_work *costs[isa_COUNT] = {NULL};
    bool good = true;
    for (size_t i = 0; i < work->loops.count && good; i++) {
        uint32_t loop = (uint32_t)*ARRAY_AT(int64_t, &work->loops, i);
        enum isa isa = isa_of(model, loop);
        struct macs *macs = &work->macs[i];
        if (!costs[isa])
            costs[isa] = cost_macs_begin(model, work->machines[isa], &options);
        good = cost_macs_loop(costs[isa], loop, macs, error);
        if (!good)
            break;
        cost_macs_add(model, macs);
        work->views[i] = (struct bounds_view){.model = model, .macs = macs};
        if (!macs->is_known[bound_level_MA])
            work->views[i].no_source = bounds_sources_lack(&work->sources, model, loop);
        work->count++;
    }
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        cost_macs_end(costs[isa]);
    return good;
}

enum { MANY_LOOPS = 30 };

static void print_for_people(struct work *work)
{
    struct session *session = &work->session;
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        const struct machine *machine = work->machines[isa];
        if (machine)
            fprintf(session->out, "machine: %s (%s)%s\n", machine->name, machine->title,
                    options_has(work->invocation, OPTION_MACHINE) ? ""
                    : work->is_host[isa] ? ", this computer's; --machine takes another"
                                         : ", assumed; --machine takes another");
    }
    for (size_t i = 0; i < work->count; i++) {
        putc('\n', session->out);
        report_bounds(&work->views[i], &session->style, session->out);
    }
    if (work->count > MANY_LOOPS)
        session_say(
            session,
            "these are %zu loops; --function, --line or --loop chooses, --csv has a row for each bound",
            work->count);
}

static bool print_for_programs(struct work *work, struct error *error)
{
    static const char query[] =
        "select b.loop, f.name as function, p.path as file, l.first_line, l.last_line, b.level, c.name as "
        "machine, "
        "b.floating, b.branches, b.memory, b.cycles, b.cpf, b.cpb, b.cpm, b.origin, gap(b.loop, b.level) as "
        "gap "
        "from bounds b join processors c on c.id = b.processor join loops l on l.id = b.loop join functions "
        "f on f.id = l.function "
        "left join files p on p.id = l.file order by b.loop, b.level_code";
    struct session *session = &work->session;
    sqlite3_stmt *rows = NULL;
    bool good =
        connect(session, error) && bounds_register(session->connection, work->views, work->count, error);
    if (good && sqlite3_prepare_v2(session->connection, query, -1, &rows, NULL) != SQLITE_OK)
        good = error_set(error, NULL, "%s", sqlite3_errmsg(session->connection));
    good = good && report_rows(rows, &session->style, -1, session->out, NULL, error);
    sqlite3_finalize(rows);
    return good;
}

static int run(struct work *work, struct error *error)
{
    if (!read_model(work, error) || !connect(&work->session, error))
        return 2;
    int code = choose_loops(work, error);
    disconnect(&work->session);
    if (code)
        return code;
    if (!compute(work, error))
        return 2;
    if (work->session.style.format != report_TABLE)
        return print_for_programs(work, error) ? 0 : 2;
    print_for_people(work);
    return 0;
}

int command_bounds(const struct invocation *invocation, struct error *error)
{
    struct work work = {.invocation = invocation, .loops = ARRAY_OF(int64_t)};
    int code = 2;
    if (session_begin(&work.session, invocation, error))
        code = run(&work, error);
    disconnect(&work.session);
    for (size_t i = 0; i < work.count; i++)
        free((char *)work.views[i].no_source);
    free(work.views);
    free(work.macs);
    bounds_sources_free(&work.sources);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        machine_free(work.machines[isa]);
    array_free(&work.loops);
    return session_end(&work.session, code, error);
}
