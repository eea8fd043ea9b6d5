/* Separates functions that run together.

   A function of unknown size is assumed to reach to the next known start, so functions that are never called
   by name are glued to the one before.  The layout reveals them: compilers lay out a function contiguously,
   so another one starts where

     - control does not come from the instruction before, which returns, jumps, traps, or calls what
       never does;
     - no jump leads over the place, or to it from before.  Jump tables that were read count as jumps.

   Padding before it is skipped.  Some jumps lead to other functions (tail calls) and do not count: jumps to
   the first known start, and unconditional jumps to a place that control does not reach otherwise, if there
   is other evidence that a function starts there or in between.  The evidence, strongest first:

     - another function jumps to the place;
     - the program holds its address (references.c), and it is not the case of a switch;
     - it begins like a function, with a landing mark for indirect calls or by making room on the stack.

   The same is asked for after a jump whose table could not be read (a place may be a case of the switch) and
   after bytes that do not decode (data).  Code that depends on the beginning of its function does not start
   another one: it frees stack that it has not allocated, or calls without having made room.  Examples are
   landing pads without a table, and code after a call that never returns if the compiler did not know that.

   Which functions never return depends on where functions are, so both are computed in turns.  A round skips
   pieces where no function was found before and nothing has changed since: almost all of them after the first
   round. */
#include "code/structure/callees.h"
#include "code/structure/references.h"
#include "code/structure/shape.h"
#include "code/structure/table_ends.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 6, MOST_STEPS = 256 };

/* Facts about a block of the piece. */
struct border {
    int32_t jumps_over, tail_calls_over; /* that lead over its beginning or to it from before, less those of
                                            the block before; tail calls are what may be one */
    bool is_fallen_into;
    bool is_case;      /* target of a jump table */
    bool is_jumped_to; /* by what may be a tail call */
};

/* Memory of one worker. */
struct divider {
    struct shaper shaper;
    struct array found;   /* of struct found_start */
    struct array borders; /* of struct border, by block */
};

struct division {
    struct layout *layout;
    struct array references; /* of uint64_t, sorted */
    struct divider *dividers;
};

/* One piece while it is searched for starts. */
struct view {
    const struct division *division;
    const struct layout *layout;
    const struct piece *piece;
    const struct sweep_instruction *entries;
    const struct shape *shape;
};

static bool is_divided(const struct piece *piece)
{
    return piece->is_function && !piece->is_size_known && piece->origin != origin_PLT && piece->count;
}

static bool writes_stack_pointer(const struct layout *layout, uint32_t encoding)
{
    unsigned count;
    const struct register_use *uses = meanings_uses(layout->meanings, layout->model, encoding, &count);
    for (unsigned i = 0; i < count; i++) {
        uint32_t full = model_full_register(layout->model, uses[i].register_);
        if (uses[i].access != access_READ &&
            !strcmp(model_text(layout->model, model_register(layout->model, full)->name),
                    layout->reader->values->stack_pointer))
            return true;
    }
    return false;
}

/* Marks for targets of indirect calls and of indirect jumps, such as gotos through a table of labels. */
static bool is_mark(const struct layout *layout, uint32_t encoding)
{
    return model_encoding(layout->model, encoding)->operation == operation_MARK;
}

static bool makes_room(const struct layout *layout, uint32_t encoding)
{
    const struct encoding *row = model_encoding(layout->model, encoding);
    return row->operation == operation_SIGN_RETURN ||
           ((row->operation == operation_PUSH || row->operation == operation_SUBTRACT ||
             row->class == class_STORE) &&
            writes_stack_pointer(layout, encoding));
}

/* Whether an instruction is one that functions begin with, and little else. */
static bool opens_function(const struct layout *layout, uint32_t encoding)
{
    return is_mark(layout, encoding) || makes_room(layout, encoding);
}

/* The entry after this one on the way on from a start, and UINT32_MAX where it ends: a jump is followed
   forwards, in the piece. */
static uint32_t next_entry(const struct view *view, uint32_t entry, uint8_t flow)
{
    if (flow == flow_RETURN || flow == flow_STOP)
        return UINT32_MAX;
    uint32_t next = entry + 1;
    if (flow == flow_JUMP)
        next = layout_index(view->layout, view->piece, view->entries[entry].target);
    return next > entry && next < view->piece->count ? next : UINT32_MAX;
}

