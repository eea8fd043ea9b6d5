/* Reading bytes that may lie: a cursor never leaves its bounds.  A read beyond the end gives 0 and sets
   failed, and so do all later ones, so that a parser can read a whole record and ask once whether it was
   there. */
#ifndef CODE_READ_CURSOR_H
#define CODE_READ_CURSOR_H
#include "base/expect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *at, *end;
    bool big_endian, failed;
};

static inline size_t cursor_left(const struct cursor *cursor)
{
    expect(cursor->at <= cursor->end);
    return (size_t)(cursor->end - cursor->at);
}

/* Whether so many bytes are left; otherwise the cursor has failed. */
static inline bool cursor_has(struct cursor *cursor, uint64_t size)
{
    cursor->failed = cursor->failed || cursor_left(cursor) < size;
    return !cursor->failed;
}

/* A number of up to 8 bytes. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned size)
{
    uint64_t value = 0;
    if (!cursor_has(cursor, size))
        return 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)cursor->at[i] << 8 * (cursor->big_endian ? size - 1 - i : i);
    cursor->at += size;
    return value;
}

static inline int64_t cursor_signed(struct cursor *cursor, unsigned size)
{
    uint64_t value = cursor_number(cursor, size);
    if (size < 8 && value >> (8 * size - 1))
        value |= UINT64_MAX << 8 * size;
    return (int64_t)value;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t size)
{
    if (cursor_has(cursor, size))
        cursor->at += size;
}

/* LEB128; bits beyond 64 are dropped.  *shift is the number of bits that were read. */
static inline uint64_t cursor_leb(struct cursor *cursor, unsigned *shift, bool *is_negative)
{
    uint64_t value = 0;
    uint8_t byte = 0x80;
    *shift = 0;
    while (byte & 0x80) {
        if (!cursor_has(cursor, 1))
            return 0;
        byte = *cursor->at++;
        if (*shift < 64) {
            value |= (uint64_t)(byte & 0x7f) << *shift;
            *shift += 7;
        }
    }
    *is_negative = byte & 0x40;
    return value;
}

static inline uint64_t cursor_unsigned_leb(struct cursor *cursor)
{
    unsigned shift;
    bool is_negative;
    return cursor_leb(cursor, &shift, &is_negative);
}

static inline int64_t cursor_signed_leb(struct cursor *cursor)
{
    unsigned shift;
    bool is_negative = false;
    uint64_t value = cursor_leb(cursor, &shift, &is_negative);
    if (is_negative && shift < 64)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

/* A zero-terminated text within the cursor; NULL and failed if it has no end. */
static inline const char *cursor_text(struct cursor *cursor)
{
    const uint8_t *text = cursor->at;
    const uint8_t *zero = cursor_has(cursor, 1) ? memchr(text, 0, cursor_left(cursor)) : NULL;
    if (!zero) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at = zero + 1;
    return (const char *)text;
}
#endif
