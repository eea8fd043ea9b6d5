/* The debug information of a program, unit by unit.

   For each compile unit: a row of units, the rows of its line program, and a walk through its DIEs.  The DIEs
   of a split unit are in a .dwo file, its lines and addresses in the program: such a unit has two contexts,
   and the one of the .dwo refers to the file of the other.  Partial and type units are reached by reference;
   partial units are also walked, for the rare variable with an address.

   Where only a part of the program is needed, a unit without code of its functions is not walked and its line
   program not run: that is nearly all of the work.  Its top DIE says where its code is.  Of other functions
   of a unit that is walked, only the symbols are taken.

   libdw reads the abbreviation table again for each unit.  That is fine for compilers' output, but not for a
   thousand small units that share one huge table, so the total cost is computed from the headers before libdw
   touches the first unit. */
#include "code/read/dwarf/dwarf.h"

#include "base/path.h"
#include "base/progress.h"
#include "code/read/elf/debug_files.h"
#include "code/read/dwarf/reader.h"
#include "code/read/dwarf/unread.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int diff_code(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct known_symbol *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name;
}

static void add_code(struct debug_reader *reader, uint64_t address, uint64_t size)
{
    uint64_t end;
    if (size && !__builtin_add_overflow(address, size, &end))
        *(struct range *)array_add(&reader->code) = (struct range){address, end};
}

static void find_code(struct debug_reader *reader, Elf *elf)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr shape;
        if (gelf_getshdr(section, &shape) && (shape.sh_flags & SHF_ALLOC) && (shape.sh_flags & SHF_EXECINSTR))
            add_code(reader, shape.sh_addr, shape.sh_size);
    }
    size_t segments = 0, sections = reader->code.count;
    if (elf_getphdrnum(elf, &segments) != 0)
        segments = 0;
    for (size_t i = 0; i < segments && i <= INT_MAX; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            break;
        if (segment.p_type == PT_TLS)
            reader->thread_storage = (struct range){segment.p_vaddr, segment.p_vaddr + segment.p_memsz};
        if (!sections && segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
            add_code(reader, segment.p_vaddr, segment.p_memsz);
    }
    if (reader->code.count)
        qsort(reader->code.data, reader->code.count, reader->code.width, diff_code);
    size_t kept = 0;
    for (size_t i = 0; i < reader->code.count; i++) {
        struct range range = *ARRAY_AT(struct range, &reader->code, i);
        struct range *last = kept ? array_at(&reader->code, kept - 1) : NULL;
        if (last && range.address < last->end) /* wrong headers: keep the ranges disjoint */
            last->end = range.end > last->end ? range.end : last->end;
        else
            *ARRAY_AT(struct range, &reader->code, kept++) = range;
    }
    reader->code.count = kept;
}

static void find_symbols(struct debug_reader *reader)
{
    const struct model *model = reader->model;
    struct model_rows rows = MODEL_ROWS_OF(model, symbols, symbol, reader->program);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct symbol *symbol = model_symbol(model, i);
        if (symbol->name && symbol->address != NO_ADDRESS)
            *(struct known_symbol *)array_add(&reader->known_symbols) =
                (struct known_symbol){symbol->address, symbol->name};
    }
    if (reader->known_symbols.count)
        qsort(reader->known_symbols.data, reader->known_symbols.count, reader->known_symbols.width,
              compare_symbols);
}

/* The last symbol at or before an address of the part, and the first one after it. */
struct neighbours {
    uint64_t start, size, next;
};

static void meet(const struct model_part *part, struct neighbours *neighbours, const struct symbol *symbol)
{
    struct bisection search = {0, part->count};
    while (bisect(&search))
        bisect_past(&search, part->addresses[search.middle] < symbol->address);
    if (search.first && symbol->address < neighbours[search.first - 1].next)
        neighbours[search.first - 1].next = symbol->address;
    if (search.first == part->count)
        return;
    struct neighbours *at = &neighbours[search.first];
    if (at->start == NO_ADDRESS || symbol->address > at->start)
        at->size = 0;
    else if (symbol->address < at->start)
        return;
    at->start = symbol->address;
    at->size = symbol->size > at->size ? symbol->size : at->size;
}

