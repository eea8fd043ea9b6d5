/* The edges between blocks, how each block ends, and tail calls.

   The last instruction of a block decides.  A jump out of the function is a tail call if it reaches the entry
   of another one.  Otherwise it is an edge to an address in another piece, for example to the cold part of
   the function.  Whether an indirect jump is a switch or a tail call is known from the search for tables. */
#include "code/structure/shape_parts.h"

static void add_edge(struct shape_work *work, uint32_t source, uint32_t entry, uint64_t outside,
                     enum edge_kind kind)
{
    uint32_t target = NO_NODE;
    if (entry != UINT32_MAX) {
        target = *ARRAY_AT(uint32_t, &work->shaper->block_of, entry);
        if (target == NO_NODE) /* leads into bytes that are not instructions */
            return;
    }
    *(struct shape_edge *)array_push(&work->shaper->edges) =
        (struct shape_edge){source, target, outside, (uint8_t)kind};
}

static void add_fall(struct shape_work *work, uint32_t source, uint32_t last)
{
    if (last + 1 < work->piece->count)
        add_edge(work, source, last + 1, 0, edge_kind_FALL);
}

/* The edge of a jump or branch that leaves the function, and the call that it may be. */
static enum block_end leave(struct shape_work *work, uint32_t source, uint32_t last)
{
    if (work->piece->origin == origin_PLT) /* to the common part of the stubs: the linker's matter */
        return block_end_TAIL_CALL;
    struct callee callee = shape_callee(work, last);
    uint64_t target = shape_is_direct(work, last) ? work->entries[last].target : NO_ADDRESS;
    if (callee.piece && callee_is_part_of(work->layout, work->piece, callee.piece)) {
        add_edge(work, source, UINT32_MAX, callee.piece->start, edge_kind_TAKEN);
        return block_end_JUMP;
    }
    if (callee.piece || callee.import) {
        shape_add_call(work, last, &callee, call_kind_TAIL);
        if (callee.piece)
            add_edge(work, source, UINT32_MAX, callee.piece->start, edge_kind_TAIL_CALL);
        return block_end_TAIL_CALL;
    }
    if (target != NO_ADDRESS && layout_find(work->layout, target))
        add_edge(work, source, UINT32_MAX, target, edge_kind_TAKEN);
    return block_end_JUMP;
}

/* A jump through a pointer leaves the function for one that nobody knows. */
static enum block_end leave_by_pointer(struct shape_work *work, uint32_t last)
{
    shape_add_call(work, last, &(struct callee){0}, call_kind_TAIL);
    return block_end_TAIL_CALL;
}

/* Switches were found in order of their jumps, so their edges lie together in that order. */
static bool add_switch_edges(struct shape_work *work, uint32_t source, uint32_t jump)
{
    const struct array *edges = &work->shaper->switch_edges;
    size_t before = work->shaper->edges.count;
    for (size_t i = array_first_not_below(edges, 0, offsetof(struct switch_edge, source), jump);
         i < edges->count && ARRAY_AT(struct switch_edge, edges, i)->source == jump; i++) {
        const struct switch_edge *edge = ARRAY_AT(struct switch_edge, edges, i);
        add_edge(work, source, edge->target, edge->outside, edge_kind_SWITCH);
    }
    return work->shaper->edges.count > before;
}

static enum block_end end_with_jump(struct shape_work *work, uint32_t source, uint32_t last)
{
    if (shape_is_direct(work, last)) {
        uint64_t target = work->entries[last].target;
        if (!shape_is_inside(work, target))
            return leave(work, source, last);
        add_edge(work, source, shape_entry_at(work, target), 0, edge_kind_TAKEN);
        return block_end_JUMP;
    }
    if (work->piece->origin == origin_PLT)
        return block_end_TAIL_CALL;
    if (shape_is_tail_call(work, last))
        return leave(work, source, last);
    if (work->flags[last] & POINTER)
        return leave_by_pointer(work, last);
    return add_switch_edges(work, source, last) ? block_end_SWITCH : block_end_INDIRECT;
}

static enum block_end end_with_call(struct shape_work *work, uint32_t source, uint32_t last)
{
    if (work->flags[last] & HAS_PAD) {
        uint64_t pad = layout_pad(work->layout, shape_address(work, last))->pad;
        if (shape_is_inside(work, pad))
            add_edge(work, source, shape_entry_at(work, pad), 0, edge_kind_EXCEPTION);
        else if (layout_find(work->layout, pad))
            add_edge(work, source, UINT32_MAX, pad, edge_kind_EXCEPTION);
    }
    if (work->flags[last] & NO_RETURN && !layout_may_go_on(shape_encoding(work, last)))
        return block_end_NO_RETURN;
    add_fall(work, source, last);
    return block_end_CALL;
}

static enum block_end end_block(struct shape_work *work, uint32_t number, uint32_t last)
{
    switch (shape_encoding(work, last)->flow) {
    case flow_JUMP:
        return end_with_jump(work, number, last);
    case flow_BRANCH: {
        uint64_t target = work->entries[last].target;
        if (target != NO_ADDRESS && shape_is_inside(work, target))
            add_edge(work, number, shape_entry_at(work, target), 0, edge_kind_TAKEN);
        else if (target != NO_ADDRESS || !add_switch_edges(work, number, last))
            leave(work, number, last);
        add_fall(work, number, last);
        return block_end_BRANCH;
    }
    case flow_RETURN:
    case flow_STOP:
        if (layout_may_go_on(shape_encoding(work, last)))
            add_fall(work, number, last);
        return shape_encoding(work, last)->flow == flow_RETURN ? block_end_RETURN : block_end_STOP;
    case flow_CALL:
        return end_with_call(work, number, last);
    default:
        if (last + 1 < work->piece->count && !work->entries[last + 1].encoding)
            return block_end_STOP;
        add_fall(work, number, last);
        return block_end_FALL;
    }
}

void shape_find_edges(struct shape_work *work)
{
    for (uint32_t i = 0; i < work->shaper->blocks.count; i++) {
        struct shape_block *block = array_at(&work->shaper->blocks, i);
        block->ends = (uint8_t)end_block(work, i, block->first + block->count - 1);
    }
}
