/* DIEs, their attributes and references.

   libdw parses; this file keeps it within bounds.  All attributes of a DIE are collected in one pass, and
   used only if the whole DIE was well-formed: libdw hands out an attribute before it checks that its value is
   in the unit. libdw assumes that a string section ends with a zero, so a text outside the DIE must start
   before the last zero of its section.  Texts are charged to the budget by length, because every DIE can
   refer to the same long one.  Chains of origins (an inlined instance → its abstract function → the
   declaration in a class) are followed at most MOST_HOPS steps, which also ends cycles, and once: many
   instances share an origin. */
#include "code/read/dwarf/reader.h"

#include <string.h>

uint32_t *debug_number_at(struct number_map *map, const void *pointer)
{
    return number_map_at(map, (uintptr_t)pointer);
}

bool debug_spend(struct debug_reader *reader, uint64_t cost)
{
    if (reader->budget >= cost) {
        reader->budget -= cost;
        return true;
    }
    reader->budget = 0;
    if (!reader->exhausted)
        model_note_problem(reader->model, reader->program, problem_kind_LIMIT, NO_ADDRESS, 1,
                           "the debug information refers to itself so often that only a part was read");
    reader->exhausted = true;
    return false;
}

void debug_damaged(struct debug_reader *reader, const char *what)
{
    model_note_problem(reader->model, reader->program, problem_kind_DEBUG, NO_ADDRESS, 1, what);
}

static int debug_section_number(const char *name)
{
    static const char *const names[SECTION_COUNT] = {
        [SECTION_ABBREV] = "abbrev",     [SECTION_ADDR] = "addr",
        [SECTION_INFO] = "info",         [SECTION_LINE] = "line",
        [SECTION_LINE_STR] = "line_str", [SECTION_LOC] = "loc",
        [SECTION_LOCLISTS] = "loclists", [SECTION_RANGES] = "ranges",
        [SECTION_RNGLISTS] = "rnglists", [SECTION_STR] = "str"};
    if (!strncmp(name, ".debug_", 7))
        name += 7;
    else if (!strncmp(name, ".zdebug_", 8))
        name += 8;
    else
        return -1;
    size_t length = strlen(name);
    if (length > 4 && !strcmp(name + length - 4, ".dwo"))
        length -= 4;
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length))
            return i;
    return -1;
}

/* Up to its last zero, so that every text in it ends. */
static struct span texts_that_end(struct span section)
{
    while (section.size && section.data[section.size - 1])
        section.size--;
    return section;
}

/* libdw has decompressed and relocated the sections that it uses; it rejected those that are still
   compressed. */
static void find_sections(struct debug_file *file)
{
    Elf *elf = dwarf_getelf(file->dwarf);
    size_t names;
    GElf_Ehdr header;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0 || !gelf_getehdr(elf, &header))
        return;
    file->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr shape;
        if (!gelf_getshdr(section, &shape) || shape.sh_type == SHT_NOBITS ||
            (shape.sh_flags & SHF_COMPRESSED))
            continue;
        const char *name = elf_strptr(elf, names, shape.sh_name);
        int number = name ? debug_section_number(name) : -1;
        Elf_Data *data = number < 0 || file->sections[number].data ? NULL : elf_getdata(section, NULL);
        if (!data || !data->d_buf || (data->d_size >= 4 && !memcmp(data->d_buf, "ZLIB", 4)))
            continue;
        struct span bytes = {data->d_buf, data->d_size};
        bool are_texts = number == SECTION_STR || number == SECTION_LINE_STR;
        file->sections[number] = are_texts ? texts_that_end(bytes) : bytes;
    }
}

const struct debug_file *debug_file_of(struct debug_reader *reader, Dwarf *dwarf)
{
    uint32_t *number = debug_number_at(&reader->file_of, dwarf);
    if (!*number) {
        struct debug_file *file = arena_get(&reader->memory, sizeof *file);
        file->dwarf = dwarf;
        find_sections(file);
        file->may_share = debug_may_share(reader, dwarf);
        *(struct debug_file **)array_add(&reader->files) = file;
        *number = (uint32_t)reader->files.count;
        uint64_t size = 1 << 16;
        for (int i = 0; i < SECTION_COUNT; i++)
            size += file->sections[i].size;
        reader->budget += 16 * size;
    }
    return *ARRAY_AT(struct debug_file *, &reader->files, *number - 1);
}

