/* Every record begins with its size, so a wrong size makes all that follows unreadable: reading ends there.

   Two kinds of records are followed by bytes that their size does not count: pieces of a processor's own trace, and
   the formats of tracepoints in a pipe. */
#include "run/sample/perf_data/records.h"

#include "run/sample/perf_data/unpack.h"

#include <string.h>

enum { HEADER = sizeof(struct perf_event_header) };

static struct perf_event_header header_at(const uint8_t *record)
{
    struct perf_event_header header;
    memcpy(&header, record, sizeof header);
    return header;
}

/* All whole records among the unpacked bytes.  false: one makes no sense. */
static bool hand_on(struct perf_data_reading *reading, struct perf_data_unpacker *unpacker)
{
    const uint8_t *all = unpacker->bytes.data;
    size_t at = 0;
    bool is_good = true;
    while (unpacker->bytes.count - at >= HEADER) {
        struct perf_event_header header = header_at(all + at);
        is_good = header.size >= HEADER;
        if (!is_good || header.size > unpacker->bytes.count - at)
            break;
        if (header.type == PERF_DATA_COMPRESSED || header.type == PERF_DATA_COMPRESSED_SIZED)
            reading->nonsense++;
        else
            reading->visit(reading->context, &header, all + at);
        at += header.size;
    }
    perf_data_unpacker_drop(unpacker, at);
    return is_good;
}

static void unpack(struct perf_data_reading *reading, struct perf_data_unpacker *unpacker,
                   const uint8_t *packed, size_t size)
{
    if (reading->skips_packed)
        return;
    bool was_broken = unpacker->is_broken;
    while (perf_data_unpacker_take(unpacker, &packed, &size))
        if (!hand_on(reading, unpacker))
            unpacker->is_broken = true;
    if (!unpacker->is_broken)
        return;
    if (!was_broken && unpacker->bytes.count)
        hand_on(reading, unpacker);
    reading->nonsense++;
}

/* A packed record keeps its size in front of its bytes since perf 6.15, where it is padded. */
static void take_packed(struct perf_data_reading *reading, struct perf_data_unpacker *unpacker,
                        const struct perf_event_header *header, const uint8_t *record)
{
    uint64_t size = header->size - HEADER;
    const uint8_t *packed = record + HEADER;
    if (header->type == PERF_DATA_COMPRESSED_SIZED) {
        uint64_t given = 0;
        if (size >= sizeof given)
            memcpy(&given, packed, sizeof given);
        if (size < sizeof given || given > size - sizeof given) {
            reading->nonsense++;
            return;
        }
        packed += sizeof given;
        size = given;
    }
    unpack(reading, unpacker, packed, (size_t)size);
}

/* Bytes behind a record that are not counted in its size. */
static uint64_t behind(const struct perf_data_header *file, const struct perf_event_header *header,
                       const uint8_t *record)
{
    uint64_t trace = 0;
    uint32_t formats = 0;
    if (header->type == PERF_DATA_TRACE && header->size >= HEADER + sizeof trace)
        memcpy(&trace, record + HEADER, sizeof trace);
    if (header->type == PERF_DATA_TRACING && file->is_pipe && header->size >= HEADER + sizeof formats)
        memcpy(&formats, record + HEADER, sizeof formats);
    return trace ? trace : ((uint64_t)formats + 7) / 8 * 8;
}

void perf_data_records_read(struct perf_data_reading *reading, const struct perf_data_header *file,
                            struct perf_data_bytes *bytes)
{
    struct perf_data_unpacker unpacker;
    perf_data_unpacker_begin(&unpacker);
    uint64_t at = file->start, end = file->end;
    while (at < end) {
        const uint8_t *record = end - at >= HEADER ? perf_data_bytes_at(bytes, at, HEADER) : NULL;
        struct perf_event_header header = record ? header_at(record) : (struct perf_event_header){0};
        if (record && header.size < HEADER) {
            reading->nonsense++;
            break;
        }
        record = record && header.size <= end - at ? perf_data_bytes_at(bytes, at, header.size) : NULL;
        if (!record) {
            reading->was_cut = true;
            break;
        }
        uint64_t more = behind(file, &header, record);
        if (header.type == PERF_DATA_COMPRESSED || header.type == PERF_DATA_COMPRESSED_SIZED)
            take_packed(reading, &unpacker, &header, record);
        else
            reading->visit(reading->context, &header, record);
        reading->traces += header.type == PERF_DATA_TRACE;
        at += header.size;
        if (more > end - at) {
            reading->was_cut = true;
            break;
        }
        at += more;
    }
    perf_data_unpacker_end(&unpacker);
}
