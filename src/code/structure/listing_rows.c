/* Rows of listing_instructions come from code/read/ with a program and an address.  They are sorted by both,
   which is the order of the table code, and one walk over both tables finds the instruction of each row.

   In IA-64 listings the address is that of the instruction.  In listings that the assembler of binutils
   assembled, a row is a mark before a statement: of several marks at one address the last one counts (the
   others precede statements without code), and a statement may make several instructions (a macro,
   alignment), each of which gets a row with its line; the listing's remarks stay with the first.

   Rows without instruction (data, a statement without code) are removed. */
#include "code/structure/listing_rows.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
    const struct listing_instruction *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static void sort_rows(struct array *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (by_place(array_at(rows, i - 1), array_at(rows, i)) > 0) {
            qsort(rows->data, rows->count, rows->width, by_place);
            return;
        }
}

static struct listing_instruction repeated(const struct listing_instruction *mark)
{
    struct listing_instruction row = *mark;
    row.cycle = row.number = row.latency = NO_NUMBER;
    row.probability = __builtin_nan("");
    row.comment = 0;
    row.is_stop = 0;
    return row;
}

static bool is_at_most(const struct listing_instruction *row, uint32_t program, uint64_t address)
{
    return row->program < program || (row->program == program && row->address <= address);
}

void listing_rows_attach(struct model *model)
{
    struct array *rows = &model->listing_instructions;
    if (!rows->count)
        return;
    struct array attached = ARRAY_OF(struct listing_instruction);
    size_t next = 0;
    sort_rows(rows);
    array_reserve(&attached, rows->count);
    for (uint32_t id = 1; id < model->code.count; id++) {
        const struct block *block = model_block(model, model_instruction(model, id)->block);
        uint32_t program = model_section(model, block->section)->program;
        uint64_t address = block->address + model_instruction(model, id)->offset;
        while (next < rows->count &&
               is_at_most(model_listing_instruction(model, (uint32_t)next), program, address))
            next++;
        const struct listing_instruction *mark =
            next ? model_listing_instruction(model, (uint32_t)next - 1) : NULL;
        if (!mark || mark->program != program)
            continue;
        if (mark->address != address && model_program(model, program)->isa == isa_IA64)
            continue;
        struct listing_instruction row = mark->address == address ? *mark : repeated(mark);
        row.instruction = id;
        *(struct listing_instruction *)array_push(&attached) = row;
    }
    array_free(rows);
    *rows = attached;
}
