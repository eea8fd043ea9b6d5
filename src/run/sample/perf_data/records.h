/* The records of a recording, one after the other as they stand there, packed ones unpacked. */
#ifndef RUN_SAMPLE_PERF_DATA_RECORDS_H
#define RUN_SAMPLE_PERF_DATA_RECORDS_H
#include "run/sample/perf_data/header.h"

struct perf_data_reading {
    bool skips_packed; /* which are the kernel's records alone */
    /* The record is valid during the call; size is at least that of a record's header. */
    void (*visit)(void *context, const struct perf_event_header *header, const uint8_t *record);
    void *context;
    /* What went wrong. */
    uint64_t nonsense; /* records */
    bool was_cut;      /* it ends within a record */
    uint64_t traces;   /* pieces of a processor's own trace */
};
void perf_data_records_read(struct perf_data_reading *reading, const struct perf_data_header *header,
                            struct perf_data_bytes *bytes);
#endif