/* In the file that dwz makes of the common parts of several programs. */
static bool is_shared_form(unsigned form)
{
    return form == DW_FORM_GNU_strp_alt || form == DW_FORM_GNU_ref_alt || form == DW_FORM_strp_sup ||
           form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8;
}

static int slot_of(unsigned code)
{
    /* slot + 1 */
#define ATTRIBUTE(name) [DW_AT_##name] = HAS_##name + 1,
    static const uint8_t standard[] = {DWARF_ATTRIBUTES(ATTRIBUTE)};
#undef ATTRIBUTE
    if (code < sizeof standard)
        return (int)standard[code] - 1;
    switch (code) {
#define ATTRIBUTE(name)                                                                                      \
    case DW_AT_##name:                                                                                       \
        return HAS_##name;
        DWARF_VENDOR_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
    }
    return -1;
}

struct collecting {
    struct debug_reader *reader;
    struct facts *facts;
};

static int collect(Dwarf_Attribute *attribute, void *context)
{
    const struct collecting *collecting = context;
    struct facts *facts = collecting->facts;
    int slot = slot_of(attribute->code);
    if (is_shared_form(attribute->form) &&
        !debug_file_of(collecting->reader, dwarf_cu_getdwarf(attribute->cu))->may_share)
        return DWARF_CB_OK;
    if (slot >= 0 && !(facts->present >> slot & 1)) {
        facts->present |= (uint64_t)1 << slot;
        facts->at[slot] = *attribute;
    }
    return DWARF_CB_OK;
}

bool debug_facts(struct debug_reader *reader, Dwarf_Die *die, struct facts *facts)
{
    struct collecting collecting = {reader, facts};
    facts->present = 0;
    if (!debug_spend(reader, 4))
        return false;
    if (dwarf_getattrs(die, collect, &collecting, 0) == 1)
        return true;
    facts->present = 0;
    return false;
}

const char *debug_text(struct debug_reader *reader, Dwarf_Attribute *attribute)
{
    enum { BYTES_OF_A_STEP = 16 };
    const char *text = attribute && !reader->exhausted ? dwarf_formstring(attribute) : NULL;
    if (!text)
        return NULL;
    if (attribute->form != DW_FORM_string) {
        bool is_shared = is_shared_form(attribute->form);
        Dwarf *dwarf = dwarf_cu_getdwarf(attribute->cu);
        const struct debug_file *file = debug_file_of(reader, is_shared ? dwarf_getalt(dwarf) : dwarf);
        struct span texts =
            file->sections[attribute->form == DW_FORM_line_strp ? SECTION_LINE_STR : SECTION_STR];
        uintptr_t start = (uintptr_t)texts.data, at = (uintptr_t)text;
        if (at < start || at - start >= texts.size) {
            debug_damaged(reader, "a text in the debug information has no end");
            return NULL;
        }
    }
    return debug_spend(reader, strlen(text) / BYTES_OF_A_STEP) ? text : NULL;
}

bool debug_number(Dwarf_Attribute *attribute, uint64_t *number)
{
    Dwarf_Word word;
    if (!attribute || attribute->form == DW_FORM_data16 || dwarf_formudata(attribute, &word) != 0)
        return false;
    *number = word;
    return true;
}

bool debug_signed_number(Dwarf_Attribute *attribute, int64_t *number)
{
    if (!attribute)
        return false;
    Dwarf_Sword word;
    uint64_t plain;
    if (attribute->form == DW_FORM_sdata || attribute->form == DW_FORM_implicit_const) {
        if (dwarf_formsdata(attribute, &word) != 0)
            return false;
        *number = word;
        return true;
    }
    if (!debug_number(attribute, &plain))
        return false;
    *number = (int64_t)plain;
    return true;
}

bool debug_is_set(Dwarf_Attribute *attribute)
{
    bool set = false;
    return attribute && dwarf_formflag(attribute, &set) == 0 && set;
}

bool debug_follow(Dwarf_Attribute *attribute, Dwarf_Die *die)
{
    return attribute && dwarf_formref_die(attribute, die) != NULL;
}