/* Where the function at an address seems to be: up to the next symbol at most.  That may be far where
   functions have no symbols: then only the address is certain. */
static struct range span_of(const struct debug_reader *reader, uint64_t address,
                            const struct neighbours *neighbours)
{
    enum { FAR = 1 << 16 };
    uint64_t end, start = neighbours->start, size = neighbours->size;
    struct range certain = {address, address + 1};
    if (start == NO_ADDRESS || !debug_in_code(reader, start, &end) || address >= end)
        return certain;
    end = neighbours->next < end ? neighbours->next : end;
    if (address - start < size)
        return (struct range){start, size < end - start ? start + size : end};
    start += size;
    return end - start < FAR ? (struct range){start, end} : certain;
}

/* A function in assembly may have code of several units, as _init has that of crti and of crtn. */
static void find_spans(struct debug_reader *reader)
{
    const struct model_part *part = reader->part;
    const struct model *model = reader->model;
    struct model_rows rows = MODEL_ROWS_OF(model, symbols, symbol, reader->program);
    if (!part || !part->count)
        return;
    struct neighbours *neighbours = memory_get(part->count * sizeof *neighbours);
    for (size_t i = 0; i < part->count; i++)
        neighbours[i] = (struct neighbours){.start = NO_ADDRESS, .next = NO_ADDRESS};
    for (uint32_t id = rows.first; id < rows.end; id++)
        if (model_symbol(model, id)->address != NO_ADDRESS)
            meet(part, neighbours, model_symbol(model, id));
    for (size_t i = 1; i < part->count; i++)
        if (neighbours[i].start == NO_ADDRESS) {
            neighbours[i].start = neighbours[i - 1].start;
            neighbours[i].size = neighbours[i - 1].size;
        }
    for (size_t i = part->count - 1; i > 0; i--)
        if (neighbours[i].next < neighbours[i - 1].next)
            neighbours[i - 1].next = neighbours[i].next;
    for (size_t i = 0; i < part->count; i++)
        *(struct range *)array_add(&reader->spans) = span_of(reader, part->addresses[i], &neighbours[i]);
    free(neighbours);
}

/* Bytes of the abbreviations at an offset, up to the zero that ends them. */
static uint64_t abbreviation_bytes(const struct debug_file *file, uint64_t offset)
{
    struct cursor cursor = debug_cursor(file, SECTION_ABBREV, offset);
    const uint8_t *start = cursor.at;
    while (!cursor.failed && cursor_unsigned_leb(&cursor)) {
        cursor_unsigned_leb(&cursor);
        cursor_number(&cursor, 1);
        uint64_t name, form;
        do {
            name = cursor_unsigned_leb(&cursor);
            form = cursor_unsigned_leb(&cursor);
            if (form == DW_FORM_implicit_const)
                cursor_signed_leb(&cursor);
        } while (!cursor.failed && (name || form));
    }
    return start ? (uint64_t)(cursor.at - start) : 0;
}

static bool abbreviations_fit(struct debug_reader *reader, const struct debug_file *file)
{
    enum { SHARE = 64 };
    uint64_t left = (uint64_t)64 << 20, known_offset = UINT64_MAX, bytes = 0;
    for (int i = 0; i < SECTION_COUNT; i++)
        left += SHARE * file->sections[i].size;
    Dwarf_Off offset = 0, next, abbreviations;
    size_t header;
    while (dwarf_next_unit(reader->dwarf, offset, &next, &header, NULL, &abbreviations, NULL, NULL, NULL,
                           NULL) == 0 &&
           next > offset) {
        if (abbreviations != known_offset) {
            known_offset = abbreviations;
            bytes = abbreviation_bytes(file, abbreviations);
        }
        if (bytes + 64 > left)
            return false;
        left -= bytes + 64;
        offset = next;
    }
    return true;
}

static uint64_t attribute_address(Dwarf_Attribute *attribute, uint64_t otherwise)
{
    Dwarf_Addr address;
    return attribute && dwarf_formaddr(attribute, &address) == 0 ? address : otherwise;
}

