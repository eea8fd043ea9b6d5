#include "run/sample/perf_data/unpack.h"

#include <string.h>
#include <zstd.h>

enum {
    PIECE = 1 << 17,
    MOST_GROWTH = 1000,
    FREE_GROWTH = 1 << 24,
    LARGEST_WINDOW = 27 /* 128 MB, a power of two */
};

void perf_data_unpacker_begin(struct perf_data_unpacker *unpacker)
{
    *unpacker = (struct perf_data_unpacker){.bytes = ARRAY_OF(uint8_t)};
}

bool perf_data_unpacker_take(struct perf_data_unpacker *unpacker, const uint8_t **from, size_t *size)
{
    if (!unpacker->stream && !unpacker->is_broken) {
        unpacker->stream = ZSTD_createDStream();
        if (unpacker->stream)
            ZSTD_DCtx_setParameter(unpacker->stream, ZSTD_d_windowLogMax, LARGEST_WINDOW);
        unpacker->is_broken = !unpacker->stream;
    }
    if (unpacker->is_broken)
        return false;
    array_reserve(&unpacker->bytes, unpacker->bytes.count + PIECE);
    ZSTD_inBuffer in = {*from, *size, 0};
    ZSTD_outBuffer out = {(uint8_t *)unpacker->bytes.data + unpacker->bytes.count, PIECE, 0};
    size_t state = ZSTD_decompressStream(unpacker->stream, &out, &in);
    unpacker->taken += in.pos;
    unpacker->made += out.pos;
    unpacker->bytes.count += out.pos;
    *from += in.pos;
    *size -= in.pos;
    unpacker->is_broken = ZSTD_isError(state) ||
                          (unpacker->made > FREE_GROWTH && unpacker->made / MOST_GROWTH > unpacker->taken);
    return !unpacker->is_broken && (in.pos || out.pos);
}

void perf_data_unpacker_drop(struct perf_data_unpacker *unpacker, size_t count)
{
    size_t rest = unpacker->bytes.count - count;
    if (rest && count)
        memmove(unpacker->bytes.data, (uint8_t *)unpacker->bytes.data + count, rest);
    unpacker->bytes.count = rest;
}

void perf_data_unpacker_end(struct perf_data_unpacker *unpacker)
{
    ZSTD_freeDStream(unpacker->stream);
    array_free(&unpacker->bytes);
}