/* A unit that was not walked: a partial or type unit, or one of a dwz file. */
static struct unit_context *lending_unit(struct debug_reader *reader, Dwarf_CU *cu)
{
    struct unit_context *unit = arena_get(&reader->memory, sizeof *unit);
    Dwarf_Half version = 0;
    unit->cu = cu;
    unit->file = unit->skeleton = debug_file_of(reader, dwarf_cu_getdwarf(cu));
    if (dwarf_cu_info(cu, &version, NULL, &unit->die, NULL, NULL, &unit->address_size, &unit->offset_size) !=
        0)
        return unit;
    unit->version = (uint8_t)version;
    struct facts facts;
    if (!unit->die.addr || !debug_facts(reader, &unit->die, &facts))
        return unit;
    unit->language = (int)debug_small(FACT(&facts, language));
    unit->directory = model_string(reader->model, debug_text(reader, FACT(&facts, comp_dir)));
    Dwarf_Word offset;
    if (FACT(&facts, stmt_list) && dwarf_formudata(FACT(&facts, stmt_list), &offset) == 0)
        unit->line_table = debug_line_table(reader, unit->file, offset, unit->address_size, unit->directory);
    return unit;
}

struct unit_context *debug_context_of(struct debug_reader *reader, Dwarf_CU *cu)
{
    uint32_t number = *debug_number_at(&reader->context_of, cu);
    if (!number) {
        struct unit_context *unit = lending_unit(reader, cu);
        *(struct unit_context **)array_add(&reader->contexts) = unit;
        number = (uint32_t)reader->contexts.count;
        *debug_number_at(&reader->context_of, cu) = number;
    }
    return *ARRAY_AT(struct unit_context *, &reader->contexts, number - 1);
}

uint32_t debug_file_row(struct debug_reader *reader, struct unit_context *unit, Dwarf_Attribute *attribute)
{
    uint64_t number;
    if (!unit->line_table || !debug_number(attribute, &number))
        return 0;
    return debug_line_file(reader, unit->line_table, number);
}

static bool is_fixed_address(struct facts *facts)
{
    struct span bytes;
    return FACT(facts, location) && debug_block(FACT(facts, location), &bytes) && bytes.size > 1 &&
           (bytes.data[0] == DW_OP_addr || bytes.data[0] == DW_OP_addrx ||
            bytes.data[0] == DW_OP_GNU_addr_index);
}

static void follow_chain(struct debug_reader *reader, Dwarf_Die die, struct declaration *origin)
{
    struct facts facts;
    for (unsigned hop = 0; hop < MOST_HOPS && debug_facts(reader, &die, &facts); hop++) {
        if (!origin->name)
            origin->name = model_string(reader->model, debug_text(reader, FACT(&facts, name)));
        Dwarf_Attribute *linkage = FACT(&facts, linkage_name);
        if (!origin->linkage_name)
            origin->linkage_name = model_string(
                reader->model, debug_text(reader, linkage ? linkage : FACT(&facts, MIPS_linkage_name)));
        if (!origin->file && FACT(&facts, decl_file))
            origin->file = debug_file_row(reader, debug_context_of(reader, die.cu), FACT(&facts, decl_file));
        if (!origin->line)
            origin->line = debug_small(FACT(&facts, decl_line));
        origin->is_external |= debug_is_set(FACT(&facts, external));
        origin->has_fixed_location |= is_fixed_address(&facts);
        if (!origin->has_type && FACT(&facts, type)) {
            origin->has_type = true;
            origin->type = *FACT(&facts, type);
        }
        Dwarf_Attribute *next = FACT(&facts, abstract_origin);
        if (!debug_follow(next ? next : FACT(&facts, specification), &die))
            break;
    }
}

const struct declaration *debug_declaration(struct debug_reader *reader, const struct facts *facts)
{
    Dwarf_Attribute *reference = FACT(facts, abstract_origin);
    Dwarf_Die die;
    if (!debug_follow(reference ? reference : FACT(facts, specification), &die))
        return NULL;
    uint32_t number = *debug_number_at(&reader->origin_of, die.addr);
    if (!number) {
        struct declaration origin = {0};
        follow_chain(reader, die, &origin);
        *(struct declaration *)array_add(&reader->origins) = origin;
        number = (uint32_t)reader->origins.count;
        *debug_number_at(&reader->origin_of, die.addr) = number;
    }
    return ARRAY_AT(struct declaration, &reader->origins, number - 1);
}
