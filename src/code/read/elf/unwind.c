/* Call-frame information shows where functions start and end even in a stripped file: every entry (FDE) of
   .eh_frame covers the code of one function, or of its cold part, and points to its exception table.

   A bad entry is counted and skipped: its length still leads to the next one.  The common entry (CIE) that an
   entry refers to gives the format of its pointers; neighbours share it, so the last one is cached.  Entries
   for linkage stubs are left out: one entry covers a whole section of stubs, and plt.c finds each.

   In a relocatable file the pointers are not filled in yet, so they are read from a relocated copy of the
   section. */
#include "code/read/elf/elf.h"

#include "code/read/elf/encoded.h"

#include <dwarf.h>
#include <stdlib.h>

struct common_entry {
    uint64_t offset; /* in the section; NO_ADDRESS: nothing cached */
    bool is_good, has_sized_data, is_of_signal;
    uint8_t pointer_encoding, data_encoding, address_size;
};

struct frame_reader {
    struct elf *elf;
    struct span contents;
    uint64_t address;
    bool is_eh_frame;
    struct common_entry common;
    uint64_t bad, dead; /* malformed entries; entries for missing code */
    uint64_t first_dead;
};

/* The length and the first field of an entry. */
struct entry_start {
    struct cursor body; /* after the first field, to the end of the entry */
    uint64_t offset, id, id_offset;
    bool is_common;
};

static bool start_entry(const struct frame_reader *reader, struct cursor *cursor, struct entry_start *start)
{
    const uint8_t *base = reader->contents.data;
    *start = (struct entry_start){.offset = (uint64_t)(cursor->at - base)};
    unsigned size = 4;
    uint64_t length = cursor_number(cursor, 4);
    if (length == UINT32_MAX) {
        size = 8;
        length = cursor_number(cursor, 8);
    }
    if (cursor->failed || length > cursor_left(cursor))
        return false;
    start->body = (struct cursor){cursor->at, cursor->at + length, false};
    cursor->at += length;
    if (length == 0)
        return true;
    start->id_offset = (uint64_t)(start->body.at - base);
    start->id = cursor_number(&start->body, size);
    uint64_t mark = reader->is_eh_frame ? 0 : size == 8 ? UINT64_MAX : UINT32_MAX;
    start->is_common = start->id == mark;
    return true;
}

static void read_augmentation(struct common_entry *common, const char *letters, struct cursor data)
{
    for (; *letters && !data.failed; letters++) {
        bool is_known;
        uint8_t encoding;
        switch (*letters) {
        case 'L':
            common->data_encoding = (uint8_t)cursor_number(&data, 1);
            break;
        case 'R':
            common->pointer_encoding = (uint8_t)cursor_number(&data, 1);
            break;
        case 'P':
            encoding = (uint8_t)cursor_number(&data, 1);
            encoded_number(&data, encoding, common->address_size, &is_known);
            if (!is_known || (encoding & 0x70) == DW_EH_PE_aligned)
                return;
            break;
        case 'S':
            common->is_of_signal = true;
            break;
        case 'B':
        case 'G':
            break;
        default:
            return;
        }
    }
}

static void read_common(struct frame_reader *reader, uint64_t offset)
{
    struct common_entry *common = &reader->common;
    *common = (struct common_entry){.offset = offset,
                                    .pointer_encoding = DW_EH_PE_absptr,
                                    .data_encoding = DW_EH_PE_omit,
                                    .address_size = reader->elf->address_size};
    if (offset >= reader->contents.size)
        return;
    struct cursor cursor = {reader->contents.data + offset, reader->contents.data + reader->contents.size,
                            false};
    struct entry_start start;
    if (!start_entry(reader, &cursor, &start) || !start.is_common || !cursor_left(&start.body))
        return;
    struct cursor *body = &start.body;
    uint64_t version = cursor_number(body, 1);
    const char *letters = cursor_text(body);
    if (!letters || (version != 1 && version != 3 && version != 4))
        return;
    if (version == 4) {
        common->address_size = (uint8_t)cursor_number(body, 1);
        if (cursor_number(body, 1) != 0 || (common->address_size != 4 && common->address_size != 8))
            return;
    }
    if (!strcmp(letters, "eh"))
        cursor_skip(body, common->address_size);
    cursor_unsigned_leb(body);
    cursor_signed_leb(body);
    if (version == 1)
        cursor_skip(body, 1);
    else
        cursor_unsigned_leb(body);
    common->has_sized_data = *letters == 'z';
    if (common->has_sized_data) {
        uint64_t size = cursor_unsigned_leb(body);
        struct cursor data = *body;
        cursor_skip(body, size);
        data.end = body->at;
        read_augmentation(common, letters + 1, data);
    }
    common->is_good = !body->failed;
}

static uint64_t place_of(const struct frame_reader *reader, const struct cursor *cursor)
{
    return reader->address + (uint64_t)(cursor->at - reader->contents.data);
}

