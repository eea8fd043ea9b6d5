/* Records in the order of time.

   perf writes what it finds in the rings of all processors, round by round, with a mark after each.  A record of a
   later round can be older than one of the round before, but not older than those of two rounds before: at a mark,
   whatever is not newer than the newest record of the round before can go on.  Records without a time go on at
   once: perf wrote them itself, before everything else.

   What waits has a limit: beyond it all goes on, and samples may come before the maps that they stand in. */
#ifndef RUN_SAMPLE_PERF_DATA_ORDER_H
#define RUN_SAMPLE_PERF_DATA_ORDER_H
#include "base/memory.h"

struct perf_data_order {
    void (*pass)(void *context, const uint8_t *record, size_t size, uint64_t time);
    void *context;
    struct array waiting;   /* of struct perf_data_waiting */
    struct array bytes;     /* of uint8_t */
    uint64_t newest, limit; /* of all records; at the last mark */
};
struct perf_data_waiting {
    uint64_t time;
    size_t at; /* in bytes: later records stand further behind */
    uint32_t size;
};
void perf_data_order_begin(struct perf_data_order *order,
                           void (*pass)(void *context, const uint8_t *record, size_t size, uint64_t time),
                           void *context);
void perf_data_order_add(struct perf_data_order *order, const uint8_t *record, size_t size, uint64_t time);
void perf_data_order_mark(struct perf_data_order *order);
/* All goes on. */
void perf_data_order_end(struct perf_data_order *order);
#endif
