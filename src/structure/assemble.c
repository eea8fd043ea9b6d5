/* Shapes become rows.

   Functions are shaped by the workers in any order.  Their rows are then written in order of address, with
   ids that are local numbers plus the function's first id, so the tables do not depend on which worker shaped
   what. Edges that leave a function are completed last, when all blocks have their ids. */
#include "structure/shape.h"

#include "base/progress.h"
#include "base/workers.h"

#include <stdlib.h>

struct assembly {
    struct layout *layout;
    struct shaper *shapers; /* one for each worker */
    struct shape *shapes;   /* one for each piece */
    uint32_t *first_block;  /* row of blocks of each piece's first block */
    struct array imports;   /* of uint32_t: row of functions for a string id, 0 for none */
};

static void shape_one(void *context, size_t number, unsigned worker)
{
    struct assembly *assembly = context;
    struct piece *piece = layout_piece(assembly->layout, number);
    if (piece->is_function)
        shape_find(&assembly->shapers[worker], piece, &assembly->shapes[number]);
    if (worker == 0)
        progress_tell("finding loops", number, assembly->layout->pieces.count);
}

static void add_code(struct model *model, uint32_t block_id, const struct sweep_instruction *entries,
                     uint32_t count)
{
    struct instruction *rows = array_add_many(&model->code, count);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = (struct instruction){.block = block_id,
                                       .offset = entries[i].offset - entries[0].offset,
                                       .encoding = entries[i].encoding,
                                       .target = entries[i].target};
}

static struct block *add_block(struct assembly *assembly, const struct piece *piece, uint32_t first,
                               uint32_t count)
{
    struct layout *layout = assembly->layout;
    struct model *model = layout->model;
    const struct sweep_instruction *entries = layout_instructions(layout, piece) + first;
    const struct section *section = model_section(model, piece->section);
    struct block *block = model_add(&model->blocks);
    uint32_t id = model_last(&model->blocks);
    const struct encoding *last = model_encoding(model, entries[count - 1].encoding);
    *block = (struct block){.function = piece->function,
                            .section = piece->section,
                            .address = section->address + entries[0].offset,
                            .size = entries[count - 1].offset + last->size - entries[0].offset,
                            .first_instruction = (uint32_t)model->code.count,
                            .instruction_count = count};
    block->bytes = (struct span){section->contents.data + entries[0].offset, block->size};
    add_code(model, id, entries, count);
    return block;
}

static void add_function_blocks(struct assembly *assembly, const struct piece *piece,
                                const struct shape *shape, uint32_t first_loop)
{
    uint32_t first_block = (uint32_t)assembly->layout->model->blocks.count;
    for (uint32_t i = 0; i < shape->block_count; i++) {
        const struct shape_block *found = &shape->blocks[i];
        struct block *block = add_block(assembly, piece, found->first, found->count);
        block->position = i + 1;
        block->ends = found->ends;
        block->is_reachable = found->is_reachable;
        block->dominator = found->dominator == NO_NODE ? 0 : first_block + found->dominator;
        block->dom_enter = found->dom_enter;
        block->dom_leave = found->dom_leave;
        block->loop = found->loop == NO_NODE ? 0 : first_loop + found->loop;
    }
}

/* What lies between functions: runs of instructions, one block each. */
static void add_loose_blocks(struct assembly *assembly, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(assembly->layout, piece);
    for (uint32_t i = 0, end; i < piece->count; i = end) {
        for (end = i; end < piece->count && entries[end].encoding; end++)
            ;
        if (end > i)
            add_block(assembly, piece, i, end - i);
        else
            end++;
    }
}

static void add_gaps(struct assembly *assembly, const struct piece *piece)
{
    struct layout *layout = assembly->layout;
    struct model *model = layout->model;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    const struct section *section = model_section(model, piece->section);
    for (uint32_t i = 0; i < piece->count; i++) {
        if (entries[i].encoding)
            continue;
        uint64_t address = section->address + entries[i].offset, end = layout_entry_end(layout, piece, i);
        struct gap *last = model_gap(model, model_last(&model->gaps));
        if (model->gaps.count > 1 && last->section == piece->section &&
            last->address + last->size == address) {
            last->size += (uint32_t)(end - address);
            last->bytes.size = last->size;
            continue;
        }
        struct gap *gap = model_add(&model->gaps);
        *gap = (struct gap){.section = piece->section,
                            .address = address,
                            .size = (uint32_t)(end - address),
                            .bytes = {section->contents.data + entries[i].offset, end - address}};
    }
}

