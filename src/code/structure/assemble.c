/* Turns shapes into rows.

   Pieces are processed in groups, in order of address.  Workers shape the pieces of a group in any order.
   Then every piece gets its places in the tables, and the workers write the rows there: ids are local numbers
   plus the piece's first ones, so the tables do not depend on which worker did what.  The shapes of a group
   and its decoded instructions are freed before the next group, so only one group at a time exists both as
   shapes and as rows; with many millions of instructions that matters.  Edges to other pieces wait until all
   blocks have their ids. */
#include "code/structure/shape.h"

#include "base/progress.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 1 << 14 }; /* pieces per group */

/* Where the rows of a piece start in each table. */
struct places {
    uint32_t block, instruction, loop;     /* ids */
    uint32_t membership, path, path_block; /* indexes */
};

/* An edge to a piece whose blocks may have no ids yet. */
struct waiting_edge {
    uint64_t address;
    struct edge edge;
};

struct assembly {
    struct layout *layout;
    struct shaper *shapers; /* one for each worker */
    size_t first, count;    /* pieces of the group */
    struct shape *shapes;   /* one for each piece of the group */
    struct places *places;  /* one for each piece of the group, and the end */
    uint32_t *first_blocks; /* one for each piece of all groups, and the end */
    struct array waiting;   /* of struct waiting_edge, by source */
    struct array imports;   /* of uint32_t: row of functions for a string id, 0 for none */
    uint64_t unreached, first_unreached;
    size_t *written; /* for each stream: its entries that are rows */
};

static struct piece *piece_of(const struct assembly *assembly, size_t number)
{
    return layout_piece(assembly->layout, assembly->first + number);
}

static void shape_one(void *context, size_t number, unsigned worker)
{
    struct assembly *assembly = context;
    struct piece *piece = piece_of(assembly, number);
    if (piece->is_function && layout_is_chosen(assembly->layout, piece))
        shape_find(&assembly->shapers[worker], piece, &assembly->shapes[number]);
    if (worker == 0)
        progress_tell("finding loops", assembly->first + number, assembly->layout->pieces.count);
}

/* Code between functions: runs of instructions, one block each.  Returns the end of the run at or after
   first, and its start in *first; equal at the end of the piece. */
static uint32_t next_run(const struct sweep_instruction *entries, uint32_t count, uint32_t *first)
{
    while (*first < count && !entries[*first].encoding)
        ++*first;
    uint32_t end = *first;
    while (end < count && entries[end].encoding)
        end++;
    return end;
}

static void count_piece(const struct assembly *assembly, size_t number, struct places *at)
{
    const struct piece *piece = piece_of(assembly, number);
    const struct shape *shape = &assembly->shapes[number];
    const struct sweep_instruction *entries = layout_instructions(assembly->layout, piece);
    for (uint32_t i = 0; i < shape->block_count; i++)
        at->instruction += shape->blocks[i].count;
    at->block += shape->block_count;
    at->loop += shape->loop_count;
    at->membership += shape->membership_count;
    at->path += shape->path_count;
    at->path_block += shape->path_block_count;
    if (piece->is_function || !layout_is_chosen(assembly->layout, piece))
        return;
    for (uint32_t first = 0, end; end = next_run(entries, piece->count, &first), end > first; first = end) {
        at->block++;
        at->instruction += end - first;
    }
}

/* The id after the last instruction of all blocks. */
static uint32_t next_instruction(const struct model *model)
{
    const struct block *last = model_block(model, model_last(&model->blocks));
    return model->blocks.count > 1 ? last->first_instruction + last->instruction_count : 1;
}

