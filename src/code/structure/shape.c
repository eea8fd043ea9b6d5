/* Finds the shape of one function: its blocks, edges, calls, loops and paths.

   The function is a piece of the layout: a run of decoded instructions, the entries.  Everything in a shape
   is a number of an entry or of a block, counted from 0 in the function.  assemble.c turns these numbers into
   ids of rows.  The steps, each of which needs the ones before:

     1. Leaders.  An entry leads if a block must start there (shape.h has the rule).  The first pass over the
        code sees direct jumps and calls, and notes which function each call reaches (shape_calls.c).
     2. Indirect jumps.  Their targets are in jump tables.  Finding a table needs the jumps that are known so
        far, and a table found adds to them, so this goes in rounds (shape_tables.c).  labels.c adds leaders
        that only the labels of a listing show.
     3. Blocks.  All leaders are known, so one pass cuts the code.
     4. Edges, and how each block ends (shape_edges.c).  The tail calls appear here.
     5. Dominators, loops and paths of the graph of blocks (shape_loops.c).

   What holds afterwards:

     - Every entry that decodes is in exactly one block.  Bytes that do not decode and tables that lie in the
       code are in none, and no edge leads there.
     - Blocks are in order of address, and edges in order of their source block.
     - An edge inside the function leads to the first entry of a block.  Other edges hold the address of their
       target, which assemble.c looks up when all blocks have ids.
     - Calls are in order of address.  A call has a callee in this program, or the name of an import, or
       neither if the callee is unknown.
     - A shaper belongs to one worker.  The layout stays as it is, with one exception: entries of this piece
       that turn out to be a table lose their encoding.  Functions are shaped more than once (divide.c, then
       assemble.c), and the later time does not take the table for code.

   What it cannot do: an indirect jump whose table is not found has no edges, so code after it may look
   unreachable; the jump is counted as unresolved.  A jump into the middle of an instruction counts as one to
   its start, so code that overlaps itself is seen in one way only.  Ways that no instruction shows (signals,
   longjmp) have no edges; an exception has one if its call has a landing pad.  A function and its cold part
   are two pieces with a shape each: a loop that goes through both is not found. */
#include "code/structure/shape_parts.h"

#include "code/structure/labels.h"

#include <stdlib.h>

void shaper_init(struct shaper *shaper, struct layout *layout, unsigned path_limit)
{
    *shaper = (struct shaper){.layout = layout,
                              .path_limit = path_limit,
                              .flags = ARRAY_OF(uint8_t),
                              .jumps = ARRAY_OF(struct jump_source),
                              .targets = ARRAY_OF(uint64_t),
                              .blocks = ARRAY_OF(struct shape_block),
                              .edges = ARRAY_OF(struct shape_edge),
                              .calls = ARRAY_OF(struct shape_call),
                              .block_of = ARRAY_OF(uint32_t),
                              .switch_edges = ARRAY_OF(struct switch_edge),
                              .first = ARRAY_OF(uint32_t),
                              .graph_targets = ARRAY_OF(uint32_t),
                              .numbers = ARRAY_OF(uint32_t),
                              .marks = ARRAY_OF(uint8_t),
                              .loops = ARRAY_OF(struct graph_loop),
                              .memberships = ARRAY_OF(struct shape_membership),
                              .paths = ARRAY_OF(struct shape_path),
                              .path_blocks = ARRAY_OF(uint32_t),
                              .open_jumps = ARRAY_OF(struct open_jump),
                              .open_entries = ARRAY_OF(uint32_t),
                              .found_targets = ARRAY_OF(uint64_t)};
}

void shaper_free(struct shaper *shaper)
{
    struct array *arrays[] = {
        &shaper->flags,        &shaper->jumps,         &shaper->targets,     &shaper->blocks,
        &shaper->edges,        &shaper->calls,         &shaper->block_of,    &shaper->switch_edges,
        &shaper->first,        &shaper->graph_targets, &shaper->numbers,     &shaper->loops,
        &shaper->memberships,  &shaper->paths,         &shaper->path_blocks, &shaper->open_jumps,
        &shaper->open_entries, &shaper->found_targets, &shaper->marks};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        array_free(arrays[i]);
    graph_scratch_free(&shaper->graph_scratch);
    arena_free(&shaper->arena);
}

