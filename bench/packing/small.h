/* Random problems with hosts of several processors: small ones against the optimum, large ones against the
   clock. */
#ifndef BENCH_PACKING_SMALL_H
#define BENCH_PACKING_SMALL_H
#include "workload.h"

void small_run(unsigned cases, uint64_t seed, uint64_t steps);
void large_run(unsigned tasks, unsigned hosts, unsigned each);
#endif