static void place_rows(struct assembly *assembly)
{
    struct model *model = assembly->layout->model;
    struct places at = {.block = (uint32_t)model->blocks.count,
                        .instruction = next_instruction(model),
                        .loop = (uint32_t)model->loops.count,
                        .membership = (uint32_t)model->loop_blocks.count,
                        .path = (uint32_t)model->paths.count,
                        .path_block = (uint32_t)model->path_blocks.count};
    for (size_t i = 0; i < assembly->count; i++) {
        assembly->places[i] = at;
        assembly->first_blocks[assembly->first + i] = at.block;
        count_piece(assembly, i, &at);
    }
    assembly->places[assembly->count] = at;
    assembly->first_blocks[assembly->first + assembly->count] = at.block;
    model_extend(&model->blocks, at.block);
    if (assembly->layout->keeps_code)
        model_extend(&model->code, at.instruction);
    model_extend(&model->loops, at.loop);
    model_extend(&model->loop_blocks, at.membership);
    model_extend(&model->paths, at.path);
    model_extend(&model->path_blocks, at.path_block);
}

/* Entries [first, first + count) of the piece as a block and its instructions. */
static struct block *write_block(const struct layout *layout, const struct piece *piece, uint32_t id,
                                 uint32_t instruction, uint32_t first, uint32_t count)
{
    struct model *model = layout->model;
    const struct sweep_instruction *entries = layout_instructions(layout, piece) + first;
    const struct section *section = model_section(model, piece->section);
    const struct encoding *last = model_encoding(model, entries[count - 1].encoding);
    struct block *block = model_block(model, id);
    *block = (struct block){.function = piece->function,
                            .section = piece->section,
                            .address = section->address + entries[0].offset,
                            .size = entries[count - 1].offset + last->size - entries[0].offset,
                            .first_instruction = instruction,
                            .instruction_count = count};
    if (!layout->keeps_code)
        return block;
    struct instruction *rows = model_instruction(model, instruction);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = (struct instruction){.block = id,
                                       .offset = entries[i].offset - entries[0].offset,
                                       .encoding = entries[i].encoding,
                                       .target = entries[i].target};
    return block;
}

static void write_function_blocks(const struct layout *layout, const struct piece *piece,
                                  const struct shape *shape, struct places at)
{
    uint32_t instruction = at.instruction;
    for (uint32_t i = 0; i < shape->block_count; i++) {
        const struct shape_block *found = &shape->blocks[i];
        struct block *block =
            write_block(layout, piece, at.block + i, instruction, found->first, found->count);
        instruction += found->count;
        block->position = i + 1;
        block->ends = found->ends;
        block->is_reachable = found->is_reachable;
        block->dominator = found->dominator == NO_NODE ? 0 : at.block + found->dominator;
        block->dominator_position = found->dominator == NO_NODE ? 0 : found->dominator + 1;
        block->dom_enter = found->dom_enter;
        block->dom_leave = found->dom_leave;
        block->loop = found->loop == NO_NODE ? 0 : at.loop + found->loop;
        block->most_repeats = found->most_repeats;
    }
}

static void write_loose_blocks(const struct layout *layout, const struct piece *piece, struct places at)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t first = 0, end; end = next_run(entries, piece->count, &first), end > first; first = end) {
        write_block(layout, piece, at.block++, at.instruction, first, end - first);
        at.instruction += end - first;
    }
}

