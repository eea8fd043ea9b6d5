/* Gives rows their source positions.

   Every instruction gets the row of the line table that covers its address.  A loop belongs to the innermost
   inlined call that contains all of its instructions, and its lines are the lines of its instructions there:
   an instruction from a deeper inlined call counts with the line of that call.  So a loop in an inlined
   function has that function's lines, and a loop that merely calls an inlined function does not. */
#include "code/structure/layout.h"

#include <stdlib.h>

static void attach_lines(struct model *model)
{
    uint32_t at = 1, count = (uint32_t)model->source_lines.count;
    if (count <= 1)
        return;
    for (uint32_t id = 1; id < model->code.count; id++) {
        struct instruction *row = model_instruction(model, id);
        const struct block *block = model_block(model, row->block);
        uint32_t program = model_section(model, block->section)->program;
        uint64_t address = block->address + row->offset;
        const struct source_line *line = model_source_line(model, at);
        if (line->program == program && line->address <= address && address < line->end) {
            row->source_line = at;
            continue;
        }
        struct bisection search = {1, count}; /* first row after (program, address) */
        while (bisect(&search)) {
            line = model_source_line(model, (uint32_t)search.middle);
            bisect_past(&search,
                        line->program < program || (line->program == program && line->address <= address));
        }
        line = model_source_line(model, (uint32_t)search.first - 1);
        if (search.first > 1 && line->program == program && address < line->end)
            row->source_line = at = (uint32_t)search.first - 1;
    }
}

/* Row of functions that holds an address of a program, or 0. */
static uint32_t function_at(const struct model *model, uint32_t program, uint64_t address)
{
    struct bisection search = {1, model->functions.count}; /* imports have the highest address of all */
    while (bisect(&search)) {
        const struct function *at = model_function(model, (uint32_t)search.middle);
        bisect_past(&search, at->program < program || (at->program == program && at->address <= address));
    }
    uint32_t id = (uint32_t)search.first - 1;
    const struct function *function = model_function(model, id);
    return id && function->program == program && address - function->address < function->size ? id : 0;
}

static void attach_functions(struct model *model)
{
    for (uint32_t id = 1; id < model->inlined_calls.count; id++) {
        struct inlined_call *call = model_inlined_call(model, id);
        if (call->function_address != NO_ADDRESS)
            call->function = function_at(model, call->program, call->function_address);
    }
    for (uint32_t id = 1; id < model->variables.count; id++) {
        struct variable *variable = model_variable(model, id);
        if (variable->function_address != NO_ADDRESS)
            variable->function = function_at(model, variable->program, variable->function_address);
    }
}

static uint32_t inline_depth(const struct model *model, uint32_t call)
{
    uint32_t depth = 0;
    for (; call && depth < 10000; call = model_inlined_call(model, call)->parent)
        depth++;
    return depth;
}

static uint32_t common_call(const struct model *model, uint32_t a, uint32_t b)
{
    uint32_t depth_a = inline_depth(model, a), depth_b = inline_depth(model, b);
    while (a != b && (a || b)) {
        if (depth_a >= depth_b) {
            a = model_inlined_call(model, a)->parent;
            depth_a--;
        } else {
            b = model_inlined_call(model, b)->parent;
            depth_b--;
        }
    }
    return a;
}

/* Position of a line-table row as seen from an inlined call around it (0: from the function itself). */
static void position_in(const struct model *model, uint32_t source_line, uint32_t call, uint32_t *file,
                        uint32_t *line)
{
    const struct source_line *row = model_source_line(model, source_line);
    *file = row->file;
    *line = row->line;
    for (uint32_t inner = row->inlined_call; inner && inner != call;
         inner = model_inlined_call(model, inner)->parent) {
        *file = model_inlined_call(model, inner)->call_file;
        *line = model_inlined_call(model, inner)->call_line;
    }
}

struct place {
    uint32_t file, line;
};

static int by_file(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void place_loop(struct model *model, uint32_t id, size_t first_member, size_t member_end,
                       struct array *places)
{
    uint32_t call = UINT32_MAX;
    places->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t m = first_member; m < member_end; m++) {
            const struct block *block = model_block(model, model_loop_block(model, (uint32_t)m)->block);
            for (uint32_t i = 0; i < block->instruction_count; i++) {
                uint32_t line = model_instruction(model, block->first_instruction + i)->source_line;
                if (!line || !model_source_line(model, line)->line)
                    continue;
                uint32_t inlined = model_source_line(model, line)->inlined_call;
                if (pass == 0) {
                    call = call == UINT32_MAX ? inlined : common_call(model, call, inlined);
                    continue;
                }
                struct place *place = array_add(places);
                position_in(model, line, call, &place->file, &place->line);
            }
        }
    if (!places->count)
        return;
    qsort(places->data, places->count, sizeof(struct place), by_file);
    size_t best = 0, best_count = 0;
    for (size_t i = 0, end; i < places->count; i = end) {
        for (end = i; end < places->count &&
                      ARRAY_AT(struct place, places, end)->file == ARRAY_AT(struct place, places, i)->file;
             end++)
            ;
        if (end - i > best_count) {
            best = i;
            best_count = end - i;
        }
    }
    struct loop *loop = model_loop(model, id);
    while (best_count > 1 && !ARRAY_AT(struct place, places, best)->line) {
        best++; /* compilers give line 0 to code that belongs to no line */
        best_count--;
    }
    loop->file = ARRAY_AT(struct place, places, best)->file;
    loop->first_line = ARRAY_AT(struct place, places, best)->line;
    loop->last_line = ARRAY_AT(struct place, places, best + best_count - 1)->line;
    loop->inlined_call = call;
}

static void place_loops(struct model *model)
{
    struct array places = ARRAY_OF(struct place);
    size_t member = 0;
    for (uint32_t id = 1; id < model->loops.count; id++) {
        size_t first = member;
        while (member < model->loop_blocks.count && model_loop_block(model, (uint32_t)member)->loop == id)
            member++;
        place_loop(model, id, first, member, &places);
    }
    array_free(&places);
}

void sources_attach(struct model *model)
{
    attach_functions(model);
    attach_lines(model);
    if (model->source_lines.count > 1 && model->code.count > 1)
        place_loops(model);
}
