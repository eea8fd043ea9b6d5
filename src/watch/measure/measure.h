/* A second run with probes on the hot loops: entries, iterations, paths and cycles, beside the first run's
 * samples. */
#ifndef WATCH_MEASURE_MEASURE_H
#define WATCH_MEASURE_MEASURE_H
#include "watch/program.h"
#include "watch/run.h"
#include "model/model.h"

struct measure_options {
    const char *const *words; /* program and arguments, NULL behind the last */
    const char *runtime;      /* folder of the runtimes */
    bool is_diverted;
    bool has_addresses; /* a third run, with addresses of the loops that took longer than predicted */
};
/* Probes on these loops (of uint32_t).  Fills probe_… tables, and of run_loops entries, iterations, measured
   cycles and how they were measured; run_paths.  A loop that cannot be probed stays as it is and is counted
   in run_limits. false: the program could not be run again. */
bool measure_loops(struct model *model, const struct watch_program *program,
                   const struct measure_options *options, const struct array *loops, struct error *error);
#endif
