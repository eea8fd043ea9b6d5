#include "code/structure/layout.h"

#include <stdlib.h>

void layout_set_pieces(struct layout *layout, struct array pieces)
{
    array_free(&layout->pieces);
    layout->pieces = pieces;
    layout->starts.count = 0;
    uint64_t *starts = array_add_many(&layout->starts, pieces.count);
    for (size_t i = 0; i < pieces.count; i++)
        starts[i] = layout_piece(layout, i)->start;
}

static int by_section_address(const void *a, const void *b, void *context)
{
    const struct model *model = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = model_section(model, x)->address, right = model_section(model, y)->address;
    if (left != right)
        return left < right ? -1 : 1;
    return x < y ? -1 : x > y;
}

void layout_find_sections(struct layout *layout)
{
    struct model_rows rows = MODEL_ROWS_OF(layout->model, sections, section, layout->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct section *section = model_section(layout->model, id);
        if (section->is_loaded && section->contents.size)
            *(uint32_t *)array_add(&layout->sections) = id;
    }
    if (layout->sections.count)
        qsort_r(layout->sections.data, layout->sections.count, layout->sections.width, by_section_address,
                layout->model);
}

uint32_t layout_section_at(const struct layout *layout, uint64_t address)
{
    struct bisection search = {0, layout->sections.count};
    while (bisect(&search)) {
        uint32_t id = *ARRAY_AT(uint32_t, &layout->sections, search.middle);
        const struct section *section = model_section(layout->model, id);
        if (address >= section->address && address - section->address < section->contents.size)
            return id;
        bisect_past(&search, section->address <= address);
    }
    return 0;
}

const uint8_t *layout_bytes(const struct layout *layout, uint64_t address, size_t size)
{
    uint32_t id = layout_section_at(layout, address);
    const struct section *section = model_section(layout->model, id);
    if (!id || size > section->contents.size - (address - section->address))
        return NULL;
    return section->contents.data + (address - section->address);
}

struct piece *layout_find(const struct layout *layout, uint64_t address)
{
    const uint64_t *start = array_last_at(&layout->starts, 0, address);
    struct piece *piece =
        start ? layout_piece(layout, (size_t)(start - (const uint64_t *)layout->starts.data)) : NULL;
    return piece && address < piece->end ? piece : NULL;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void layout_sort_addresses(struct array *addresses)
{
    if (!addresses->count)
        return;
    qsort(addresses->data, addresses->count, sizeof(uint64_t), by_value);
    size_t kept = 0;
    for (size_t i = 0; i < addresses->count; i++) {
        uint64_t address = *ARRAY_AT(uint64_t, addresses, i);
        if (!kept || *ARRAY_AT(uint64_t, addresses, kept - 1) != address)
            *ARRAY_AT(uint64_t, addresses, kept++) = address;
    }
    addresses->count = kept;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void layout_sort_numbers(struct array *numbers)
{
    size_t kept = 0;
    if (numbers->count)
        qsort(numbers->data, numbers->count, sizeof(uint32_t), by_number);
    for (size_t i = 0; i < numbers->count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, numbers, i);
        if (!kept || *ARRAY_AT(uint32_t, numbers, kept - 1) != number)
            *ARRAY_AT(uint32_t, numbers, kept++) = number;
    }
    numbers->count = kept;
}

size_t layout_first_address(const struct array *addresses, uint64_t address)
{
    return array_first_at(addresses, 0, 0, address);
}

bool layout_has_address(const struct array *addresses, uint64_t address)
{
    size_t index = layout_first_address(addresses, address);
    return index < addresses->count && *ARRAY_AT(uint64_t, addresses, index) == address;
}

uint32_t layout_relocation(const struct layout *layout, uint64_t low, uint64_t high)
{
    struct bisection search = {layout->first_relocation, layout->relocation_end};
    while (bisect(&search))
        bisect_past(&search, model_relocation(layout->model, (uint32_t)search.middle)->address < low);
    uint32_t id = (uint32_t)search.first;
    return id < layout->relocation_end && model_relocation(layout->model, id)->address < high ? id : 0;
}

const struct landing_pad *layout_pad(const struct layout *layout, uint64_t address)
{
    struct bisection search = {layout->first_pad, layout->pad_end};
    while (bisect(&search))
        bisect_past(&search, model_landing_pad(layout->model, (uint32_t)search.middle)->address <= address);
    if (search.first == layout->first_pad)
        return NULL;
    const struct landing_pad *pad = model_landing_pad(layout->model, (uint32_t)search.first - 1);
    return address < pad->end ? pad : NULL;
}

uint32_t layout_index(const struct layout *layout, const struct piece *piece, uint64_t address)
{
    if (address < piece->start || address >= piece->end)
        return UINT32_MAX;
    const struct sweep_instruction *instructions = layout_instructions(layout, piece);
    uint64_t offset = address - layout_section_start(layout, piece);
    struct bisection search = {0, piece->count};
    while (bisect(&search))
        bisect_past(&search, instructions[search.middle].offset < offset);
    bool is_there = search.first < piece->count && instructions[search.first].offset == offset;
    return is_there ? (uint32_t)search.first : UINT32_MAX;
}

uint32_t layout_block_at(const struct layout *layout, uint32_t low, uint32_t high, uint64_t address)
{
    struct bisection search = {low, high};
    while (bisect(&search)) {
        const struct block *block = model_block(layout->model, (uint32_t)search.middle);
        if (block->address == address)
            return (uint32_t)search.middle;
        bisect_past(&search, block->address < address);
    }
    return 0;
}

uint64_t layout_entry_end(const struct layout *layout, const struct piece *piece, uint32_t index)
{
    return index + 1 < piece->count
               ? layout_section_start(layout, piece) + layout_instructions(layout, piece)[index + 1].offset
               : piece->end;
}

void layout_free(struct layout *layout)
{
    for (unsigned i = 0; i < layout->stream_count; i++)
        array_free(&layout->streams[i]);
    free(layout->streams);
    array_free(&layout->sections);
    array_free(&layout->pieces);
    array_free(&layout->starts);
    array_free(&layout->entries);
    array_free(&layout->second_entries);
    array_free(&layout->ways_out);
    array_free(&layout->stated_blocks);
}
