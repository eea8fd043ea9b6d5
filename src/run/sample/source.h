/* What the reading thread reads (reader.h): rings of the kernel, or of the library in the program. */
#ifndef RUN_SAMPLE_SOURCE_H
#define RUN_SAMPLE_SOURCE_H
#include "run/sample/collector.h"

struct source {
    void *context;
    /* Feeds the collector with what there is.  start: CLOCK_MONOTONIC in nanoseconds at the start of the run.
       is_last: nothing more comes. */
    void (*read)(void *context, struct collector *collector, uint64_t start, bool is_last);
    struct array polls; /* of struct pollfd: one that is ready is worth a look before the time is over */
    int milliseconds;   /* between two looks, at most */
};
#endif