/* false if the entry is malformed. */
static bool read_frame(struct frame_reader *reader, struct entry_start *start)
{
    struct elf *elf = reader->elf;
    uint64_t offset = reader->is_eh_frame ? start->id_offset - start->id : start->id;
    if (reader->common.offset != offset)
        read_common(reader, offset);
    const struct common_entry *common = &reader->common;
    if (!common->is_good)
        return false;
    struct cursor *body = &start->body;
    uint64_t first, language_data = 0;
    bool is_known;
    if (!encoded_pointer(body, common->pointer_encoding, common->address_size, place_of(reader, body), 0,
                         &first))
        return false;
    uint64_t size = encoded_number(body, common->pointer_encoding, common->address_size, &is_known);
    if (body->failed)
        return false;
    if (common->has_sized_data && common->data_encoding != DW_EH_PE_omit) {
        cursor_unsigned_leb(body);
        if (!encoded_pointer(body, common->data_encoding, common->address_size, place_of(reader, body), first,
                             &language_data))
            language_data = 0;
    }
    /* The frame of a signal handler's return starts one byte before its code, because unwinders look one byte
       back. */
    if (common->is_of_signal && first % 2 && size) {
        first++;
        size--;
    }
    if (size == 0)
        return true;
    const struct elf_section *section = elf_section_at(elf, first);
    if (!section || !section->is_code) {
        if (first != 0 && reader->is_eh_frame)
            reader->first_dead = reader->dead++ ? reader->first_dead : first;
        return true;
    }
    if (section->is_plt || !elf_take_entry(elf))
        return true;
    uint64_t left = section->address + section->size - first;
    size = size < left ? size : left;
    elf_new_symbol(elf, 0, first, size, origin_UNWIND);
    if (language_data)
        elf_read_exceptions(elf, language_data, first);
    return true;
}

void elf_read_frames(struct elf *elf, struct span contents, uint64_t address, bool is_eh_frame)
{
    struct frame_reader reader = {.elf = elf,
                                  .contents = contents,
                                  .address = address,
                                  .is_eh_frame = is_eh_frame,
                                  .common.offset = NO_ADDRESS};
    struct cursor cursor = {contents.data, contents.data + contents.size, false};
    while (cursor_left(&cursor) >= 4) {
        struct entry_start start;
        if (!start_entry(&reader, &cursor, &start)) {
            reader.bad++;
            break;
        }
        if (start.body.at == start.body.end) {
            if (elf->is_headerless)
                break; /* a terminator; what follows is something else */
            continue;
        }
        if (start.body.failed || (!start.is_common && !read_frame(&reader, &start)))
            reader.bad++;
    }
    if (reader.bad)
        elf_note(elf, NO_ADDRESS, reader.bad, "malformed entries in the call-frame information");
    if (reader.dead)
        elf_note(elf, reader.first_dead, reader.dead,
                 "entries in the call-frame information for missing code");
}

static void relocate(struct elf *elf, const struct elf_section *section, uint8_t *bytes,
                     const struct elf_section *table)
{
    const struct elf_section *symbols = table->link < elf->section_count ? &elf->sections[table->link] : NULL;
    if (!symbols || symbols->type != SHT_SYMTAB)
        return;
    struct elf_relocation entry;
    for (uint64_t i = 0; elf_relocation(elf, table, i, &entry); i++) {
        GElf_Sym symbol;
        uint32_t number;
        bool is_relative;
        unsigned width = elf_relocation_width(elf->isa, entry.type, &is_relative);
        if (!width || entry.offset > section->contents.size ||
            section->contents.size - entry.offset < width ||
            !elf_symbol(elf, symbols, entry.symbol, &symbol, &number) || number == SHN_UNDEF ||
            number >= elf->section_count || !elf->sections[number].is_loaded)
            continue;
        uint8_t *place = bytes + entry.offset;
        uint64_t value = elf->sections[number].address + symbol.st_value;
        struct cursor old = {place, place + width, false};
        value += table->type == SHT_RELA ? (uint64_t)entry.addend : (uint64_t)cursor_signed(&old, width);
        if (is_relative)
            value -= section->address + entry.offset;
        for (unsigned byte = 0; byte < width; byte++)
            place[byte] = (uint8_t)(value >> 8 * byte);
    }
}

static void read_relocatable_section(struct elf *elf, const struct elf_section *section,
                                     const struct elf_section *table)
{
    uint8_t *copy = memory_get(section->contents.size);
    memcpy(copy, section->contents.data, section->contents.size);
    relocate(elf, section, copy, table);
    elf_read_frames(elf, (struct span){copy, section->contents.size}, section->address, true);
    free(copy);
}

static void read_relocatable(struct elf *elf)
{
    bool *is_done = memory_get(elf->section_count * sizeof *is_done);
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *table = &elf->sections[i];
        if ((table->type != SHT_REL && table->type != SHT_RELA) || table->info >= elf->section_count ||
            is_done[table->info])
            continue;
        const struct elf_section *section = &elf->sections[table->info];
        if (strcmp(section->name, ".eh_frame") || !section->contents.size)
            continue;
        is_done[table->info] = true;
        read_relocatable_section(elf, section, table);
    }
    free(is_done);
}

static void read_linked(struct elf *elf)
{
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (!strcmp(section->name, ".eh_frame") && section->contents.size)
            elf_read_frames(elf, section->contents, section->address, true);
    }
}

static int compare_pads(const void *left, const void *right)
{
    const struct landing_pad *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->pad < b->pad ? -1 : a->pad > b->pad;
}

void elf_read_unwind(struct elf *elf)
{
    size_t first = elf->model->landing_pads.count;
    if (elf->type == ET_REL)
        read_relocatable(elf);
    else
        read_linked(elf);
    size_t count = elf->model->landing_pads.count - first;
    if (count)
        qsort(array_at(&elf->model->landing_pads, first), count, sizeof(struct landing_pad), compare_pads);
}
