/* Lists of ranges and of locations.

   Four formats: pairs of addresses (.debug_ranges, .debug_loc), the same with indices for the split units of
   GNU compilers before DWARF 5, and the entries of DWARF 5 (.debug_rnglists, .debug_loclists), whose codes
   are the same for ranges and locations except for the default location.  A list of locations has an
   expression after each range.  Every byte read is charged to the budget, so shared lists cannot cost more
   than that.

   Code that the linker dropped leaves ranges that start at 0 or at the end of memory; only ranges inside the
   program's code sections are kept. */
#include "code/read/dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

bool debug_in_code(const struct debug_reader *reader, uint64_t address, uint64_t *end)
{
    const struct range *range = array_last_at(&reader->code, offsetof(struct range, address), address);
    if (!range || address >= range->end)
        return false;
    *end = range->end;
    return true;
}

static bool indexed_start(const struct unit_context *unit, uint64_t index, bool is_locations,
                          struct list *list)
{
    enum debug_section section = is_locations ? SECTION_LOCLISTS : SECTION_RNGLISTS;
    uint64_t base = is_locations ? unit->loclists_base : unit->ranges_base, place, offset;
    const struct debug_file *file = unit->file->sections[section].data ? unit->file : unit->skeleton;
    if (__builtin_mul_overflow(index, unit->offset_size, &place) ||
        __builtin_add_overflow(place, base, &place))
        return false;
    struct cursor entry = debug_cursor(file, section, place);
    offset = cursor_number(&entry, unit->offset_size);
    if (entry.failed || __builtin_add_overflow(offset, base, &offset))
        return false;
    list->at = debug_cursor(file, section, offset);
    return !list->at.failed;
}

static bool list_offset(const struct unit_context *unit, Dwarf_Attribute *attribute, uint64_t *offset)
{
    struct span info = unit->file->sections[SECTION_INFO];
    uintptr_t at = (uintptr_t)attribute->valp, start = (uintptr_t)info.data;
    unsigned bytes = unit->offset_size;
    if (attribute->form == DW_FORM_data4 && unit->version < 4)
        bytes = 4;
    else if (attribute->form == DW_FORM_data8 && unit->version < 4)
        bytes = 8;
    else if (attribute->form != DW_FORM_sec_offset)
        return false;
    if (at < start || at - start > info.size)
        return false;
    struct cursor cursor = debug_cursor(unit->file, SECTION_INFO, at - start);
    *offset = cursor_number(&cursor, bytes);
    return !cursor.failed;
}

bool debug_list_start(const struct unit_context *unit, Dwarf_Attribute *attribute, bool is_locations,
                      struct list *list)
{
    *list = (struct list){.unit = unit, .base = unit->base, .is_locations = is_locations};
    list->is_old = unit->version < 5;
    list->is_old_split = list->is_old && unit->is_split && is_locations;
    uint64_t offset;
    if (attribute->form == DW_FORM_rnglistx || attribute->form == DW_FORM_loclistx) {
        Dwarf_Attribute index = *attribute;
        index.form = DW_FORM_udata;
        return unit->version >= 5 && debug_number(&index, &offset) &&
               indexed_start(unit, offset, is_locations, list);
    }
    if (!list_offset(unit, attribute, &offset))
        return false;
    const struct debug_file *file = unit->file;
    enum debug_section section = is_locations ? SECTION_LOC : SECTION_RANGES;
    if (!list->is_old) {
        section = is_locations ? SECTION_LOCLISTS : SECTION_RNGLISTS;
    } else if (unit->is_split && !is_locations) {
        file = unit->skeleton;
        if (__builtin_add_overflow(offset, unit->ranges_base, &offset))
            return false;
    }
    list->at = debug_cursor(file, section, offset);
    return !list->at.failed;
}

enum entry { ENTRY_END, ENTRY_BASE, ENTRY_RANGE, ENTRY_NOTHING, ENTRY_DAMAGED };

static enum entry old_entry(struct list *list, struct range *range)
{
    unsigned bytes = list->unit->address_size;
    uint64_t most = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    uint64_t first = cursor_number(&list->at, bytes), second = cursor_number(&list->at, bytes);
    if (first == most) {
        list->base = second;
        return ENTRY_BASE;
    }
    if (!first && !second)
        return ENTRY_END;
    *range = (struct range){(first + list->base) & most, (second + list->base) & most};
    return ENTRY_RANGE;
}

static enum entry old_split_entry(struct list *list, struct range *range)
{
    bool ok = true;
    switch (cursor_number(&list->at, 1)) {
    case DW_LLE_GNU_end_of_list_entry:
        return ENTRY_END;
    case DW_LLE_GNU_base_address_selection_entry:
        return debug_indexed_address(list->unit, cursor_unsigned_leb(&list->at), &list->base) ? ENTRY_BASE
                                                                                              : ENTRY_DAMAGED;
    case DW_LLE_GNU_start_end_entry:
        ok = debug_indexed_address(list->unit, cursor_unsigned_leb(&list->at), &range->address) &&
             debug_indexed_address(list->unit, cursor_unsigned_leb(&list->at), &range->end);
        return ok ? ENTRY_RANGE : ENTRY_DAMAGED;
    case DW_LLE_GNU_start_length_entry:
        ok = debug_indexed_address(list->unit, cursor_unsigned_leb(&list->at), &range->address);
        /* GCC 12 writes the length of some stretches as -1; they are left out as empty. */
        range->end = range->address + (uint64_t)cursor_signed(&list->at, 4);
        return ok ? ENTRY_RANGE : ENTRY_DAMAGED;
    }
    return ENTRY_DAMAGED;
}

