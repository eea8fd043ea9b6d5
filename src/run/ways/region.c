/* See region.h.  Blocks become nodes, edges between blocks edges between nodes; what leads out of the region
   is left out, and with it every node from which no end can be reached: such ways are no iteration. */
#include "run/ways/region.h"

#include "run/probe/site/entry.h"

#include <stddef.h>
#include <stdlib.h>

struct making {
    struct way_region *region;
    const struct model *model;
    const struct function *function;
    uint32_t *node_of; /* by block of the function: its node, + 1; 0: not in the region */
};

/* The loop that stands for a block in the region: the region's own, or one right inside it.  false: the block
   is outside. */
static bool stands_for(const struct making *making, uint32_t block, uint32_t *inner)
{
    uint32_t own = making->region->loop, loop = model_block(making->model, block)->loop;
    *inner = 0;
    while (loop != own) {
        if (!loop)
            return false;
        *inner = loop;
        loop = model_loop(making->model, loop)->parent;
    }
    return true;
}

static uint32_t add_node(struct making *making, uint32_t block, uint32_t inner)
{
    struct array *nodes = &making->region->nodes;
    for (size_t i = 0; inner && i < nodes->count; i++)
        if (ARRAY_AT(struct way_node, nodes, i)->loop == inner)
            return (uint32_t)i;
    struct way_node *node = array_add(nodes);
    *node = (struct way_node){.block = inner ? 0 : block, .loop = inner};
    if (!inner)
        node->instruction_count = model_block(making->model, block)->instruction_count;
    return (uint32_t)nodes->count - 1;
}

static void make_nodes(struct making *making)
{
    for (uint32_t i = 0; i < making->function->block_count; i++) {
        uint32_t block = making->function->first_block + i, inner;
        if (stands_for(making, block, &inner))
            making->node_of[i] = add_node(making, block, inner) + 1;
    }
}

/* The node of a block plus one; 0: outside the region. */
static uint32_t place_of(const struct making *making, uint32_t block)
{
    uint32_t first = making->function->first_block;
    return block >= first && block - first < making->function->block_count ? making->node_of[block - first]
                                                                           : 0;
}

/* Where an edge leads in the region; 0: nowhere; a node, or WAY_END, plus one in `to`. */
static bool leads(const struct making *making, const struct edge *edge, uint32_t *to)
{
    const struct way_region *region = making->region;
    uint32_t from = place_of(making, edge->source), target = place_of(making, edge->target);
    bool is_back = region->loop && edge->target == model_loop(making->model, region->loop)->header;
    bool leaves_function = !region->loop && edge->kind == edge_kind_TAIL_CALL;
    if (!from || (!is_back && !leaves_function && (!target || target == from)))
        return false;
    *to = is_back || leaves_function ? WAY_END : target - 1;
    return true;
}

static void add_edge(struct making *making, uint32_t from, uint32_t to, const struct edge *edge)
{
    *(struct way_edge *)array_add(&making->region->edges) =
        (struct way_edge){.from = from,
                          .to = to,
                          .block = edge->source,
                          .is_taken = edge->kind == edge_kind_TAKEN || edge->kind == edge_kind_TAIL_CALL};
}

static int by_node(const void *left, const void *right)
{
    const struct way_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

static void make_edges(struct making *making)
{
    struct way_region *region = making->region;
    struct model_rows rows = probe_edges_of(making->model, region->function);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct edge *edge = model_edge(making->model, i);
        uint32_t to;
        if (leads(making, edge, &to))
            add_edge(making, place_of(making, edge->source) - 1, to, edge);
    }
    for (uint32_t i = 0; !region->loop && i < making->function->block_count; i++) {
        uint32_t block = making->function->first_block + i;
        struct edge end = {.source = block};
        bool is_return = model_block(making->model, block)->ends == block_end_RETURN;
        if (is_return && making->node_of[i])
            add_edge(making, making->node_of[i] - 1, WAY_END, &end);
    }
}

/* Nodes from which an end can be reached: the others are left out with the edges that lead there. */
static void find_useful(struct way_region *region)
{
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (size_t i = region->edges.count; i--;) {
            const struct way_edge *edge = way_edge(region, (uint32_t)i);
            struct way_node *from = way_node(region, edge->from);
            if (from->is_useful || (edge->to != WAY_END && !way_node(region, edge->to)->is_useful))
                continue;
            from->is_useful = has_changed = true;
        }
    }
}

/* Ways that differ in the jump alone are one. */
static void merge(struct array *edges)
{
    size_t kept = 0;
    if (edges->count)
        qsort(edges->data, edges->count, edges->width, by_node);
    for (size_t i = 0; i < edges->count; i++) {
        const struct way_edge *edge = ARRAY_AT(struct way_edge, edges, i);
        const struct way_edge *last = kept ? ARRAY_AT(struct way_edge, edges, kept - 1) : NULL;
        if (!last || last->from != edge->from || last->to != edge->to)
            *ARRAY_AT(struct way_edge, edges, kept++) = *edge;
    }
    edges->count = kept;
}

static void keep_useful(struct way_region *region)
{
    size_t kept = 0;
    for (size_t i = 0; i < region->edges.count; i++) {
        const struct way_edge *edge = way_edge(region, (uint32_t)i);
        if (edge->to == WAY_END || way_node(region, edge->to)->is_useful)
            *way_edge(region, (uint32_t)kept++) = *edge;
    }
    region->edges.count = kept;
    merge(&region->edges);
    for (uint32_t i = 0; i < region->edges.count; i++) {
        const struct way_edge *edge = way_edge(region, i);
        struct way_node *from = way_node(region, edge->from);
        from->first = from->end ? from->first : i;
        from->end = i + 1;
        if (edge->to != WAY_END)
            way_node(region, edge->to)->entered++;
    }
}

/* The block at the function's address, or the header. */
static uint32_t entry_of(const struct making *making)
{
    if (making->region->loop)
        return model_loop(making->model, making->region->loop)->header;
    for (uint32_t i = 0; i < making->function->block_count; i++)
        if (model_block(making->model, making->function->first_block + i)->address ==
            making->function->address)
            return making->function->first_block + i;
    return 0;
}

bool way_region_make(struct way_region *region, const struct model *model, uint32_t function, uint32_t loop)
{
    struct making making = {.region = region, .model = model, .function = model_function(model, function)};
    *region = (struct way_region){.model = model,
                                  .function = function,
                                  .loop = loop,
                                  .nodes = ARRAY_OF(struct way_node),
                                  .edges = ARRAY_OF(struct way_edge)};
    making.node_of = memory_get((making.function->block_count + 1) * sizeof *making.node_of);
    make_nodes(&making);
    make_edges(&making);
    find_useful(region);
    keep_useful(region);
    uint32_t block = entry_of(&making), entry = block ? place_of(&making, block) : 0;
    region->entry = entry ? entry - 1 : 0;
    free(making.node_of);
    return entry && way_node(region, region->entry)->is_useful;
}

void way_region_free(struct way_region *region)
{
    array_free(&region->nodes);
    array_free(&region->edges);
}
