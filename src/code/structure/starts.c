/* Finds where functions start, from every source in the file.

   Several symbols may name one address: the best one gives the name (global before local, the symbol table
   before the dynamic one, anything before bounds without a name; of equals in a file the plainest: frexp, not
   __frexp or frexpf64).  A start inside a function whose size the symbol table states is a second entry (a
   local label, an unwind entry for a part) and not a function, unless it has its own size: then the outer
   function ends there, and the overlap is counted.  On IA-64 one .proc may name several entries, which end
   together: the later ones are second entries too, and may be called. */
#include "code/structure/layout.h"

#include <stdlib.h>
#include <string.h>

struct start {
    uint64_t address, size;
    uint32_t symbol; /* names it */
    uint32_t section;
    uint8_t origin;
    uint8_t rank;    /* of the name; smaller is better */
    bool is_entered; /* by the system */
};

static uint8_t rank_of(const struct symbol *symbol)
{
    static const uint8_t ranks[origin_COUNT] = {
        [origin_PLT] = 0,   [origin_SYMBOL] = 2, [origin_LISTING] = 2, [origin_DYNAMIC] = 3,
        [origin_DEBUG] = 5, [origin_ENTRY] = 6,  [origin_UNWIND] = 8,
    };
    uint8_t rank = ranks[symbol->origin];
    if (!symbol->name)
        rank = (uint8_t)(rank + 10);
    if (symbol->is_global && rank)
        rank--;
    return rank;
}

