/* What is in a sample.  Its pieces follow each other as sample_type says; each may be missing, and those that nobody
   here asks for are passed over. */
#ifndef RUN_SAMPLE_PERF_DATA_SAMPLE_H
#define RUN_SAMPLE_PERF_DATA_SAMPLE_H
#include "run/sample/perf_data/events.h"

enum { PERF_DATA_MOST_CALLERS = 512 };

struct perf_data_branch {
    uint64_t from, to, flags;
};
struct perf_data_sample {
    uint64_t address, time, period;
    uint32_t process, thread, processor;
    bool has_processor;
    uint64_t chain[PERF_DATA_MOST_CALLERS]; /* of the user's code */
    size_t chain_count;
    const uint8_t *branches; /* the latest first, of struct perf_data_branch; not aligned */
    size_t branch_count;
    uint64_t abi; /* of the registers; 0: there are none */
    uint64_t mask;
    const uint8_t *registers;
    const uint8_t *stack;
    size_t stack_size;
};
/* false: it is too short for what it should have. */
bool perf_data_sample_read(const struct perf_event_attr *attribute, const uint8_t *record, size_t size,
                           struct perf_data_sample *sample);
#endif
