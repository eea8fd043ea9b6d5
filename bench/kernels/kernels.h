/* Small kernels whose innermost loops are measured and predicted.

   A kernel is a function with one loop that does the work: trip count as an argument, arrays through a
   record, so that all of them look alike to the driver.  kernels.def lists them, suite.def those of a second
   set.  Nothing but a C compiler is needed. */
#ifndef BENCH_KERNELS_KERNELS_H
#define BENCH_KERNELS_KERNELS_H
#include <stdint.h>

/* Results go into the record, so that nothing is dead.  factor is near 1, key is small. */
struct arrays {
    void *a, *b, *c, *d;
    double factor, real;
    int64_t key, whole;
};

#ifndef KERNELS_DEF
#define KERNELS_DEF "kernels.def"
#endif

#define KERNEL(name, kinds) __attribute__((noinline)) void name(struct arrays *arrays, long count);
#include KERNELS_DEF
#undef KERNEL
#endif
