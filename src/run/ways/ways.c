/* See ways.h: which loops and functions of a run are looked at, and their rows. */
#include "run/ways/ways.h"

#include "code/cost/loops.h"
#include "code/quality/quality.h"
#include "model/isa.h"
#include "run/measure/figures.h"
#include "run/sample/rows.h"
#include "run/ways/cycles.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const double LEAST_SHARE = 0.001; /* of the run */
enum { LEAST_SAMPLES = 10, LEAST_TRIMMED = 4 };

struct predicting {
    struct model *model;
    struct machine *const *machines;
    struct block_costs works[isa_COUNT];
    bool has_begun[isa_COUNT];
    double *samples; /* by block */
};

/* ---- samples of blocks ---- */

/* One instruction of a block may wait for long, so the one with most samples is not taken for more than the mean
   of the others: how often the block runs is asked, not how long it takes. */
static void count_samples(struct predicting *predicting)
{
    const struct model *model = predicting->model;
    autofree double *of = memory_get((model->code.count + 1) * sizeof *of);
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *row = model_sample_row(model, i);
        of[row->instruction < model->code.count ? row->instruction : 0] += (double)row->count;
    }
    for (uint32_t id = 1; id < model->blocks.count; id++) {
        const struct block *block = model_block(model, id);
        double all = 0, most = 0;
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            double here = of[block->first_instruction + i];
            all += here;
            most = fmax(most, here);
        }
        if (block->instruction_count >= LEAST_TRIMMED)
            all = (all - most) * block->instruction_count / (block->instruction_count - 1);
        predicting->samples[id] = all;
    }
}

/* ---- one region ---- */

static struct block_costs *work_of(struct predicting *predicting, uint32_t function)
{
    uint32_t program = model_function(predicting->model, function)->program;
    enum isa isa = isa_facts((enum isa)model_program(predicting->model, program)->isa)->machine;
    if (!predicting->machines[isa])
        return NULL;
    if (!predicting->has_begun[isa])
        block_costs_begin(&predicting->works[isa], predicting->machines[isa], predicting->model);
    predicting->has_begun[isa] = true;
    return &predicting->works[isa];
}

struct found {
    struct way_cycles cycles;
    enum run_prediction by;
};

static struct found predict(struct predicting *predicting, uint32_t function, uint32_t loop, double own_part)
{
    struct way_region region;
    struct ways ways;
    struct block_costs *work = work_of(predicting, function);
    struct found found = {.cycles = {.cycles = NAN, .chain = NAN, .least = NAN, .most = NAN, .calls = NAN}};
    if (work && work->bundled) {
        found.cycles.silence = run_silence_BUNDLED;
        return found;
    }
    bool has_way = way_region_make(&region, predicting->model, function, loop);
    way_shares_find(&region, predicting->samples);
    if (has_way) {
        ways_walk(&ways, &region);
        found.cycles = way_cycles_find(&region, &ways, work, own_part);
        bool is_only = ways.all.count == 1 && ways.walkers == WAY_WALKERS && region.is_counted;
        found.by = is_only             ? run_prediction_ONLY
                   : region.is_counted ? run_prediction_COUNTS
                                       : run_prediction_SAMPLES;
        if (found.by == run_prediction_SAMPLES && region.samples < LEAST_SAMPLES) {
            found.cycles.cycles = found.cycles.chain = NAN;
            found.cycles.silence = run_silence_UNKNOWN_WAYS;
        }
        ways_free(&ways);
    } else {
        found.cycles.silence = run_silence_NO_WAY;
    }
    if (found.cycles.silence)
        found.by = run_prediction_NONE;
    way_region_free(&region);
    return found;
}

/* ---- loops ---- */

static uint64_t listed_paths(const struct model *model, uint32_t loop)
{
    size_t offset = offsetof(struct loop_cycle, loop);
    return array_first_not_below(&model->loop_cycles, 0, offset, loop + 1) -
           array_first_not_below(&model->loop_cycles, 0, offset, loop);
}

/* A loop whose own paths say it all: innermost, and all of them have cycles, or are known to have none. */
static bool has_paths(const struct model *model, uint32_t loop)
{
    const struct loop *row = model_loop(model, loop);
    uint64_t listed = listed_paths(model, loop);
    bool is_whole = row->path_count <= QUALITY_LISTED_PATHS && listed < QUALITY_PATHS;
    return row->is_innermost && (!listed || is_whole || row->path_count <= listed);
}

static bool is_looked_at(const struct model *model, uint32_t function, double share)
{
    return share >= LEAST_SHARE && !sample_waits(model, function) && !sample_is_library(model, function);
}

static enum run_silence why_not(const struct model *model, uint32_t function)
{
    return sample_waits(model, function) || sample_is_library(model, function) ? run_silence_WAITS
                                                                               : run_silence_SMALL;
}

