/* What the parts of the driver share: kernels by name, their data, and counters of time. */
#ifndef BENCH_KERNELS_DRIVER_H
#define BENCH_KERNELS_DRIVER_H
#include <stdbool.h>
#include "kernels.h"

enum {
    DATA_BYTES = 16384,
    FIRST_COUNT = 512,
    COUNTS_AT_LEAST = 9,
    COUNTS_AT_MOST = 17,
    COUNTS_OF_SAMPLE = 3
};

struct kernel {
    const char *name;
    void (*run)(struct arrays *, long);
    const char *arrays; /* letters of kernels.def */
};

struct counts {
    long values[COUNTS_AT_MOST];
    int number;
    long step; /* two lines of the cache: what calls of a sample differ by */
};

/* Trip counts, at least nine: multiples of two cache lines of the smallest element, so that vector loops
   leave no rest or few different ones. */
struct counts choose_counts(const struct kernel *kernel);

/* Arrays of a kernel as they are before a run; places differ modulo 4096, so that no load looks like it needs
   a store just made to another array. */
void fill_arrays(const struct kernel *kernel, struct arrays *arrays);

/* From now on this process runs on one core; false if it may not. */
bool stay_on(int core);

/* Cycles of an iteration as `name,cycles,plain,spread`; see timing.c. */
void print_time(const struct kernel *kernel);

/* The loop that does the work, as it is executed; see trace.c. */
void print_trace(const struct kernel *kernel);
#endif
