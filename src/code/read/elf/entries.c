/* Where the system enters a program: the entry point, .init and .fini, and the arrays of functions that run
   before and after main.  The dynamic linker adjusts the arrays, so an element's value comes from its
   relocation, and from its bytes only if it has none. */
#include "code/read/elf/elf.h"

static void add_entry(struct elf *elf, const char *name, uint64_t address, uint64_t size)
{
    if (elf_is_code(elf, address) && elf_take_entry(elf))
        elf_new_symbol(elf, elf_name(elf, name), address, size, origin_ENTRY);
}

static void read_function_array(struct elf *elf, const struct elf_section *array)
{
    struct cursor cursor = {array->contents.data, array->contents.data + array->contents.size, false};
    uint64_t nothing = elf->address_size == 8 ? UINT64_MAX : UINT32_MAX;
    for (uint64_t place = array->address; cursor_left(&cursor) >= elf->address_size;
         place += elf->address_size) {
        uint64_t value = cursor_number(&cursor, elf->address_size);
        const struct relocation *relocation = elf_relocation_at(elf, place);
        if (relocation)
            value = relocation->value == NO_ADDRESS ? 0 : relocation->value + (uint64_t)relocation->addend;
        if (value != 0 && value != nothing)
            add_entry(elf, NULL, value, 0);
    }
}

/* The linker makes one function of everything in the section; the dynamic section may name another. */
static void read_section_function(struct elf *elf, const char *section_name, int64_t tag, const char *name)
{
    uint64_t address;
    const struct elf_section *section = elf_section_named(elf, section_name);
    if (section && section->is_code)
        add_entry(elf, name, section->address, section->size);
    if (elf_dynamic(elf, tag, &address) && !(section && section->address == address))
        add_entry(elf, section ? NULL : name, address, 0);
}

void elf_read_entries(struct elf *elf)
{
    if (elf->entry != NO_ADDRESS)
        add_entry(elf, "_start", elf->entry, 0);
    if (elf->type != ET_REL) {
        read_section_function(elf, ".init", DT_INIT, "_init");
        read_section_function(elf, ".fini", DT_FINI, "_fini");
    }
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (section->type == SHT_INIT_ARRAY || section->type == SHT_FINI_ARRAY ||
            section->type == SHT_PREINIT_ARRAY || !strcmp(section->name, ".ctors") ||
            !strcmp(section->name, ".dtors"))
            read_function_array(elf, section);
    }
}