static void add_loops(struct assembly *assembly, const struct piece *piece, const struct shape *shape,
                      uint32_t first_block)
{
    struct model *model = assembly->layout->model;
    uint32_t first_loop = (uint32_t)model->loops.count;
    for (uint32_t i = 0; i < shape->loop_count; i++) {
        const struct shape_loop *found = &shape->loops[i];
        struct loop *loop = model_add(&model->loops);
        *loop = (struct loop){.function = piece->function,
                              .header = first_block + found->graph.header,
                              .parent = found->graph.parent == NO_NODE ? 0 : first_loop + found->graph.parent,
                              .depth = found->graph.depth,
                              .is_innermost = found->graph.is_innermost,
                              .is_irreducible = found->graph.is_irreducible,
                              .block_count = found->block_count,
                              .instruction_count = found->instruction_count,
                              .entry_count = found->entry_count,
                              .exit_count = found->exit_count,
                              .back_edge_count = found->back_edge_count,
                              .path_count = found->path_count};
    }
    for (uint32_t i = 0; i < shape->membership_count; i++)
        *(struct loop_block *)model_add(&model->loop_blocks) = (struct loop_block){
            first_loop + shape->memberships[i].loop, first_block + shape->memberships[i].block};
    uint32_t last_loop = NO_NODE, position = 0;
    for (uint32_t i = 0; i < shape->path_count; i++) {
        const struct shape_path *found = &shape->paths[i];
        position = found->loop == last_loop ? position + 1 : 1;
        last_loop = found->loop;
        *(struct path *)model_add(&model->paths) =
            (struct path){.loop = first_loop + found->loop,
                          .position = position,
                          .is_exit = found->is_exit,
                          .instruction_count = found->instruction_count};
        for (uint32_t at = 0; at < found->length; at++)
            *(struct path_block *)model_add(&model->path_blocks) = (struct path_block){
                model_last(&model->paths), at + 1, first_block + shape->path_blocks[found->first + at]};
    }
}

static uint32_t import_row(struct assembly *assembly, string_id name)
{
    struct model *model = assembly->layout->model;
    if (assembly->imports.count <= name)
        array_add_many(&assembly->imports, name + 1 - assembly->imports.count);
    uint32_t *row = array_at(&assembly->imports, name);
    if (!*row) {
        *(struct function *)model_add(&model->functions) =
            (struct function){.program = assembly->layout->program,
                              .name = name,
                              .address = NO_ADDRESS,
                              .origin = origin_IMPORT,
                              .is_global = 1,
                              .returns = 1};
        *row = model_last(&model->functions);
    }
    return *row;
}

static void add_calls(struct assembly *assembly, const struct piece *piece, const struct shape *shape,
                      uint32_t first_block)
{
    struct model *model = assembly->layout->model;
    uint32_t block = 0;
    for (uint32_t i = 0; i < shape->call_count; i++) {
        const struct shape_call *found = &shape->calls[i];
        while (found->entry >= shape->blocks[block].first + shape->blocks[block].count)
            block++;
        const struct block *row = model_block(model, first_block + block);
        uint32_t callee = found->piece != NO_NODE ? layout_piece(assembly->layout, found->piece)->function
                          : found->import         ? import_row(assembly, found->import)
                                                  : 0;
        *(struct call *)model_add(&model->calls) = (struct call){
            .caller = piece->function,
            .callee = callee,
            .kind = found->kind,
            .instruction = row->first_instruction + (found->entry - shape->blocks[block].first)};
    }
}

