/* Runs the data flow of all functions on several threads.  Workers get functions in batches, and each has its
   own scratch memory and results.  After a batch the rows go into the model in the order of functions, so the
   result does not depend on threads, and only one batch of rows waits outside the model. */
#include "code/flow/flow.h"

#include "base/progress.h"
#include "base/workers.h"
#include "code/flow/frame.h"
#include "code/flow/function.h"
#include "code/flow/reaching.h"
#include "code/flow/useless.h"
#include "model/expect.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_AT_ONCE = 2048, MOST_WORKERS = 64, TABLES = 4 };

/* Where the rows of a function are: in the arrays of the worker that did it. */
struct outcome {
    unsigned worker;
    size_t first[TABLES], count[TABLES];
    uint64_t cut;
    bool is_too_large, is_rotation_left_out, are_ranges_cut;
};

struct scratch {
    struct flow_graph graph;
    struct strands strands;
    struct reaching reaching;
    struct frame frame;
    struct useless useless;
    struct array rows[TABLES];
};

struct building {
    struct model *model;
    struct flow_meanings meanings;
    struct scratch *scratch; /* by worker */
    struct outcome *outcomes;
    uint32_t first_function;
    const uint8_t *wanted; /* by function; NULL: all */
    bool is_frame_only;
};

enum { DEF_USE, LIVE_RANGES, STACK_ACCESSES, USELESS_ACCESSES };

static const size_t widths[TABLES] = {sizeof(struct def_use), sizeof(struct live_range),
                                      sizeof(struct stack_access), sizeof(struct useless_access)};

static void add_units(struct scratch *scratch, struct outcome *outcome, bool is_frame_only)
{
    const struct flow_graph *graph = &scratch->graph;
    if (!is_frame_only)
        reaching_start(&scratch->reaching, graph);
    uint16_t from = 0, to;
    for (uint16_t unit = 0; unit < graph->units->count; unit = to) {
        flow_graph_turning(graph, unit, &from, &to);
        bool is_group = to - from > 1;
        if (!is_group && graph->event_first[unit] == graph->event_end[unit])
            continue;
        if (!strands_walk(&scratch->strands, graph, from, to)) {
            outcome->is_rotation_left_out = true;
            continue;
        }
        if (!is_frame_only)
            reaching_add(&scratch->reaching, &scratch->strands);
        strands_find_live(&scratch->strands);
        if (scratch->rows[LIVE_RANGES].count - outcome->first[LIVE_RANGES] > reaching_most_rows(graph))
            outcome->are_ranges_cut = true;
        else
            strands_add_ranges(&scratch->strands, &scratch->rows[LIVE_RANGES]);
    }
    if (is_frame_only)
        return;
    outcome->cut = scratch->reaching.cut;
    reaching_finish(&scratch->reaching, graph, &scratch->rows[DEF_USE]);
}

/* The function whose graph was made. */
static void follow_function(struct scratch *scratch, struct outcome *outcome, bool is_frame_only)
{
    add_units(scratch, outcome, is_frame_only);
    frame_find(&scratch->frame, &scratch->graph, &scratch->rows[LIVE_RANGES], outcome->first[LIVE_RANGES],
               &scratch->rows[STACK_ACCESSES]);
    if (!is_frame_only && !outcome->are_ranges_cut && !outcome->is_rotation_left_out)
        useless_find(&scratch->useless, &scratch->graph, &scratch->strands, &scratch->frame,
                     &scratch->rows[DEF_USE], outcome->first[DEF_USE], &scratch->rows[USELESS_ACCESSES]);
}

static void do_function(void *context, size_t item, unsigned worker)
{
    struct building *building = context;
    struct scratch *scratch = &building->scratch[worker];
    struct outcome *outcome = &building->outcomes[item];
    uint32_t function = building->first_function + (uint32_t)item;
    outcome->worker = worker;
    for (unsigned t = 0; t < TABLES; t++)
        outcome->first[t] = scratch->rows[t].count;
    if (building->wanted && !building->wanted[function])
        return;
    if (flow_graph_make(&scratch->graph, building->model, &building->meanings, function)) {
        follow_function(scratch, outcome, building->is_frame_only);
    } else {
        outcome->is_too_large = model_function(building->model, function)->block_count != 0;
    }
    for (unsigned t = 0; t < TABLES; t++)
        outcome->count[t] = scratch->rows[t].count - outcome->first[t];
    if (building->is_frame_only) {
        scratch->rows[LIVE_RANGES].count = outcome->first[LIVE_RANGES];
        outcome->count[LIVE_RANGES] = 0;
    }
}

