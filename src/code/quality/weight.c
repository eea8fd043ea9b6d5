#include "code/quality/weight.h"

#include "code/quality/call_weights.h"
#include "code/quality/path_shares.h"
#include "code/quality/stubs.h"
#include "code/quality/trips.h"

#include <math.h>
#include <stdlib.h>

static const double REST_TRIPS = 2;
static const double MANY_TRIPS = 100; /* an unknown number may well be as large as a large constant */
static const double DOUBTFUL = 0.5;   /* what an upper limit of a gain brings, on average */

uint32_t *weight_files(const struct model *model)
{
    uint32_t *firsts = memory_get((model->strings.entries.count + 1) * sizeof *firsts);
    uint32_t *files = memory_get((model->programs.count + 1) * sizeof *files);
    for (uint32_t id = 1; id < model->programs.count; id++) {
        uint32_t *first = &firsts[model_program(model, id)->path];
        if (!*first)
            *first = id;
        files[id] = *first;
    }
    free(firsts);
    return files;
}

static uint32_t program_of(const struct model *model, uint32_t loop)
{
    return model_function(model, model_loop(model, loop)->function)->program;
}

/* Those of the slowest path from this row of loop_cycles on; moves to the next loop. NaN: unknown. */
static double slowest(const struct model *model, uint32_t *at)
{
    uint32_t loop = model_loop_cycle(model, *at)->loop;
    double cycles = NAN;
    for (; *at < model->loop_cycles.count && model_loop_cycle(model, *at)->loop == loop; ++*at)
        cycles = fmax(cycles, model_loop_cycle(model, *at)->cycles);
    return cycles;
}

static struct loop_weight weigh(const struct model *model, const struct call_weights *weights, uint32_t id)
{
    const struct loop *loop = model_loop(model, id);
    return (struct loop_weight){.loop = id,
                                .around = loop->depth ? loop->depth - 1 : 0,
                                .around_calls = weights->around[loop->function],
                                .reach =
                                    weights->parses[id] ? call_reach_START : weights->reach[loop->function],
                                .iterations = weights->entries[loop->function] * weights->times[id]};
}

/* Constants of innermost loops: of the path that takes the most. Where something else may end the loop, the
   constant is a limit that a search or a series hardly ever reaches, unless it is small. */
static void take_known(const struct model *model, double *trips)
{
    for (uint32_t i = 0; i < model->loop_metrics.count; i++) {
        const struct loop_metric *row = model_loop_metric(model, i);
        trips[row->loop] = fmax(trips[row->loop], (double)row->trips);
    }
    for (uint32_t id = 1; id < model->loops.count; id++)
        if (model_loop(model, id)->is_innermost && model_loop(model, id)->exit_count > 1)
            trips[id] = fmin(trips[id], USUAL_TRIPS);
}

/* Constants where the code shows them, in the functions of the loops to be weighed: other functions may have
   no instructions here. A loop that does what the main loop leaves over has few. */
static double *estimate_trips(const struct model *model, enum trips_kind kind)
{
    bool *wanted = memory_get(model->functions.count + 1);
    for (uint32_t i = 0; i < model->loop_cycles.count; i++)
        wanted[model_loop(model, model_loop_cycle(model, i)->loop)->function] = true;
    double *trips = memory_get((model->loops.count + 1) * sizeof *trips);
    int64_t *around = trips_find(model, wanted, kind);
    for (uint32_t id = 1; id < model->loops.count; id++)
        trips[id] = (double)around[id];
    free(wanted);
    free(around);
    take_known(model, trips);
    for (uint32_t id = 1; id < model->loops.count; id++)
        trips[id] = trips[id] > 0 ? fmin(trips[id], MANY_TRIPS) : USUAL_TRIPS;
    for (uint32_t i = 0; i < model->loop_roles.count; i++) {
        const struct loop_role_row *row = model_loop_role_row(model, i);
        if (row->role == loop_role_PEEL || row->role == loop_role_TAIL)
            trips[row->loop] = fmin(trips[row->loop], REST_TRIPS);
    }
    return trips;
}

