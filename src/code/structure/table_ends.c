/* Compilers write the tables of a function one after another, followed by those of the next function.  So the
   references in the code of this and the following functions show where the next table begins; in an object
   file relocations show it too. */
#include "code/structure/table_ends.h"

enum { ENTRIES_PER_STEP = 4, PAGES = 64 };

/* AArch64: the page that a register was last set to, by adrp. */
struct page {
    uint32_t full;
    uint64_t address;
};

/* The address that an instruction names together with the adrp before it, or NO_ADDRESS. */
static uint64_t address_in_page(const struct layout *layout, const struct page *pages,
                                const struct operand *operands, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool is_sum = i + 1 < count && operands[i].kind == operand_kind_REGISTER &&
                      operands[i].access != access_WRITE && operands[i + 1].kind == operand_kind_IMMEDIATE;
        if (!is_sum && operands[i].kind != operand_kind_MEMORY)
            continue;
        uint32_t full =
            model_full_register(layout->model, is_sum ? operands[i].register_ : operands[i].base_register);
        const struct page *page = &pages[full % PAGES];
        if (full && page->full == full)
            return page->address + (uint64_t)(is_sum ? operands[i + 1].value : operands[i].displacement);
    }
    return NO_ADDRESS;
}

static void forget_pages(const struct model *model, struct page *pages, const struct operand *operands,
                         unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t full =
            operands[i].access == access_READ ? 0 : model_full_register(model, operands[i].register_);
        if (full && pages[full % PAGES].full == full)
            pages[full % PAGES].full = 0;
    }
}

/* The lowest address between start and end that this piece refers to. */
static uint64_t reference_in(const struct layout *layout, const struct piece *piece, uint64_t start,
                             uint64_t end)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    struct page pages[PAGES] = {{0}};
    bool has_pages = layout->reader->values->has_pages;
    for (uint32_t i = 0; i < piece->count; i++) {
        if (!entries[i].encoding)
            continue;
        unsigned count;
        const struct operand *operands =
            meanings_operands(layout->meanings, layout->model, entries[i].encoding, &count);
        uint64_t address = entries[i].target;
        if (has_pages && address != NO_ADDRESS && count && operands[0].kind == operand_kind_REGISTER) {
            uint32_t full = model_full_register(layout->model, operands[0].register_);
            pages[full % PAGES] = (struct page){full, address};
        } else if (has_pages && address == NO_ADDRESS) {
            address = address_in_page(layout, pages, operands, count);
            forget_pages(layout->model, pages, operands, count);
        }
        for (unsigned j = 0; j < count && address == NO_ADDRESS; j++) {
            if (operands[j].kind == operand_kind_MEMORY && operands[j].index_register)
                address = (uint64_t)operands[j].displacement;
        }
        if (address > start && address < end)
            end = address;
    }
    return end;
}

static bool take_steps(const struct switch_context *context, uint64_t count)
{
    uint64_t steps = count / ENTRIES_PER_STEP + 1;
    if (steps > *context->steps_left)
        return false;
    *context->steps_left -= steps;
    return true;
}

/* The lowest address between start and end that a relocation of the program names. */
static uint64_t relocation_between(const struct layout *layout, uint64_t start, uint64_t end)
{
    for (uint32_t row = layout->first_relocation; row < layout->relocation_end; row++) {
        const struct relocation *relocation = model_relocation(layout->model, row);
        uint64_t address = relocation->value + (uint64_t)relocation->addend;
        if (relocation->value != NO_ADDRESS && address > start && address < end)
            end = address;
    }
    return end;
}

uint64_t reference_after(const struct switch_context *context, uint64_t start, uint64_t end)
{
    const struct layout *layout = context->layout;
    if (layout_is_relocatable(layout) && layout->reader->values->has_pages)
        return take_steps(context, layout->relocation_end - layout->first_relocation)
                   ? relocation_between(layout, start, end)
                   : end;
    size_t number = (size_t)(context->piece - layout_piece(layout, 0));
    for (uint64_t entries = 0; number < layout->pieces.count && entries < TABLE_END_ENTRIES; number++) {
        const struct piece *piece = layout_piece(layout, number);
        if (!piece->is_swept) {
            *context->lacks_followers = true;
            break;
        }
        entries += piece->count;
        if (!take_steps(context, piece->count))
            break;
        uint64_t found = reference_in(layout, piece, start, end);
        if (found < end && piece != context->piece)
            return found;
        end = found;
    }
    return end;
}
