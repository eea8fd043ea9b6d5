#include "code/structure/callees.h"

#include "base/bisect.h"

#include <stdlib.h>
#include <string.h>

static const char *const no_return_names[] = {
#define NO_RETURN(name) name,
#include "code/structure/no_return.def"
#undef NO_RETURN
};

/* pattern: literal text with any number of *, as a file-name pattern. */
static bool matches(const char *pattern, const char *name, size_t length)
{
    const char *end = name + length, *star = NULL, *retry = NULL;
    while (name < end) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool callee_is_known_not_to_return(const char *name)
{
    size_t length = strcspn(name, "@");
    for (size_t i = 0; i < sizeof no_return_names / sizeof no_return_names[0]; i++)
        if (no_return_names[i][0] == name[0] && matches(no_return_names[i], name, length))
            return true;
    return false;
}

static const char *piece_name(const struct layout *layout, const struct piece *piece)
{
    return piece->symbol ? model_text(layout->model, model_symbol(layout->model, piece->symbol)->name) : NULL;
}

bool callee_is_part_of(const struct layout *layout, const struct piece *piece, const struct piece *other)
{
    const char *a = piece_name(layout, piece), *b = piece_name(layout, other);
    if (!a || !b)
        return false;
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    const char *suffix = strlen(a) > strlen(b) ? a + length : b + length;
    return !strncmp(a, b, length) && !strncmp(suffix, ".cold", 5);
}

static struct callee_name plain_name(const struct layout *layout, string_id name)
{
    const char *text = name ? model_text(layout->model, name) : NULL;
    return (struct callee_name){text, text ? strcspn(text, "@") : 0};
}

static int compare_names(const void *left, const void *right)
{
    const struct callee_name *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return memcmp(a->text, b->text, a->length);
}

void callees_note_meant(const struct layout *layout, const struct callee *callee, struct array *names)
{
    string_id name = callee->import;
    if (callee->piece && callee->piece->origin == origin_PLT)
        name = model_symbol(layout->model, callee->piece->symbol)->name;
    struct callee_name meant = plain_name(layout, name);
    if (meant.length)
        *(struct callee_name *)array_push(names) = meant;
}

static bool is_listed(const struct array *names, struct callee_name name)
{
    struct bisection search = {0, names->count};
    while (bisect(&search))
        bisect_past(&search, compare_names(array_at(names, search.middle), &name) < 0);
    return search.first < names->count && !compare_names(array_at(names, search.first), &name);
}

void callees_find_meant(const struct layout *layout, struct array *names, struct array *numbers)
{
    if (!names->count)
        return;
    qsort(names->data, names->count, names->width, compare_names);
    for (uint32_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        const struct symbol *symbol = model_symbol(layout->model, piece->symbol);
        bool is_visible =
            piece->is_function && piece->origin != origin_PLT && piece->symbol && symbol->is_global;
        if (is_visible && is_listed(names, plain_name(layout, symbol->name)))
            *(uint32_t *)array_push(numbers) = i;
    }
}

/* The function that is entered at an address, or NULL. */
static struct piece *function_at(const struct layout *layout, uint64_t address)
{
    struct piece *piece = layout_find(layout, address);
    if (!piece || !piece->is_function)
        return NULL;
    return piece->start == address || layout_has_address(&layout->second_entries, address) ? piece : NULL;
}

static struct callee through_relocation(const struct layout *layout, const struct relocation *relocation)
{
    struct callee callee = {.is_import = true};
    if (relocation->value != NO_ADDRESS)
        callee.piece = function_at(layout, relocation->value);
    if (!callee.piece)
        callee.import = relocation->symbol;
    return callee;
}

struct callee callee_of(const struct layout *layout, const struct piece *piece, uint32_t index)
{
    const struct sweep_instruction *entry = &layout_instructions(layout, piece)[index];
    uint64_t address = layout_section_start(layout, piece) + entry->offset;
    struct callee callee = {0};
    unsigned operand_count;
    const struct operand *operand =
        meanings_operands(layout->meanings, layout->model, entry->encoding, &operand_count);
    bool is_through_memory = false, is_through_table = false;
    for (unsigned i = 0; i < operand_count; i++) {
        is_through_memory |= operand[i].kind == operand_kind_MEMORY;
        is_through_table |= operand[i].index_register != 0;
    }
    if (entry->target != NO_ADDRESS && !is_through_memory) {
        struct piece *found = function_at(layout, entry->target);
        if (found)
            callee = (struct callee){.piece = found, .is_import = found->origin == origin_PLT};
        return callee;
    }
    uint32_t relocation = 0;
    if (entry->target != NO_ADDRESS) /* a slot that the dynamic linker fills */
        relocation = layout_relocation(layout, entry->target, entry->target + 1);
    else if (!is_through_table && layout_is_relocatable(layout))
        relocation = layout_relocation(layout, address, layout_entry_end(layout, piece, index));
    if (relocation)
        callee = through_relocation(layout, model_relocation(layout->model, relocation));
    return callee;
}

struct callee callee_in_slot(const struct layout *layout, uint64_t slot)
{
    uint32_t relocation = layout_relocation(layout, slot, slot + 1);
    return relocation ? through_relocation(layout, model_relocation(layout->model, relocation))
                      : (struct callee){0};
}

bool callee_returns(const struct layout *layout, const struct callee *callee)
{
    if (callee->piece)
        return callee->piece->returns;
    return !callee->import || !callee_is_known_not_to_return(model_text(layout->model, callee->import));
}
