/* The last level of the hierarchy: what runs took, if the model has any. */
#include "code/cost/macs/macs.h"

#include <math.h>
#include <stdlib.h>

/* Without the set-up, where that is known: the other levels leave it out, too. */
static double probed(const struct probe_loop *row)
{
    double iterations = row->entries ? (double)row->iterations / (double)row->entries : 0;
    double without = (row->cycles_per_entry - row->setup_cycles) / iterations;
    return iterations > 0 && isfinite(without) && without > 0 ? without : row->cycles_per_iteration;
}

double *macs_measured(const struct model *model)
{
    if (model->run_loops.count + model->probe_loops.count == 0)
        return NULL;
    double *cycles = memory_get((model->loops.count + 1) * sizeof *cycles);
    for (size_t i = 0; i <= model->loops.count; i++)
        cycles[i] = NAN;
    /* Later runs have larger ids; samples and probes together beat probes alone. */
    for (size_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *row = ARRAY_AT(struct probe_loop, &model->probe_loops, i);
        if (row->loop < model->loops.count && probed(row) > 0)
            cycles[row->loop] = probed(row);
    }
    for (size_t i = 0; i < model->run_loops.count; i++) {
        const struct run_loop *row = ARRAY_AT(struct run_loop, &model->run_loops, i);
        if (row->loop < model->loops.count && row->cycles_per_iteration > 0)
            cycles[row->loop] = row->cycles_per_iteration;
    }
    return cycles;
}
