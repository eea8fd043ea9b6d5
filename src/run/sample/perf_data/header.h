/* What a recording says of itself besides its records: at its head and behind its records in a file, in records of its
   own in a pipe. */
#ifndef RUN_SAMPLE_PERF_DATA_HEADER_H
#define RUN_SAMPLE_PERF_DATA_HEADER_H
#include "run/sample/perf_data/bytes.h"
#include "run/sample/perf_data/events.h"

struct perf_data_build {
    char *path;
    char build_id[41]; /* hexadecimal */
};
struct perf_data_header {
    bool is_pipe;        /* as perf writes it into a pipe, wherever it is now */
    bool was_cut;        /* the file ends before its end, or perf never finished it */
    uint64_t start, end; /* of the records */
    /* NULL: unknown */
    char *host, *architecture, *processor, *processor_id, *version;
    struct array words;  /* of char *: the command line of perf */
    struct array builds; /* of struct perf_data_build; in order of path after perf_data_header_settle */
    uint64_t nonsense;   /* pieces that made no sense */
};
/* The head of either form, and all that a file has.  perf_data_header_free is due in any case. */
bool perf_data_header_read(struct perf_data_header *header, struct perf_data_events *events,
                           struct perf_data_bytes *bytes, const char *path, struct error *error);
/* A record of perf itself, from 64 on: as in a pipe. */
void perf_data_header_take(struct perf_data_header *header, struct perf_data_events *events,
                           const uint8_t *record, size_t size);
/* When all is known. */
void perf_data_header_settle(struct perf_data_header *header);
/* NULL: unknown. */
const char *perf_data_header_build_id(const struct perf_data_header *header, const char *path);
void perf_data_header_free(struct perf_data_header *header);

/* Records of perf itself. */
enum {
    PERF_DATA_ATTRIBUTE = 64,
    PERF_DATA_TRACING = 66,
    PERF_DATA_BUILD_ID = 67,
    PERF_DATA_FINISHED_ROUND = 68,
    PERF_DATA_TRACE = 71,
    PERF_DATA_EVENT_UPDATE = 78,
    PERF_DATA_FEATURE = 80,
    PERF_DATA_COMPRESSED = 81,
    PERF_DATA_COMPRESSED_SIZED = 83,
};
/* A build-id of at most 20 bytes, as text. */
void perf_data_header_write_build_id(char text[41], const uint8_t *bytes, size_t size);
#endif
