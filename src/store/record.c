#include "store/record.h"

#include <math.h>
#include <stdlib.h>

enum { TYPE_BYTES = 9, LARGEST_INTEGER = 8 };

/* Where the next type and the next value go. */
struct place {
    uint8_t *types, *values;
};

size_t record_varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >= 0x80 && size < 9) {
        value >>= size == 8 ? 8 : 7;
        size++;
    }
    return size;
}

size_t record_put_varint(uint8_t *at, uint64_t value)
{
    if (value < 0x80) {
        at[0] = (uint8_t)value;
        return 1;
    }
    size_t size = record_varint_size(value), last = size;
    if (size == 9) {
        at[8] = (uint8_t)value;
        value >>= 8;
        last = 8;
    }
    for (size_t i = last; i-- > 0;) {
        at[i] = (uint8_t)((value & 0x7f) | 0x80);
        value >>= 7;
    }
    if (size < 9)
        at[size - 1] &= 0x7f;
    return size;
}

void record_space_free(struct record_space *space)
{
    free(space->data);
    *space = (struct record_space){0};
}

/* The serial type of an integer, and the bytes it takes. */
static inline unsigned integer_type(int64_t value, unsigned *bytes)
{
    uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);
    if (magnitude < 0x80) {
        *bytes = value == 0 || value == 1 ? 0 : 1;
        return value == 0 ? 8 : value == 1 ? 9 : 1;
    }
    if (magnitude < 0x8000)
        return *bytes = 2;
    if (magnitude < 0x800000)
        return *bytes = 3;
    if (magnitude < 0x80000000)
        return *bytes = 4;
    *bytes = magnitude < 0x800000000000 ? 6 : 8;
    return *bytes == 6 ? 5 : 6;
}

static inline void put_integer(struct place *at, int64_t value)
{
    unsigned bytes;
    *at->types++ = (uint8_t)integer_type(value, &bytes);
    uint64_t big = __builtin_bswap64((uint64_t)value << ((8 - bytes) * 8 & 63));
    memcpy(at->values, &big, LARGEST_INTEGER);
    at->values += bytes;
}

static inline void put_null(struct place *at)
{
    *at->types++ = 0;
}

static void put_real(struct place *at, double real)
{
    bool is_whole = real > -0x1p47 && real < 0x1p47 && real == (double)(int64_t)real;
    if (is_whole && !(real == 0 && signbit(real))) {
        put_integer(at, (int64_t)real);
        return;
    }
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    bits = __builtin_bswap64(bits);
    *at->types++ = 7;
    memcpy(at->values, &bits, sizeof bits);
    at->values += sizeof bits;
}

static void put_bytes(struct place *at, const void *bytes, size_t size, bool is_text)
{
    at->types += record_put_varint(at->types, 2 * (uint64_t)size + (is_text ? 13 : 12));
    if (size)
        memcpy(at->values, bytes, size);
    at->values += size;
}

/* Space for this many types and bytes of values; sets *at. The values start after the gap. */
static void open_record(struct record_space *space, unsigned types, size_t values, struct place *at)
{
    size_t gap = TYPE_BYTES * ((size_t)types + 1), wanted = gap + values + LARGEST_INTEGER;
    if (wanted > space->capacity) {
        free(space->data);
        space->capacity = wanted * 2;
        space->data = memory_get(space->capacity);
    }
    *at = (struct place){.types = space->data, .values = space->data + gap};
}

/* Moves the header up to the values: its own size, then the types. */
static struct record close_record(const struct record_space *space, unsigned types, struct place end)
{
    uint8_t *values = space->data + TYPE_BYTES * ((size_t)types + 1);
    size_t size = (size_t)(end.types - space->data), length = size + 1 < 0x80 ? 1 : 2;
    memmove(values - size, space->data, size);
    record_put_varint(values - size - length, size + length);
    uint8_t *start = values - size - length;
    return (struct record){.data = start, .size = (size_t)(end.values - start)};
}

/* Bytes of a row's texts and blobs. */
static size_t count_long_values(const struct model *model, const struct table_column *const *columns,
                                unsigned count, const void *row)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++)
        if (columns[i]->type == COLUMN_TEXT || columns[i]->type == COLUMN_BYTES ||
            columns[i]->type == COLUMN_ENUM)
            bytes += rows_value(model, columns[i], row).size;
    return bytes;
}

/* Returns whether the value is the column's default, which may be left out at the end of a record. */
static inline bool put_column(struct place *at, const struct model *model, const struct table_column *column,
                              const void *row)
{
    switch (column->type) {
    case COLUMN_NUMBER:
    case COLUMN_FLAG: {
        int64_t value = table_integer(column, row);
        put_integer(at, value);
        return !value;
    }
    case COLUMN_REF:
    case COLUMN_OPTIONAL: {
        int64_t value = table_integer(column, row);
        if (!value)
            put_null(at);
        else
            put_integer(at, value);
        return !value;
    }
    default: {
        struct value value = rows_value(model, column, row);
        if (value.kind == VALUE_NULL)
            put_null(at);
        else if (value.kind == VALUE_INTEGER)
            put_integer(at, value.integer);
        else if (value.kind == VALUE_REAL)
            put_real(at, value.real);
        else
            put_bytes(at, value.bytes, value.size, value.kind == VALUE_TEXT);
        return value.kind == VALUE_NULL;
    }
    }
}

struct record record_encode_row(struct record_space *space, const struct model *model,
                                const struct table_column *const *columns, unsigned count, unsigned least,
                                const void *row, bool starts_with_null, int64_t rowid)
{
    unsigned types = count + 2;
    struct place at, end;
    open_record(space, types, LARGEST_INTEGER * (size_t)types + count_long_values(model, columns, count, row),
                &at);
    if (starts_with_null)
        put_null(&at);
    end = at;
    for (unsigned i = 0; i < count; i++)
        if (!put_column(&at, model, columns[i], row) || i < least)
            end = at;
    if (rowid) {
        put_integer(&at, rowid);
        end = at;
    }
    return close_record(space, types, end);
}

struct record record_encode_texts(struct record_space *space, const char *const *texts, unsigned count)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < count; i++)
        bytes += texts[i] ? strlen(texts[i]) : 0;
    struct place at;
    open_record(space, count, bytes, &at);
    for (unsigned i = 0; i < count; i++) {
        if (texts[i])
            put_bytes(&at, texts[i], strlen(texts[i]), true);
        else
            put_null(&at);
    }
    return close_record(space, count, at);
}
