/* Finds the addresses of code that a program holds.

   A function that is never called by name is called by its address, and the address is somewhere: in a
   pointer that the dynamic linker adjusts (its relocation says so), in a pointer of a program at fixed
   addresses (a word of its data, which may also be a number that happens to look like one), or in the code
   that takes it (lea, adrp with add, a constant of a program at fixed addresses).  Labels inside functions
   have such references, too: jump tables and computed gotos consist of them.  So a reference alone does not
   prove a function; divide.c also looks at the code before the place and at jumps over it.

   Only code of unknown size matters, and the work is small if there is little of it: an instruction costs a
   comparison. */
#include "code/structure/references.h"

#include "base/workers.h"
#include "model/isa.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 8 }; /* from adrp to its add */

struct references {
    struct layout *layout;
    uint64_t low, high; /* around all code of unknown size */
    uint8_t
        *constants; /* by encoding: has a constant between low and high; NULL where constants mean nothing */
    struct array *found; /* for each worker, of uint64_t */
};

static bool is_searched(const struct piece *piece)
{
    return piece->is_swept && piece->is_function && !piece->is_size_known;
}

static void note(const struct references *references, uint64_t address, struct array *found)
{
    if (address < references->low || address >= references->high)
        return;
    const struct piece *piece = layout_find(references->layout, address);
    if (piece && is_searched(piece) && address > piece->start)
        *(uint64_t *)array_add(found) = address;
}

static bool find_range(struct references *references)
{
    const struct layout *layout = references->layout;
    references->low = UINT64_MAX;
    for (size_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        if (!is_searched(piece))
            continue;
        if (piece->start < references->low)
            references->low = piece->start;
        references->high = piece->end;
    }
    return references->low < references->high;
}

static void find_in_relocations(const struct references *references, struct array *found)
{
    const struct layout *layout = references->layout;
    for (uint32_t id = layout->first_relocation; id < layout->relocation_end; id++) {
        const struct relocation *row = model_relocation(layout->model, id);
        if (row->value != NO_ADDRESS)
            note(references, row->value + (uint64_t)row->addend, found);
    }
}

static uint64_t word_at(const uint8_t *bytes, unsigned size)
{
    uint64_t word = 0;
    for (unsigned i = size; i--;)
        word = word << 8 | bytes[i];
    return word;
}

/* Words of data that may be pointers; a program at fixed addresses has no relocations for them. */
static void find_in_data(const struct references *references, struct array *found)
{
    const struct model *model = references->layout->model;
    unsigned size = isa_facts(references->layout->reader->isa)->address_bytes;
    struct model_rows rows = MODEL_ROWS_OF(model, sections, section, references->layout->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct section *section = model_section(model, id);
        if (section->is_code || !section->is_loaded)
            continue;
        uint64_t misplaced = section->address % size, skipped = misplaced ? size - misplaced : 0;
        for (uint64_t at = skipped; at + size <= section->contents.size; at += size)
            note(references, word_at(section->contents.data + at, size), found);
    }
}

static const struct operand *operands_of(const struct layout *layout, uint32_t encoding, unsigned *count)
{
    return meanings_operands(layout->meanings, layout->model, encoding, count);
}

/* The address that adrp at this entry and the add that follows make, or NO_ADDRESS. */
static uint64_t complete_page(const struct layout *layout, const struct piece *piece, uint32_t index)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    unsigned count;
    const struct operand *operand = operands_of(layout, entries[index].encoding, &count);
    if (!count || operand->kind != operand_kind_REGISTER)
        return NO_ADDRESS;
    uint32_t page = operand->register_;
    for (uint32_t i = index + 1; i < piece->count && i <= index + MOST_STEPS && entries[i].encoding; i++) {
        const struct encoding *encoding = model_encoding(layout->model, entries[i].encoding);
        operand = operands_of(layout, entries[i].encoding, &count);
        if (count >= 3 && operand[1].register_ == page && operand[2].kind == operand_kind_IMMEDIATE &&
            encoding->operation == operation_ADD)
            return entries[index].target + (uint64_t)operand[2].value;
        if (encoding->flow == flow_JUMP || encoding->flow == flow_RETURN ||
            (count && operand->kind == operand_kind_REGISTER && operand->register_ == page &&
             operand->access != access_READ))
            break;
    }
    return NO_ADDRESS;
}

static void find_constants(const struct references *references, uint32_t encoding, struct array *found)
{
    unsigned count;
    const struct operand *operand = operands_of(references->layout, encoding, &count);
    for (unsigned i = 0; i < count; i++)
        if (operand[i].kind == operand_kind_IMMEDIATE)
            note(references, (uint64_t)operand[i].value, found);
}

static void find_in_code(void *context, size_t number, unsigned worker)
{
    const struct references *references = context;
    const struct layout *layout = references->layout;
    const struct piece *piece = layout_piece(layout, number);
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    struct array *found = &references->found[worker];
    bool has_pages = layout->reader->values && layout->reader->values->has_pages;
    uint64_t low = has_pages ? references->low & ~UINT64_C(0xfff) : references->low;
    for (uint32_t i = 0; i < piece->count; i++) {
        uint64_t target = entries[i].target;
        if (references->constants && references->constants[entries[i].encoding])
            find_constants(references, entries[i].encoding, found);
        if (target < low || target >= references->high || !entries[i].encoding)
            continue;
        const struct encoding *encoding = model_encoding(layout->model, entries[i].encoding);
        if (encoding->flow != flow_NEXT || encoding->load_bytes || encoding->store_bytes)
            continue;
        if (encoding->operation == operation_PAGE)
            target = complete_page(layout, piece, i);
        note(references, target, found);
    }
}

/* Which encodings have a constant that is an address of interest. */
static uint8_t *mark_constants(const struct references *references)
{
    const struct model *model = references->layout->model;
    uint8_t *marks = memory_get(model->encodings.count);
    for (uint32_t i = 0; i < model->operands.count; i++) {
        const struct operand *operand = model_operand(model, i);
        marks[operand->encoding] |= operand->kind == operand_kind_IMMEDIATE &&
                                    (uint64_t)operand->value >= references->low &&
                                    (uint64_t)operand->value < references->high;
    }
    marks[0] = 0; /* bytes that do not decode */
    return marks;
}

struct array references_find(struct layout *layout)
{
    struct array all = ARRAY_OF(uint64_t);
    struct references references = {.layout = layout};
    if (!find_range(&references))
        return all;
    unsigned workers = workers_count(layout->threads);
    bool is_fixed = model_program(layout->model, layout->program)->format == format_EXECUTABLE;
    references.found = memory_get(workers * sizeof(struct array));
    for (unsigned i = 0; i < workers; i++)
        references.found[i] = ARRAY_OF(uint64_t);
    find_in_relocations(&references, &all);
    if (is_fixed) {
        find_in_data(&references, &all);
        references.constants = mark_constants(&references);
    }
    workers_run(layout->threads, layout->pieces.count, find_in_code, &references);
    for (unsigned i = 0; i < workers; i++) {
        if (references.found[i].count)
            memcpy(array_add_many(&all, references.found[i].count), references.found[i].data,
                   references.found[i].count * sizeof(uint64_t));
        array_free(&references.found[i]);
    }
    free(references.found);
    free(references.constants);
    layout_sort_addresses(&all);
    return all;
}
