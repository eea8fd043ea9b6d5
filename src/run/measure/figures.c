/* See figures.h. */
#include "run/measure/figures.h"

#include "run/probe/site/loop_shape.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double MOST_ABANDONED = 0.05; /* of the entries */
static const double AGREEMENT = 0.03;      /* differences below it contradict nothing */
static const double DEVIATIONS = 3;        /* standard errors that chance explains */

struct run_loop *measure_row(const struct model *model, uint32_t run, uint32_t loop)
{
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        struct run_loop *row = model_run_loop(model, i);
        if (row->run == run && row->loop == loop)
            return row;
    }
    return NULL;
}

double measure_least_prediction(const struct model *model, uint32_t loop)
{
    double least = NAN;
    const struct array *table = &model->loop_cycles;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_cycle, loop), loop);
         i < table->count && model_loop_cycle(model, (uint32_t)i)->loop == loop; i++)
        least = fmin(least, model_loop_cycle(model, (uint32_t)i)->cycles);
    return least;
}

/* ---- all processes together ---- */

struct totals {
    uint64_t entries, iterations, abandoned;
    bool is_partial;           /* of some process, not all entries were seen */
    double cycles;             /* of all iterations that were timed */
    double timed;              /* these iterations */
    double seconds, uncertain; /* of all entries that were timed; what the cost of probes is uncertain by */
};

static void add_process(struct totals *totals, const struct model *model, const struct probe_loop *row)
{
    totals->entries += row->entries;
    totals->iterations += row->iterations;
    totals->abandoned += row->abandoned;
    totals->is_partial |= row->is_partial;
    if (!(row->cycles_per_iteration >= 0) || !row->iterations)
        return;
    totals->cycles += row->cycles_per_iteration * (double)row->iterations;
    totals->timed += (double)row->iterations;
    totals->seconds += row->total_ns * 1e-9;
    totals->uncertain +=
        model_probe_run(model, row->run)->pair_ns / 2 * 1e-9 * (double)(row->entries - row->abandoned);
}

static struct totals totals_of(const struct model *model, uint32_t first, uint32_t loop)
{
    struct totals totals = {0};
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *row = model_probe_loop(model, i);
        if (row->run >= first && row->loop == loop)
            add_process(&totals, model, row);
    }
    return totals;
}

/* ---- which of the two ---- */

static bool has_calls(const struct model *model, uint32_t loop)
{
    struct loop_shape shape;
    loop_shape_make(&shape, model, loop);
    bool has_some = shape.has_calls;
    loop_shape_free(&shape);
    return has_some;
}

/* Of the time by samples: never less than one sample. */
static double sample_error(const struct run_loop *row)
{
    return fmax(row->error, 1 / (double)row->samples);
}

static bool contradict(const struct run_loop *row, double probe_error)
{
    double difference = fabs(row->probed_cycles - row->sampled_cycles);
    double chance = DEVIATIONS * sample_error(row) * row->sampled_cycles + probe_error * row->probed_cycles;
    return difference > chance + AGREEMENT * fmin(row->probed_cycles, row->sampled_cycles);
}

static enum run_measure better(const struct model *model, const struct run_loop *row,
                               const struct totals *totals)
{
    bool has_samples = row->sampled_cycles > 0, has_clock = row->probed_cycles > 0;
    double probe_error = totals->seconds > 0 ? totals->uncertain / totals->seconds : INFINITY;
    if (!has_samples)
        return has_clock && !has_calls(model, row->loop) ? run_measure_PROBES : run_measure_NONE;
    if (!has_clock || !(probe_error < sample_error(row)) || has_calls(model, row->loop) ||
        contradict(row, probe_error))
        return run_measure_SAMPLES;
    return run_measure_PROBES;
}

static void fill(struct model *model, struct run_loop *row, const struct totals *totals)
{
    double clock = model_sampled_run(model, row->run)->cycles_per_second;
    bool is_known = totals->iterations && !totals->is_partial &&
                    (double)totals->abandoned <= MOST_ABANDONED * (double)totals->entries;
    row->entries = totals->is_partial ? 0 : totals->entries;
    row->iterations = totals->is_partial ? 0 : totals->iterations;
    row->seen_entries = totals->is_partial ? totals->entries : 0;
    row->seen_iterations = totals->is_partial ? totals->iterations : 0;
    row->sampled_cycles =
        is_known && row->samples ? row->self_seconds * clock / (double)totals->iterations : NAN;
    row->probed_cycles = totals->timed > 0 ? totals->cycles / totals->timed : NAN;
    row->measured_by = (uint8_t)better(model, row, totals);
    row->cycles_per_iteration = row->measured_by == run_measure_PROBES    ? row->probed_cycles
                                : row->measured_by == run_measure_SAMPLES ? row->sampled_cycles
                                                                          : NAN;
}

size_t measure_figures(struct model *model, uint32_t run, uint32_t first_probe_run, const struct array *loops)
{
    size_t reached = 0, partial = 0;
    for (size_t i = 0; i < loops->count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, loops, i);
        struct run_loop *row = measure_row(model, run, loop);
        struct totals totals = totals_of(model, first_probe_run, loop);
        reached += totals.entries > 0;
        partial += row && totals.is_partial;
        if (row && totals.entries)
            fill(model, row, &totals);
    }
    measure_limit(model, run, run_limit_kind_PARTIAL, partial);
    return reached;
}

void measure_calls(struct model *model, uint32_t run, uint32_t first_probe_run, const struct array *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        uint32_t function = *ARRAY_AT(uint32_t, functions, i);
        uint64_t calls = 0;
        for (uint32_t k = 0; k < model->probe_functions.count; k++) {
            const struct probe_function *row = model_probe_function(model, k);
            calls += row->run >= first_probe_run && row->function == function ? row->calls : 0;
        }
        for (uint32_t k = 1; k < model->run_functions.count; k++) {
            struct run_function *row = model_run_function(model, k);
            if (row->run == run && row->function == function)
                row->calls = calls;
        }
    }
}

double measure_probe_share(const struct model *model, uint32_t first_probe_run)
{
    double threads = 0, probes = 0;
    for (uint32_t i = first_probe_run; i < model->probe_runs.count; i++) {
        const struct probe_run *row = model_probe_run(model, i);
        threads += row->thread_seconds > 0 ? row->thread_seconds : 0;
        probes += row->probe_seconds > 0 ? row->probe_seconds : 0;
    }
    return threads > 0 ? probes / threads : NAN;
}

void measure_limit(struct model *model, uint32_t run, enum run_limit_kind kind, uint64_t count)
{
    uint32_t position = 1;
    size_t at = 0;
    if (!count)
        return;
    for (; at < model->run_limits.count && model_run_limit(model, (uint32_t)at)->run <= run; at++) {
        struct run_limit *row = model_run_limit(model, (uint32_t)at);
        if (row->run == run && row->kind == kind) {
            row->count += count;
            return;
        }
        position = row->run == run ? row->position + 1 : 1;
    }
    model_add(&model->run_limits);
    struct run_limit *row = model_run_limit(model, (uint32_t)at);
    memmove(row + 1, row, (model->run_limits.count - 1 - at) * sizeof *row);
    *row = (struct run_limit){.run = run, .position = position, .kind = (uint8_t)kind, .count = count};
}
