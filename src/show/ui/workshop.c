/* What takes time, and where it went: an outline with all blocks and calls of libLLVM (2.3 M and 0.9 M rows)
   takes 1.5 s to load, without them 0.2 s.  So the rows of these tables are read with the code of a
   function, at their own ids: the tables are as long as in the database, but mapped and mostly never written
   to.  What quality_build needs of the whole program (stubs, which instructions are used at all) is found
   once.  A visit to another function empties the tables first, so what it finds does not depend on earlier
   ones; only interned texts stay, and when they are too many, everything is read again. */
#include "show/ui/workshop.h"

#include "base/trust.h"
#include "code/machine/host.h"
#include "model/isa.h"
#include "model/tables.h"
#include "code/quality/quality.h"
#include "show/report/common/html.h"
#include "show/ui/queries.h"
#include "store/load.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* As in assay report: tables of a run are small, they have a row for each hot function or loop. */
static const char *const outline[] = {"programs", "units", "files", "functions", "loops", "registers",
                                      /* Of a sampled run. */
                                      "runs", "run_limits", "run_processes", "run_threads", "run_files",
                                      "run_functions", "run_loops", "run_paths", "run_calls",
                                      "run_library_calls", "run_counters", "counter_values", "run_gaps",
                                      "probe_addresses", NULL};

enum { MOST_LOOPS = 200, MOST_CALLEES = 2000, MOST_NEW_TEXTS = 1 << 20 };

struct workshop {
    const struct ui_options *options;
    const struct ui_subject *subject;
    pthread_mutex_t lock;
    pthread_t opener;
    bool has_opener;
    /* Of the database that was read last; NULL: none, or it could not be read. */
    const char *database;
    struct store *store;
    struct model model;
    size_t text_count; /* of the outline alone */
    uint32_t function; /* whose code the model has; 0: none */
    struct quality_program *program;
    struct places places;
    struct machine *usual[isa_COUNT];
    bool is_host[isa_COUNT];
    struct array machines; /* of struct machine *: those that were named */
    struct array loops;    /* of uint32_t: of the visit */
};

static void forget(struct workshop *workshop)
{
    if (!workshop->database)
        return;
    store_close(workshop->store);
    places_free(&workshop->places);
    quality_program_free(workshop->program);
    model_free(&workshop->model);
    workshop->database = NULL;
}

/* Reads the outline of the subject's present database. */
static bool read_outline(struct workshop *workshop, const char *database, struct error *error)
{
    struct store *store = store_open_file(database, error);
    if (!store)
        return false;
    struct model *model = &workshop->model;
    model_init(model);
    if (!store_load_outline(store, model, outline, store_visit_tables, error) ||
        !store_load_kinds(store, model, error)) {
        model_free(model);
        store_close(store);
        return false;
    }
    for (uint32_t id = 1; id < model->programs.count; id++)
        model_program(model, id)->has_flow = 0;
    workshop->store = store;
    workshop->program = quality_program_find(model);
    places_take(&workshop->places, model, workshop->options->demangle, workshop->options->trust);
    workshop->function = 0;
    workshop->text_count = model->strings.entries.count;
    workshop->database = database;
    return true;
}

static bool has_outline(struct workshop *workshop, struct error *error)
{
    const char *database = workshop->subject->database;
    if (workshop->database == database &&
        workshop->model.strings.entries.count < workshop->text_count + MOST_NEW_TEXTS)
        return true;
    forget(workshop);
    return read_outline(workshop, database, error);
}

const char *workshop_database(const struct workshop *workshop)
{
    return workshop->subject->database;
}

static const struct machine *usual_machine(struct workshop *workshop, enum isa isa, struct error *error)
{
    const struct array *folders = workshop->options->machine_folders;
    if (!workshop->usual[isa]) {
        struct machine_identity host = machine_host();
        workshop->usual[isa] = machine_load_usual(isa, &host, (const char *const *)folders->data,
                                                  folders->count, &workshop->is_host[isa], error);
    }
    return workshop->usual[isa];
}

/* Machines too: which one this computer is cannot be found out everywhere (base/confine.h). */
bool workshop_read(struct workshop *workshop, struct error *error)
{
    if (!has_outline(workshop, error))
        return false;
    for (uint32_t id = 1; id < workshop->model.programs.count; id++) {
        struct error ignored = {0};
        usual_machine(workshop, (enum isa)model_program(&workshop->model, id)->isa, &ignored);
    }
    return true;
}

static void *open_early(void *context)
{
    struct workshop *workshop = context;
    struct error ignored = {0}; /* the first visit fails in the same way, and says so */
    pthread_mutex_lock(&workshop->lock);
    has_outline(workshop, &ignored);
    pthread_mutex_unlock(&workshop->lock);
    return NULL;
}

struct workshop *workshop_open(const struct ui_options *options, const struct ui_subject *subject)
{
    struct workshop *workshop = memory_get(sizeof *workshop);
    *workshop = (struct workshop){.options = options,
                                  .subject = subject,
                                  .machines = ARRAY_OF(struct machine *),
                                  .loops = ARRAY_OF(uint32_t)};
    pthread_mutex_init(&workshop->lock, NULL);
    return workshop;
}

