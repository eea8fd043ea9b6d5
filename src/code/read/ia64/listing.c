/* IA-64 listings become rows: one program from all files.

   One pass over each file (ia64/listing_statements.c) makes rows whose addresses are a section and an offset.
   When all files are read, sections are laid out one after another, from address 0x0 in order of files, and
   the addresses in rows become final.  Rows that must be in order of address are then sorted, because a file
   may leave a section and return to it. */
#include "code/read/ia64/listing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept_texts {
    struct ia64_texts texts;
    struct arena arena;
};

static void free_texts(void *memory)
{
    struct kept_texts *kept = memory;
    array_free(&kept->texts.texts);
    arena_free(&kept->arena);
    free(kept);
}

/* The list that other listings of this model use, or a new one. */
static struct kept_texts *find_texts(struct model *model)
{
    for (uint32_t id = 1; id < model->programs.count; id++) {
        const struct program *program = model_program(model, id);
        if (program->format == format_LISTING && program->isa == isa_IA64 && program->reader)
            return (struct kept_texts *)program->reader->context;
    }
    struct kept_texts *kept = memory_get(sizeof *kept);
    kept->texts.texts = ARRAY_OF(struct ia64_text);
    array_add(&kept->texts.texts);
    model_keep(model, kept, free_texts);
    return kept;
}

void listing_add_directive(struct ia64_listing *listing, enum directive_kind kind, uint32_t line,
                           string_id name, struct words text)
{
    string_id words = listing_intern(listing, text);
    uint64_t here = listing_here(listing);
    struct directive *row = model_add(&listing->model->directives);
    *row = (struct directive){.program = listing->program,
                              .file = listing->source->file,
                              .line = line,
                              .kind = (uint8_t)kind,
                              .name = name,
                              .text = words,
                              .address = here};
}

static void begin(struct ia64_listing *listing, struct model *model, const struct listing_source *first)
{
    struct kept_texts *kept = find_texts(model);
    model_add(&model->programs);
    *listing = (struct ia64_listing){.model = model,
                                     .program = model_last(&model->programs),
                                     .texts = &kept->texts,
                                     .kept = &kept->arena,
                                     .sections = ARRAY_OF(struct listing_section),
                                     .names = ARRAY_OF(struct listing_name),
                                     .aliases = ARRAY_OF(struct listing_alias),
                                     .macros = ARRAY_OF(struct listing_macro),
                                     .references = ARRAY_OF(struct listing_reference),
                                     .section_stack = ARRAY_OF(uint32_t),
                                     .numeric = ARRAY_OF(uint32_t),
                                     .entries = ARRAY_OF(string_id),
                                     .written = ARRAY_OF(struct written_text),
                                     .facts = ARRAY_OF(struct listing_fact),
                                     .file_rows = ARRAY_OF(uint32_t),
                                     .flags = ARRAY_OF(char),
                                     .problems = ARRAY_OF(struct listing_problem),
                                     .first_source_line = model->source_lines.count,
                                     .probability = NAN};
    array_add_many(&listing->facts, kept->texts.texts.count);
    *model_program(model, listing->program) =
        (struct program){.path = model_string(model, first->path),
                         .isa = isa_IA64,
                         .format = format_LISTING,
                         .bits = 64,
                         .entry = NO_ADDRESS,
                         .has_symbols = 1,
                         .reader = ia64_listing_reader(model, &kept->texts)};
}

/* Zero bytes count as spaces, with a problem. */
static void note_zeros(struct ia64_listing *listing, const char *text, const char *end)
{
    const char *first = memchr(text, 0, (size_t)(end - text)), *line = text;
    uint32_t number = 1;
    if (!first)
        return;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(first - at)));) {
        line = ++at;
        number++;
    }
    listing_note_at(listing, problem_kind_LISTING, number, (uint32_t)(first - line) + 1,
                    "a byte that is not text, read as a space: '\\0'");
}

