/* Steps in a series: from where on a test takes longer. */
#ifndef RUN_BENCH_CORE_STEPS_H
#define RUN_BENCH_CORE_STEPS_H
#include <stdbool.h>
#include <stddef.h>

struct core_point {
    double x, y;
};

struct core_step {
    double at;        /* between the last x that is low and the first that is high */
    double from, to;  /* where it leaves the low side, and where it has reached the high one */
    double low, high; /* y on both sides of it */
};

/* Points are in the order of x.  false: there is no step upwards, or none that stands out of the noise. */
bool core_find_step(const struct core_point *points, size_t count, struct core_step *step);
#endif
