/* Functions that no symbol names.

   Calls and jumps show further starts: where they lead into code that no function with a known size
   covers, a function starts there, marked as guessed.  Where they lead into a function of known size, that
   address is noted as one more entry of it (hand-written assembly, the warm part of a function whose cold
   part was split off). Then what lies between functions is told apart: padding stays between, decodable code
   that nothing refers to becomes a guessed function, and everything else stays what it is, bytes. */
#include "structure/layout.h"

#include "base/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4 };

struct search {
    struct layout *layout;
    struct array *found; /* for each worker, of uint64_t: addresses that are no start of a function */
};

static bool is_direct_transfer(const struct layout *layout, const struct sweep_instruction *entry)
{
    if (!entry->encoding || entry->target == NO_ADDRESS)
        return false;
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    return (encoding->flow == flow_CALL || encoding->flow == flow_JUMP || encoding->flow == flow_BRANCH) &&
           !encoding->load_bytes;
}

static void search_piece(struct search *search, const struct piece *piece, struct array *found)
{
    struct layout *layout = search->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++) {
        if (!is_direct_transfer(layout, &entries[i]))
            continue;
        uint64_t target = entries[i].target;
        bool is_inside = target >= piece->start && target < piece->end;
        bool is_call = model_encoding(layout->model, entries[i].encoding)->flow == flow_CALL;
        if (is_inside && (!is_call || target == piece->start || piece->is_size_known))
            continue;
        const struct piece *other = layout_find(layout, target);
        if (other && !(other->is_function && other->start == target))
            *(uint64_t *)array_add(found) = target;
    }
}

static void search_one(void *context, size_t number, unsigned worker)
{
    struct search *search = context;
    struct piece *piece = layout_piece(search->layout, number);
    if (!piece->is_searched)
        search_piece(search, piece, &search->found[worker]);
    piece->is_searched = true;
}

static struct array find_new_starts(struct layout *layout)
{
    unsigned workers = workers_count(layout->threads);
    struct search search = {.layout = layout, .found = memory_get(workers * sizeof(struct array))};
    struct array all = ARRAY_OF(uint64_t);
    for (unsigned i = 0; i < workers; i++)
        search.found[i] = ARRAY_OF(uint64_t);
    workers_run(layout->threads, layout->pieces.count, search_one, &search);
    for (unsigned i = 0; i < workers; i++) {
        if (search.found[i].count)
            memcpy(array_add_many(&all, search.found[i].count), search.found[i].data,
                   search.found[i].count * sizeof(uint64_t));
        array_free(&search.found[i]);
    }
    free(search.found);
    layout_sort_addresses(&all);
    return all;
}

/* Entries [index, …) of the piece become a piece of their own, which is returned. */
static struct piece split_at(const struct layout *layout, struct piece *piece, uint32_t index)
{
    struct piece tail = *piece;
    tail.start = layout_section_start(layout, piece) + layout_instructions(layout, piece)[index].offset;
    tail.first = piece->first + index;
    tail.count = piece->count - index;
    tail.symbol = 0;
    tail.is_function = false;
    piece->end = tail.start;
    piece->count = index;
    return tail;
}

/* The part [start, end) of a piece.  Its entries are those of the piece, unless it starts or ends inside one
   of them: then it is decoded anew, alone, so that all parts together cost as much as the piece. */
static struct piece take_part(struct layout *layout, const struct piece *piece, uint64_t start, uint64_t end,
                              bool *is_swept_again)
{
    struct piece part = *piece;
    uint32_t first = layout_index(layout, piece, start);
    uint32_t last = end == piece->end ? piece->count : layout_index(layout, piece, end);
    part.start = start;
    part.end = end;
    if (first != UINT32_MAX && last != UINT32_MAX) {
        part.first = piece->first + first;
        part.count = last - first;
    } else {
        part.is_searched = false;
        layout_sweep_again(layout, &part);
        *is_swept_again = true;
    }
    return part;
}

/* Cuts a piece at the addresses that lie in it, in order, and appends the parts.  Returns whether something
   was decoded anew. */
static bool cut_piece(struct layout *layout, const struct piece *piece, const uint64_t *starts, size_t count,
                      struct array *result)
{
    bool is_swept_again = false;
    if (starts[0] > piece->start)
        *(struct piece *)array_add(result) =
            take_part(layout, piece, piece->start, starts[0], &is_swept_again);
    for (size_t i = 0; i < count; i++) {
        uint64_t end = i + 1 < count ? starts[i + 1] : piece->end;
        struct piece part = take_part(layout, piece, starts[i], end, &is_swept_again);
        if (starts[i] > piece->start)
            part.symbol = 0;
        part.is_function = part.is_guessed = true;
        part.origin = part.symbol ? part.origin : origin_CALL;
        *(struct piece *)array_add(result) = part;
    }
    return is_swept_again;
}