static void read_source(struct ia64_listing *listing, const struct listing_source *source)
{
    struct model *model = listing->model;
    listing->source = source;
    model_add(&model->units);
    listing->unit = model_last(&model->units);
    *model_unit(model, listing->unit) = (struct unit){.program = listing->program};
    listing->source_file = 0;
    listing->line = 1;
    listing->first_block = model->compiler_blocks.count;
    listing->waiting_blocks = 0;
    listing->macro_note = 0;
    listing->probability = NAN;
    listing->flags.count = 0;
    listing->bundle = (struct listing_bundle){.template_number = -1};
    listing_begin_file(listing);
    const char *text = (const char *)source->text.data, *end = text + source->text.size;
    if (source->text.size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        text += 3; /* a byte order mark */
    if (text < end) {
        note_zeros(listing, text, end);
        listing_read_text(listing, text, end);
        listing_finish_conditions(listing);
    }
    listing_end_file(listing);
    struct unit *unit = model_unit(model, listing->unit);
    if (listing->flags.count)
        unit->flags = listing_intern(listing, (struct words){listing->flags.data, listing->flags.count});
    if (!unit->name)
        unit->name = model_string(model, source->path);
}

/* Addresses, now that all sizes are known. */
static uint64_t final_address(const struct ia64_listing *listing, uint64_t address)
{
    if (address == NO_ADDRESS)
        return address;
    uint64_t offset = address & ((UINT64_C(1) << SECTION_SHIFT) - 1);
    return ARRAY_AT(struct listing_section, &listing->sections, (address >> SECTION_SHIFT) - 1)->address +
           offset;
}

static void free_code(void *memory)
{
    array_free(memory);
    free(memory);
}

static void lay_out(struct ia64_listing *listing)
{
    uint64_t next = 0;
    for (size_t i = 0; i < listing->sections.count; i++) {
        struct listing_section *section = ARRAY_AT(struct listing_section, &listing->sections, i);
        section->address = next;
        next += section->code.count;
        struct array *kept = memory_get(sizeof *kept);
        *kept = section->code;
        model_keep(listing->model, kept, free_code);
        struct section *row = model_add(&listing->model->sections);
        *row = (struct section){.program = listing->program,
                                .name = section->name,
                                .address = section->address,
                                .size = kept->count,
                                .is_code = section->is_code && kept->count,
                                .is_writable = section->is_writable,
                                .is_loaded = 1,
                                .contents = {kept->data, kept->count}};
    }
}

static uint64_t section_end(const struct ia64_listing *listing, uint64_t address)
{
    const struct listing_section *section =
        ARRAY_AT(struct listing_section, &listing->sections, (address >> SECTION_SHIFT) - 1);
    return section->address + section->code.count;
}

#define BY_ADDRESS(name, record)                                                                             \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        const struct record *x = a, *y = b;                                                                  \
        return x->address < y->address ? -1 : x->address > y->address;                                       \
    }
BY_ADDRESS(lines_by_address, source_line)
BY_ADDRESS(instructions_by_address, listing_instruction)
BY_ADDRESS(relocations_by_address, relocation)
BY_ADDRESS(data_by_address, data_range)
#undef BY_ADDRESS

/* Sorts the rows from first on; they are mostly in order already. */
static void put_in_order(struct array *rows, size_t first, int (*compare)(const void *, const void *))
{
    for (size_t i = first + 1; i < rows->count; i++)
        if (compare(array_at(rows, i - 1), array_at(rows, i)) > 0) {
            qsort(array_at(rows, first), rows->count - first, rows->width, compare);
            return;
        }
}

/* A line covers the code to the next one, or to the end of its section. */
static void finish_lines(struct ia64_listing *listing)
{
    struct array *rows = &listing->model->source_lines;
    size_t first = listing->first_source_line;
    put_in_order(rows, first, lines_by_address);
    for (size_t i = first; i < rows->count; i++) {
        struct source_line *row = array_at(rows, i), *next = i + 1 < rows->count ? row + 1 : NULL;
        bool is_last = !next || next->address >> SECTION_SHIFT != row->address >> SECTION_SHIFT;
        row->end = is_last ? section_end(listing, row->address) : final_address(listing, next->address);
        row->address = final_address(listing, row->address);
    }
    model_program(listing->model, listing->program)->has_debug = rows->count > first;
}

