/* Dominators, loops and paths of a function's blocks.

   Node 0 of the graph is a root before the function; it leads to the first block and to every block that
   other functions jump into.  Block b is node b + 1. */
#include "code/structure/shape_parts.h"

#include <stdlib.h>

enum {
    /* A block is listed in this many of the loops around it, and counts of entries and exits go this far out.
       Real code stays far below; without a limit, a crafted file makes n² rows.  Omissions are counted. */
    MOST_LOOPS_AROUND = 64,
};

struct loop_work {
    struct shaper *shaper;
    const struct piece *piece;
    struct shape *shape;
    struct graph graph;
    uint32_t *dominator, *enter, *leave, *innermost;
};

static bool is_entry(const struct loop_work *work, uint32_t block)
{
    return block == 0 || (*ARRAY_AT(uint8_t, &work->shaper->flags, work->shape->blocks[block].first) & ENTRY);
}

static void make_graph(struct loop_work *work)
{
    struct shaper *shaper = work->shaper;
    const struct shape *shape = work->shape;
    uint32_t nodes = shape->block_count + 1;
    shaper->first.count = shaper->graph_targets.count = 0;
    uint32_t *first = array_add_many(&shaper->first, nodes + 1);
    for (uint32_t block = 0; block < shape->block_count; block++)
        if (is_entry(work, block))
            *(uint32_t *)array_push(&shaper->graph_targets) = block + 1;
    first[1] = (uint32_t)shaper->graph_targets.count;
    uint32_t edge = 0;
    for (uint32_t block = 0; block < shape->block_count; block++) {
        for (; edge < shape->edge_count && shape->edges[edge].source == block; edge++)
            if (shape->edges[edge].target != NO_NODE)
                *(uint32_t *)array_push(&shaper->graph_targets) = shape->edges[edge].target + 1;
        first[block + 2] = (uint32_t)shaper->graph_targets.count;
    }
    work->graph = (struct graph){.count = nodes, .first = first, .targets = shaper->graph_targets.data};
}

static void take_dominators(struct loop_work *work)
{
    for (uint32_t block = 0; block < work->shape->block_count; block++) {
        struct shape_block *row = &work->shape->blocks[block];
        uint32_t dominator = work->dominator[block + 1];
        row->is_reachable = work->enter[block + 1] != 0;
        row->dominator = dominator == NO_NODE || dominator == 0 ? NO_NODE : dominator - 1;
        row->dom_enter = work->enter[block + 1];
        row->dom_leave = work->leave[block + 1];
    }
}

static bool is_padding(const struct loop_work *work, const struct shape_block *block)
{
    const struct layout *layout = work->shaper->layout;
    return layout_are_no_ops(layout, layout_instructions(layout, work->piece) + block->first, block->count);
}

/* Alignment no-ops before a block do not count as an entry to it. */
static void drop_padding_edges(struct loop_work *work)
{
    struct shape *shape = work->shape;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < shape->edge_count; i++) {
        const struct shape_block *source = &shape->blocks[shape->edges[i].source];
        if (source->is_reachable || !is_padding(work, source))
            shape->edges[kept++] = shape->edges[i];
    }
    shape->edge_count = kept;
}

static struct shape_loop *loop_at(const struct loop_work *work, uint32_t loop)
{
    return &work->shape->loops[loop];
}

static uint32_t depth_of(const struct loop_work *work, uint32_t loop)
{
    return loop == NO_NODE ? 0 : loop_at(work, loop)->graph.depth;
}

/* Counts an edge as exit of the loops it leaves and collects the loops it enters. */
static void count_edge(struct loop_work *work, const struct shape_edge *edge)
{
    uint32_t from = work->innermost[edge->source + 1];
    uint32_t to = edge->target == NO_NODE ? NO_NODE : work->innermost[edge->target + 1];
    for (uint32_t l = from, steps = 0; l != NO_NODE && steps < MOST_LOOPS_AROUND;
         l = loop_at(work, l)->graph.parent, steps++)
        if (edge->target != NO_NODE && loop_at(work, l)->graph.header == edge->target)
            loop_at(work, l)->back_edge_count++;
    for (uint32_t steps = 0; from != to && steps < 2 * MOST_LOOPS_AROUND; steps++) {
        if (depth_of(work, from) >= depth_of(work, to)) {
            loop_at(work, from)->exit_count++;
            from = loop_at(work, from)->graph.parent;
        } else {
            *(struct shape_membership *)array_add(&work->shaper->memberships) =
                (struct shape_membership){to, edge->target};
            to = loop_at(work, to)->graph.parent;
        }
    }
}

