#include "structure/callees.h"

#include <string.h>

static const char *const no_return_names[] = {
#define NO_RETURN(name) name,
#include "structure/no_return.def"
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