static uint64_t attribute_number(Dwarf_Attribute *attribute, uint64_t otherwise)
{
    uint64_t number;
    return debug_number(attribute, &number) ? number : otherwise;
}

static void begin_context(struct debug_reader *reader, Dwarf_Die *die, struct unit_context *unit)
{
    Dwarf_Half version = 0;
    unit->cu = die->cu;
    unit->die = *die;
    unit->file = unit->skeleton = debug_file_of(reader, dwarf_cu_getdwarf(die->cu));
    dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, &unit->address_size, &unit->offset_size);
    unit->version = (uint8_t)version;
}

static struct unit_context *new_context(struct debug_reader *reader, Dwarf_Die *die)
{
    struct unit_context *unit = arena_get(&reader->memory, sizeof *unit);
    begin_context(reader, die, unit);
    *(struct unit_context **)array_add(&reader->contexts) = unit;
    *debug_number_at(&reader->context_of, die->cu) = (uint32_t)reader->contexts.count;
    return unit;
}

static void fill_context(struct debug_reader *reader, struct unit_context *unit, struct facts *facts)
{
    Dwarf_Attribute *addresses = FACT(facts, addr_base) ? FACT(facts, addr_base) : FACT(facts, GNU_addr_base);
    unit->directory = model_string(reader->model, debug_text(reader, FACT(facts, comp_dir)));
    unit->language = (int)debug_small(FACT(facts, language));
    unit->base = attribute_address(FACT(facts, low_pc), attribute_address(FACT(facts, entry_pc), 0));
    unit->addr_base = attribute_number(addresses, unit->version >= 5 ? 8 : 0);
    unit->ranges_base = attribute_number(FACT(facts, rnglists_base), 0);
    unit->loclists_base = attribute_number(FACT(facts, loclists_base), 0);
}

static void take_line_table(struct debug_reader *reader, struct unit_context *unit, struct facts *facts)
{
    uint64_t offset;
    if (debug_number(FACT(facts, stmt_list), &offset))
        unit->line_table = debug_line_table(reader, unit->file, offset, unit->address_size, unit->directory);
}

/* The context of the .dwo's unit takes the program's part from the skeleton. */
static void fill_split_context(struct debug_reader *reader, struct unit_context *unit, struct facts *facts,
                               struct unit_context *skeleton, struct facts *skeleton_facts)
{
    uint64_t header = unit->offset_size == 8 ? 20 : 12;
    unit->is_split = true;
    unit->skeleton = skeleton->file;
    unit->language = (int)debug_small(FACT(facts, language));
    unit->directory = skeleton->directory;
    const char *directory = debug_text(reader, FACT(facts, comp_dir));
    if (!unit->directory)
        unit->directory = model_string(reader->model, directory);
    unit->base = skeleton->base;
    unit->addr_base = skeleton->addr_base;
    unit->loclists_base = attribute_number(FACT(facts, loclists_base), header);
    unit->ranges_base = unit->file->sections[SECTION_RNGLISTS].data ? header : skeleton->ranges_base;
    if (unit->version < 5)
        unit->ranges_base = attribute_number(FACT(skeleton_facts, GNU_ranges_base), 0);
    unit->line_table = skeleton->line_table;
    if (unit->file->sections[SECTION_LINE].data)
        unit->line_table = debug_line_table(reader, unit->file, 0, unit->address_size, unit->directory);
}

/* libdw opens any file that a skeleton names; a pipe or a terminal would make it wait for ever. */
static bool is_harmless(const char *directory, const char *name)
{
    char *path = debug_path(directory, name);
    bool harmless = debug_files_may_open(path);
    free(path);
    return harmless;
}

/* Files in the directory of the file with the debug information. */
static char *debug_folder(const struct debug_reader *reader)
{
    const char *main_file = NULL, *debug_file = NULL;
    dwfl_module_info(reader->module, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
    return path_folder(debug_file ? debug_file : main_file ? main_file : "");
}

bool debug_may_share(const struct debug_reader *reader, Dwarf *dwarf)
{
    const char *name;
    const void *id;
    if (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) <= 0)
        return true; /* libdw finds nothing to open */
    if (dwarf != reader->dwarf)
        return false;
    char *beside = debug_folder(reader);
    bool harmless = is_harmless(beside, name) && debug_files_may_open(name);
    free(beside);
    return harmless;
}

