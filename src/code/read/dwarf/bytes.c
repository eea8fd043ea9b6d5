/* Bytes of debug sections: code/read/cursor.h reads them. */
#include "code/read/dwarf/reader.h"

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
    *address = cursor_number(&cursor, unit->address_size);
    return !cursor.failed;
}