static int by_loop(const void *a, const void *b)
{
    const struct shape_membership *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static void sort_memberships(struct array *memberships)
{
    if (memberships->count)
        qsort(memberships->data, memberships->count, sizeof(struct shape_membership), by_loop);
}

static void count_entries_and_exits(struct loop_work *work)
{
    struct array *entered = &work->shaper->memberships;
    entered->count = 0;
    for (uint32_t i = 0; i < work->shape->edge_count; i++)
        if (work->shape->blocks[work->shape->edges[i].source].is_reachable &&
            !shape_repeats_gather(work->shape, &work->shape->edges[i]))
            count_edge(work, &work->shape->edges[i]);
    for (uint32_t block = 0; block < work->shape->block_count; block++)
        if (is_entry(work, block)) /* the way in from outside the function */
            for (uint32_t l = work->innermost[block + 1], steps = 0;
                 l != NO_NODE && steps < MOST_LOOPS_AROUND; l = loop_at(work, l)->graph.parent, steps++)
                *(struct shape_membership *)array_add(entered) = (struct shape_membership){l, block};
    sort_memberships(entered);
    for (size_t i = 0; i < entered->count; i++) {
        const struct shape_membership *entry = ARRAY_AT(struct shape_membership, entered, i);
        if (!i || by_loop(entry - 1, entry))
            loop_at(work, entry->loop)->entry_count++;
    }
}

static void list_blocks(struct loop_work *work)
{
    struct shape *shape = work->shape;
    struct array *memberships = &work->shaper->memberships;
    memberships->count = 0;
    for (uint32_t block = 0; block < shape->block_count; block++) {
        uint32_t loop = work->innermost[block + 1];
        if (loop == NO_NODE)
            continue;
        shape->blocks[block].loop = loop;
        loop_at(work, loop)->block_count++;
        loop_at(work, loop)->instruction_count += shape->blocks[block].count;
        for (uint32_t steps = 0; loop != NO_NODE && steps < MOST_LOOPS_AROUND;
             steps++, loop = loop_at(work, loop)->graph.parent)
            *(struct shape_membership *)array_add(memberships) = (struct shape_membership){loop, block};
        shape->deep_blocks += loop != NO_NODE;
    }
    sort_memberships(memberships);
    for (uint32_t loop = shape->loop_count; loop-- > 0;) {
        uint32_t parent = loop_at(work, loop)->graph.parent;
        if (parent == NO_NODE)
            continue;
        loop_at(work, parent)->block_count += loop_at(work, loop)->block_count;
        loop_at(work, parent)->instruction_count += loop_at(work, loop)->instruction_count;
    }
    shape->membership_count = (uint32_t)memberships->count;
    shape->memberships = shape_keep(work->shaper, memberships);
}

struct path_work {
    struct loop_work *work;
    uint32_t loop;
};

static void add_path(void *context, const uint32_t *nodes, uint32_t length, bool is_exit)
{
    struct path_work *paths = context;
    struct shaper *shaper = paths->work->shaper;
    struct shape_path *path = array_add(&shaper->paths);
    *path = (struct shape_path){.loop = paths->loop,
                                .first = (uint32_t)shaper->path_blocks.count,
                                .length = length,
                                .is_exit = is_exit};
    uint32_t *blocks = array_add_many(&shaper->path_blocks, length);
    for (uint32_t i = 0; i < length; i++) {
        blocks[i] = nodes[i] - 1;
        path->instruction_count += paths->work->shape->blocks[blocks[i]].count;
    }
}

static void find_paths(struct loop_work *work)
{
    struct shaper *shaper = work->shaper;
    struct shape *shape = work->shape;
    shaper->paths.count = shaper->path_blocks.count = 0;
    for (uint32_t i = 0; i < shape->loop_count; i++) {
        struct shape_loop *loop = &shape->loops[i];
        if (!loop->graph.is_innermost)
            continue;
        struct path_work paths = {work, i};
        loop->path_count = graph_count_paths(&work->graph, &shaper->graph_scratch, work->innermost, i,
                                             loop->graph.header + 1);
        if (shaper->path_limit)
            graph_list_paths(&work->graph, &shaper->graph_scratch, work->innermost, i, loop->graph.header + 1,
                             shaper->path_limit, add_path, &paths);
    }
    shape->path_count = (uint32_t)shaper->paths.count;
    shape->path_block_count = (uint32_t)shaper->path_blocks.count;
    shape->paths = shape_keep(shaper, &shaper->paths);
    shape->path_blocks = shape_keep(shaper, &shaper->path_blocks);
}

void shape_find_loops(struct shaper *shaper, const struct piece *piece, struct shape *shape)
{
    struct loop_work work = {.shaper = shaper, .piece = piece, .shape = shape};
    make_graph(&work);
    uint32_t nodes = work.graph.count;
    shaper->numbers.count = 0;
    work.dominator = array_add_many(&shaper->numbers, (size_t)nodes * 4);
    work.enter = work.dominator + nodes;
    work.leave = work.enter + nodes;
    work.innermost = work.leave + nodes;
    graph_dominators(&work.graph, &shaper->graph_scratch, work.dominator, work.enter, work.leave);
    take_dominators(&work);
    drop_padding_edges(&work);
    shape_fold_gathers(shaper, piece, shape, &work.graph);
    shaper->loops.count = 0;
    graph_loops(&work.graph, &shaper->graph_scratch, &shaper->loops, work.innermost);
    shape->loop_count = (uint32_t)shaper->loops.count;
    if (!shape->loop_count)
        return;
    shape->loops = arena_get(&shaper->arena, shape->loop_count * sizeof *shape->loops);
    for (uint32_t i = 0; i < shape->loop_count; i++) {
        shape->loops[i].graph = *ARRAY_AT(struct graph_loop, &shaper->loops, i);
        shape->loops[i].graph.header--;
    }
    count_entries_and_exits(&work);
    list_blocks(&work);
    shape_pass_gathers(shape, &work.graph);
    find_paths(&work);
}
