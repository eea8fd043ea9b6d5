/* Bytes of a record or a section, taken one after the other.  After the first piece that is not there, everything
   is 0 and is_short says so. */
#ifndef RUN_SAMPLE_PERF_DATA_CURSOR_H
#define RUN_SAMPLE_PERF_DATA_CURSOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perf_data_cursor {
    const uint8_t *at, *end;
    bool is_short;
};

static inline const uint8_t *perf_data_take(struct perf_data_cursor *cursor, uint64_t size)
{
    if (cursor->is_short || size > (uint64_t)(cursor->end - cursor->at)) {
        cursor->is_short = true;
        return NULL;
    }
    const uint8_t *taken = cursor->at;
    cursor->at += size;
    return taken;
}

static inline uint64_t perf_data_take_number(struct perf_data_cursor *cursor)
{
    uint64_t number = 0;
    const uint8_t *taken = perf_data_take(cursor, sizeof number);
    if (taken)
        memcpy(&number, taken, sizeof number);
    return number;
}

static inline uint32_t perf_data_take_word(struct perf_data_cursor *cursor)
{
    uint32_t word = 0;
    const uint8_t *taken = perf_data_take(cursor, sizeof word);
    if (taken)
        memcpy(&word, taken, sizeof word);
    return word;
}

/* A text that ends with a zero within `size` bytes, all of which are taken; NULL: there is none. */
static inline const char *perf_data_take_text(struct perf_data_cursor *cursor, uint64_t size)
{
    const uint8_t *taken = perf_data_take(cursor, size);
    uint64_t length = 0;
    while (taken && length < size && taken[length])
        length++;
    return taken && length < size ? (const char *)taken : NULL;
}

/* What is left, as such a text. */
static inline const char *perf_data_take_last_text(struct perf_data_cursor *cursor)
{
    return perf_data_take_text(cursor, cursor->is_short ? 0 : (uint64_t)(cursor->end - cursor->at));
}
#endif