static void find_leaders(struct shape_work *work)
{
    shape_lead(work, 0);
    for (uint32_t i = 0; i < work->piece->count; i++) {
        if (!work->entries[i].encoding) {
            shape_lead(work, i + 1);
            continue;
        }
        switch (shape_encoding(work, i)->flow) {
        case flow_JUMP:
        case flow_BRANCH:
            shape_lead(work, i + 1);
            if (shape_is_direct(work, i) && shape_is_inside(work, work->entries[i].target)) {
                uint32_t target = shape_entry_at(work, work->entries[i].target);
                shape_lead(work, target);
                *(struct jump_source *)array_push(&work->shaper->jumps) = (struct jump_source){target, i};
            }
            break;
        case flow_RETURN:
        case flow_STOP:
            shape_lead(work, i + 1);
            break;
        case flow_CALL:
            shape_note_call(work, i);
            break;
        default:
            break;
        }
    }
}

static void mark_entries(struct shape_work *work)
{
    const struct array *entries = &work->layout->entries;
    size_t low = layout_first_address(entries, work->piece->start);
    for (; low < entries->count && *ARRAY_AT(uint64_t, entries, low) < work->piece->end; low++) {
        uint32_t entry = shape_entry_at(work, *ARRAY_AT(uint64_t, entries, low));
        work->flags[entry] |= LEADER | ENTRY;
    }
}

/* Blocks that the compiler states are blocks, whether anything jumps there or not. */
static void mark_stated_blocks(struct shape_work *work)
{
    const struct array *stated = &work->layout->stated_blocks;
    size_t i = layout_first_address(stated, work->piece->start);
    for (; i < stated->count && *ARRAY_AT(uint64_t, stated, i) < work->piece->end; i++)
        shape_lead(work, layout_index(work->layout, work->piece, *ARRAY_AT(uint64_t, stated, i)));
}

static void cut_blocks(struct shape_work *work)
{
    struct shaper *shaper = work->shaper;
    uint32_t *block_of = array_add_many(&shaper->block_of, work->piece->count);
    bool is_open = false;
    for (uint32_t i = 0; i < work->piece->count; i++) {
        block_of[i] = NO_NODE;
        if (!work->entries[i].encoding) {
            is_open = false;
            continue;
        }
        if (!is_open || (work->flags[i] & LEADER)) {
            struct shape_block *block = array_push(&shaper->blocks);
            *block = (struct shape_block){.first = i, .loop = NO_NODE, .dominator = NO_NODE};
            is_open = true;
        }
        block_of[i] = (uint32_t)shaper->blocks.count - 1;
        ARRAY_AT(struct shape_block, &shaper->blocks, block_of[i])->count++;
    }
}

static int by_entry(const void *a, const void *b)
{
    const struct shape_call *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

void shape_find(struct shaper *shaper, struct piece *piece, struct shape *shape)
{
    struct array *reused[] = {&shaper->flags,        &shaper->jumps,      &shaper->blocks,
                              &shaper->edges,        &shaper->calls,      &shaper->block_of,
                              &shaper->switch_edges, &shaper->open_jumps, &shaper->open_entries,
                              &shaper->found_targets};
    for (size_t i = 0; i < sizeof reused / sizeof reused[0]; i++)
        reused[i]->count = 0;
    *shape = (struct shape){0};
    if (!piece->count)
        return;
    struct shape_work work = {.shaper = shaper,
                              .layout = shaper->layout,
                              .piece = piece,
                              .entries = layout_instructions(shaper->layout, piece),
                              .section_start = layout_section_start(shaper->layout, piece),
                              .shape = shape};
    work.flags = array_add_many(&shaper->flags, piece->count + 1);
    find_leaders(&work);
    mark_entries(&work);
    mark_stated_blocks(&work);
    shape_prepare_search(&work);
    shape_complete_calls(&work);
    shape_find_tables(&work);
    labels_lead(shaper, piece);
    cut_blocks(&work);
    shape_find_edges(&work);
    if (shaper->calls.count)
        qsort(shaper->calls.data, shaper->calls.count, sizeof(struct shape_call), by_entry);
    shape->blocks = shape_keep(shaper, &shaper->blocks);
    shape->block_count = (uint32_t)shaper->blocks.count;
    shape->edges = shape_keep(shaper, &shaper->edges);
    shape->edge_count = (uint32_t)shaper->edges.count;
    shape->calls = shape_keep(shaper, &shaper->calls);
    shape->call_count = (uint32_t)shaper->calls.count;
    labels_enter(shaper, piece, shape);
    shape_find_loops(shaper, piece, shape);
}