static bool find_split(struct debug_reader *reader, struct unit_context *skeleton, struct facts *facts,
                       Dwarf_Die *split)
{
    Dwarf_Attribute *attribute = FACT(facts, dwo_name) ? FACT(facts, dwo_name) : FACT(facts, GNU_dwo_name);
    const char *name = debug_text(reader, attribute);
    *split = (Dwarf_Die){0};
    bool is_sound = name && skeleton->file->may_share &&
                    (!FACT(facts, comp_dir) || debug_text(reader, FACT(facts, comp_dir))) &&
                    (!FACT(facts, GNU_dwo_name) || debug_text(reader, FACT(facts, GNU_dwo_name)));
    if (!is_sound || !debug_spend(reader, 256))
        return false;
    char *beside = debug_folder(reader);
    const char *directory = model_text(reader->model, skeleton->directory);
    char *compilation = debug_path(beside, directory ? directory : ".");
    bool harmless = is_harmless(beside, name) && is_harmless(compilation, name);
    free(beside);
    free(compilation);
    return harmless && dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) == 0 &&
           split->addr;
}

/* Of a unit without code of the part's functions, a row and its ranges remain.  Other units may still refer
   to it. */
static bool leave_out(struct debug_reader *reader, Dwarf_Die *die, struct facts *facts, bool is_partial)
{
    struct unit_context unit = {0};
    if (!reader->part)
        return false;
    begin_context(reader, die, &unit);
    fill_context(reader, &unit, facts);
    debug_ranges_of(reader, &unit, facts);
    if (debug_ranges_are_wanted(reader))
        return false;
    uint32_t row = is_partial ? 0 : debug_unit_row(reader, &unit, facts, NULL);
    for (size_t i = 0; row && i < reader->ranges.count; i++) {
        const struct range *range = array_at(&reader->ranges, i);
        unread_add(reader->model, row, range->address, range->end);
    }
    return true;
}

static void read_unit(struct debug_reader *reader, Dwarf_Die *die)
{
    struct facts facts, split_facts;
    uint8_t unit_type = 0;
    int tag = dwarf_tag(die);
    if ((tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit && tag != DW_TAG_skeleton_unit) ||
        dwarf_cu_info(die->cu, NULL, &unit_type, NULL, NULL, NULL, NULL, NULL) != 0) {
        if (tag == DW_TAG_invalid)
            debug_damaged(reader, "a unit of the debug information is damaged");
        return;
    }
    if (!debug_facts(reader, die, &facts)) {
        if (!reader->exhausted)
            debug_damaged(reader, "a unit of the debug information is damaged");
        return;
    }
    if (leave_out(reader, die, &facts, tag == DW_TAG_partial_unit))
        return;
    struct unit_context *unit = new_context(reader, die);
    fill_context(reader, unit, &facts);
    take_line_table(reader, unit, &facts);
    Dwarf_Die split;
    struct unit_context *walked = unit;
    if (unit_type == DW_UT_skeleton) {
        if (find_split(reader, unit, &facts, &split) && debug_facts(reader, &split, &split_facts)) {
            walked = new_context(reader, &split);
            fill_split_context(reader, walked, &split_facts, unit, &facts);
        } else {
            debug_damaged(reader, "a .dwo file of split debug information is missing or damaged");
        }
    }
    if (tag != DW_TAG_partial_unit)
        walked->row = unit->row = debug_unit_row(reader, walked, walked == unit ? &facts : &split_facts,
                                                 walked == unit ? NULL : &facts);
    if (tag != DW_TAG_partial_unit && unit->skeleton)
        debug_line_program(reader, unit, unit->row);
    debug_walk(reader, walked);
    debug_finish_types(reader);
}

