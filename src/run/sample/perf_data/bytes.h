/* The bytes of a recording, by place.

   A pipe is copied into a file without a name first: what names the programs of a recording may stand behind their
   samples, so it is read twice. */
#ifndef RUN_SAMPLE_PERF_DATA_BYTES_H
#define RUN_SAMPLE_PERF_DATA_BYTES_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct perf_data_bytes {
    int file;
    uint64_t size;
    struct timespec changed; /* when it was written */
    bool is_stream;          /* it came through a pipe: that was now */
    uint8_t *window;
    uint64_t start;
    size_t count, room; /* of the window */
};
/* "-": standard input.  perf_data_bytes_close is due in any case. */
bool perf_data_bytes_open(struct perf_data_bytes *bytes, const char *path, struct error *error);
/* NULL: there are not so many.  They stay until the next call. */
const uint8_t *perf_data_bytes_at(struct perf_data_bytes *bytes, uint64_t offset, size_t size);
void perf_data_bytes_close(struct perf_data_bytes *bytes);
#endif