void weight_build(struct model *model, const uint32_t *meant)
{
    struct call_weights weights;
    double *trips = estimate_trips(model, trips_AROUND),
           *all = memory_get((model->programs.count + 1) * sizeof *all);
    uint32_t *files = weight_files(model);
    call_weights_find(&weights, model, trips, meant);
    model->loop_weights.count = 0;
    for (uint32_t at = 0; at < model->loop_cycles.count;) {
        struct loop_weight row = weigh(model, &weights, model_loop_cycle(model, at)->loop);
        row.share = row.iterations * slowest(model, &at);
        if (isfinite(row.share))
            all[files[program_of(model, row.loop)]] += row.share;
        *(struct loop_weight *)model_add(&model->loop_weights) = row;
    }
    for (uint32_t i = 0; i < model->loop_weights.count; i++) {
        struct loop_weight *row = model_loop_weight(model, i);
        double whole = all[files[program_of(model, row->loop)]];
        row->share = isfinite(row->share) ? (whole > 0 ? row->share / whole : 0) : NAN;
    }
    call_weights_free(&weights);
    free(trips);
    free(all);
    free(files);
}

/* Cycles of an iteration of each innermost loop; to be freed. */
static double *estimate_cycles(const struct model *model)
{
    double *cycles = memory_get((model->loops.count + 1) * sizeof *cycles), known = 0, instructions = 0;
    for (uint32_t at = 0; at < model->loop_cycles.count;) {
        uint32_t loop = model_loop_cycle(model, at)->loop;
        cycles[loop] = slowest(model, &at);
        if (!isfinite(cycles[loop])) {
            cycles[loop] = 0;
            continue;
        }
        known += cycles[loop];
        instructions += model_loop(model, loop)->instruction_count;
    }
    for (uint32_t id = 1; id < model->loops.count && instructions > 0; id++)
        if (model_loop(model, id)->is_innermost && cycles[id] == 0)
            cycles[id] = model_loop(model, id)->instruction_count * known / instructions;
    return cycles;
}

double *weight_estimate(const struct model *model)
{
    struct call_weights weights;
    double *trips = estimate_trips(model, trips_ALL), *shares = estimate_cycles(model);
    double *all = memory_get((model->programs.count + 1) * sizeof *all);
    uint32_t *files = weight_files(model), *meant = stubs_find(model);
    call_weights_find(&weights, model, trips, meant);
    for (uint32_t id = 1; id < model->loops.count; id++) {
        shares[id] *= weights.entries[model_loop(model, id)->function] * weights.times[id];
        all[files[program_of(model, id)]] += shares[id];
    }
    for (uint32_t id = 1; id < model->loops.count; id++) {
        double whole = all[files[program_of(model, id)]];
        shares[id] = whole > 0 ? shares[id] / whole : 0;
    }
    call_weights_free(&weights);
    free(trips);
    free(all);
    free(files);
    free(meant);
    return shares;
}

const struct loop_weight *weight_of(const struct model *model, uint32_t loop)
{
    size_t at = array_first_not_below(&model->loop_weights, 0, offsetof(struct loop_weight, loop), loop);
    if (at == model->loop_weights.count || model_loop_weight(model, (uint32_t)at)->loop != loop)
        return NULL;
    return model_loop_weight(model, (uint32_t)at);
}

static double sampled_share(const struct model *model, uint32_t loop)
{
    uint32_t run = model_last(&model->runs);
    size_t first = array_first_not_below(&model->run_loops, 0, offsetof(struct run_loop, run), run);
    size_t at = array_first_not_below(&model->run_loops, first, offsetof(struct run_loop, loop), loop);
    if (at == model->run_loops.count || model_run_loop(model, (uint32_t)at)->loop != loop)
        return 0;
    return model_run_loop(model, (uint32_t)at)->self_share;
}

double weight_share(const struct model *model, uint32_t loop)
{
    if (weight_is_sampled(model))
        return sampled_share(model, loop);
    const struct loop_weight *row = weight_of(model, loop);
    return row && isfinite(row->share) ? row->share : 0;
}

bool weight_is_sampled(const struct model *model)
{
    return model_last(&model->runs) > 0 && model->run_loops.count > 0;
}

double weight_saved(const struct model *model, uint32_t id)
{
    const struct advice *advice = model_advice(model, id);
    if (!(advice->gain > 1))
        return 0;
    double saved = 1 - 1 / advice->gain;
    return path_shares_of_advice(model, id) * (advice->is_upper ? saved * DOUBTFUL : saved);
}
