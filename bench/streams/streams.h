/* A loop over arrays of n elements, the arrays one after the other in memory. */
#ifndef BENCH_STREAMS_STREAMS_H
#define BENCH_STREAMS_STREAMS_H
#include <stddef.h>

struct stream {
    const char *name;
    unsigned arrays, element_bytes, step;
    double (*run)(void *const arrays[4], long n, double s);
};
extern const struct stream streams[];
extern const unsigned stream_count;
#endif