/* Row of the block that starts at an address, or 0. */
static uint32_t block_at(const struct assembly *assembly, uint64_t address)
{
    const struct layout *layout = assembly->layout;
    const struct piece *piece = layout_find(layout, address);
    if (!piece)
        return 0;
    uint32_t number = (uint32_t)(piece - layout_piece(layout, 0)), low = assembly->first_block[number],
             high = assembly->first_block[number + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct block *block = model_block(layout->model, middle);
        if (block->address == address)
            return middle;
        if (block->address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static int by_edge(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void add_edges(struct assembly *assembly, uint32_t number)
{
    struct model *model = assembly->layout->model;
    const struct shape *shape = &assembly->shapes[number];
    uint32_t first_block = assembly->first_block[number];
    size_t first = model->edges.count;
    for (uint32_t i = 0; i < shape->edge_count; i++) {
        const struct shape_edge *found = &shape->edges[i];
        uint32_t target =
            found->target != NO_NODE ? first_block + found->target : block_at(assembly, found->outside);
        if (target)
            *(struct edge *)model_add(&model->edges) =
                (struct edge){.source = first_block + found->source, .target = target, .kind = found->kind};
    }
    size_t count = model->edges.count - first, kept = 0;
    struct edge *edges = ARRAY_AT(struct edge, &model->edges, first);
    for (size_t i = 1; i < count; i++)
        if (by_edge(&edges[i - 1], &edges[i]) > 0) {
            qsort(edges, count, sizeof *edges, by_edge);
            break;
        }
    for (size_t i = 0; i < count; i++)
        if (!kept || by_edge(&edges[kept - 1], &edges[i]))
            edges[kept++] = edges[i];
    model->edges.count = first + kept;
}

static void complete_function(struct assembly *assembly, const struct piece *piece, const struct shape *shape,
                              uint32_t first_block, uint32_t first_instruction)
{
    struct model *model = assembly->layout->model;
    struct function *function = model_function(model, piece->function);
    function->returns = piece->returns;
    function->first_block = shape->block_count ? first_block : 0;
    function->block_count = shape->block_count;
    function->instruction_count = (uint32_t)model->code.count - first_instruction;
    function->loop_count = shape->loop_count;
    if (shape->block_count) {
        const struct block *last = model_block(model, model_last(&model->blocks));
        function->size = last->address + last->size - function->address;
    }
}

static void reserve_rows(struct assembly *assembly)
{
    struct layout *layout = assembly->layout;
    struct model *model = layout->model;
    size_t instructions = 0, blocks = 0, edges = 0;
    for (size_t i = 0; i < layout->pieces.count; i++) {
        instructions += layout_piece(layout, i)->count;
        blocks += assembly->shapes[i].block_count;
        edges += assembly->shapes[i].edge_count;
    }
    array_reserve(&model->code, model->code.count + instructions);
    array_reserve(&model->blocks, model->blocks.count + blocks);
    array_reserve(&model->edges, model->edges.count + edges);
}

static void add_rows(struct assembly *assembly)
{
    struct layout *layout = assembly->layout;
    struct model *model = layout->model;
    reserve_rows(assembly);
    for (uint32_t i = 0; i < layout->pieces.count; i++) {
        struct piece *piece = layout_piece(layout, i);
        uint32_t first_block = (uint32_t)model->blocks.count, first_instruction = (uint32_t)model->code.count;
        assembly->first_block[i] = first_block;
        if (piece->is_function) {
            const struct shape *shape = &assembly->shapes[i];
            add_function_blocks(assembly, piece, shape, (uint32_t)model->loops.count);
            add_loops(assembly, piece, shape, first_block);
            add_calls(assembly, piece, shape, first_block);
            complete_function(assembly, piece, shape, first_block, first_instruction);
        } else {
            add_loose_blocks(assembly, piece);
        }
        add_gaps(assembly, piece);
    }
    assembly->first_block[layout->pieces.count] = (uint32_t)model->blocks.count;
    for (uint32_t i = 0; i < layout->pieces.count; i++)
        add_edges(assembly, i);
}

static void note_problems(struct assembly *assembly)
{
    struct layout *layout = assembly->layout;
    struct model *model = layout->model;
    for (size_t i = 0; i < layout->pieces.count; i++) {
        const struct shape *shape = &assembly->shapes[i];
        if (shape->unresolved_jumps)
            model_note_problem(model, layout->program, problem_kind_INDIRECT, shape->first_unresolved,
                               shape->unresolved_jumps, "indirect jumps whose targets were not found");
        if (shape->guessed_tables)
            model_note_problem(model, layout->program, problem_kind_TABLE, shape->first_guessed,
                               shape->guessed_tables, "jump tables whose size is a guess");
        if (shape->inner_jumps)
            model_note_problem(model, layout->program, problem_kind_OVERLAP, shape->first_inner,
                               shape->inner_jumps, "jumps into the middle of an instruction");
    }
}

/* Gaps in code sections that the file does not mark as data. */
static void note_undecoded(struct assembly *assembly, uint32_t first_gap)
{
    struct model *model = assembly->layout->model;
    for (uint32_t id = first_gap; id < model->gaps.count; id++) {
        const struct gap *gap = model_gap(model, id);
        model_note_problem(model, assembly->layout->program, problem_kind_UNDECODED, gap->address, gap->size,
                           "bytes of code sections that are no instruction");
    }
}

void layout_assemble(struct layout *layout, unsigned path_limit)
{
    unsigned workers = workers_count(layout->threads);
    struct assembly assembly = {.layout = layout, .imports = ARRAY_OF(uint32_t)};
    assembly.shapers = memory_get(workers * sizeof(struct shaper));
    assembly.shapes = memory_get((layout->pieces.count + 1) * sizeof(struct shape));
    assembly.first_block = memory_get((layout->pieces.count + 1) * sizeof(uint32_t));
    uint32_t first_gap = (uint32_t)layout->model->gaps.count;
    for (unsigned i = 0; i < workers; i++)
        shaper_init(&assembly.shapers[i], layout, path_limit);
    workers_run(layout->threads, layout->pieces.count, shape_one, &assembly);
    add_rows(&assembly);
    note_problems(&assembly);
    note_undecoded(&assembly, first_gap);
    for (unsigned i = 0; i < workers; i++)
        shaper_free(&assembly.shapers[i]);
    free(assembly.shapers);
    free(assembly.shapes);
    free(assembly.first_block);
    array_free(&assembly.imports);
}
