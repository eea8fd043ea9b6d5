#include "code/diff/difference.h"

#include "code/diff/texts.h"
#include "code/flow/flow.h"
#include "code/quality/families.h"
#include "code/quality/quality.h"
#include "code/quality/weight.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const difference_tables[] = {"programs", "units", "files", "sections", "functions", "blocks",
                                         "loops", "calls", "registers", "edges", "loop_blocks", "paths",
                                         "path_blocks", "code", "encodings", "operands", "register_uses",
                                         "source_lines", "inlined_calls", "bundles",
                                         /* Of a sampled run. */
                                         "runs", "run_limits", "run_processes", "run_threads", "run_files",
                                         "run_functions", "run_loops", "run_paths", NULL};

/* Whether a function has an innermost loop with this code. */
static bool has_loop(const struct diff_side *side, uint32_t function, const struct diff_code *code)
{
    const struct array *loops = &side->model->loops;
    for (size_t i = array_first_not_below(loops, 1, offsetof(struct loop, function), function);
         i < loops->count && model_loop(side->model, (uint32_t)i)->function == function; i++)
        if (side->loops[i].hash == code->hash && side->loops[i].count == code->count)
            return true;
    return false;
}

/* Amounts of work leave accesses to the frame out.  They matter where two loops that differ are compared. */
static void find_frames(struct difference *difference, int side, const struct array *loops)
{
    const struct comparison *comparison = &difference->comparison;
    struct model *model = difference->models[side];
    uint8_t *wanted = memory_get(model->functions.count + 1);
    for (size_t i = 0; i < loops->count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, loops, i), function = model_loop(model, loop)->function;
        uint32_t other = diff_of_function(comparison, side, function)->rows[!side];
        if (other && !has_loop(&comparison->sides[!side], other, &comparison->sides[side].loops[loop]))
            wanted[function] = 1;
    }
    flow_build(model, &(struct flow_options){
                          .threads = difference->threads, .wanted = wanted, .is_frame_only = true});
    free(wanted);
}

static void find_families(struct difference *difference, int side)
{
    struct model *model = difference->models[side];
    struct array loops = ARRAY_OF(uint32_t);
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        bool is_same = diff_of_function(&difference->comparison, side, loop->function)->is_same;
        if (loop->is_innermost && (!is_same || difference->takes_same))
            *(uint32_t *)array_push(&loops) = id;
    }
    find_frames(difference, side, &loops);
    families_find(model, &loops);
    array_free(&loops);
}

void difference_match(struct difference *difference)
{
    diff_begin(&difference->comparison, difference->models[diff_OLD], difference->models[diff_NEW]);
    difference->comparison.takes_same = difference->takes_same;
    memcpy(difference->comparison.sources, difference->sources, sizeof difference->sources);
    if (difference->sources[diff_OLD].trust && difference->sources[diff_NEW].trust)
        texts_match(&difference->comparison);
    difference->changes = ARRAY_OF(struct loop_change);
    for (int side = 0; side < diff_BUILDS; side++)
        find_families(difference, side);
    diff_loops(&difference->comparison);
}

static void time_loops(struct difference *difference, int side, bool takes_single)
{
    const struct comparison *comparison = &difference->comparison;
    struct array loops = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < comparison->loops.count; i++) {
        const struct diff_match *pair = ARRAY_AT(struct diff_match, &comparison->loops, i);
        bool is_left_out =
            (pair->is_same && !difference->takes_same) || (!pair->rows[!side] && !takes_single);
        if (pair->rows[side] && !is_left_out)
            *(uint32_t *)array_push(&loops) = pair->rows[side];
    }
    array_sort_numbers(&loops);
    changes_time(difference->models[side], &difference->machines[side], &loops, difference->path_limit,
                 difference->threads);
    array_free(&loops);
}

void difference_time(struct difference *difference, const double *shares, bool takes_single)
{
    const struct model *old = difference->models[diff_OLD];
    for (int side = 0; side < diff_BUILDS; side++)
        time_loops(difference, side, takes_single);
    double *estimated = shares || weight_is_sampled(old) ? NULL : weight_estimate(old);
    difference->changes = changes_of_loops(&difference->comparison, estimated ? estimated : shares);
    free(estimated);
}

static struct loop_change *change_at(const struct difference *difference, size_t place)
{
    return ARRAY_AT(struct loop_change, &difference->changes, place);
}

/* The data flow of a database was not loaded, and that of a program has frames alone. */
static void analyse(struct difference *difference, int side, const uint8_t *chosen)
{
    struct model *model = difference->models[side];
    struct quality_program *program = quality_program_find(model);
    struct quality_options options = {.machines = difference->machines[side],
                                      .threads = difference->threads,
                                      .path_limit = difference->path_limit,
                                      .program = program};
    struct array loops = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < difference->changes.count; i++)
        if (chosen[i] && change_at(difference, i)->match.rows[side])
            *(uint32_t *)array_push(&loops) = change_at(difference, i)->match.rows[side];
    array_sort_numbers(&loops);
    for (uint32_t id = 1; id < model->programs.count; id++)
        model_program(model, id)->has_flow = 0;
    quality_build(model, &options, &loops);
    quality_program_free(program);
    array_free(&loops);
}

void difference_explain(struct difference *difference, const uint8_t *chosen)
{
    for (int side = 0; side < diff_BUILDS; side++)
        analyse(difference, side, chosen);
    for (size_t i = 0; i < difference->changes.count; i++)
        if (chosen[i])
            changes_explain(change_at(difference, i), &difference->comparison);
}

void difference_end(struct difference *difference)
{
    changes_free(&difference->changes);
    diff_end(&difference->comparison);
}