/* Whether a function makes room on the stack before this call. */
static bool needs_room(const struct view *view, uint32_t call)
{
    enum call_room room = view->layout->reader->values->call_room;
    return room == CALL_ROOM_ALWAYS ||
           (room == CALL_ROOM_FOR_IMPORTS && callee_of(view->layout, view->piece, call).is_import);
}

/* Whether the code at an entry needs what only the beginning of its function has done: it gives room on the
   stack back, or needs some for a call, and has made none. */
static bool is_rest_of_function(const struct view *view, uint32_t entry)
{
    for (int steps = 0; steps < MOST_STEPS && entry != UINT32_MAX; steps++) {
        uint32_t encoding = view->entries[entry].encoding;
        uint8_t flow = model_encoding(view->layout->model, encoding)->flow;
        if (!encoding || opens_function(view->layout, encoding))
            return false;
        if (flow == flow_CALL ? needs_room(view, entry)
                              : flow == flow_NEXT && writes_stack_pointer(view->layout, encoding))
            return true;
        entry = next_entry(view, entry, flow);
    }
    return false;
}

/* First entry of the block that is not padding; the end of the block where all is. */
static uint32_t first_real_entry(const struct view *view, const struct shape_block *block)
{
    uint32_t entry = block->first;
    while (entry < block->first + block->count && layout_is_padding(view->layout, view->piece, entry))
        entry++;
    return entry;
}

static bool is_padding(const struct view *view, const struct shape_block *block)
{
    return first_real_entry(view, block) == block->first + block->count;
}

static void mark_falls(const struct view *view, struct border *borders)
{
    const struct shape *shape = view->shape;
    uint32_t edge = 0;
    borders[0].is_fallen_into = true;
    for (uint32_t i = 0; i < shape->block_count; i++) {
        bool falls = is_padding(view, &shape->blocks[i]) && borders[i].is_fallen_into;
        for (; edge < shape->edge_count && shape->edges[edge].source == i; edge++)
            falls |= shape->edges[edge].kind == edge_kind_FALL && !is_padding(view, &shape->blocks[i]);
        borders[i + 1].is_fallen_into = falls;
    }
}

static bool may_be_tail_call(const struct shape *shape, const struct shape_edge *edge,
                             const struct border *borders)
{
    if (edge->kind == edge_kind_SWITCH)
        return true; /* of the guessed end of a table */
    return edge->kind == edge_kind_TAKEN && shape->blocks[edge->source].ends == block_end_JUMP &&
           !borders[edge->target].is_fallen_into;
}

static void count_jumps_over(const struct shape *shape, struct border *borders)
{
    for (uint32_t i = 0; i < shape->edge_count; i++) {
        const struct shape_edge *edge = &shape->edges[i];
        if (edge->target == NO_NODE || edge->kind == edge_kind_FALL)
            continue;
        borders[edge->target].is_case |= edge->kind == edge_kind_SWITCH;
        if (edge->target == 0)
            continue;
        uint32_t low = edge->source < edge->target ? edge->source : edge->target;
        uint32_t high = edge->source < edge->target ? edge->target : edge->source;
        if (may_be_tail_call(shape, edge, borders)) {
            borders[edge->target].is_jumped_to |= edge->kind == edge_kind_TAKEN;
            borders[low + 1].tail_calls_over++;
            borders[high + 1].tail_calls_over--;
        } else {
            borders[low + 1].jumps_over++;
            borders[high + 1].jumps_over--;
        }
    }
}

/* Whether there is anything between two blocks except instructions and padding. */
static bool is_behind_data(const struct view *view, uint32_t number)
{
    const struct shape_block *before = &view->shape->blocks[number - 1];
    for (uint32_t i = before->first + before->count; i < view->shape->blocks[number].first; i++)
        if (!layout_is_padding(view->layout, view->piece, i))
            return true;
    return false;
}

/* A function that does nothing and that nothing leads to is more likely padding or data. */
static bool is_empty(const struct view *view, uint32_t entry)
{
    return model_encoding(view->layout->model, view->entries[entry].encoding)->flow == flow_RETURN;
}

/* Code that nobody would call: a trap, or a call that never returns, after another such call in case that
   returns. */
