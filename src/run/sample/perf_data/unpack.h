/* Packed records (perf record -z): one stream of ZSTD in pieces, each piece a record of its own.

   A few bytes can unpack to gigabytes: whoever made a recording on purpose gets no more out of it than MOST_GROWTH
   times its size. */
#ifndef RUN_SAMPLE_PERF_DATA_UNPACK_H
#define RUN_SAMPLE_PERF_DATA_UNPACK_H
#include "base/memory.h"

struct perf_data_unpacker {
    void *stream;   /* NULL: none yet */
    bool is_broken; /* nothing that follows can be unpacked */
    uint64_t taken, made;
    struct array bytes; /* of uint8_t: unpacked, of records that are not complete yet */
};
void perf_data_unpacker_begin(struct perf_data_unpacker *unpacker);
/* Unpacks up to a piece at a time behind `bytes`, and advances *from.  false: nothing more comes out of it. */
bool perf_data_unpacker_take(struct perf_data_unpacker *unpacker, const uint8_t **from, size_t *size);
/* The first bytes are not needed any more. */
void perf_data_unpacker_drop(struct perf_data_unpacker *unpacker, size_t count);
void perf_data_unpacker_end(struct perf_data_unpacker *unpacker);
#endif
