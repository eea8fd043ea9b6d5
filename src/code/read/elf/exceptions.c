/* Exception tables of C++ and of languages that share its scheme (the LSDA in .gcc_except_table): for each
   range of calls of a function, the landing pad where control goes when one of them throws.  Only that is
   read; which exceptions a pad catches does not matter to the control flow. */
#include "code/read/elf/elf.h"

#include "code/read/elf/encoded.h"

#include <dwarf.h>

static void add_pad(struct elf *elf, uint64_t address, uint64_t length, uint64_t pad)
{
    uint64_t mask = elf->address_size == 4 ? UINT32_MAX : UINT64_MAX;
    address &= mask;
    pad &= mask;
    const struct elf_section *section = elf_section_at(elf, address);
    if (!section || !section->is_code || !elf_is_code(elf, pad) ||
        length > section->address + section->size - address) {
        elf_note(elf, address, 1, "an exception table refers to places without code");
        return;
    }
    struct landing_pad *row = model_add(&elf->model->landing_pads);
    *row = (struct landing_pad){
        .program = elf->program, .address = address, .end = address + length, .pad = pad};
}

static void read_call_sites(struct elf *elf, struct cursor sites, uint8_t encoding, uint64_t function,
                            uint64_t pad_base)
{
    while (sites.at < sites.end) {
        bool is_known;
        uint64_t start = encoded_number(&sites, encoding, elf->address_size, &is_known);
        uint64_t length = encoded_number(&sites, encoding, elf->address_size, &is_known);
        uint64_t pad = encoded_number(&sites, encoding, elf->address_size, &is_known);
        cursor_unsigned_leb(&sites);
        if (!is_known || sites.failed) {
            elf_note(elf, function, 1, "an exception table is damaged");
            return;
        }
        if (!elf_take_entry(elf))
            return;
        if (pad && length)
            add_pad(elf, function + start, length, pad_base + pad);
    }
}

void elf_read_exceptions(struct elf *elf, uint64_t address, uint64_t start)
{
    struct cursor cursor = elf_bytes_at(elf, address);
    const uint8_t *base = cursor.at;
    uint64_t pad_base = start;
    uint8_t encoding = (uint8_t)cursor_number(&cursor, 1);
    bool is_known = true;
    if (encoding != DW_EH_PE_omit)
        is_known = encoded_pointer(&cursor, encoding, elf->address_size,
                                   address + (uint64_t)(cursor.at - base), start, &pad_base);
    if (cursor_number(&cursor, 1) != DW_EH_PE_omit)
        cursor_unsigned_leb(&cursor);
    encoding = (uint8_t)cursor_number(&cursor, 1);
    uint64_t size = cursor_unsigned_leb(&cursor);
    if (cursor.failed || !is_known || size > cursor_left(&cursor)) {
        elf_note(elf, start, 1, "an exception table is damaged");
        return;
    }
    cursor.end = cursor.at + size;
    read_call_sites(elf, cursor, encoding, start, pad_base);
}
