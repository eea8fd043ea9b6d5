/* A recording of perf, made by hand: a file as perf writes it, with packed records, and what becomes of it. */
#ifndef TESTS_UNIT_PERF_DATA_H
#define TESTS_UNIT_PERF_DATA_H
#include "sample_recording.h"

#include "run/sample/perf_data/header.h"
#include "run/sample/perf_data/perf_data.h"

enum {
    PERF_TEST_CODE = 0x401234,
    PERF_TEST_HEAD = 104,
    PERF_TEST_ATTRIBUTE = 112,
    PERF_TEST_PROCESS = 0x7ffffff0
};

static inline void put_bytes(struct array *bytes, const void *from, size_t size)
{
    if (size)
        memcpy(array_push_many(bytes, size), from, size);
}

static inline void put_number(struct array *bytes, uint64_t number)
{
    put_bytes(bytes, &number, sizeof number);
}

static inline void put_pair(struct array *bytes, uint32_t first, uint32_t second)
{
    uint32_t both[] = {first, second};
    put_bytes(bytes, both, sizeof both);
}

static inline void put_text(struct array *bytes, const char *text)
{
    put_bytes(bytes, text, strlen(text) + 1);
    while (bytes->count % 8)
        *(uint8_t *)array_push(bytes) = 0;
}

/* The size follows when it is over. */
static inline size_t begin_record(struct array *bytes, uint32_t kind, uint16_t misc)
{
    size_t start = bytes->count;
    struct perf_event_header header = {.type = kind, .misc = misc};
    put_bytes(bytes, &header, sizeof header);
    return start;
}

static inline void end_record(struct array *bytes, size_t start)
{
    uint16_t size = (uint16_t)(bytes->count - start);
    memcpy((uint8_t *)bytes->data + start + 6, &size, sizeof size);
}

static inline void put_trailer(struct array *bytes, uint64_t time)
{
    put_pair(bytes, PERF_TEST_PROCESS, PERF_TEST_PROCESS);
    put_number(bytes, time);
    put_number(bytes, 1); /* identifier */
}

static inline void put_taken(struct array *bytes, uint64_t address, uint64_t time)
{
    size_t start = begin_record(bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_number(bytes, 1);
    put_number(bytes, address);
    put_pair(bytes, PERF_TEST_PROCESS, PERF_TEST_PROCESS);
    put_number(bytes, time);
    put_number(bytes, 250000); /* period */
    put_number(bytes, 4);      /* chain */
    put_number(bytes, PERF_CONTEXT_USER);
    put_number(bytes, address);
    put_number(bytes, PERF_TEST_CODE + 256);
    put_number(bytes, PERF_TEST_CODE + 512);
    put_number(bytes, 1); /* branches */
    put_number(bytes, address - 16);
    put_number(bytes, address);
    put_number(bytes, 12 << 4);
    end_record(bytes, start);
}

static inline void put_name_and_map(struct array *bytes)
{
    size_t start = begin_record(bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    put_pair(bytes, PERF_TEST_PROCESS, PERF_TEST_PROCESS);
    put_text(bytes, "prog");
    put_trailer(bytes, 1000);
    end_record(bytes, start);
    start = begin_record(bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    put_pair(bytes, PERF_TEST_PROCESS, PERF_TEST_PROCESS);
    put_number(bytes, 0x401000);
    put_number(bytes, 0x1000);
    put_number(bytes, 0x1000);
    put_pair(bytes, 8, 1);
    put_number(bytes, 77);
    put_number(bytes, 0);
    put_pair(bytes, 5, 2);
    put_text(bytes, "/not/there/prog");
    put_trailer(bytes, 1001);
    end_record(bytes, start);
}

/* What ZSTD calls a raw block, in a frame without an end. */
static inline void put_packed(struct array *bytes, const struct array *records)
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x58};
    size_t start = begin_record(bytes, PERF_DATA_COMPRESSED, 0);
    uint32_t block = (uint32_t)records->count << 3;
    put_bytes(bytes, frame, sizeof frame);
    put_bytes(bytes, &block, 3);
    put_bytes(bytes, records->data, records->count);
    end_record(bytes, start);
}

/* Three samples of known code, out of order, one of them packed; a mark between rounds; some records that nobody
   reads. */
static inline struct array make_perf_records(void)
{
    struct array bytes = ARRAY_OF(uint8_t), packed = ARRAY_OF(uint8_t);
    put_name_and_map(&bytes);
    put_taken(&bytes, PERF_TEST_CODE + 8, 600000);
    put_taken(&bytes, PERF_TEST_CODE, 350000);
    end_record(&bytes, begin_record(&bytes, PERF_DATA_FINISHED_ROUND, 0));
    put_taken(&packed, PERF_TEST_CODE, 850000);
    put_packed(&bytes, &packed);
    size_t start = begin_record(&bytes, PERF_RECORD_LOST, 0);
    put_number(&bytes, 1);
    put_number(&bytes, 5);
    put_trailer(&bytes, 900000);
    end_record(&bytes, start);
    array_free(&packed);
    return bytes;
}

/* Head, one event (a clock of the kernel) with one id, records, the name of the computer. */
static inline struct array make_perf_data(void)
{
    struct array bytes = ARRAY_OF(uint8_t), records = make_perf_records();
    struct perf_event_attr attribute = {
        .type = PERF_TYPE_SOFTWARE,
        .size = PERF_TEST_ATTRIBUTE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_freq = 4000,
        .freq = 1,
        .sample_id_all = 1,
        .branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK};
    uint64_t ids = PERF_TEST_HEAD + PERF_TEST_ATTRIBUTE + 16, data = ids + 8, end = data + records.count;
    const uint64_t head[] = {104,
                             PERF_TEST_ATTRIBUTE + 16,
                             PERF_TEST_HEAD,
                             PERF_TEST_ATTRIBUTE + 16,
                             data,
                             records.count,
                             0,
                             0,
                             1 << 3 /* host */,
                             0,
                             0,
                             0};
    put_bytes(&bytes, "PERFILE2", 8);
    put_bytes(&bytes, head, sizeof head);
    put_bytes(&bytes, &attribute, PERF_TEST_ATTRIBUTE);
    put_number(&bytes, ids);
    put_number(&bytes, 8);
    put_number(&bytes, 1);
    put_bytes(&bytes, records.data, records.count);
    put_number(&bytes, end + 16);
    put_number(&bytes, 12);
    put_bytes(&bytes, &(uint32_t){8}, 4);
    put_bytes(&bytes, "faraway", 8);
    array_free(&records);
    return bytes;
}

/* The same as perf writes it into a pipe, without the name of the computer. */
static inline struct array make_perf_pipe(void)
{
    struct array file = make_perf_data(), bytes = ARRAY_OF(uint8_t), records = make_perf_records();
    put_bytes(&bytes, "PERFILE2", 8);
    put_number(&bytes, 16);
    size_t start = begin_record(&bytes, PERF_DATA_ATTRIBUTE, 0);
    put_bytes(&bytes, (uint8_t *)file.data + PERF_TEST_HEAD, PERF_TEST_ATTRIBUTE);
    put_number(&bytes, 1);
    end_record(&bytes, start);
    put_bytes(&bytes, records.data, records.count);
    array_free(&records);
    array_free(&file);
    return bytes;
}
#endif