static void write_loops(struct model *model, const struct piece *piece, const struct shape *shape,
                        struct places at)
{
    for (uint32_t i = 0; i < shape->loop_count; i++) {
        const struct shape_loop *found = &shape->loops[i];
        *model_loop(model, at.loop + i) =
            (struct loop){.function = piece->function,
                          .header = at.block + found->graph.header,
                          .parent = found->graph.parent == NO_NODE ? 0 : at.loop + found->graph.parent,
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
        *model_loop_block(model, at.membership + i) =
            (struct loop_block){at.loop + shape->memberships[i].loop, at.block + shape->memberships[i].block};
    uint32_t last_loop = NO_NODE, position = 0;
    for (uint32_t i = 0; i < shape->path_count; i++) {
        const struct shape_path *found = &shape->paths[i];
        position = found->loop == last_loop ? position + 1 : 1;
        last_loop = found->loop;
        *model_path(model, at.path + i) = (struct path){.loop = at.loop + found->loop,
                                                        .position = position,
                                                        .is_exit = found->is_exit,
                                                        .instruction_count = found->instruction_count};
        for (uint32_t step = 0; step < found->length; step++)
            *model_path_block(model, at.path_block++) =
                (struct path_block){at.loop + found->loop, position, step + 1,
                                    at.block + shape->path_blocks[found->first + step]};
    }
}

static void complete_function(const struct assembly *assembly, size_t number)
{
    const struct piece *piece = piece_of(assembly, number);
    const struct shape *shape = &assembly->shapes[number];
    const struct places *at = &assembly->places[number];
    struct model *model = assembly->layout->model;
    struct function *function = model_function(model, piece->function);
    function->returns = piece->returns;
    function->first_block = shape->block_count ? at->block : 0;
    function->block_count = shape->block_count;
    function->instruction_count = at[1].instruction - at->instruction;
    function->loop_count = shape->loop_count;
    if (shape->block_count) {
        const struct block *last = model_block(model, at[1].block - 1);
        function->size = last->address + last->size - function->address;
    }
}

/* A function that a part calls: it has no blocks. */
static void complete_callee(const struct assembly *assembly, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(assembly->layout, piece);
    struct function *function = model_function(assembly->layout->model, piece->function);
    function->returns = piece->returns;
    for (uint32_t i = 0; i < piece->count; i++)
        function->instruction_count += entries[i].encoding != 0;
}

static void write_piece(void *context, size_t number, unsigned worker)
{
    struct assembly *assembly = context;
    const struct layout *layout = assembly->layout;
    const struct piece *piece = piece_of(assembly, number);
    const struct shape *shape = &assembly->shapes[number];
    (void)worker;
    if (!layout_is_chosen(layout, piece)) {
        if (piece->function)
            complete_callee(assembly, piece);
    } else if (piece->is_function) {
        write_function_blocks(layout, piece, shape, assembly->places[number]);
        write_loops(layout->model, piece, shape, assembly->places[number]);
        complete_function(assembly, number);
    } else {
        write_loose_blocks(layout, piece, assembly->places[number]);
    }
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

/* Sorts the edges of an array from first on and removes duplicates. */
static void sort_edges(struct array *edges, size_t first)
{
    struct edge *rows = array_at(edges, first);
    size_t count = edges->count - first, kept = 0;
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = by_edge(&rows[i - 1], &rows[i]) <= 0;
    if (!is_sorted)
        qsort(rows, count, sizeof *rows, by_edge);
    for (size_t i = 0; i < count; i++)
        if (!kept || by_edge(&rows[kept - 1], &rows[i]))
            rows[kept++] = rows[i];
    edges->count = first + kept;
}

static void add_edges(struct assembly *assembly, size_t number)
{
    struct array *table = &assembly->layout->model->edges;
    const struct shape *shape = &assembly->shapes[number];
    uint32_t first_block = assembly->places[number].block;
    size_t first = table->count;
    for (uint32_t i = 0; i < shape->edge_count; i++) {
        const struct shape_edge *found = &shape->edges[i];
        struct edge edge = {.source = first_block + found->source, .kind = found->kind};
        if (found->target != NO_NODE) {
            edge.target = first_block + found->target;
            *(struct edge *)array_push(table) = edge;
        } else {
            *(struct waiting_edge *)array_push(&assembly->waiting) =
                (struct waiting_edge){found->outside, edge};
        }
    }
    sort_edges(table, first);
}

static void resolve_edge(void *context, size_t number, unsigned worker)
{
    const struct assembly *assembly = context;
    const struct layout *layout = assembly->layout;
    struct waiting_edge *waiting = array_at(&assembly->waiting, number);
    const struct piece *piece = layout_find(layout, waiting->address);
    (void)worker;
    if (!piece)
        return;
    const uint32_t *blocks = &assembly->first_blocks[piece - layout_piece(layout, 0)];
    waiting->edge.target = layout_block_at(layout, blocks[0], blocks[1], waiting->address);
}

/* Both are in order, and no edge is in both: one stays in its piece, the other does not. */
static void merge_edges(struct array *table, size_t first, const struct array *added)
{
    size_t from = table->count, left = added->count;
    array_push_many(table, left);
    struct edge *rows = table->data;
    const struct edge *news = added->data;
    for (size_t to = table->count; left;)
        rows[--to] =
            from > first && by_edge(&rows[from - 1], &news[left - 1]) > 0 ? rows[--from] : news[--left];
}

/* All blocks are there. */
static void add_waiting_edges(struct assembly *assembly)
{
    struct layout *layout = assembly->layout;
    struct array edges = ARRAY_OF(struct edge);
    workers_run(layout->threads, assembly->waiting.count, resolve_edge, assembly);
    for (size_t i = 0; i < assembly->waiting.count; i++) {
        const struct edge *edge = &ARRAY_AT(struct waiting_edge, &assembly->waiting, i)->edge;
        if (edge->target)
            *(struct edge *)array_push(&edges) = *edge;
    }
    sort_edges(&edges, 0);
    merge_edges(&layout->model->edges, layout->first_edge, &edges);
    array_free(&edges);
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

static void add_calls(struct assembly *assembly, size_t number)
{
    struct model *model = assembly->layout->model;
    const struct piece *piece = piece_of(assembly, number);
    const struct shape *shape = &assembly->shapes[number];
    uint32_t block = 0;
    for (uint32_t i = 0; i < shape->call_count; i++) {
        const struct shape_call *found = &shape->calls[i];
        while (found->entry >= shape->blocks[block].first + shape->blocks[block].count)
            block++;
        const struct block *row = model_block(model, assembly->places[number].block + block);
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

static void note_shape_problems(struct assembly *assembly, const struct shape *shape)
{
    struct model *model = assembly->layout->model;
    uint32_t program = assembly->layout->program;
    if (shape->unresolved_jumps)
        model_note_problem(model, program, problem_kind_INDIRECT, shape->first_unresolved,
                           shape->unresolved_jumps, "indirect jumps with unknown targets");
    if (shape->guessed_tables)
        model_note_problem(model, program, problem_kind_TABLE, shape->first_guessed, shape->guessed_tables,
                           "jump tables of guessed size");
    if (shape->inner_jumps)
        model_note_problem(model, program, problem_kind_OVERLAP, shape->first_inner, shape->inner_jumps,
                           "jumps into the middle of an instruction");
    if (shape->deep_blocks)
        model_note_problem(model, program, problem_kind_LIMIT, NO_ADDRESS, shape->deep_blocks,
                           "blocks inside more loops than Assay lists for a block");
}

/* Gaps in code sections that the file does not mark as data. */
static void note_undecoded(struct assembly *assembly, uint32_t first_gap)
{
    struct model *model = assembly->layout->model;
    for (uint32_t id = first_gap; id < model->gaps.count; id++) {
        const struct gap *gap = model_gap(model, id);
        model_note_problem(model, assembly->layout->program, problem_kind_UNDECODED, gap->address, gap->size,
                           "bytes of code sections that do not decode to an instruction");
    }
}

/* Instructions of a block that matter: not padding, and not a single trap, which guards the end of a
   function. */
static uint32_t count_meaningful(const struct layout *layout, const struct piece *piece,
                                 const struct shape_block *block)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    uint32_t count = 0, last = block->first + block->count - 1;
    for (uint32_t i = block->first; i <= last; i++)
        count += !layout_is_padding(layout, piece, i);
    bool is_trap = model_encoding(layout->model, entries[last].encoding)->flow == flow_STOP;
    return count == 1 && is_trap ? 0 : count;
}

/* An unrecognised function is inside the one before it, as code that nothing reaches. */
static void count_unreached(struct assembly *assembly, size_t number)
{
    const struct layout *layout = assembly->layout;
    const struct piece *piece = piece_of(assembly, number);
    const struct shape *shape = &assembly->shapes[number];
    for (uint32_t b = 0; piece->is_function && piece->is_guessed && b < shape->block_count; b++) {
        if (shape->blocks[b].is_reachable)
            continue;
        uint32_t meaningful = count_meaningful(layout, piece, &shape->blocks[b]);
        if (meaningful && !assembly->unreached)
            assembly->first_unreached =
                model_block(layout->model, assembly->places[number].block + b)->address;
        assembly->unreached += meaningful;
    }
}

/* The decoded instructions of the group are rows now.  Each worker swept pieces in order of address, so
   everything before the last one in its stream is written.  The last stream is not in order, but small. */
static void release_entries(struct assembly *assembly)
{
    struct layout *layout = assembly->layout;
    for (size_t i = 0; i < assembly->count; i++) {
        const struct piece *piece = piece_of(assembly, i);
        assembly->written[piece->stream] = piece->first + piece->count;
    }
    for (unsigned i = 0; i + 1 < layout->stream_count; i++)
        array_release(&layout->streams[i], assembly->written[i]);
}

static void write_group(struct assembly *assembly)
{
    const struct layout *layout = assembly->layout;
    memset(assembly->shapes, 0, assembly->count * sizeof(struct shape));
    workers_run(layout->threads, assembly->count, shape_one, assembly);
    place_rows(assembly);
    workers_run(layout->threads, assembly->count, write_piece, assembly);
    for (size_t i = 0; i < assembly->count; i++) {
        add_edges(assembly, i);
        add_calls(assembly, i);
        if (!layout_is_invented(layout) && layout_is_chosen(layout, piece_of(assembly, i)))
            add_gaps(assembly, piece_of(assembly, i));
        note_shape_problems(assembly, &assembly->shapes[i]);
        count_unreached(assembly, i);
    }
    for (unsigned i = 0; i < workers_count(layout->threads); i++)
        arena_empty(&assembly->shapers[i].arena);
    if (!layout->part) /* else the streams are not in order */
        release_entries(assembly);
}

static void write_rows(struct assembly *assembly)
{
    struct layout *layout = assembly->layout;
    uint32_t first_gap = (uint32_t)layout->model->gaps.count;
    layout->first_block = (uint32_t)layout->model->blocks.count;
    layout->first_instruction = (uint32_t)layout->model->code.count;
    layout->first_edge = (uint32_t)layout->model->edges.count;
    for (size_t pieces = layout->pieces.count; assembly->first < pieces; assembly->first += GROUP) {
        assembly->count = pieces - assembly->first < GROUP ? pieces - assembly->first : GROUP;
        write_group(assembly);
    }
    add_waiting_edges(assembly);
    note_undecoded(assembly, first_gap);
    if (assembly->unreached)
        model_note_problem(layout->model, layout->program, problem_kind_UNREACHED, assembly->first_unreached,
                           assembly->unreached,
                           "instructions in functions of guessed size that nothing is known to reach");
}

void layout_assemble(struct layout *layout, unsigned path_limit)
{
    unsigned workers = workers_count(layout->threads);
    size_t pieces = layout->pieces.count, group = pieces < GROUP ? pieces : GROUP;
    struct assembly assembly = {
        .layout = layout, .waiting = ARRAY_OF(struct waiting_edge), .imports = ARRAY_OF(uint32_t)};
    assembly.shapers = memory_get(workers * sizeof(struct shaper));
    assembly.shapes = memory_get((group + 1) * sizeof(struct shape));
    assembly.places = memory_get((group + 1) * sizeof(struct places));
    assembly.first_blocks = memory_get((pieces + 1) * sizeof(uint32_t));
    assembly.written = memory_get(layout->stream_count * sizeof(size_t));
    for (unsigned i = 0; i < workers; i++)
        shaper_init(&assembly.shapers[i], layout, path_limit);
    write_rows(&assembly);
    for (unsigned i = 0; i < workers; i++)
        shaper_free(&assembly.shapers[i]);
    free(assembly.shapers);
    free(assembly.shapes);
    free(assembly.places);
    free(assembly.first_blocks);
    free(assembly.written);
    array_free(&assembly.waiting);
    array_free(&assembly.imports);
}
