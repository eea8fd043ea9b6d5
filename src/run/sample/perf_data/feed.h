/* Records of the kernel, in the order of time, become calls of the collector. */
#ifndef RUN_SAMPLE_PERF_DATA_FEED_H
#define RUN_SAMPLE_PERF_DATA_FEED_H
#include "run/sample/collector.h"
#include "run/sample/perf_data/branches.h"
#include "run/sample/perf_data/clock.h"
#include "run/sample/perf_data/header.h"
#include "run/sample/perf_data/sample.h"

struct perf_data_feed {
    struct collector *collector;
    struct perf_data_events *events;
    enum isa isa;         /* of the registers in samples */
    uint64_t first, last; /* nanoseconds, of all records; 0: none */
    uint64_t lost, idle, foreign, nonsense;
    bool has_whole_system; /* processors with nothing to do were sampled */
    bool has_callers;      /* some sample has any */
    struct perf_data_clock clock;
    struct perf_data_branches branches;
    struct perf_data_sample sample; /* it is large */
};
/* `context` is a struct perf_data_feed; for perf_data_order_begin. */
void perf_data_feed_take(void *context, const uint8_t *record, size_t size, uint64_t time);
#endif
