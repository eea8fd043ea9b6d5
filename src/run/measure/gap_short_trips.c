/* Few iterations an entry: what an entry costs once, spread over its iterations.

   That cost is measured where entries had different numbers of iterations (fitted), or it is that of the
   branches that end the loop and are mispredicted, as simulated from recorded outcomes.  Where neither is
   known, one such branch an entry is assumed, which is usual for lengths that change. */
#include "run/measure/gap_subject.h"

static const double MOST_ITERATIONS = 100, MOST_FITTED = 1000; /* of an entry */
static const double LONGEST_ENTRY = 500; /* cycles: a fit that says more has something else in it */

bool gap_short_trips(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct machine *machine = subject->machine->machine;
    double penalty = machine && machine->core.mispredict > 0 ? machine->core.mispredict : 0;
    uint32_t branch = 0;
    double iterations = subject->iterations_per_entry;
    double misses = gap_simulated_misses(subject, true, &branch) * iterations; /* of an entry */
    /* What it called is in a fitted time, too: that would explain far too much. */
    bool is_fitted = subject->setup == probe_setup_FITTED && subject->setup_cycles > 0 &&
                     subject->setup_cycles < LONGEST_ENTRY &&
                     subject->setup_cycles / iterations < 2 * subject->gap;
    bool is_known = is_fitted || misses >= 0;
    double entry = is_fitted                                                          ? subject->setup_cycles
                   : misses >= 0                                                      ? misses * penalty
                   : subject->setup == probe_setup_MODEL && subject->setup_cycles > 0 ? subject->setup_cycles
                                                                                      : penalty;
    double cycles = entry / iterations;
    /* From one jump back to the next, getting in and out is in no iteration. */
    bool is_gap = subject->gap > subject->least && subject->row->measured_by != run_measure_BRANCHES;
    if (!(iterations < (is_fitted ? MOST_FITTED : MOST_ITERATIONS)) || !is_gap ||
        !(cycles >= 0.1 * subject->gap))
        return false;
    *evidence = (struct gap_evidence){.certainty =
                                          is_known ? gap_certainty_of(subject, cycles) : gap_certainty_LIKELY,
                                      .cycles = cycles,
                                      .value = iterations,
                                      .reference = entry,
                                      .instruction = branch};
    return true;
}
