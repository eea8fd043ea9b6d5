/* The recordings of all processes of a run, one after the other.

   A recording that cannot be read at all is counted; the run with the first row says so.  Only if none can be
   read it is an error. */
#include "run/probe/recording/recording.h"

#include "model/expect.h"
#include "run/places/loaded.h"
#include "run/probe/recording/rows.h"

#include <stddef.h>
#include <math.h>

bool recording_add(struct model *model, const struct probe_plan *plan, const struct array *paths,
                   struct error *error)
{
    uint32_t first = (uint32_t)model->probe_runs.count;
    uint64_t unread = 0;
    struct error failure = {0};
    for (size_t i = 0; i < paths->count; i++) {
        struct recorded recorded;
        if (!recorded_read(&recorded, plan, *ARRAY_AT(char *, paths, i), &failure)) {
            unread++;
            continue;
        }
        if (recorded.threads || recorded.modules.count)
            recorded_add_rows(model, plan, &recorded);
        recorded_free(&recorded);
    }
    if (unread && unread == paths->count)
        return error_set(error, NULL, "%s", failure.text);
    if (model->probe_runs.count > first)
        recorded_add_limit(model, first, probe_limit_kind_UNREAD, unread);
    return true;
}

void recording_ended(struct model *model, const struct launch_run *run)
{
    for (uint32_t i = (uint32_t)model->probe_runs.count; i-- > 1;) {
        struct probe_run *row = model_probe_run(model, i);
        if (row->process != run->process)
            continue;
        if (row->exit_status == NO_NUMBER && row->end_signal == NO_NUMBER) {
            row->end_signal = run->end_signal ? run->end_signal : NO_NUMBER;
            row->exit_status = !run->end_signal && run->exit_status >= 0 ? run->exit_status : NO_NUMBER;
        }
        row->seconds = isnan(row->seconds) && run->seconds > 0 ? run->seconds : row->seconds;
        return;
    }
}

/* Predicted cycles of an iteration, over all paths: only if the paths agree, since nobody counted which were
   taken.  NaN: unknown. */
static double predicted_cycles(const struct model *model, uint32_t loop)
{
    const struct array *table = &model->loop_cycles;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_cycle, loop), loop);
         i < table->count && model_loop_cycle(model, (uint32_t)i)->loop == loop; i++) {
        double cycles = model_loop_cycle(model, (uint32_t)i)->cycles;
        if (!(cycles > 0))
            return NAN;
        least = fmin(least, cycles);
        most = fmax(most, cycles);
    }
    return most > 0 && most <= 1.1 * least ? (least + most) / 2 : NAN;
}

/* Of more iterations, small errors of the prediction would look like set-up. */
static const double MOST_ITERATIONS = 64;
/* Of fewer entries, one that was interrupted would look like set-up. */
static const double LEAST_ENTRIES = 10;

/* Cycles of a usual entry: where all have the same iterations, the median, which interrupts do not spoil. */
static double usual_cycles(const struct model *model, const struct probe_loop *row)
{
    double frequency = model_probe_run(model, row->run)->cycles_per_second;
    return row->min_iterations == row->max_iterations ? row->median_ns * frequency / 1e9
                                                      : row->cycles_per_entry;
}

void recording_conclude(struct model *model)
{
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        struct probe_loop *row = model_probe_loop(model, i);
        double finished = (double)row->entries - (double)row->abandoned;
        double iterations = (double)row->iterations / finished;
        /* What a loop calls is in its time, but not in the prediction. */
        if (row->setup != probe_setup_NONE || !(finished >= LEAST_ENTRIES) ||
            !(iterations <= MOST_ITERATIONS) || places_has_calls(model, row->loop))
            continue;
        double setup = usual_cycles(model, row) - iterations * predicted_cycles(model, row->loop);
        if (isnan(setup))
            continue;
        row->setup_cycles = fmax(0, setup);
        row->setup = probe_setup_MODEL;
    }
    model_expect(model, "probe");
}
