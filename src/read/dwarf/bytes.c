/* Reading the bytes of debug sections.  A cursor never leaves its bounds: a read that would do so gives 0 and
   sets failed, and so do all later ones, so that a decoder may check once at the end of a step. */
#include "read/dwarf/reader.h"

#include <string.h>

static bool has(struct cursor *cursor, uint64_t bytes)
{
    if (cursor->failed || (uint64_t)(cursor->end - cursor->at) < bytes) {
        cursor->failed = true;
        return false;
    }
    return true;
}

uint64_t cursor_fixed(struct cursor *cursor, unsigned bytes)
{
    uint64_t number = 0;
    if (!has(cursor, bytes))
        return 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)cursor->at[i] << 8 * (cursor->big_endian ? bytes - 1 - i : i);
    cursor->at += bytes;
    return number;
}

int64_t cursor_fixed_signed(struct cursor *cursor, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;
    return (int64_t)(cursor_fixed(cursor, bytes) << unused) >> unused;
}

uint64_t cursor_unsigned(struct cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; has(cursor, 1); shift += 7) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    return 0;
}

int64_t cursor_signed(struct cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; has(cursor, 1);) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80)) {
            if (shift < 64 && (byte & 0x40))
                number |= UINT64_MAX << shift;
            return (int64_t)number;
        }
    }
    return 0;
}

const char *cursor_text(struct cursor *cursor)
{
    const char *text = (const char *)cursor->at;
    const uint8_t *zero = has(cursor, 1) ? memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at)) : NULL;
    if (!zero) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at = zero + 1;
    return text;
}

void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
    if (has(cursor, bytes))
        cursor->at += bytes;
}

struct cursor debug_cursor(const struct debug_file *file, enum debug_section section, uint64_t offset)
{
    struct span bytes = file->sections[section];
    if (!bytes.data || offset > bytes.size)
        return (struct cursor){.failed = true};
    return (struct cursor){bytes.data + offset, bytes.data + bytes.size, file->big_endian, false};
}

bool debug_indexed_address(const struct unit_context *unit, uint64_t index, uint64_t *address)
{
    uint64_t offset;
    if (__builtin_mul_overflow(index, unit->address_size, &offset) ||
        __builtin_add_overflow(offset, unit->addr_base, &offset))
        return false;
    struct cursor cursor = debug_cursor(unit->skeleton, SECTION_ADDR, offset);
    *address = cursor_fixed(&cursor, unit->address_size);
    return !cursor.failed;
}