static int by_address(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static uint32_t code_section(const struct layout *layout, uint64_t address)
{
    uint32_t id = layout_section_at(layout, address);
    return model_section(layout->model, id)->is_code ? id : 0;
}

static void collect(struct layout *layout, struct array *starts)
{
    struct model *model = layout->model;
    uint32_t section = 0; /* symbols come in runs of one section */
    struct model_rows rows = MODEL_ROWS_OF(model, symbols, symbol, layout->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct symbol *symbol = model_symbol(model, id);
        if (symbol->address == NO_ADDRESS)
            continue;
        const struct section *last = model_section(model, section);
        if (!section || symbol->address < last->address ||
            symbol->address - last->address >= last->contents.size)
            section = code_section(layout, symbol->address);
        if (!section || symbol->address % layout->reader->alignment)
            continue;
        *(struct start *)array_add(starts) = (struct start){.address = symbol->address,
                                                            .size = symbol->size,
                                                            .symbol = id,
                                                            .section = section,
                                                            .origin = symbol->origin,
                                                            .rank = rank_of(symbol),
                                                            .is_entered = symbol->origin == origin_ENTRY};
    }
    if (starts->count)
        qsort(starts->data, starts->count, sizeof(struct start), by_address);
}

/* Fewer underscores in front, then fewer characters. */
static bool is_plainer(const struct model *model, const struct start *start, const struct start *other)
{
    const char *name = model_text(model, model_symbol(model, start->symbol)->name);
    const char *rival = model_text(model, model_symbol(model, other->symbol)->name);
    if (start->rank != other->rank || start->origin == origin_LISTING || !name || !rival)
        return false;
    size_t underscores = strspn(name, "_"), of_rival = strspn(rival, "_");
    return underscores != of_rival ? underscores < of_rival : strlen(name) < strlen(rival);
}

/* One start for each address: the best of a run names it, and the first with a size bounds it. */
static void merge_same_address(const struct model *model, struct array *starts)
{
    size_t kept = 0;
    for (size_t i = 0; i < starts->count; i++) {
        struct start *start = ARRAY_AT(struct start, starts, i);
        struct start *last = kept ? ARRAY_AT(struct start, starts, kept - 1) : NULL;
        if (last && last->address == start->address) {
            if (!last->size)
                last->size = start->size;
            last->is_entered |= start->is_entered;
            if (is_plainer(model, start, last))
                last->symbol = start->symbol;
            continue;
        }
        *ARRAY_AT(struct start, starts, kept++) = *start;
    }
    starts->count = kept;
}

static bool is_from_symbols(uint8_t origin)
{
    return origin == origin_SYMBOL || origin == origin_DYNAMIC || origin == origin_DEBUG ||
           origin == origin_PLT || origin == origin_LISTING;
}

static bool is_second_entry(const struct layout *layout, const struct start *outer, const struct start *start)
{
    return layout->reader->isa == isa_IA64 && is_from_symbols(outer->origin) &&
           is_from_symbols(start->origin) && start->size &&
           start->address + start->size == outer->address + outer->size;
}

static void drop_inner_starts(struct layout *layout, struct array *starts)
{
    size_t kept = 0, overlaps = 0;
    uint64_t first_overlap = NO_ADDRESS;
    for (size_t i = 0; i < starts->count; i++) {
        struct start start = *ARRAY_AT(struct start, starts, i);
        struct start *outer = kept ? ARRAY_AT(struct start, starts, kept - 1) : NULL;
        if (outer && outer->section == start.section && start.address - outer->address < outer->size) {
            if (is_second_entry(layout, outer, &start)) {
                *(uint64_t *)array_add(&layout->entries) = start.address;
                *(uint64_t *)array_add(&layout->second_entries) = start.address;
                continue;
            }
            bool is_weaker = !start.size || !is_from_symbols(start.origin);
            if (is_from_symbols(outer->origin) && is_weaker)
                continue;
            if (is_from_symbols(outer->origin) && !overlaps++)
                first_overlap = start.address;
            outer->size = start.address - outer->address;
        }
        *ARRAY_AT(struct start, starts, kept++) = start;
    }
    starts->count = kept;
    if (overlaps)
        model_note_problem(layout->model, layout->program, problem_kind_OVERLAP, first_overlap, overlaps,
                           "functions that start inside another one, which is assumed to end there");
}

static void add_piece(struct array *pieces, uint32_t section, uint64_t start, uint64_t end,
                      const struct start *function)
{
    if (start >= end)
        return;
    struct piece *piece = array_add(pieces);
    *piece = (struct piece){.start = start, .end = end, .section = section, .returns = true};
    if (!function)
        return;
    piece->is_function = true;
    piece->symbol = function->symbol;
    piece->origin = function->origin;
    piece->is_size_known = function->size != 0;
    piece->is_entered = function->is_entered;
    piece->is_guessed = !piece->is_size_known;
}

static void cut_section(const struct layout *layout, uint32_t id, const struct start *starts, size_t count,
                        struct array *pieces)
{
    const struct section *section = model_section(layout->model, id);
    uint64_t at = section->address, limit = section->address + section->contents.size;
    for (size_t i = 0; i < count; i++) {
        uint64_t next = i + 1 < count ? starts[i + 1].address : limit, end = next;
        if (starts[i].size && starts[i].size < next - starts[i].address)
            end = starts[i].address + starts[i].size;
        add_piece(pieces, id, at, starts[i].address, NULL);
        add_piece(pieces, id, starts[i].address, end, &starts[i]);
        at = end;
    }
    add_piece(pieces, id, at, limit, NULL);
}

void layout_find_starts(struct layout *layout)
{
    struct model *model = layout->model;
    struct array starts = ARRAY_OF(struct start), pieces = ARRAY_OF(struct piece);
    collect(layout, &starts);
    merge_same_address(model, &starts);
    drop_inner_starts(layout, &starts);
    size_t at = 0;
    for (size_t i = 0; i < layout->sections.count; i++) {
        uint32_t id = *ARRAY_AT(uint32_t, &layout->sections, i);
        if (!model_section(model, id)->is_code)
            continue;
        while (at < starts.count &&
               ARRAY_AT(struct start, &starts, at)->address < model_section(model, id)->address)
            at++;
        size_t end = at;
        while (end < starts.count && ARRAY_AT(struct start, &starts, end)->section == id)
            end++;
        cut_section(layout, id, ARRAY_AT(struct start, &starts, at), end - at, &pieces);
        at = end;
    }
    layout_set_pieces(layout, pieces);
    array_free(&starts);
}
