/* Jump tables of IA-64 listings.

   Compilers address a table through the linkage table, so the code before an indirect jump names it:

       addl r14 = @ltoffx(.L4), r1   …   mov b6 = r32   br b6
   .L4: data8 @pcrel(.L10)   data8 @pcrel(.L9)   …

   and the text of the table is in the rows of directives: a label, then data whose values name labels of
   code.  It ends at the first directive that is not such data, so nothing is guessed.  A label belongs to its
   file.

   If a loop surrounds the jump, the address is taken long before it; then the table is the only one that the
   function names and no other jump uses.

   Not found: tables that are not named by @…(label), several tables named far away from their jumps, and
   tables that lead out of the function more often than into its cold parts. */
#include "code/structure/listing_tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 64, MOST_NAME = 255, MOST_OUTSIDE = 64, MOST_OTHERS = 64 };

struct listing_label {
    uint32_t file;
    string_id name;
    uint64_t address; /* NO_ADDRESS in data */
    uint32_t row;     /* of directives */
};

static int by_name(const void *a, const void *b)
{
    const struct listing_label *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int by_place(const void *a, const void *b)
{
    const struct listing_label *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

struct listing_tables *listing_tables_make(const struct layout *layout)
{
    const struct model *model = layout->model;
    if (!layout_is_invented(layout))
        return NULL;
    struct listing_tables *tables = memory_get(sizeof *tables);
    tables->labels = tables->places = ARRAY_OF(struct listing_label);
    for (uint32_t id = 1; id < model->directives.count; id++) {
        const struct directive *row = model_directive(model, id);
        if (row->program != layout->program || row->kind != directive_kind_LABEL || !row->name)
            continue;
        struct listing_label label = {row->file, row->name, row->address, id};
        *(struct listing_label *)array_push(&tables->labels) = label;
        if (row->address != NO_ADDRESS)
            *(struct listing_label *)array_push(&tables->places) = label;
    }
    if (tables->labels.count)
        qsort(tables->labels.data, tables->labels.count, sizeof(struct listing_label), by_name);
    if (tables->places.count)
        qsort(tables->places.data, tables->places.count, sizeof(struct listing_label), by_place);
    return tables;
}

void listing_tables_free(struct listing_tables *tables)
{
    if (!tables)
        return;
    array_free(&tables->labels);
    array_free(&tables->places);
    free(tables);
}

static bool is_name_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '.' || letter == '$' || letter == '?';
}

/* The label at the start of this text, and its end; NULL if the file has none of that name. */
static const struct listing_label *find_label(const struct layout *layout, uint32_t file, const char *text,
                                              const char **end)
{
    char name[MOST_NAME + 1];
    size_t length = 0;
    while (is_name_letter(text[length]) && length < MOST_NAME) {
        name[length] = text[length];
        length++;
    }
    name[length] = 0;
    *end = text + length;
    string_id id = length ? strings_find(&layout->model->strings, name) : 0;
    const struct array *labels = &layout->tables->labels;
    struct bisection search = {0, id ? labels->count : 0};
    while (bisect(&search)) {
        const struct listing_label *label = array_at(labels, search.middle);
        bisect_past(&search, label->file < file || (label->file == file && label->name < id));
    }
    const struct listing_label *found =
        id && search.first < labels->count ? array_at(labels, search.first) : NULL;
    return found && found->file == file && found->name == id ? found : NULL;
}

size_t listing_tables_first_place(const struct listing_tables *tables, uint64_t address)
{
    return array_first_at(&tables->places, 0, offsetof(struct listing_label, address), address);
}

uint64_t listing_tables_place(const struct listing_tables *tables, size_t index)
{
    return index < tables->places.count ? ARRAY_AT(struct listing_label, &tables->places, index)->address
                                        : NO_ADDRESS;
}

/* The listing that the code at an address is from: that of the last label before it. */
static uint32_t file_of(const struct listing_tables *tables, uint64_t address)
{
    size_t after = listing_tables_first_place(tables, address + 1);
    return after ? ARRAY_AT(struct listing_label, &tables->places, after - 1)->file : 0;
}

/* A table that is being read. */
struct reading {
    const struct layout *layout;
    const struct piece *piece;
    struct array *targets;
    uint64_t most;
    unsigned outside; /* targets that are not in the piece */
};

/* Adds the first label of code in each value of a data directive; false if a value has none. */
static bool take_values(struct reading *reading, uint32_t file, const char *text)
{
    const struct layout *layout = reading->layout;
    while (text && *text && reading->targets->count <= reading->most && reading->outside <= MOST_OUTSIDE) {
        const struct listing_label *found = NULL;
        while (*text && *text != ',') {
            const char *end = text + 1;
            if (*text == '@' || isdigit((unsigned char)*text))
                while (is_name_letter(*end))
                    end++;
            else if (is_name_letter(*text)) {
                const struct listing_label *label = find_label(layout, file, text, &end);
                found = found ? found : label;
            }
            text = end;
        }
        if (!found || found->address == NO_ADDRESS)
            return false;
        *(uint64_t *)array_push(reading->targets) = found->address;
        reading->outside += found->address < reading->piece->start || found->address >= reading->piece->end;
        text += *text == ',';
    }
    return true;
}

/* The table after a label. */
static bool read_table(struct reading *reading, const struct listing_label *label)
{
    const struct layout *layout = reading->layout;
    const struct model *model = layout->model;
    struct array *targets = reading->targets;
    uint32_t end = (uint32_t)model->directives.count;
    targets->count = reading->outside = 0;
    for (uint32_t id = label->row + 1; id < end && targets->count <= reading->most; id++) {
        const struct directive *row = model_directive(model, id);
        if (row->program != layout->program || row->file != label->file)
            break;
        if (row->kind == directive_kind_COMMENT)
            continue;
        const char *name = model_text(model, row->name);
        size_t count = targets->count;
        if (row->kind != directive_kind_DIRECTIVE || !name || strncmp(name, "data", 4))
            break;
        if (!take_values(reading, label->file, model_text(model, row->text))) {
            targets->count = count;
            break;
        }
        if (reading->outside > MOST_OUTSIDE)
            return false;
    }
    return targets->count && targets->count <= reading->most;
}

/* The label in @…(label) of an instruction. */
static const struct listing_label *named_label(const struct layout *layout, uint32_t encoding, uint32_t file)
{
    const char *text = model_text(layout->model, model_encoding(layout->model, encoding)->text);
    for (const char *at = text ? strchr(text, '@') : NULL; at; at = strchr(at + 1, '@')) {
        const char *open = at + 1 + strcspn(at + 1, "(,= "), *end;
        if (*open == '(')
            return find_label(layout, file, open + 1, &end);
    }
    return NULL;
}

bool listing_tables_find(const struct layout *layout, const struct piece *piece, uint32_t jump, uint64_t most,
                         struct array *targets, uint32_t *table)
{
    struct reading reading = {.layout = layout, .piece = piece, .targets = targets, .most = most};
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    targets->count = 0;
    if (!layout->tables)
        return false;
    uint32_t file = file_of(layout->tables, layout_section_start(layout, piece) + entries[jump].offset);
    for (uint32_t steps = 0; steps < MOST_STEPS && steps < jump; steps++) {
        uint32_t encoding = entries[jump - 1 - steps].encoding;
        const struct listing_label *label = encoding ? named_label(layout, encoding, file) : NULL;
        if (label && read_table(&reading, label)) {
            *table = label->row;
            return true;
        }
    }
    return false;
}

static bool has_row(const struct array *rows, uint32_t row)
{
    for (size_t i = 0; i < rows->count; i++)
        if (*ARRAY_AT(uint32_t, rows, i) == row)
            return true;
    return false;
}

bool listing_tables_find_far(const struct layout *layout, const struct piece *piece,
                             const struct array *others, uint64_t most, struct array *targets)
{
    struct reading reading = {.layout = layout, .piece = piece, .targets = targets, .most = most};
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    const struct listing_label *found = NULL;
    targets->count = 0;
    if (!layout->tables || !piece->count || others->count > MOST_OTHERS)
        return false;
    uint32_t file = file_of(layout->tables, layout_section_start(layout, piece) + entries[0].offset);
    for (uint32_t i = 0, read = 0; i < piece->count; i++) {
        const struct listing_label *label =
            entries[i].encoding ? named_label(layout, entries[i].encoding, file) : NULL;
        if (!label || label == found || label->address != NO_ADDRESS || has_row(others, label->row))
            continue;
        if (++read > MOST_STEPS || (read_table(&reading, label) && found))
            return false;
        found = targets->count ? label : found;
    }
    return found && read_table(&reading, found);
}
