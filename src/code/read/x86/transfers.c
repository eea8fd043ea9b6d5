/* Finds direct calls, jumps and branches by their opcodes, at every byte: e8, e9 and 0f 80 … 0f 8f with four
   bytes of distance, eb, 70 … 7f and e0 … e3 with one.  Most of what looks like one in the middle of another
   instruction leads to nowhere. */
#include "code/read/x86/x86.h"

static bool is_short(uint8_t opcode)
{
    return opcode == 0xeb || (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0;
}

static uint64_t far_target(const struct transfer_search *search, size_t field)
{
    const uint8_t *bytes = search->bytes + field;
    uint32_t distance =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return search->address + field + 4 + (uint64_t)(int64_t)(int32_t)distance;
}

static void find_far(const struct transfer_search *search, struct array *found)
{
    for (size_t at = search->first; at < search->end && at + 6 <= search->size; at++) {
        uint8_t opcode = search->bytes[at];
        if ((opcode & 0xfe) == 0xe8)
            transfer_note(search, search->address + at, far_target(search, at + 1), found);
        else if (opcode == 0x0f && (search->bytes[at + 1] & 0xf0) == 0x80)
            transfer_note(search, search->address + at, far_target(search, at + 2), found);
    }
    for (size_t at = search->size < 6 ? 0 : search->size - 5; at + 5 <= search->size; at++)
        if (at >= search->first && at < search->end && (search->bytes[at] & 0xfe) == 0xe8)
            transfer_note(search, search->address + at, far_target(search, at + 1), found);
}

/* Only the bytes around a range can lead into it by a short jump. */
static void find_short(const struct transfer_search *search, const struct transfer_range *range,
                       struct array *found)
{
    enum { REACH = 130 };
    uint64_t low = range->start < search->address + REACH ? 0 : range->start - search->address - REACH;
    uint64_t high = range->end + REACH < search->address ? 0 : range->end + REACH - search->address;
    size_t at = low > search->first ? (size_t)low : search->first;
    for (; at < high && at < search->end && at + 2 <= search->size; at++)
        if (is_short(search->bytes[at]))
            transfer_note(search, search->address + at,
                          search->address + at + 2 + (uint64_t)(int64_t)(int8_t)search->bytes[at + 1], found);
}

void x86_find_transfers(const struct transfer_search *search, struct array *found)
{
    find_far(search, found);
    for (size_t i = 0; i < search->range_count; i++)
        find_short(search, &search->ranges[i], found);
}
