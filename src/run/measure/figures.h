/* What the second run counted and timed becomes figures of the loops of the first run.

   Two measures of the same thing stand side by side.  By samples: the loop's own processor time in the first
   run, times the core's frequency, over the iterations that the second run counted.  Its error is
   statistical (run_loops.error), and one sample at least.  By probes: the clock around each entry, less the
   cost of the probes.  Its error is what that cost is uncertain by: about half a pair of probes of each entry
   (docs/probes.md).

   Loops that contain others have no clock; the time of their samples, like that of all, is without the loops
   inside them, so their figure is that of their own code.

   The figure with the smaller error serves, unless
   - the loop calls something: the clock around it sees that time too, its own samples do not;
   - the two contradict each other by more than their errors explain: the clock runs on while the thread is
     interrupted, or entries were shorter than it can tell.  Samples are processor time of a run without
     probes, so they serve then;
   - entries were abandoned (left by longjmp, exit, or never): their iterations are unknown, and with them the
     figure by samples.

   Iterations of all processes are added up, as samples are. */
#ifndef RUN_MEASURE_FIGURES_H
#define RUN_MEASURE_FIGURES_H
#include "model/model.h"

/* The row of a loop in a run; NULL: none. */
struct run_loop *measure_row(const struct model *model, uint32_t run, uint32_t loop);
/* Of all paths, by the rows of loop_cycles; NaN: unknown. */
double measure_least_prediction(const struct model *model, uint32_t loop);

/* From rows of probe_loops of the runs first_probe_run … to row_loops; returns how many of these loops (of
   uint32_t) ran at all. */
size_t measure_figures(struct model *model, uint32_t run, uint32_t first_probe_run,
                       const struct array *loops);
/* From rows of probe_functions likewise to run_functions.calls. */
void measure_calls(struct model *model, uint32_t run, uint32_t first_probe_run,
                   const struct array *functions);
/* Share of the time of all threads that was spent in probes, over the runs from that one on; NaN: unknown. */
double measure_probe_share(const struct model *model, uint32_t first_probe_run);
/* Adds a row to run_limits, or to one of that kind. */
void measure_limit(struct model *model, uint32_t run, enum run_limit_kind kind, uint64_t count);
#endif
