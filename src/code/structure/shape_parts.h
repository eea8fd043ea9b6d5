/* What the files that shape a function share.  Nobody else includes this. */
#ifndef CODE_STRUCTURE_SHAPE_PARTS_H
#define CODE_STRUCTURE_SHAPE_PARTS_H
#include "base/bisect.h"
#include "code/structure/callees.h"
#include "code/structure/frames.h"
#include "code/structure/shape.h"
#include "code/structure/switches.h"

#include <string.h>

/* A way through a jump table; target is an entry, or UINT32_MAX if it is outside of the function. */
struct switch_edge {
    uint32_t source, target;
    uint64_t outside;
};

/* What is known about an indirect jump so far. */
struct open_jump {
    uint32_t entry;
    uint32_t first_target, target_count; /* in shaper->found_targets */
    struct switch_table table;
    enum switch_result result;
    bool was_looked_at, has_new_targets;
};

/* One function while it is shaped. */
struct shape_work {
    struct shaper *shaper;
    struct layout *layout;
    struct piece *piece;
    struct sweep_instruction *entries;
    uint64_t section_start;
    uint8_t *flags;
    struct shape *shape;
    struct switch_context context; /* from shape_prepare_search on */
    struct frame frame;
    uint64_t steps_left;
};

static inline uint64_t shape_address(const struct shape_work *work, uint32_t entry)
{
    return work->section_start + work->entries[entry].offset;
}
static inline const struct encoding *shape_encoding(const struct shape_work *work, uint32_t entry)
{
    return model_encoding(work->layout->model, work->entries[entry].encoding);
}
static inline bool shape_is_inside(const struct shape_work *work, uint64_t address)
{
    return address >= work->piece->start && address < work->piece->end;
}
static inline bool shape_is_direct(const struct shape_work *work, uint32_t entry)
{
    return work->entries[entry].target != NO_ADDRESS && !shape_encoding(work, entry)->load_bytes;
}
/* Values in registers are understood for some ISAs only. */
static inline bool shape_knows_values(const struct shape_work *work)
{
    return work->layout->reader->values != NULL;
}
/* A block starts at the entry, if there is one. */
static inline void shape_lead(struct shape_work *work, uint32_t entry)
{
    if (entry < work->piece->count)
        work->flags[entry] |= LEADER;
}
/* For the table problems: one more, and where the first is. */
static inline void shape_count(uint32_t *count, uint64_t *first, uint64_t address)
{
    if (!(*count)++)
        *first = address;
}
/* The entry that holds an address inside the function.  A jump into the middle of an instruction (over a
   prefix, as some atomic operations do) counts as one to its start. */
static inline uint32_t shape_entry_at(struct shape_work *work, uint64_t address)
{
    uint32_t offset = (uint32_t)(address - work->section_start);
    struct bisection search = {0, work->piece->count};
    while (bisect(&search))
        bisect_past(&search, work->entries[search.middle].offset <= offset);
    uint32_t low = (uint32_t)search.first;
    if (!low) /* before the first instruction lies nothing */
        return 0;
    if (work->entries[low - 1].offset != offset)
        shape_count(&work->shape->inner_jumps, &work->shape->first_inner, address);
    return low - 1;
}
/* A copy that lives as long as the shape. */
static inline void *shape_keep(struct shaper *shaper, const struct array *array)
{
    void *copy = arena_get(&shaper->arena, array->count * array->width + 1);
    if (array->count)
        memcpy(copy, array->data, array->count * array->width);
    return copy;
}

/* shape_calls.c.  A call, whose callee may be empty. */
void shape_add_call(struct shape_work *work, uint32_t entry, const struct callee *callee,
                    enum call_kind kind);
/* The call instruction at this entry, as far as it is known before jumps are followed. */
void shape_note_call(struct shape_work *work, uint32_t entry);
/* The function that a jump or call reaches, also through a register that was just loaded from a slot. */
struct callee shape_callee(const struct shape_work *work, uint32_t entry);
/* Whether an indirect jump reaches a known function, so it is a tail call. */
bool shape_is_tail_call(const struct shape_work *work, uint32_t entry);
/* Finds the callees that only shape_callee knows. */
void shape_complete_calls(struct shape_work *work);

/* shape_tables.c.  With the leaders and direct jumps: what searches backwards through the code start from. */
void shape_prepare_search(struct shape_work *work);
/* Fills shaper->switch_edges, by source. */
void shape_find_tables(struct shape_work *work);

/* shape_edges.c.  The edges of all blocks, tail calls, and how the blocks end. */
void shape_find_edges(struct shape_work *work);

/* shape_gathers.c.  Takes the jumps back of gathers that repeat themselves from the graph, whose node b + 1 is
   block b, and marks their blocks. */
void shape_fold_gathers(const struct shaper *shaper, const struct piece *piece, struct shape *shape,
                        struct graph *graph);
/* After loops were found: paths pass the second half of such a gather. */
void shape_pass_gathers(const struct shape *shape, struct graph *graph);
/* Whether an edge is such a jump back. */
bool shape_repeats_gather(const struct shape *shape, const struct shape_edge *edge);

/* shape_loops.c.  With blocks and edges: dominators, loops and paths. */
void shape_find_loops(struct shaper *shaper, const struct piece *piece, struct shape *shape);
#endif