static bool is_guard(const struct view *view, uint32_t entry, const struct shape_block *block)
{
    uint8_t flow = model_encoding(view->layout->model, view->entries[entry].encoding)->flow;
    bool is_last = entry + 1 == block->first + block->count;
    return flow == flow_STOP || (flow == flow_CALL && is_last && block->ends == block_end_NO_RETURN);
}

struct doubt {
    bool is_behind_unknown; /* an unread table or data before it */
    bool is_called_over;    /* by jumps that may be tail calls */
    bool is_case, is_jumped_to;
};

static uint64_t address_of(const struct view *view, uint32_t entry)
{
    return layout_section_start(view->layout, view->piece) + view->entries[entry].offset;
}

/* A function may begin with a no-op: then its address is somewhere in what looks like padding. */
static uint32_t referenced_entry(const struct view *view, uint32_t first, uint32_t entry)
{
    for (uint32_t i = first; i < entry; i++)
        if (layout_has_address(&view->division->references, address_of(view, i)))
            return i;
    return entry;
}

/* Why a function starts at the entry; origin_COUNT if none does. */
static struct found_start judge(const struct view *view, uint32_t entry, const struct doubt *doubt)
{
    struct found_start start = {address_of(view, entry), origin_COUNT};
    /* What a table has, or what lies behind a jump that was not read, may be the label of a goto though it
       has a mark: what follows has to tell. */
    bool is_label = (doubt->is_behind_unknown || doubt->is_case) &&
                    is_mark(view->layout, view->entries[entry].encoding) && entry + 1 < view->piece->count;
    bool opens = is_label ? makes_room(view->layout, view->entries[entry + 1].encoding)
                          : opens_function(view->layout, view->entries[entry].encoding);
    bool is_doubtful = doubt->is_behind_unknown || doubt->is_called_over;
    if (layout_has_address(&view->layout->entries, start.address))
        start.origin = origin_CALL;
    else if (layout_has_address(&view->division->references, start.address) && !doubt->is_case &&
             (opens || !doubt->is_behind_unknown))
        start.origin = origin_REFERENCE;
    else if (opens || (!is_doubtful && !is_rest_of_function(view, entry)))
        start.origin = doubt->is_jumped_to ? origin_CALL : is_empty(view, entry) ? origin_COUNT : origin_GAP;
    return start;
}

static void find_borders(const struct view *view, struct divider *divider)
{
    const struct shape *shape = view->shape;
    divider->borders.count = 0;
    struct border *borders = array_add_many(&divider->borders, shape->block_count + 1);
    int32_t jumps_over = 0, tail_calls_over = 0;
    bool is_behind_unknown = false;
    mark_falls(view, borders);
    count_jumps_over(shape, borders);
    for (uint32_t i = 0; i < shape->block_count; i++) {
        const struct shape_block *block = &shape->blocks[i];
        uint32_t entry = first_real_entry(view, block);
        jumps_over += borders[i].jumps_over;
        tail_calls_over += borders[i].tail_calls_over;
        is_behind_unknown |= i && is_behind_data(view, i);
        if (!borders[i].is_fallen_into && !jumps_over && !is_padding(view, block) &&
            !is_guard(view, entry, block)) {
            struct doubt doubt = {.is_behind_unknown = is_behind_unknown,
                                  .is_called_over = tail_calls_over > 0,
                                  .is_case = borders[i].is_case,
                                  .is_jumped_to = borders[i].is_jumped_to};
            struct found_start start = judge(view, referenced_entry(view, block->first, entry), &doubt);
            if (start.origin != origin_COUNT) {
                *(struct found_start *)array_add(&divider->found) = start;
                is_behind_unknown = false;
            }
        }
        is_behind_unknown |= block->ends == block_end_INDIRECT;
    }
}

/* Where a jump table ends depends on the code after the function (table_ends.c). */
static uint64_t hash_followers(uint64_t hash, const struct layout *layout, const struct piece *piece)
{
    const struct piece *end = layout_piece(layout, 0) + layout->pieces.count;
    for (uint64_t entries = 0; piece < end && entries < TABLE_END_ENTRIES; piece++) {
        hash = hash_mix(hash, piece->start);
        entries += piece->count;
    }
    return hash;
}

