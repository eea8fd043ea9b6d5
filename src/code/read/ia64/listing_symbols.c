/* Sections, labels, functions and branch targets of IA-64 listings.

   Each file has its own sections and names; global names are visible to all files.  A label is a function if
   .proc or .type says so, if it is written with two colons, or if it is global and in code; outside .proc
   also if control neither falls into it nor jumps to it.  The first entry of a .proc reaches to its .endp or
   to the next .proc; other entries have no size, which makes them entries of the first.

   References are resolved at the end of their file, because labels may come later; references to undefined
   names wait for the other files (ia64/listing.c). */
#include "code/read/ia64/listing.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SECTIONS = 1 << 20, MOST_NUMERIC = 1 << 16 };

static bool starts_with(struct words words, const char *text)
{
    size_t length = strlen(text);
    return words.length >= length && !memcmp(words.start, text, length);
}

static bool is_code_name(struct words name)
{
    return starts_with(name, ".text") || listing_equals(name, ".init") || listing_equals(name, ".fini");
}

static bool is_writable_name(struct words name)
{
    static const char *const names[] = {".data", ".bss", ".sdata", ".sbss", ".tdata", ".tbss"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts_with(name, names[i]))
            return true;
    return false;
}

void listing_enter_section(struct ia64_listing *listing, struct words name, struct words flags)
{
    string_id id = listing_intern(listing, name);
    uint32_t number = listing_map_find(&listing->section_of, id);
    if (!number && id && listing->sections.count < MOST_SECTIONS) {
        struct listing_section *section = array_add(&listing->sections);
        *section = (struct listing_section){
            .name = id,
            .file = listing->source->file,
            .is_code = is_code_name(name) || memchr(flags.start ? flags.start : "", 'x', flags.length),
            .is_writable =
                is_writable_name(name) || memchr(flags.start ? flags.start : "", 'w', flags.length),
            .code = ARRAY_OF(uint8_t)};
        number = (uint32_t)listing->sections.count;
        listing_map_set(&listing->section_of, id, number);
    }
    if (!number || number - 1 == listing->section)
        return;
    listing_imply_stop(listing);
    listing_finish_bundle(listing);
    listing->previous_section = listing->section;
    listing->section = number - 1;
}

struct listing_name *listing_name(struct ia64_listing *listing, struct words name)
{
    string_id id = listing_intern(listing, name);
    uint32_t number = listing_map_find(&listing->name_of, id);
    if (!number) {
        struct listing_name *added = array_add(&listing->names);
        *added = (struct listing_name){.name = id, .address = NO_ADDRESS};
        number = (uint32_t)listing->names.count;
        if (id)
            listing_map_set(&listing->name_of, id, number);
    }
    return ARRAY_AT(struct listing_name, &listing->names, number - 1);
}

/* 1: may be defined many times.  Each definition gets a name of its own that no text can contain. */
static struct words numeric_name(char buffer[32], uint64_t number, uint32_t time)
{
    int length = snprintf(buffer, 32, "%llu\x01%u", (unsigned long long)number, time);
    return (struct words){buffer, (size_t)length};
}

static uint32_t *numeric_count(struct ia64_listing *listing, uint64_t number)
{
    if (number >= MOST_NUMERIC)
        return NULL;
    if (number >= listing->numeric.count)
        array_add_many(&listing->numeric, number + 1 - listing->numeric.count);
    return ARRAY_AT(uint32_t, &listing->numeric, number);
}

void listing_add_label(struct ia64_listing *listing, struct words name, bool is_global, bool is_tag)
{
    if (!is_tag)
        listing_end_bundle(listing);
    listing_add_directive(listing, directive_kind_LABEL, listing->line, listing_intern(listing, name),
                          (struct words){0});
    char buffer[32], word[64];
    struct words rest = name, defined = name;
    uint64_t number;
    if (!name.length)
        return;
    if (listing_take_number(&rest, &number) && !rest.length) {
        uint32_t *count = numeric_count(listing, number);
        if (!count)
            return;
        defined = numeric_name(buffer, number, ++*count);
    }
    struct listing_name *row = listing_name(listing, defined);
    uint64_t here = listing_here(listing);
    if (row->line) {
        listing_note(listing, problem_kind_LISTING, name.start, "a second definition of the label '%s'",
                     listing_word(word, name));
        return;
    }
    row->line = listing->line;
    row->address = here;
    row->is_global |= is_global;
    row->is_function |= is_global && here != NO_ADDRESS;
    row->is_loose = here != NO_ADDRESS && !is_tag && !listing->is_in_procedure && name.start[0] != '.' &&
                    !is_digit(name.start[0]) && !(listing->last && listing->goes_on);
}

