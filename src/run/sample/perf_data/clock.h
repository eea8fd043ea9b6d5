/* How many cycles a second the core made, by the samples of cycles: between two samples of a thread on one processor
   lie as many cycles as the second one stands for.  A thread that waited meanwhile makes the rate smaller, nothing
   makes it larger: so it is the upper quartile of all. */
#ifndef RUN_SAMPLE_PERF_DATA_CLOCK_H
#define RUN_SAMPLE_PERF_DATA_CLOCK_H
#include "run/sample/perf_data/sample.h"

enum { PERF_DATA_PROCESSORS = 1024 };
struct perf_data_clock {
    struct {
        uint64_t time;
        uint32_t thread;
    } latest[PERF_DATA_PROCESSORS]; /* sample, by processor */
    struct array rates;             /* of double */
    uint64_t passed;                /* samples since a rate was kept */
    uint64_t step;                  /* keep one rate in so many */
};
void perf_data_clock_take(struct perf_data_clock *clock, const struct perf_data_sample *sample);
/* Cycles a second; NaN: unknown.  The clock is empty afterwards. */
double perf_data_clock_end(struct perf_data_clock *clock);
#endif
