/* Iterations from a counter: a processor that counts instructions by loop says how often a loop with one path
   ran, because an iteration has a known number of them.  Loops that were measured by probes keep those
   figures. */
#include "run/sample/rows.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Instructions of an iteration; 0: unknown, or paths differ. */
static double instructions_of(const struct model *model, uint32_t loop)
{
    size_t first = array_first_not_below(&model->loop_cycles, 0, offsetof(struct loop_cycle, loop), loop);
    if (first >= model->loop_cycles.count || model_loop(model, loop)->path_count != 1)
        return 0;
    const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)first);
    return row->loop == loop ? row->instruction_count : 0;
}

/* Instructions that were counted in a loop; NaN: none. */
static double counted_in(const struct model *model, uint32_t loop)
{
    for (uint32_t id = 1; id < model->counter_values.count; id++) {
        const struct counter_value *row = model_counter_value(model, id);
        const char *name = model_text(model, model_run_counter(model, row->counter)->name);
        if (row->loop == loop && name && !strcmp(name, "instructions"))
            return row->count;
    }
    return NAN;
}

void sample_counted(struct model *model)
{
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        struct run_loop *row = model_run_loop(model, i);
        const struct sampled_run *run = model_sampled_run(model, row->run);
        double instructions = instructions_of(model, row->loop), count = counted_in(model, row->loop);
        if (row->iterations || !instructions || !(count >= instructions) || !(run->cycles_per_second > 0))
            continue;
        row->iterations = (uint64_t)(count / instructions + 0.5);
        row->sampled_cycles = row->self_seconds * run->cycles_per_second / (double)row->iterations;
        row->cycles_per_iteration = row->sampled_cycles;
        row->measured_by = run_measure_COUNTERS;
    }
}