void listing_add_reference(struct ia64_listing *listing, const struct written_text *text, uint64_t place)
{
    struct listing_reference reference = {.place = place,
                                          .value = NO_ADDRESS,
                                          .symbol = text->target,
                                          .addend = text->addend,
                                          .row = listing->last,
                                          .is_call = listing_fact(listing, text)->flow == flow_CALL};
    if (text->direction) {
        uint32_t *count = numeric_count(listing, text->local);
        char buffer[32];
        if (!count)
            return;
        reference.symbol =
            listing_intern(listing, numeric_name(buffer, text->local, *count + (text->direction == 'f')));
    } else if (listing_equals((struct words){model_text(listing->model, text->target),
                                             strings_length(&listing->model->strings, text->target)},
                              ".")) {
        reference.value = place - place % BUNDLE_BYTES;
        reference.symbol = 0;
    }
    *(struct listing_reference *)array_push(&listing->references) = reference;
}

/* Data in a code section keeps its bytes, rounded up to bundles, as a range that is not code. */
void listing_skip_data(struct ia64_listing *listing, uint64_t bytes)
{
    struct listing_section *section = listing_section_now(listing);
    if (!section->is_code || !bytes)
        return;
    listing_imply_stop(listing);
    listing_finish_bundle(listing);
    if (bytes > 1 << 16)
        bytes = 1 << 16; /* its contents are not kept, so its size does not matter */
    size_t size = (size_t)((bytes + BUNDLE_BYTES - 1) / BUNDLE_BYTES * BUNDLE_BYTES);
    struct data_range *last = listing->model->data_ranges.count > 1
                                  ? model_data_range(listing->model, model_last(&listing->model->data_ranges))
                                  : NULL;
    uint64_t here = encode_address(listing->section, section->code.count);
    if (last && last->program == listing->program && last->end == here) {
        /* Small pieces share a bundle: a table of many words must not become a large one. */
        if (last->end - last->address >= 1 << 16 || bytes < BUNDLE_BYTES)
            return;
    } else {
        last = model_add(&listing->model->data_ranges);
        *last = (struct data_range){.program = listing->program, .address = here};
    }
    array_add_many(&section->code, size);
    last->end = here + size;
}

void listing_begin_procedure(struct ia64_listing *listing, struct words names)
{
    listing_finish_bundle(listing);
    if (listing->is_in_procedure)
        listing_end_procedure(listing);
    listing->entries.count = 0;
    listing->is_in_procedure = true;
    while (names.length) {
        struct words name = listing_bare(listing_split(&names, ','));
        if (!name.length || name.start[0] == '@')
            continue; /* an attribute */
        struct listing_name *row = listing_name(listing, name);
        row->is_function = true;
        *(string_id *)array_add(&listing->entries) = row->name;
    }
}

void listing_end_procedure(struct ia64_listing *listing)
{
    listing_finish_bundle(listing);
    listing->is_in_procedure = false;
    uint64_t here = listing_here(listing);
    struct listing_name *first = NULL;
    for (size_t i = 0; i < listing->entries.count; i++) {
        uint32_t number = listing_map_find(&listing->name_of, *ARRAY_AT(string_id, &listing->entries, i));
        struct listing_name *row = number ? ARRAY_AT(struct listing_name, &listing->names, number - 1) : NULL;
        if (row && row->address != NO_ADDRESS && (!first || row->address < first->address))
            first = row;
    }
    if (first && here != NO_ADDRESS && here >> SECTION_SHIFT == first->address >> SECTION_SHIFT &&
        here > first->address)
        first->size = here - first->address;
    listing->entries.count = 0;
}

