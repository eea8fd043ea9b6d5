/* From marks to instructions.

   Marks are symbols of the object file.  Sorted by address, each starts a stretch that ends at the next mark
   or at the end of the section.  The stretch belongs to the statements from the mark's own to the next with a
   mark.  A stretch of one statement may have any number of instructions (macros, repetitions, alignment); a
   stretch of several statements must have exactly one instruction for each. */
#include "code/read/listing/assembled.h"
#include "code/read/isa.h"

#include <gelf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_marks(const void *left, const void *right)
{
    const struct assembled_mark *a = left, *b = right;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->emitter < b->emitter ? -1 : a->emitter > b->emitter;
}

static bool parse_mark(const char *name, const char *prefix, struct assembled_mark *mark)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length))
        return false;
    char *end;
    mark->file = (uint32_t)strtoul(name + length, &end, 16);
    if (*end != '$')
        return false;
    mark->emitter = (uint32_t)strtoul(end + 1, &end, 16);
    return *end == 0;
}

static void read_table(Elf *elf, Elf_Scn *table, const GElf_Shdr *header, const char *prefix,
                       struct array *marks)
{
    Elf_Data *symbols = elf_getdata(table, NULL), *numbers = NULL;
    for (Elf_Scn *at = NULL; (at = elf_nextscn(elf, at));) {
        GElf_Shdr other;
        if (gelf_getshdr(at, &other) && other.sh_type == SHT_SYMTAB_SHNDX &&
            other.sh_link == elf_ndxscn(table))
            numbers = elf_getdata(at, NULL);
    }
    size_t count = symbols && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        Elf32_Word number = 0;
        if (!gelf_getsymshndx(symbols, numbers, (int)i, &symbol, &number))
            continue;
        uint32_t section = symbol.st_shndx == SHN_XINDEX ? number : symbol.st_shndx;
        if (section == SHN_UNDEF || (symbol.st_shndx >= SHN_LORESERVE && symbol.st_shndx != SHN_XINDEX))
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        struct assembled_mark mark = {.offset = symbol.st_value, .section = section};
        if (name && parse_mark(name, prefix, &mark))
            *(struct assembled_mark *)array_add(marks) = mark;
    }
}

struct array assembled_marks(struct span object, const char *prefix)
{
    struct array marks = ARRAY_OF(struct assembled_mark);
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)object.data, object.size);
    for (Elf_Scn *at = NULL; elf && (at = elf_nextscn(elf, at));) {
        GElf_Shdr header;
        if (gelf_getshdr(at, &header) && header.sh_type == SHT_SYMTAB)
            read_table(elf, at, &header, prefix, &marks);
    }
    if (elf)
        elf_end(elf);
    if (marks.count)
        qsort(marks.data, marks.count, marks.width, compare_marks);
    return marks;
}

/* Number of statements from this mark's to the next one with a mark. */
static uint32_t run_length(const struct assembled_text *text, uint32_t emitter)
{
    uint32_t length = 1;
    while (emitter + length < text->emitters.count &&
           !ARRAY_AT(struct emitter, &text->emitters, emitter + length)->has_mark)
        length++;
    return length;
}

/* End of a mark's stretch, in a section that ends at end. */
static uint64_t stretch_end(const struct array *marks, size_t index, uint64_t end)
{
    const struct assembled_mark *mark = ARRAY_AT(struct assembled_mark, marks, index), *next = mark + 1;
    bool is_next = index + 1 < marks->count && next->section == mark->section;
    return is_next && next->offset < end ? next->offset : end;
}

static bool stretch_agrees(const struct isa_reader *reader, struct span bytes, uint64_t at, uint64_t end,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct step step;
        if (at >= end || !reader->step(bytes.data + at, bytes.size - at, at, &step))
            return false;
        at += step.key.size;
    }
    return at == end;
}

bool assembled_agrees(struct span object, enum isa isa, const struct array *marks,
                      const struct assembled_text *texts)
{
    const struct isa_reader *reader = isa_reader(isa);
    Elf *elf = elf_memory((char *)object.data, object.size);
    bool agrees = elf && reader;
    uint32_t section = 0;
    struct span bytes = {0};
    for (size_t i = 0; agrees && i < marks->count; i++) {
        const struct assembled_mark *mark = ARRAY_AT(struct assembled_mark, marks, i);
        if (mark->section != section) {
            GElf_Shdr header;
            Elf_Scn *scn = elf_getscn(elf, mark->section);
            bool is_code = gelf_getshdr(scn, &header) && header.sh_type != SHT_NOBITS &&
                           header.sh_flags & SHF_EXECINSTR && header.sh_offset <= object.size &&
                           header.sh_size <= object.size - header.sh_offset;
            section = mark->section;
            bytes =
                is_code ? (struct span){object.data + header.sh_offset, header.sh_size} : (struct span){0};
        }
        uint32_t count = run_length(&texts[mark->file], mark->emitter);
        if (bytes.data && count > 1)
            agrees = stretch_agrees(reader, bytes, mark->offset, stretch_end(marks, i, bytes.size), count);
    }
    if (elf)
        elf_end(elf);
    return agrees;
}

