/* Pieces that are functions become rows of functions, named and with their place in the sources. */
#include "code/structure/layout.h"

#include "code/read/dwarf/unread.h"

#include <stdio.h>
#include <stdlib.h>

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
    struct model_rows rows = MODEL_ROWS_OF(layout->model, symbols, symbol, layout->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct symbol *symbol = model_symbol(layout->model, id);
        if (symbol->origin == origin_DEBUG)
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
                           .is_resolver = symbol->is_resolver,
                           .is_entered = piece->is_entered,
                           .name = symbol->name};
    if (!piece->symbol || !symbol->name) {
        char name[40];
        snprintf(name, sizeof name, "%s_%llx", piece->origin == origin_PLT ? "plt" : "function",
                 (unsigned long long)piece->start);
        row.name = model_string(model, name);
    }
    if (declaration) {
        row.unit = declaration->unit;
        row.is_void = declaration->is_void;
        row.file = declaration->file;
        row.line = declaration->line;
    }
    if (layout->part && !row.unit)
        row.unit = unread_unit_at(model, layout->program, piece->start);
    *(struct function *)model_add(&model->functions) = row;
    piece->function = model_last(&model->functions);
}

void layout_add_functions(struct layout *layout)
{
    struct array declared = find_declarations(layout);
    size_t at = 0;
    for (size_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        if (!piece->is_function || (!layout_is_chosen(layout, piece) && !piece->is_named))
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