static void read_units(struct debug_reader *reader, const struct debug_file *file)
{
    Dwarf_Off offset = 0, next;
    size_t header, size = file->sections[SECTION_INFO].size;
    Dwarf_Half version;
    int found;
    while ((found = dwarf_next_unit(reader->dwarf, offset, &next, &header, &version, NULL, NULL, NULL, NULL,
                                    NULL)) == 0 &&
           next > offset) {
        Dwarf_Die die;
        progress_tell("reading debug information", offset, size);
        if (!debug_spend(reader, 64))
            break;
        if (dwarf_offdie(reader->dwarf, offset + header, &die))
            read_unit(reader, &die);
        else
            debug_damaged(reader, "unknown version or form of a unit in the debug information");
        offset = next;
    }
    if (found < 0)
        debug_damaged(reader, "the headers of the debug information are damaged; the rest was skipped");
    progress_clear();
}

static void start(struct debug_reader *reader)
{
    reader->code = ARRAY_OF(struct range);
    reader->known_symbols = ARRAY_OF(struct known_symbol);
    reader->files = ARRAY_OF(struct debug_file *);
    reader->contexts = ARRAY_OF(struct unit_context *);
    reader->line_tables = ARRAY_OF(struct line_table);
    reader->origins = ARRAY_OF(struct declaration);
    reader->pending_types = ARRAY_OF(struct pending_type);
    reader->ranges = ARRAY_OF(struct range);
    reader->rows = ARRAY_OF(struct source_line);
    reader->inlined_ranges = ARRAY_OF(struct inlined_range);
    reader->function_starts = ARRAY_OF(uint64_t);
    reader->spans = ARRAY_OF(struct range);
}

static void finish(struct debug_reader *reader)
{
    for (size_t i = 0; i < reader->line_tables.count; i++) {
        struct line_table *table = array_at(&reader->line_tables, i);
        array_free(&table->directories);
        array_free(&table->files);
    }
    struct array *arrays[] = {&reader->code,           &reader->known_symbols,   &reader->files,
                              &reader->contexts,       &reader->line_tables,     &reader->origins,
                              &reader->ranges,         &reader->pending_types,   &reader->rows,
                              &reader->inlined_ranges, &reader->function_starts, &reader->spans};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_free(arrays[i]);
    struct number_map *maps[] = {&reader->file_of,         &reader->context_of, &reader->line_table_at,
                                 &reader->line_program_at, &reader->origin_of,  &reader->type_of};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        number_map_free(maps[i]);
    arena_free(&reader->memory);
}

bool dwarf_read(struct model *model, uint32_t program, Dwfl_Module *module, const struct model_part *part,
                struct error *error)
{
    (void)error;
    struct debug_reader reader = {.model = model, .program = program, .module = module, .part = part};
    Dwarf_Addr debug_bias = 0;
    GElf_Addr bias = 0;
    reader.dwarf = dwfl_module_getdwarf(module, &debug_bias);
    if (!reader.dwarf)
        return true; /* no debug information, or none that libdw can open: the program has none */
    start(&reader);
    Elf *elf = dwfl_module_getelf(module, &bias);
    if (!elf) {
        elf = dwarf_getelf(reader.dwarf);
        bias = debug_bias;
    }
    reader.adjust = debug_bias - bias;
    reader.has_slots = model_program(model, program)->isa == isa_IA64;
    reader.address_size = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
    find_code(&reader, elf);
    find_symbols(&reader);
    find_spans(&reader);
    debug_registers(&reader, module);
    const struct debug_file *file = debug_file_of(&reader, reader.dwarf);
    uint32_t first_type = (uint32_t)model->types.count;
    size_t first_unit = model->units.count;
    if (abbreviations_fit(&reader, file))
        read_units(&reader, file);
    else
        model_note_problem(model, program, problem_kind_LIMIT, NO_ADDRESS, 1,
                           "debug information skipped: too many units share a large abbreviation table");
    debug_size_types(&reader, first_type);
    debug_finish_lines(&reader);
    if (model->units.count > first_unit)
        model_program(model, program)->has_debug = 1;
    finish(&reader);
    return true;
}