/* Rows of sections are in the order of the object's sections, some of which may have none. */
void assembled_place(const struct model *model, uint32_t program, struct span object, struct array *marks)
{
    Elf *elf = elf_memory((char *)object.data, object.size);
    size_t count = 0, kept = 0;
    if (!elf || elf_getshdrnum(elf, &count))
        count = 0;
    uint32_t *row_of = memory_get((count + 1) * sizeof *row_of), row = 1;
    for (size_t i = 1; i < count; i++) {
        GElf_Shdr header;
        while (row < model->sections.count && model_section(model, row)->program != program)
            row++;
        if (row == model->sections.count || !gelf_getshdr(elf_getscn(elf, i), &header))
            break;
        const struct section *section = model_section(model, row);
        if (section->offset == header.sh_offset && section->size == header.sh_size)
            row_of[i] = row++;
    }
    for (size_t i = 0; i < marks->count; i++) {
        struct assembled_mark mark = *ARRAY_AT(struct assembled_mark, marks, i);
        mark.section = mark.section < count ? row_of[mark.section] : 0;
        const struct section *section = mark.section ? model_section(model, mark.section) : NULL;
        if (!section || !section->is_code || mark.offset > section->size)
            continue;
        mark.offset += section->address;
        *ARRAY_AT(struct assembled_mark, marks, kept++) = mark;
    }
    marks->count = kept;
    free(row_of);
    if (elf)
        elf_end(elf);
}

struct placing {
    struct model *model;
    uint32_t program;
    const struct isa_reader *reader;
    const struct listing_source *sources;
    const struct assembled_text *texts;
    uint64_t **addresses;
};

static void add_row(struct placing *placing, uint32_t file, uint32_t emitter, uint64_t address)
{
    struct model *model = placing->model;
    const struct emitter *it = ARRAY_AT(struct emitter, &placing->texts[file].emitters, emitter);
    size_t length = it->comment.size ? strnlen((const char *)it->comment.data, it->comment.size) : 0;
    string_id comment =
        length ? strings_add_length(&model->strings, (const char *)it->comment.data, length) : 0;
    struct listing_instruction *row = model_add(&model->listing_instructions);
    *row = (struct listing_instruction){.file = placing->sources[file].file,
                                        .line = it->line,
                                        .column = placing->sources[file].original.data ? 0 : it->column,
                                        .cycle = NO_NUMBER,
                                        .number = NO_NUMBER,
                                        .latency = NO_NUMBER,
                                        .probability = (double)NAN,
                                        .comment = comment,
                                        .address = address,
                                        .program = placing->program};
}

/* One row per statement: code/structure/ repeats it for further instructions from the same statement. */
static void place_stretch(struct placing *placing, const struct assembled_mark *mark, uint64_t end)
{
    const struct section *section = model_section(placing->model, mark->section);
    const struct array *emitters = &placing->texts[mark->file].emitters;
    uint32_t count = run_length(&placing->texts[mark->file], mark->emitter);
    uint64_t at = mark->offset, limit = section->address + section->contents.size;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t emitter = mark->emitter + i;
        placing->addresses[mark->file][emitter] = at;
        if (at >= end || at >= limit || ARRAY_AT(struct emitter, emitters, emitter)->kind == emitter_BORDER)
            return;
        add_row(placing, mark->file, emitter, at);
        struct step step;
        const uint8_t *bytes = section->contents.data + (at - section->address);
        if (count > 1 && !placing->reader->step(bytes, limit - at, at, &step))
            return;
        at += count > 1 ? step.key.size : 0;
    }
}

void assembled_add_instructions(struct model *model, uint32_t program, const struct array *marks,
                                const struct listing_source *sources, const struct assembled_text *texts,
                                size_t count, uint64_t **addresses)
{
    struct placing placing = {model,   program, isa_reader(model_program(model, program)->isa),
                              sources, texts,   addresses};
    for (size_t i = 0; i < marks->count; i++) {
        const struct assembled_mark *mark = ARRAY_AT(struct assembled_mark, marks, i);
        const struct section *section = model_section(model, mark->section);
        if (mark->file < count && mark->emitter < texts[mark->file].emitters.count)
            place_stretch(&placing, mark, stretch_end(marks, i, section->address + section->size));
    }
}