static void note_problems(struct building *building, size_t item)
{
    const struct outcome *outcome = &building->outcomes[item];
    struct model *model = building->model;
    const struct function *function = model_function(model, building->first_function + (uint32_t)item);
    if (outcome->cut)
        model_note_problem(model, function->program, problem_kind_LIMIT, function->address, outcome->cut,
                           "uses with more definitions than Assay lists");
    if (outcome->is_too_large)
        model_note_problem(model, function->program, problem_kind_LIMIT, function->address, 1,
                           "functions too large for data flow, which have no rows there");
    if (outcome->are_ranges_cut)
        model_note_problem(model, function->program, problem_kind_LIMIT, function->address, 1,
                           "functions with too many live ranges, some of which are not listed");
    if (outcome->is_rotation_left_out)
        model_note_problem(model, function->program, problem_kind_LIMIT, function->address, 1,
                           "functions too large for data flow of rotating registers");
}

/* The results of a batch become rows of the model. */
static void put_down(struct building *building, size_t count, unsigned workers)
{
    struct model *model = building->model;
    struct array *tables[TABLES] = {&model->def_use, &model->live_ranges, &model->stack_accesses,
                                    &model->useless_accesses};
    for (size_t item = 0; item < count; item++) {
        const struct outcome *outcome = &building->outcomes[item];
        for (unsigned t = 0; t < TABLES; t++) {
            size_t at = tables[t]->count;
            if (!outcome->count[t])
                continue;
            model_extend(tables[t], at + outcome->count[t]);
            memcpy((char *)tables[t]->data + at * widths[t],
                   (char *)building->scratch[outcome->worker].rows[t].data + outcome->first[t] * widths[t],
                   outcome->count[t] * widths[t]);
        }
        note_problems(building, item);
    }
    for (unsigned worker = 0; worker < workers; worker++)
        for (unsigned t = 0; t < TABLES; t++)
            building->scratch[worker].rows[t].count = 0;
}

static void free_scratch(struct scratch *scratch)
{
    flow_graph_free(&scratch->graph);
    strands_free(&scratch->strands);
    reaching_free(&scratch->reaching);
    frame_free(&scratch->frame);
    useless_free(&scratch->useless);
    for (unsigned t = 0; t < TABLES; t++)
        array_free(&scratch->rows[t]);
}

void flow_forget(struct model *model)
{
    model->def_use.count = model->live_ranges.count = 0;
    model->stack_accesses.count = model->useless_accesses.count = 0;
}

void flow_build(struct model *model, const struct flow_options *options)
{
    unsigned workers = workers_count(options->threads);
    struct building building = {
        .model = model, .wanted = options->wanted, .is_frame_only = options->is_frame_only};
    flow_forget(model);
    flow_meanings_make(&building.meanings, model, options->threads);
    building.scratch = memory_get(workers * sizeof *building.scratch);
    building.outcomes = memory_get(FUNCTIONS_AT_ONCE * sizeof *building.outcomes);
    for (unsigned worker = 0; worker < workers; worker++)
        for (unsigned t = 0; t < TABLES; t++)
            building.scratch[worker].rows[t].width = widths[t];
    for (uint32_t first = 1; first < model->functions.count; first += FUNCTIONS_AT_ONCE) {
        size_t left = model->functions.count - first;
        size_t count = left < FUNCTIONS_AT_ONCE ? left : FUNCTIONS_AT_ONCE;
        building.first_function = first;
        memset(building.outcomes, 0, count * sizeof *building.outcomes);
        workers_run(options->threads, count, do_function, &building);
        put_down(&building, count, workers);
        progress_tell("following values", first + count, model->functions.count);
    }
    for (unsigned worker = 0; worker < workers; worker++)
        free_scratch(&building.scratch[worker]);
    flow_meanings_free(&building.meanings);
    free(building.scratch);
    free(building.outcomes);
    for (uint32_t id = 1; !options->wanted && !options->is_frame_only && id < model->programs.count; id++)
        model_program(model, id)->has_flow = 1;
    if (!options->wanted)
        model_expect(model, "flow");
}

bool flow_function_make(struct flow_function *function, const struct model *model,
                        const struct flow_meanings *meanings, uint32_t row)
{
    struct scratch scratch = {0};
    struct outcome outcome = {0};
    for (unsigned t = 0; t < TABLES; t++)
        scratch.rows[t].width = widths[t];
    *function = (struct flow_function){0};
    bool is_known = flow_graph_make(&scratch.graph, model, meanings, row);
    if (is_known) {
        follow_function(&scratch, &outcome, false);
        is_known = !outcome.are_ranges_cut && !outcome.is_rotation_left_out;
        function->returns_twice = useless_returns_twice(&scratch.graph);
    }
    function->graph = scratch.graph;
    function->frame = scratch.frame;
    function->useless = scratch.rows[USELESS_ACCESSES];
    scratch.graph = (struct flow_graph){0};
    scratch.frame = (struct frame){0};
    scratch.rows[USELESS_ACCESSES] = (struct array){0};
    free_scratch(&scratch);
    return is_known;
}

void flow_function_free(struct flow_function *function)
{
    flow_graph_free(&function->graph);
    frame_free(&function->frame);
    array_free(&function->useless);
}