/* The codes of ranges; for locations, 5 is the default location and the codes after it are one higher. */
static enum entry new_entry(struct list *list, struct range *range)
{
    unsigned bytes = list->unit->address_size;
    struct cursor *at = &list->at;
    uint64_t code = cursor_number(at, 1);
    if (list->is_locations && code == DW_LLE_default_location) {
        *range = (struct range){0, UINT64_MAX};
        return ENTRY_RANGE;
    }
    if (list->is_locations && code == DW_LLE_GNU_view_pair) {
        cursor_unsigned_leb(at);
        cursor_unsigned_leb(at);
        return ENTRY_NOTHING;
    }
    if (list->is_locations && code > DW_LLE_default_location)
        code--;
    bool ok = true;
    switch (code) {
    case DW_RLE_end_of_list:
        return ENTRY_END;
    case DW_RLE_base_addressx:
        return debug_indexed_address(list->unit, cursor_unsigned_leb(at), &list->base) ? ENTRY_BASE
                                                                                       : ENTRY_DAMAGED;
    case DW_RLE_startx_endx:
        ok = debug_indexed_address(list->unit, cursor_unsigned_leb(at), &range->address) &&
             debug_indexed_address(list->unit, cursor_unsigned_leb(at), &range->end);
        break;
    case DW_RLE_startx_length:
        ok = debug_indexed_address(list->unit, cursor_unsigned_leb(at), &range->address);
        range->end = range->address + cursor_unsigned_leb(at);
        break;
    case DW_RLE_offset_pair:
        range->address = list->base + cursor_unsigned_leb(at);
        range->end = list->base + cursor_unsigned_leb(at);
        break;
    case DW_RLE_base_address:
        list->base = cursor_number(at, bytes);
        return ENTRY_BASE;
    case DW_RLE_start_end:
        range->address = cursor_number(at, bytes);
        range->end = cursor_number(at, bytes);
        break;
    case DW_RLE_start_length:
        range->address = cursor_number(at, bytes);
        range->end = range->address + cursor_unsigned_leb(at);
        break;
    default:
        return ENTRY_DAMAGED;
    }
    return ok ? ENTRY_RANGE : ENTRY_DAMAGED;
}

bool debug_list_next(struct debug_reader *reader, struct list *list, struct range *range,
                     struct span *expression)
{
    for (;;) {
        const uint8_t *start = list->at.at;
        enum entry entry = list->is_old_split ? old_split_entry(list, range)
                           : list->is_old     ? old_entry(list, range)
                                              : new_entry(list, range);
        if (entry == ENTRY_DAMAGED)
            list->at.failed = true;
        if (list->at.failed || entry == ENTRY_END)
            return false;
        if (entry == ENTRY_RANGE && list->is_locations) {
            uint64_t size = list->is_old ? cursor_number(&list->at, 2) : cursor_unsigned_leb(&list->at);
            const uint8_t *data = list->at.at;
            cursor_skip(&list->at, size);
            *expression = (struct span){data, size};
        }
        if (list->at.failed || !debug_spend(reader, (uint64_t)(list->at.at - start)))
            return false;
        if (entry == ENTRY_RANGE) {
            if (range->address || range->end != UINT64_MAX) {
                range->address = debug_place(reader, range->address);
                range->end = debug_place(reader, range->end);
            }
            return true;
        }
    }
}

static void keep_range(struct debug_reader *reader, struct range range)
{
    uint64_t end;
    if (range.address >= range.end || !debug_in_code(reader, range.address, &end))
        return;
    if (range.end > end)
        range.end = end;
    *(struct range *)array_add(&reader->ranges) = range;
}

bool debug_ranges_of(struct debug_reader *reader, const struct unit_context *unit, struct facts *facts)
{
    reader->ranges.count = 0;
    Dwarf_Addr low = 0, high = 0;
    if (FACT(facts, ranges)) {
        struct list list;
        struct range range;
        struct span none;
        if (!debug_list_start(unit, FACT(facts, ranges), false, &list)) {
            debug_damaged(reader, "a list of address ranges is outside its section");
            return false;
        }
        while (debug_list_next(reader, &list, &range, &none))
            keep_range(reader, range);
        if (list.at.failed)
            debug_damaged(reader, "a list of address ranges is damaged");
    } else if (FACT(facts, low_pc) && FACT(facts, high_pc) &&
               dwarf_formaddr(FACT(facts, low_pc), &low) == 0) {
        uint64_t size;
        if (dwarf_formaddr(FACT(facts, high_pc), &high) != 0)
            high = debug_number(FACT(facts, high_pc), &size) ? low + size : low;
        keep_range(reader, (struct range){debug_place(reader, low), debug_place(reader, high)});
    }
    return reader->ranges.count > 0;
}

bool debug_ranges_are_wanted(const struct debug_reader *reader)
{
    if (!reader->part)
        return true;
    for (size_t i = 0; i < reader->ranges.count; i++) {
        const struct range *range = array_at(&reader->ranges, i);
        struct bisection search = {0, reader->spans.count};
        while (bisect(&search))
            bisect_past(&search,
                        ARRAY_AT(struct range, &reader->spans, search.middle)->end <= range->address);
        if (search.first < reader->spans.count &&
            ARRAY_AT(struct range, &reader->spans, search.first)->address < range->end)
            return true;
    }
    return false;
}