static void predict_loop(struct predicting *predicting, struct run_loop *row)
{
    const struct model *model = predicting->model;
    uint32_t function = model_loop(model, row->loop)->function;
    bool is_by_paths = has_paths(model, row->loop);
    row->ways = 0;
    row->least_cycles = row->most_cycles = row->calls_per_iteration = NAN;
    row->predicted_by = run_prediction_NONE;
    row->silence = run_silence_NONE;
    if (!is_looked_at(model, function, row->self_share)) {
        row->silence = (uint8_t)why_not(model, function);
        return;
    }
    bool has_inside = !model_loop(model, row->loop)->is_innermost && row->total_seconds > row->self_seconds;
    struct found found =
        predict(predicting, function, row->loop, has_inside ? row->self_seconds / row->total_seconds : 1);
    row->calls_per_iteration = found.cycles.calls;
    if (is_by_paths)
        return;
    row->predicted_cycles = found.cycles.cycles;
    row->path = 0;
    row->predicted_by = (uint8_t)found.by;
    row->silence = (uint8_t)found.cycles.silence;
    row->ways = found.cycles.count;
    row->least_cycles = found.cycles.least;
    row->most_cycles = found.cycles.most;
}

/* ---- functions ---- */

static void predict_function(struct predicting *predicting, struct run_function *row)
{
    const struct model *model = predicting->model;
    const struct sampled_run *run = model_sampled_run(model, row->run);
    row->predicted_cycles = row->chain_cycles = row->calls_per_call = NAN;
    row->predicted_by = run_prediction_NONE;
    row->silence = run_silence_NONE;
    row->ways = 0;
    row->outside_seconds = sample_outside_seconds(model, row);
    row->cycles_per_call =
        row->calls ? row->outside_seconds * run->cycles_per_second / (double)row->calls : NAN;
    if (!row->function)
        return;
    double share = run->sampled_seconds > 0 ? row->outside_seconds / run->sampled_seconds : 0;
    if (!is_looked_at(model, row->function, share)) {
        row->silence = (uint8_t)why_not(model, row->function);
        return;
    }
    struct found found = predict(predicting, row->function, 0, 1);
    row->predicted_cycles = found.cycles.cycles;
    row->chain_cycles = found.cycles.chain;
    row->calls_per_call = found.cycles.calls;
    row->predicted_by = (uint8_t)found.by;
    row->silence = (uint8_t)found.cycles.silence;
    row->ways = found.cycles.count;
}

/* ---- loops whose probes had seen enough ---- */

/* How often an iteration of the loop around it, or a call of its function, enters a loop; NaN: unknown. */
static double entered_each_time(const struct predicting *predicting, uint32_t loop)
{
    const struct model *model = predicting->model;
    struct way_region region;
    struct ways ways;
    double times = 0;
    bool has_way =
        way_region_make(&region, model, model_loop(model, loop)->function, model_loop(model, loop)->parent);
    way_shares_find(&region, predicting->samples);
    if (!has_way) {
        way_region_free(&region);
        return NAN;
    }
    ways_walk(&ways, &region);
    for (size_t i = 0; i < ways.all.count; i++) {
        const struct way *way = ARRAY_AT(struct way, &ways.all, i);
        const uint32_t *nodes = (const uint32_t *)ways.nodes.data + way->first;
        for (uint32_t k = 0; k < way->count; k++)
            times += way_node(&region, nodes[k])->loop == loop ? way->walkers : 0;
    }
    times /= ways.walkers;
    ways_free(&ways);
    way_region_free(&region);
    return times;
}

static uint64_t calls_of(const struct model *model, uint32_t run, uint32_t function)
{
    for (uint32_t i = 1; i < model->run_functions.count; i++)
        if (model_run_function(model, i)->run == run && model_run_function(model, i)->function == function)
            return model_run_function(model, i)->calls;
    return 0;
}

static void estimate(const struct predicting *predicting, struct run_loop *row)
{
    const struct model *model = predicting->model;
    uint32_t parent = model_loop(model, row->loop)->parent;
    const struct run_loop *around = parent ? measure_row(model, row->run, parent) : NULL;
    double times = around ? (double)around->iterations
                          : (double)calls_of(model, row->run, model_loop(model, row->loop)->function);
    if (row->measured_by || !row->seen_entries || !row->samples || !(times > 0))
        return;
    double iterations = times * entered_each_time(predicting, row->loop) * (double)row->seen_iterations /
                        (double)row->seen_entries;
    if (!(iterations >= (double)row->seen_iterations))
        return;
    row->cycles_per_iteration =
        row->self_seconds * model_sampled_run(model, row->run)->cycles_per_second / iterations;
    row->measured_by = isnan(row->cycles_per_iteration) ? run_measure_NONE : run_measure_ESTIMATED;
}

void ways_predict(struct model *model, struct machine *const *machines)
{
    struct predicting predicting = {.model = model, .machines = machines};
    if (model->runs.count < 2)
        return;
    predicting.samples = memory_get((model->blocks.count + 1) * sizeof *predicting.samples);
    count_samples(&predicting);
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        predict_loop(&predicting, model_run_loop(model, i));
        estimate(&predicting, model_run_loop(model, i));
    }
    for (uint32_t i = 1; i < model->run_functions.count; i++)
        predict_function(&predicting, model_run_function(model, i));
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (predicting.has_begun[isa])
            block_costs_end(&predicting.works[isa]);
    free(predicting.samples);
}