static bool add_starts(struct layout *layout)
{
    struct array starts = find_new_starts(layout), result = ARRAY_OF(struct piece);
    bool is_swept_again = false;
    size_t at = 0;
    array_reserve(&result, layout->pieces.count + starts.count);
    for (size_t i = 0; i < layout->pieces.count; i++) {
        struct piece piece = *layout_piece(layout, i);
        while (at < starts.count && *ARRAY_AT(uint64_t, &starts, at) < piece.start)
            at++;
        size_t end = at;
        while (end < starts.count && *ARRAY_AT(uint64_t, &starts, end) < piece.end)
            end++;
        if (end == at || piece.is_size_known) {
            for (; at < end; at++)
                *(uint64_t *)array_add(&layout->entries) = *ARRAY_AT(uint64_t, &starts, at);
            *(struct piece *)array_add(&result) = piece;
        } else {
            is_swept_again |= cut_piece(layout, &piece, ARRAY_AT(uint64_t, &starts, at), end - at, &result);
        }
        at = end;
    }
    layout_set_pieces(layout, result);
    array_free(&starts);
    return is_swept_again;
}

static bool is_padding(const struct layout *layout, const struct piece *piece, uint32_t index)
{
    const struct sweep_instruction *entry = &layout_instructions(layout, piece)[index];
    const struct section *section = model_section(layout->model, piece->section);
    uint64_t size = layout_entry_end(layout, piece, index) - section->address - entry->offset, zeros = 0;
    while (zeros < size && !section->contents.data[entry->offset + zeros])
        zeros++;
    if (zeros == size)
        return true;
    if (!entry->encoding)
        return false;
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    const char *name = model_text(layout->model, encoding->name);
    return encoding->class == class_NOP || !strcmp(name, "int3");
}

static bool is_plain_code(const struct layout *layout, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++)
        if (!entries[i].encoding)
            return false;
    return piece->count > 0;
}

/* Takes padding off both ends of what is between functions, and off the end of functions of unknown size. */
static void trim_piece(struct layout *layout, struct piece piece, struct array *result)
{
    uint32_t lead = 0, end = piece.count;
    if (!piece.is_function)
        while (lead < piece.count && is_padding(layout, &piece, lead))
            lead++;
    while (end > lead + (piece.is_function ? 1 : 0) && is_padding(layout, &piece, end - 1))
        end--;
    if (!piece.is_function && lead < end && lead) {
        struct piece body = split_at(layout, &piece, lead);
        *(struct piece *)array_add(result) = piece;
        piece = body;
        end -= lead;
        lead = 0;
    }
    struct piece padding = {0};
    if (lead < end && end < piece.count)
        padding = split_at(layout, &piece, end);
    if (!piece.is_function && lead < end && is_plain_code(layout, &piece)) {
        piece.is_function = piece.is_guessed = true;
        piece.origin = origin_GAP;
    }
    *(struct piece *)array_add(result) = piece;
    if (padding.count)
        *(struct piece *)array_add(result) = padding;
}

static void trim_padding(struct layout *layout)
{
    struct array result = ARRAY_OF(struct piece);
    array_reserve(&result, layout->pieces.count * 2);
    for (size_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        if (piece->is_function && piece->is_size_known)
            *(struct piece *)array_add(&result) = *piece;
        else
            trim_piece(layout, *piece, &result);
    }
    layout_set_pieces(layout, result);
}

struct declared {
    uint64_t address;
    uint32_t symbol;
};

static int by_declared_address(const void *a, const void *b)
{
    const struct declared *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* Symbols from the debug information, which know the source position, by address. */
static struct array find_declarations(const struct layout *layout)
{
    struct array declared = ARRAY_OF(struct declared);
    for (uint32_t id = 1; id < layout->model->symbols.count; id++) {
        const struct symbol *symbol = model_symbol(layout->model, id);
        if (symbol->program == layout->program && symbol->origin == origin_DEBUG)
            *(struct declared *)array_add(&declared) = (struct declared){symbol->address, id};
    }
    if (declared.count)
        qsort(declared.data, declared.count, sizeof(struct declared), by_declared_address);
    return declared;
}

static void add_function(struct layout *layout, struct piece *piece, const struct symbol *declaration)
{
    struct model *model = layout->model;
    const struct symbol *symbol = model_symbol(model, piece->symbol);
    struct function row = {.program = layout->program,
                           .section = piece->section,
                           .address = piece->start,
                           .size = piece->end - piece->start,
                           .origin = piece->origin,
                           .is_guessed = piece->is_guessed,
                           .is_global = symbol->is_global,
                           .name = symbol->name};
    if (!piece->symbol || !symbol->name) {
        char name[40];
        snprintf(name, sizeof name, "%s_%llx", piece->origin == origin_PLT ? "plt" : "function",
                 (unsigned long long)piece->start);
        row.name = model_string(model, name);
    }
    if (declaration) {
        row.unit = declaration->unit;
        row.file = declaration->file;
        row.line = declaration->line;
    }
    *(struct function *)model_add(&model->functions) = row;
    piece->function = model_last(&model->functions);
}

static void add_functions(struct layout *layout)
{
    struct array declared = find_declarations(layout);
    size_t at = 0;
    for (size_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        if (!piece->is_function)
            continue;
        while (at < declared.count && ARRAY_AT(struct declared, &declared, at)->address < piece->start)
            at++;
        const struct symbol *declaration = NULL;
        if (at < declared.count && ARRAY_AT(struct declared, &declared, at)->address == piece->start)
            declaration = model_symbol(layout->model, ARRAY_AT(struct declared, &declared, at)->symbol);
        add_function(layout, piece, declaration);
    }
    array_free(&declared);
}

void layout_discover(struct layout *layout)
{
    for (int round = 0; round < MOST_ROUNDS && add_starts(layout); round++)
        ;
    layout_sort_addresses(&layout->entries);
    trim_padding(layout);
    add_functions(layout);
}
