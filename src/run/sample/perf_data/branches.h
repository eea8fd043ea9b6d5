/* Records of branches (LBR, BRBE) that come with a sample: the last few dozen jumps that were taken, the latest first,
   each with the cycles since the one before it, if the processor counts them.

   A jump backwards to the same place as one before, with nothing outside of the code between its target and itself
   meanwhile, is an iteration of what is there.  What loops these are, whoever knows the programs finds out
   (run/sample/branches.c). */
#ifndef RUN_SAMPLE_PERF_DATA_BRANCHES_H
#define RUN_SAMPLE_PERF_DATA_BRANCHES_H
#include "base/hash_index.h"
#include "run/sample/collector.h"
#include "run/sample/perf_data/sample.h"

struct perf_data_branches {
    struct sample_recording *recording; /* its returns */
    struct hash_index by_place;
};
void perf_data_branches_take(struct perf_data_branches *branches, struct collector *collector,
                             const struct perf_data_sample *sample);
void perf_data_branches_end(struct perf_data_branches *branches);
#endif
