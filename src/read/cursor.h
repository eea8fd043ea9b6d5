/* Reads untrusted little-endian data: a cursor never leaves its bytes.  A read beyond the end gives 0 and
   sets bad, so a parser can read a whole record and check once. */
#ifndef READ_CURSOR_H
#define READ_CURSOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline size_t cursor_left(const struct cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* A little-endian number of 1, 2, 4 or 8 bytes. */
static inline uint64_t cursor_number(struct cursor *cursor, unsigned size)
{
    if (cursor_left(cursor) < size) {
        cursor->bad = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)cursor->at[i] << 8 * i;
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
    if (size > cursor_left(cursor))
        cursor->bad = true;
    else
        cursor->at += size;
}

/* LEB128; bits beyond 64 are dropped.  *shift is the number of bits that were read. */
static inline uint64_t cursor_leb(struct cursor *cursor, unsigned *shift, bool *is_negative)
{
    uint64_t value = 0;
    uint8_t byte = 0x80;
    *shift = 0;
    while (byte & 0x80) {
        if (cursor->at == cursor->end) {
            cursor->bad = true;
            return 0;
        }
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

/* A zero-terminated text within the cursor; NULL and bad if it has no end. */
static inline const char *cursor_text(struct cursor *cursor)
{
    const uint8_t *text = cursor->at;
    const uint8_t *zero = cursor->at < cursor->end ? memchr(text, 0, cursor_left(cursor)) : NULL;
    if (!zero) {
        cursor->bad = true;
        return NULL;
    }
    cursor->at = zero + 1;
    return (const char *)text;
}
#endif
