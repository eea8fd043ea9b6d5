/* How often each path through a loop ran, from how often its branches went which way.

   The first branch after the header gives the number of times through the loop.  A path's share is the
   product of the shares of the ways that it takes.  That is exact where each branch is reached by one way
   only, as in a loop with one condition or with conditions inside each other; where two conditions follow one
   another, it is an estimate as if they were independent.  Loops with a jump table have no shares. */
#ifndef RUN_MEASURE_PATHS_H
#define RUN_MEASURE_PATHS_H
#include "model/model.h"

/* From rows of probe_branches of the runs from that one on; adds rows to run_paths. */
void measure_paths(struct model *model, uint32_t run, uint32_t first_probe_run, uint32_t loop);
#endif
