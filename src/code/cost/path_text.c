#include "code/cost/path_text.h"

#include "model/tables.h"
#include "code/read/listing/code_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool add_block(const struct path_text *work, uint32_t id, struct array *lines, struct error *error)
{
    const struct model *model = work->model;
    const struct block *block = model_block(model, id);
    struct span bytes = work->bytes ? work->bytes(work->context, id) : model_block_bytes(model, block);
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        const struct instruction *row = model_instruction(model, block->first_instruction + i);
        const struct encoding *encoding = model_encoding(model, row->encoding);
        if (!row->encoding || row->offset + encoding->size > bytes.size || !encoding->text)
            return error_set(error, NULL, "the database does not hold the bytes at 0x%llx",
                             (unsigned long long)(block->address + row->offset));
        *(struct code_line *)array_push(lines) = (struct code_line){
            .bytes = bytes.data + row->offset,
            .size = encoding->size,
            .flow = encoding->flow,
            .text = model_text(model, encoding->text),
            .address = block->address + row->offset,
            .target = row->target,
            .name = work->name && row->target != NO_ADDRESS ? work->name(work->context, row->target) : NULL};
    }
    return true;
}

/* Whether what leads into the loop makes a difference; the path gets its cycles. */
static bool depends_on_entry(struct path_text *work, struct block_costs *costs)
{
    loop_path_take(work->model, &work->path, costs);
    loop_path_note(costs, block_costs_predict(costs, cost_LOOP, cost_BOUNDS), &work->path);
    struct loop_path without = work->path;
    if (!costs->block.entry_count || costs->is_bundled)
        return false;
    costs->block.entry_count = 0;
    loop_path_note(costs, block_costs_predict(costs, cost_LOOP, cost_BOUNDS), &without);
    for (unsigned part = 0; part < core_part_COUNT; part++)
        if (fabs(without.bounds[part] - work->path.bounds[part]) > 1e-9)
            return true;
    return false;
}

/* The instructions that lead into the loop, since the last call. */
static bool add_entry(const struct path_text *work, struct array *lines, struct error *error)
{
    uint32_t blocks[LOOP_ENTRY_BLOCKS], count = loop_entry(work->model, work->path.loop, blocks);
    while (count--)
        if (!add_block(work, blocks[count], lines, error))
            return false;
    size_t kept = 0;
    for (size_t i = 0; i < lines->count; i++)
        if (ARRAY_AT(struct code_line, lines, i)->flow == flow_CALL)
            kept = i + 1;
    if (kept)
        memmove(lines->data, array_at(lines, kept), (lines->count - kept) * lines->width);
    lines->count -= kept;
    return true;
}

bool path_text_write(struct path_text *work, const struct loop_path *path, struct error *error)
{
    const struct model *model = work->model;
    uint32_t function = model_loop(model, path->loop)->function;
    struct code_text code = {
        .isa = (enum isa)model_program(model, model_function(model, function)->program)->isa};
    struct array lines = ARRAY_OF(struct code_line);
    struct block_costs costs;
    work->path = *path;
    work->text = NULL;
    block_costs_begin(&costs, work->machine, model);
    work->has_entry = depends_on_entry(work, &costs);
    block_costs_end(&costs);
    bool done = !work->has_entry || add_entry(work, &lines, error);
    code.start = lines.count;
    for (uint32_t i = 0; done && i < path->blocks; i++)
        done = add_block(work, model_path_block(model, path->first_block + i)->block, &lines, error);
    code.lines = lines.data;
    code.count = lines.count;
    done = done && code_text_write(&code, error);
    work->text = code.text;
    work->raw_count = code.raw_count;
    array_free(&lines);
    return done;
}