void workshop_read_early(struct workshop *workshop)
{
    workshop->has_opener = !pthread_create(&workshop->opener, NULL, open_early, workshop);
}

static void free_machines(struct workshop *workshop)
{
    for (size_t i = 0; i < workshop->machines.count; i++)
        machine_free(*ARRAY_AT(struct machine *, &workshop->machines, i));
    workshop->machines.count = 0;
}

void workshop_close(struct workshop *workshop)
{
    if (!workshop)
        return;
    if (workshop->has_opener)
        pthread_join(workshop->opener, NULL);
    forget(workshop);
    free_machines(workshop);
    array_free(&workshop->machines);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        machine_free(workshop->usual[isa]);
    array_free(&workshop->loops);
    pthread_mutex_destroy(&workshop->lock);
    free(workshop);
}

static const struct machine *named_machine(struct workshop *workshop, const char *name, struct error *error)
{
    enum { MOST_MACHINES = 64 };
    const struct array *folders = workshop->options->machine_folders;
    for (size_t i = 0; i < workshop->machines.count; i++)
        if (!strcmp((*ARRAY_AT(struct machine *, &workshop->machines, i))->name, name))
            return *ARRAY_AT(struct machine *, &workshop->machines, i);
    struct machine *machine = machine_load(name, (const char *const *)folders->data, folders->count, error);
    if (!machine)
        return NULL;
    if (workshop->machines.count == MOST_MACHINES)
        free_machines(workshop);
    *(struct machine **)array_push(&workshop->machines) = machine;
    return machine;
}

/* name: NULL for the usual one. */
static bool take_machine_for(struct workshop_visit *visit, enum isa code, const char *name,
                             struct error *error)
{
    struct workshop *workshop = visit->workshop;
    enum isa isa = isa_facts(code)->machine;
    visit->machine = name ? named_machine(workshop, name, error) : usual_machine(workshop, code, error);
    if (!visit->machine)
        return false;
    if (!machine_runs(visit->machine, code))
        return error_set(error, NULL, "%s does not run %s code; choose another machine", visit->machine->name,
                         isa_word(code));
    visit->is_host = !name && workshop->is_host[code];
    visit->machines.of[isa] = visit->view.machines[isa] = visit->machine;
    visit->view.is_host[isa] = visit->is_host;
    visit->view.is_named = name;
    return true;
}

static bool take_machine(struct workshop_visit *visit, const char *name, struct error *error)
{
    const struct function *function = model_function(visit->model, visit->function);
    return take_machine_for(visit, (enum isa)model_program(visit->model, function->program)->isa, name,
                            error);
}

/* Whether a loop is the other one, or inside it. */
static bool is_within(const struct model *model, uint32_t loop, uint32_t outer)
{
    while (loop > outer)
        loop = model_loop(model, loop)->parent < loop ? model_loop(model, loop)->parent : 0;
    return loop == outer;
}

static void choose_loops(struct workshop_visit *visit, uint32_t loop)
{
    const struct model *model = visit->model;
    struct array *loops = &visit->workshop->loops;
    size_t at = array_first_not_below(&model->loops, 1, offsetof(struct loop, function), visit->function);
    loops->count = 0;
    for (; at < model->loops.count && model_loop(model, (uint32_t)at)->function == visit->function; at++) {
        if (!model_loop(model, (uint32_t)at)->is_innermost || (loop && !is_within(model, (uint32_t)at, loop)))
            continue;
        if (loops->count < MOST_LOOPS)
            *(uint32_t *)array_push(loops) = (uint32_t)at;
        else
            visit->left_out++;
    }
}

/* The function; of those that it calls, and that called stubs stand for, where they are and what they call.
 */
static bool read_code(struct workshop_visit *visit, struct error *error)
{
    struct workshop *workshop = visit->workshop;
    struct model *model = visit->model;
    const uint32_t *stubs = quality_program_stubs(workshop->program);
    autofree uint8_t *wanted = memory_get(model->functions.count + 1);
    sqlite3_stmt *rows = NULL;
    bool good = sqlite3_prepare_v2(store_connection(workshop->store), query_named(ui_queries, "callees"), -1,
                                   &rows, NULL) == SQLITE_OK;
    sqlite3_bind_int64(rows, 1, visit->function);
    sqlite3_bind_int64(rows, 2, MOST_CALLEES);
    while (good && sqlite3_step(rows) == SQLITE_ROW) {
        int64_t callee = sqlite3_column_int64(rows, 0);
        if (callee > 0 && (uint64_t)callee < model->functions.count)
            wanted[callee] = wanted[stubs[callee]] = visit_OUTLINE;
    }
    wanted[visit->function] = visit_CODE;
    sqlite3_finalize(rows);
    good = good ? store_visit_functions(workshop->store, model, wanted, error)
                : error_set(error, NULL, "%s", sqlite3_errmsg(store_connection(workshop->store)));
    if (good)
        loop_paths_drop(model, QUALITY_LISTED_PATHS);
    workshop->function = good ? visit->function : 0;
    return good;
}

