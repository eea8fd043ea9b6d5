/* A cluster of 16 processors on which time passes 200 times faster than for the packer (3.10, the second
   experiment).

   What the packer takes before a task can start is charged: the processors wait for it, 200 s for each
   second. While all tasks that can run do so, it may search; it never gets more time than there is until the
   next event, and never more than `patience`. */
#ifndef BENCH_PACKING_LIVE_H
#define BENCH_PACKING_LIVE_H
#include "workload.h"

struct live_result {
    double makespan, idle; /* seconds; share of processor time that nothing ran */
    double charged;        /* seconds of the makespan in which the packer kept processors waiting */
    double probes;         /* share of the work that probes are */
    double packer;         /* processor seconds of the packer, in truth */
};

struct live_result live_run(struct workload *workload, uint64_t seed, double faster, double patience);
/* A queue: a task begins when the one before it has begun, its needs have ended and its processors are free.
   Probes are left out. */
double live_fifo(const struct workload *workload, unsigned processors);
#endif