static void finish_relocations(struct ia64_listing *listing)
{
    struct model *model = listing->model;
    size_t first = model->relocations.count;
    for (size_t i = 0; i < listing->references.count; i++) {
        const struct listing_reference *reference =
            ARRAY_AT(struct listing_reference, &listing->references, i);
        uint64_t value = final_address(listing, reference->value);
        uint32_t symbol = value == NO_ADDRESS ? listing_map_find(&listing->global_of, reference->symbol) : 0;
        if (symbol)
            value = model_symbol(model, symbol)->address;
        if (value == NO_ADDRESS && !reference->symbol)
            continue;
        struct relocation *row = model_add(&model->relocations);
        *row = (struct relocation){.program = listing->program,
                                   .address = final_address(listing, reference->place),
                                   .type = LISTING_TARGET,
                                   .symbol = reference->symbol,
                                   .value = value,
                                   .addend = reference->addend};
    }
    put_in_order(&model->relocations, first, relocations_by_address);
}

struct marks {
    size_t symbols, directives, blocks, instructions, data;
};

static void finish_rows(struct ia64_listing *listing, const struct marks *marks)
{
    struct model *model = listing->model;
    finish_lines(listing);
    for (size_t i = marks->symbols; i < model->symbols.count; i++) {
        struct symbol *row = model_symbol(model, (uint32_t)i);
        row->address = final_address(listing, row->address);
    }
    finish_relocations(listing);
    for (size_t i = marks->directives; i < model->directives.count; i++) {
        struct directive *row = model_directive(model, (uint32_t)i);
        row->address = final_address(listing, row->address);
    }
    for (size_t i = marks->blocks; i < model->compiler_blocks.count; i++) {
        struct compiler_block *row = model_compiler_block(model, (uint32_t)i);
        row->address = final_address(listing, row->address);
    }
    for (size_t i = marks->instructions; i < model->listing_instructions.count; i++) {
        struct listing_instruction *row = model_listing_instruction(model, (uint32_t)i);
        row->address = final_address(listing, row->address);
    }
    put_in_order(&model->listing_instructions, marks->instructions, instructions_by_address);
    for (size_t i = marks->data; i < model->data_ranges.count; i++) {
        struct data_range *row = model_data_range(model, (uint32_t)i);
        uint64_t size = row->end - row->address;
        row->address = final_address(listing, row->address);
        row->end = row->address + size;
    }
    put_in_order(&model->data_ranges, marks->data, data_by_address);
}

static void finish_problems(struct ia64_listing *listing)
{
    for (size_t i = 0; i < listing->problems.count; i++) {
        const struct listing_problem *problem = ARRAY_AT(struct listing_problem, &listing->problems, i);
        model_note_problem(listing->model, listing->program, problem->kind,
                           final_address(listing, problem->address), problem->count,
                           model_text(listing->model, problem->text));
    }
    if (listing->unnamed)
        model_note_problem(listing->model, listing->program, problem_kind_LISTING, NO_ADDRESS,
                           listing->unnamed, "more problems in this listing, after the first hundred");
}

static void end(struct ia64_listing *listing)
{
    struct listing_map *maps[] = {&listing->section_of, &listing->name_of, &listing->alias_of,
                                  &listing->macro_of, &listing->global_of};
    struct array *arrays[] = {&listing->sections, &listing->names,      &listing->aliases,
                              &listing->macros,   &listing->references, &listing->numeric,
                              &listing->entries,  &listing->written,    &listing->section_stack,
                              &listing->facts,    &listing->flags,      &listing->file_rows,
                              &listing->problems};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        array_free(&maps[i]->slots);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_free(arrays[i]);
    hash_index_free(&listing->written_index);
    hash_index_free(&listing->text_index);
}

bool ia64_listing_read(struct model *model, struct listing_source *sources, size_t count, struct error *error)
{
    if (!count)
        return error_set(error, NULL, "no listing was given");
    struct ia64_listing *listing = memory_get(sizeof *listing);
    struct marks marks = {.symbols = model->symbols.count,
                          .directives = model->directives.count,
                          .blocks = model->compiler_blocks.count,
                          .instructions = model->listing_instructions.count,
                          .data = model->data_ranges.count};
    begin(listing, model, &sources[0]);
    for (size_t i = 0; i < count; i++)
        read_source(listing, &sources[i]);
    lay_out(listing);
    finish_rows(listing, &marks);
    finish_problems(listing);
    end(listing);
    free(listing);
    return true;
}