/* How much the loops seem to matter, where a report was written into the database: quality_build leaves that
   out. */
static void read_weights(struct workshop_visit *visit)
{
    const struct ui_request *request = visit->request;
    struct model *model = visit->model;
    sqlite3_stmt *row = NULL;
    model->loop_weights.count = 0;
    if (!request->subject->has_report ||
        sqlite3_prepare_v2(request->connection, query_named(ui_queries, "weight"), -1, &row, NULL) !=
            SQLITE_OK)
        return;
    for (size_t i = 0; i < visit->workshop->loops.count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, &visit->workshop->loops, i);
        sqlite3_bind_int64(row, 1, loop);
        if (sqlite3_step(row) == SQLITE_ROW)
            *(struct loop_weight *)model_add(&model->loop_weights) =
                (struct loop_weight){.loop = loop,
                                     .around = (uint32_t)sqlite3_column_int64(row, 0),
                                     .around_calls = (uint32_t)sqlite3_column_int64(row, 1),
                                     .iterations = sqlite3_column_double(row, 2),
                                     .share = sqlite3_column_double(row, 3)};
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
}

void workshop_analyse(struct workshop_visit *visit)
{
    struct quality_options options = {.machines = visit->machines,
                                      .threads = 1,
                                      .path_limit = QUALITY_PATHS,
                                      .program = visit->workshop->program};
    quality_build(visit->model, &options, &visit->workshop->loops);
    visit->view.basis = quality_sort_basis(visit->model);
    if (visit->request)
        read_weights(visit);
}

static bool find_place(struct workshop_visit *visit, struct ui_answer *answer, uint32_t loop,
                       struct error *error)
{
    const struct model *model = visit->model;
    const char *name = visit->workshop->subject->name;
    if (loop >= model->loops.count || (loop && !model_loop(model, loop)->function))
        return ui_missing(answer, error, "there is no loop %u in %s", loop, name);
    if (loop && visit->function && model_loop(model, loop)->function != visit->function)
        return ui_missing(answer, error, "loop %u is not in function %u of %s", loop, visit->function, name);
    if (loop)
        visit->function = model_loop(model, loop)->function;
    if (!visit->function || visit->function >= model->functions.count)
        return ui_missing(answer, error, "there is no function %u in %s", visit->function, name);
    return true;
}

bool workshop_look(struct workshop *workshop, uint32_t function, uint32_t loop, const char *machine,
                   struct workshop_visit *visit, struct ui_answer *answer, struct error *error)
{
    *visit = (struct workshop_visit){
        .workshop = workshop,
        .model = &workshop->model,
        .places = &workshop->places,
        .function = function,
        .loop = loop,
        .machine_name = machine,
        .view = {.model = &workshop->model,
                 .path = workshop->subject->path,
                 .is_chosen = true,
                 .is_whole = true,
                 .page_limit = SIZE_MAX,
                 .demangle = workshop->options->demangle,
                 .level = advice_level_HINT,
                 .trust = workshop->options->trust},
    };
    if (!has_outline(workshop, error) || !find_place(visit, answer, loop, error))
        return false;
    if (!take_machine(visit, machine, error)) {
        answer->status = 400;
        return false;
    }
    if (workshop->function != visit->function && !read_code(visit, error))
        return false;
    choose_loops(visit, loop);
    visit->view.loops = workshop->loops.data;
    visit->view.loop_count = visit->view.analysed_count = workshop->loops.count;
    return true;
}

bool workshop_enter(struct ui_request *request, struct ui_answer *answer, uint32_t function, uint32_t loop,
                    const char *machine, struct workshop_visit *visit, struct error *error)
{
    struct workshop *workshop = request->subject->workshop;
    if (!machine)
        machine = ui_parameter(request, "machine");
    if (!machine || !*machine)
        machine = workshop->options->machine;
    pthread_mutex_lock(&workshop->lock);
    if (workshop_look(workshop, function, loop, machine, visit, answer, error)) {
        visit->request = request;
        return true;
    }
    pthread_mutex_unlock(&workshop->lock);
    return false;
}

bool workshop_enter_machine(struct ui_request *request, struct ui_answer *answer, enum isa isa,
                            const char *machine, struct workshop_visit *visit, struct error *error)
{
    struct workshop *workshop = request->subject->workshop;
    if (!machine || !*machine)
        machine = workshop->options->machine;
    *visit = (struct workshop_visit){.workshop = workshop};
    pthread_mutex_lock(&workshop->lock);
    if (take_machine_for(visit, isa, machine, error))
        return true;
    answer->status = 400;
    pthread_mutex_unlock(&workshop->lock);
    return false;
}

void workshop_leave(struct workshop_visit *visit)
{
    if (visit->places)
        places_forget_sources(visit->places);
    pthread_mutex_unlock(&visit->workshop->lock);
}

void workshop_print_heading(const struct workshop_visit *visit, FILE *out)
{
    const struct function *function = model_function(visit->model, visit->function);
    html_format(out, "<h1 data-program=\"%s\" data-function=\"%s\">",
                model_text(visit->model, model_program(visit->model, function->program)->path),
                model_text(visit->model, function->name));
}