/* Everything that the division of a piece depends on and that rounds change, in one number that is not 0: its
   bounds, what leads into it, what it calls and jumps to, and the pieces after it if it may have a jump
   table. */
static uint64_t circumstances(const struct view *view)
{
    const struct layout *layout = view->layout;
    const struct piece *piece = view->piece;
    uint64_t hash = hash_mix(piece->start, piece->end);
    bool has_indirect_jump = false;
    size_t at = layout_first_address(&layout->entries, piece->start);
    for (; at < layout->entries.count && *ARRAY_AT(uint64_t, &layout->entries, at) < piece->end; at++)
        hash = hash_mix(hash, *ARRAY_AT(uint64_t, &layout->entries, at));
    for (uint32_t i = 0; i < piece->count; i++) {
        uint8_t flow = model_encoding(layout->model, view->entries[i].encoding)->flow;
        if (flow != flow_CALL && flow != flow_JUMP && flow != flow_BRANCH)
            continue;
        has_indirect_jump |= flow == flow_JUMP && view->entries[i].target == NO_ADDRESS;
        struct callee callee = callee_of(layout, piece, i);
        if (callee.piece)
            hash = hash_mix(hash, callee.piece->start << 1 | callee.piece->returns);
    }
    return (has_indirect_jump ? hash_followers(hash, layout, piece) : hash) | 1;
}

static void divide_one(void *context, size_t number, unsigned worker)
{
    struct division *division = context;
    struct layout *layout = division->layout;
    struct divider *divider = &division->dividers[worker];
    struct piece *piece = layout_piece(layout, number);
    if (!is_divided(piece))
        return;
    struct shape shape;
    struct view view = {.division = division,
                        .layout = layout,
                        .piece = piece,
                        .entries = layout_instructions(layout, piece),
                        .shape = &shape};
    uint64_t divided_by = circumstances(&view);
    if (piece->divided_by == divided_by)
        return;
    size_t found = divider->found.count;
    shape_find(&divider->shaper, piece, &shape);
    find_borders(&view, divider);
    arena_empty(&divider->shaper.arena);
    piece->divided_by = divider->found.count == found ? divided_by : 0;
}

/* One round: whether functions were found. */
static bool divide(struct division *division)
{
    struct layout *layout = division->layout;
    unsigned workers = workers_count(layout->threads);
    struct array found = ARRAY_OF(struct found_start);
    division->dividers = memory_get(workers * sizeof(struct divider));
    for (unsigned i = 0; i < workers; i++) {
        struct divider *divider = &division->dividers[i];
        shaper_init(&divider->shaper, layout, 0);
        divider->found = ARRAY_OF(struct found_start);
        divider->borders = ARRAY_OF(struct border);
    }
    workers_run(layout->threads, layout->pieces.count, divide_one, division);
    for (unsigned i = 0; i < workers; i++) {
        struct divider *divider = &division->dividers[i];
        if (divider->found.count)
            memcpy(array_add_many(&found, divider->found.count), divider->found.data,
                   divider->found.count * sizeof(struct found_start));
        shaper_free(&divider->shaper);
        array_free(&divider->found);
        array_free(&divider->borders);
    }
    free(division->dividers);
    bool is_found = found.count > 0;
    if (is_found) {
        layout_cut(layout, &found);
        layout_search_again(layout);
    }
    array_free(&found);
    return is_found;
}

/* In a listing, labels show where functions start; on IA-64, jump tables of binaries are not read. */
static bool is_wanted(const struct layout *layout)
{
    if (model_program(layout->model, layout->program)->format == format_LISTING || !layout->reader->values)
        return false;
    for (size_t i = 0; i < layout->pieces.count; i++)
        if (is_divided(layout_piece(layout, i)))
            return true;
    return false;
}

void layout_divide(struct layout *layout)
{
    if (!is_wanted(layout)) {
        layout_find_returns(layout);
        return;
    }
    layout_search_again(layout);
    struct division division = {.layout = layout, .references = references_find(layout)};
    divide(&division);
    layout_find_returns(layout);
    for (int round = 1; round < MOST_ROUNDS && divide(&division); round++)
        layout_find_returns(layout);
    layout_trim_padding(layout);
    array_free(&division.references);
}