void listing_begin_file(struct ia64_listing *listing)
{
    struct listing_map *maps[] = {&listing->section_of, &listing->name_of, &listing->alias_of,
                                  &listing->macro_of};
    struct array *arrays[] = {&listing->names,   &listing->aliases,       &listing->macros,
                              &listing->numeric, &listing->section_stack, &listing->file_rows,
                              &listing->entries};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        listing_map_empty(maps[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        arrays[i]->count = 0;
    listing->generation++;
    listing->first_reference = listing->references.count;
    listing->section = listing->previous_section = UINT32_MAX;
    listing->ins = listing->locals = 0;
    listing->is_alternate = listing->is_in_procedure = listing->has_defines = listing->has_stopped =
        listing->goes_on = false;
    listing->last = listing->last_on_line = 0;
    listing->open_group = 0;
    listing->loc_line = 0;
    listing_enter_section(listing, (struct words){".text", 5}, (struct words){0});
    listing->previous_section = listing->section;
}

static void add_symbol(struct ia64_listing *listing, const struct listing_name *name)
{
    struct symbol *row = model_add(&listing->model->symbols);
    *row = (struct symbol){.program = listing->program,
                           .name = name->name,
                           .address = name->address,
                           .size = name->size,
                           .origin = origin_LISTING,
                           .is_global = name->is_global,
                           .file = listing->source->file,
                           .line = name->line,
                           .unit = listing->unit};
    if (name->is_global && !listing_map_find(&listing->global_of, name->name))
        listing_map_set(&listing->global_of, name->name, model_last(&listing->model->symbols));
}

/* Nobody else can define a local label. */
static void note_undefined(struct ia64_listing *listing, struct listing_reference *reference)
{
    const char *name = model_text(listing->model, reference->symbol);
    if (!name || (name[0] != '.' && !is_digit(name[0])))
        return;
    char word[64];
    const struct listing_instruction *row = model_listing_instruction(listing->model, reference->row - 1);
    listing_note_at(listing, problem_kind_LISTING, row->line, row->column, "no such label: '%s'",
                    listing_word(word, (struct words){name, strcspn(name, "\x01")}));
    reference->symbol = 0;
}

static void find_loose_functions(struct ia64_listing *listing)
{
    for (size_t i = listing->first_reference; i < listing->references.count; i++) {
        const struct listing_reference *reference =
            ARRAY_AT(struct listing_reference, &listing->references, i);
        uint32_t number = listing_map_find(&listing->name_of, reference->symbol);
        if (number && !reference->is_call)
            ARRAY_AT(struct listing_name, &listing->names, number - 1)->is_jumped = true;
    }
    for (size_t i = 0; i < listing->names.count; i++) {
        struct listing_name *name = ARRAY_AT(struct listing_name, &listing->names, i);
        name->is_function |= name->is_loose && !name->is_jumped;
    }
}

void listing_end_file(struct ia64_listing *listing)
{
    listing_imply_stop(listing);
    if (listing->is_in_procedure)
        listing_end_procedure(listing);
    listing_finish_bundle(listing);
    find_loose_functions(listing);
    for (size_t i = 0; i < listing->names.count; i++) {
        const struct listing_name *name = ARRAY_AT(struct listing_name, &listing->names, i);
        if (name->address != NO_ADDRESS && (name->is_function || name->is_global))
            add_symbol(listing, name);
    }
    for (size_t i = listing->first_reference; i < listing->references.count; i++) {
        struct listing_reference *reference = ARRAY_AT(struct listing_reference, &listing->references, i);
        uint32_t number = listing_map_find(&listing->name_of, reference->symbol);
        if (!number) {
            note_undefined(listing, reference);
            continue;
        }
        const struct listing_name *name = ARRAY_AT(struct listing_name, &listing->names, number - 1);
        reference->value = name->address;
        if (name->address != NO_ADDRESS && !name->is_function && !name->is_global)
            reference->symbol = 0; /* a place, not a function */
    }
}
