/* Few iterations an entry: what an entry costs once, spread over its iterations.

   That cost is measured where entries had different numbers of iterations (fitted).  Where it is not, the
   branch that ends the loop is taken to be mispredicted once an entry, which is usual for lengths that
   change. */
#include "watch/measure/gap_subject.h"

static const double MOST_ITERATIONS = 100; /* beyond, an entry costs nothing worth a sentence */

bool gap_short_trips(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct machine *machine = subject->machine->machine;
    double penalty = machine && machine->core.mispredict > 0 ? machine->core.mispredict : 0;
    bool is_fitted = subject->setup == probe_setup_FITTED && subject->setup_cycles > 0;
    double entry = is_fitted || subject->setup_cycles > 0 ? subject->setup_cycles : penalty;
    double cycles = entry / subject->iterations_per_entry;
    bool is_gap = subject->gap > subject->tolerance * subject->predicted;
    if (!(subject->iterations_per_entry < MOST_ITERATIONS) || !is_gap || !(cycles >= 0.1 * subject->gap))
        return false;
    *evidence = (struct gap_evidence){.certainty = is_fitted ? gap_certainty_of(subject, cycles)
                                                             : gap_certainty_LIKELY,
                                      .cycles = cycles,
                                      .value = subject->iterations_per_entry,
                                      .reference = entry};
    return true;
}
