/* Items are blocks and, after them, loops.  The items of one loop (or of none) form a forest: an item stands
   below the item that its immediate dominator is in.  Whatever a database claims about dominators, cycles are
   cut, so everything below is a pass over items in an order that has parents before children and loops before
   what they contain. */
#include "show/report/graph/fold.h"

#include <stdlib.h>

struct item {
    int32_t parent, first_child, next, child_count; /* items; GRAPH_NONE */
    int64_t blocks;                                 /* of its region */
    double share;                                   /* of the same */
    bool is_chain;                                  /* nothing in its region branches */
    bool is_split;                                  /* its region is open */
    bool is_open;                                   /* of a loop */
};

struct folding {
    const struct graph *graph;
    struct item *items;
    int32_t *order; /* parents and loops first */
    int32_t *roots; /* by loop + 1 (0: of none): the first item without a parent; the others by `next` */
    size_t blocks, count, shown;
};

static int32_t frame_of(const struct folding *folding, int32_t item)
{
    return (size_t)item < folding->blocks
               ? graph_node(folding->graph, (size_t)item)->frame
               : graph_frame(folding->graph, (size_t)item - folding->blocks)->inside;
}

static int32_t head_of(const struct folding *folding, int32_t item)
{
    return (size_t)item < folding->blocks
               ? item
               : graph_frame(folding->graph, (size_t)item - folding->blocks)->header;
}

/* The item of this loop that a block is in; GRAPH_NONE: it is not in the loop. */
static int32_t item_at(const struct folding *folding, int32_t block, int32_t level)
{
    int32_t item = block, at = frame_of(folding, block);
    while (at != level && at != GRAPH_NONE) {
        item = (int32_t)folding->blocks + at;
        at = frame_of(folding, item);
    }
    return at == level ? item : GRAPH_NONE;
}

static void add_child(struct folding *folding, int32_t item, int32_t parent)
{
    struct item *it = &folding->items[item];
    int32_t *first = parent == GRAPH_NONE ? &folding->roots[frame_of(folding, item) + 1]
                                          : &folding->items[parent].first_child;
    it->parent = parent;
    it->next = *first;
    *first = item;
    if (parent != GRAPH_NONE)
        folding->items[parent].child_count++;
}

/* Appends the tree of a root that is already in the order. */
static size_t append_tree(struct folding *folding, const int32_t *first, const int32_t *next, bool *is_placed,
                          size_t done, size_t found)
{
    while (done < found)
        for (int32_t child = first[folding->order[done++]]; child != GRAPH_NONE; child = next[child])
            if (!is_placed[child]) {
                is_placed[child] = true;
                folding->order[found++] = child;
            }
    return found;
}

/* Forests and an order of their items. Children are listed by wish first; what can only be reached from
   itself becomes a root. */
static void plant(struct folding *folding)
{
    size_t count = folding->count;
    autofree int32_t *wish = memory_get((count + 1) * sizeof *wish),
                     *first = memory_get((count + 1) * sizeof *first),
                     *next = memory_get((count + 1) * sizeof *next);
    autofree bool *is_placed = memory_get(count + 1);
    for (size_t i = 0; i < count; i++)
        first[i] = next[i] = GRAPH_NONE;
    for (size_t i = count; i-- > 0;) {
        int32_t item = (int32_t)i, head = head_of(folding, item);
        int32_t dominator =
            head == GRAPH_NONE ? GRAPH_NONE : graph_node(folding->graph, (size_t)head)->dominator;
        wish[i] = dominator == GRAPH_NONE ? GRAPH_NONE : item_at(folding, dominator, frame_of(folding, item));
        if (wish[i] == item)
            wish[i] = GRAPH_NONE;
        if (wish[i] != GRAPH_NONE) {
            next[i] = first[wish[i]];
            first[wish[i]] = item;
        }
    }
    size_t found = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            if (!is_placed[i] && (pass || wish[i] == GRAPH_NONE)) {
                size_t done = found;
                is_placed[i] = true;
                wish[i] = GRAPH_NONE;
                folding->order[found++] = (int32_t)i;
                found = append_tree(folding, first, next, is_placed, done, found);
            }
    for (size_t i = count; i-- > 0;)
        add_child(folding, folding->order[i], wish[folding->order[i]]);
}

static void add_shares(double *sum, double share)
{
    if (share > 0)
        *sum += share;
}

/* Sizes of regions: a loop counts with everything in it. */
static void weigh(struct folding *folding)
{
    for (size_t i = 0; i < folding->blocks; i++) {
        const struct graph_node *node = graph_node(folding->graph, i);
        folding->items[i].blocks = 1;
        add_shares(&folding->items[i].share, node->share);
        for (int32_t at = node->frame; at != GRAPH_NONE;
             at = graph_frame(folding->graph, (size_t)at)->inside) {
            folding->items[folding->blocks + (size_t)at].blocks++;
            add_shares(&folding->items[folding->blocks + (size_t)at].share, node->share);
        }
    }
    for (size_t i = folding->count; i-- > 0;) {
        int32_t item = folding->order[i];
        struct item *it = &folding->items[item];
        it->is_chain = (size_t)item < folding->blocks && it->child_count <= 1 &&
                       (it->first_child == GRAPH_NONE || folding->items[it->first_child].is_chain);
        if (it->parent != GRAPH_NONE) {
            folding->items[it->parent].blocks += it->blocks;
            folding->items[it->parent].share += it->share;
        }
    }
}

/* A heap of closed things, the most important first: items, loops as loop + count. */
struct heap {
    struct candidate {
        double weight;
        size_t thing;
    } * things;
    size_t count;
};

static bool is_before(const struct candidate *a, const struct candidate *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->thing < b->thing;
}

static void heap_swap(struct heap *heap, size_t a, size_t b)
{
    struct candidate kept = heap->things[a];
    heap->things[a] = heap->things[b];
    heap->things[b] = kept;
}

static void heap_add(struct heap *heap, double weight, size_t thing)
{
    size_t at = heap->count++;
    heap->things[at] = (struct candidate){weight, thing};
    for (; at && is_before(&heap->things[at], &heap->things[(at - 1) / 2]); at = (at - 1) / 2)
        heap_swap(heap, at, (at - 1) / 2);
}

static size_t heap_take(struct heap *heap)
{
    size_t thing = heap->things[0].thing, at = 0;
    heap->things[0] = heap->things[--heap->count];
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_before(&heap->things[child + 1], &heap->things[child]))
            child++;
        if (!is_before(&heap->things[child], &heap->things[at]))
            break;
        heap_swap(heap, child, at);
    }
    return thing;
}

static void offer_loop(struct folding *folding, struct heap *heap, int32_t item)
{
    if ((size_t)item >= folding->blocks)
        heap_add(heap, folding->items[item].share * 1e6 + (double)folding->items[item].blocks,
                 folding->count + (size_t)item);
}

static void offer(struct folding *folding, struct heap *heap, int32_t item)
{
    const struct item *it = &folding->items[item];
    if (it->child_count)
        heap_add(heap, it->share * 1e6 + (double)it->blocks * (it->is_chain ? 0.2 : 1), (size_t)item);
    else
        offer_loop(folding, heap, item);
}

static void split(struct folding *folding, struct heap *heap, int32_t item)
{
    struct item *it = &folding->items[item];
    it->is_split = true;
    folding->shown += (size_t)it->child_count;
    offer_loop(folding, heap, item);
    for (int32_t child = it->first_child; child != GRAPH_NONE; child = folding->items[child].next)
        offer(folding, heap, child);
}

static size_t open_level(struct folding *folding, struct heap *heap, int32_t level, bool is_counted)
{
    size_t added = 0;
    for (int32_t root = folding->roots[level + 1]; root != GRAPH_NONE; root = folding->items[root].next) {
        added += 1 + (size_t)folding->items[root].child_count;
        if (is_counted)
            continue;
        folding->shown++;
        if (folding->items[root].child_count)
            split(folding, heap, root);
        else
            offer(folding, heap, root);
    }
    return added;
}

/* Opens the most important things while there is room. */
static void choose(struct folding *folding, size_t most)
{
    struct heap heap = {memory_get((2 * folding->count + 1) * sizeof *heap.things), 0};
    open_level(folding, &heap, GRAPH_NONE, false);
    while (heap.count) {
        size_t thing = heap_take(&heap);
        bool is_loop = thing >= folding->count;
        int32_t item = (int32_t)(is_loop ? thing - folding->count : thing);
        int32_t level = item - (int32_t)folding->blocks;
        size_t added =
            is_loop ? open_level(folding, &heap, level, true) : (size_t)folding->items[item].child_count;
        if (folding->shown + added > most)
            continue;
        if (is_loop) {
            folding->items[item].is_open = true;
            open_level(folding, &heap, level, false);
            folding->shown--;
        } else {
            split(folding, &heap, item);
        }
    }
    free(heap.things);
}

static int32_t find_item(const struct folding *folding, const struct fold_choice *choice)
{
    bool is_block = choice->kind == fold_REGION;
    size_t count = is_block ? folding->blocks : folding->count - folding->blocks;
    for (size_t i = 0; i < count; i++) {
        int64_t row = is_block ? graph_node(folding->graph, i)->row : graph_frame(folding->graph, i)->row;
        if (row == choice->row)
            return (int32_t)(is_block ? i : folding->blocks + i);
    }
    return GRAPH_NONE;
}

static void obey(struct folding *folding, const struct fold_choice *choice, bool is_open)
{
    int32_t item = find_item(folding, choice);
    if (item == GRAPH_NONE)
        return;
    struct item *it = &folding->items[item];
    if (choice->kind != fold_LOOP) {
        it->is_split = is_open;
        return;
    }
    it->is_open = is_open;
    int32_t level = item - (int32_t)folding->blocks;
    for (int32_t root = folding->roots[level + 1]; is_open && root != GRAPH_NONE;
         root = folding->items[root].next)
        folding->items[root].is_split = true;
}

/* Opens everything around a block. */
static void show_block(struct folding *folding, int64_t row)
{
    int32_t item = find_item(folding, &(struct fold_choice){fold_REGION, row});
    if (item != GRAPH_NONE)
        folding->items[item].is_split = true;
    while (item != GRAPH_NONE) {
        for (int32_t at = folding->items[item].parent; at != GRAPH_NONE; at = folding->items[at].parent)
            folding->items[at].is_split = true;
        int32_t frame = frame_of(folding, item);
        item = frame == GRAPH_NONE ? GRAPH_NONE : (int32_t)folding->blocks + frame;
        if (item != GRAPH_NONE) {
            folding->items[item].is_split = true;
            folding->items[item].is_open = true;
        }
    }
}

/* What covers items: region[i] is the item whose region i is hidden in (after count: the loop), GRAPH_NONE:
   i can be seen. */
static int32_t cover_of_content(const struct folding *folding, const int32_t *covers, int32_t frame)
{
    if (frame == GRAPH_NONE)
        return GRAPH_NONE;
    size_t item = folding->blocks + (size_t)frame;
    const struct item *it = &folding->items[item];
    if (covers[item] != GRAPH_NONE)
        return covers[item];
    if (it->child_count && !it->is_split)
        return (int32_t)item;
    return it->is_open ? GRAPH_NONE : (int32_t)(folding->count + item);
}

static int compare_levels(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Loops come before what is in them: items by level, then as they were. */
static void sort_order(struct folding *folding)
{
    autofree int64_t *keys = memory_get((folding->count + 1) * sizeof *keys);
    int32_t *sorted = memory_get((folding->count + 1) * sizeof *sorted);
    for (size_t i = 0; i < folding->count; i++)
        keys[i] = (int64_t)(frame_of(folding, folding->order[i]) + 1) << 32 | (int64_t)i;
    qsort(keys, folding->count, sizeof *keys, compare_levels);
    for (size_t i = 0; i < folding->count; i++)
        sorted[i] = folding->order[keys[i] & 0xffffffff];
    free(folding->order);
    folding->order = sorted;
}

static int32_t *find_covers(const struct folding *folding)
{
    int32_t *covers = memory_get((folding->count + 1) * sizeof *covers);
    for (size_t i = 0; i < folding->count; i++) {
        int32_t item = folding->order[i], parent = folding->items[item].parent;
        covers[item] = cover_of_content(folding, covers, frame_of(folding, item));
        if (covers[item] == GRAPH_NONE && parent != GRAPH_NONE)
            covers[item] = covers[parent] != GRAPH_NONE      ? covers[parent]
                           : folding->items[parent].is_split ? GRAPH_NONE
                                                             : parent;
    }
    return covers;
}

/* The open loops that can be seen become frames; by their old numbers. */
static int32_t *copy_frames(const struct folding *folding, const int32_t *covers, struct graph *result)
{
    int32_t *frames = memory_get((folding->graph->frames.count + 1) * sizeof *frames);
    for (size_t i = 0; i < folding->graph->frames.count; i++) {
        frames[i] = GRAPH_NONE;
        if (covers[folding->blocks + i] != GRAPH_NONE ||
            cover_of_content(folding, covers, (int32_t)i) != GRAPH_NONE)
            continue;
        const struct graph_frame *old = graph_frame(folding->graph, i);
        frames[i] = (int32_t)result->frames.count;
        struct graph_frame *frame = array_add(&result->frames);
        *frame = *old;
        frame->header = GRAPH_NONE;
        frame->inside = old->inside == GRAPH_NONE ? GRAPH_NONE : frames[old->inside];
    }
    return frames;
}

/* The node of a closed thing, named after its first block. */
static void add_closed(const struct folding *folding, struct graph *result, int32_t cover)
{
    bool is_loop = (size_t)cover >= folding->count;
    int32_t item = is_loop ? cover - (int32_t)folding->count : cover, head = head_of(folding, item);
    const struct item *it = &folding->items[item];
    bool is_frame = (size_t)item >= folding->blocks;
    const struct graph_frame *frame =
        is_frame ? graph_frame(folding->graph, (size_t)item - folding->blocks) : NULL;
    const struct graph_node *first = graph_node(folding->graph, head == GRAPH_NONE ? 0 : (size_t)head);
    struct graph_node *node =
        graph_add_node(result, is_loop ? node_LOOP : node_REGION, is_frame ? frame->row : first->row);
    node->is_loop_region = !is_loop && is_frame;
    node->title = is_loop ? frame->title : first->title;
    node->position = first->position;
    node->address = first->address;
    node->blocks = it->blocks;
    node->share = folding->graph->has_time ? it->share : -1;
    if (is_loop) { /* without what comes after it */
        for (int32_t child = it->first_child; child != GRAPH_NONE; child = folding->items[child].next) {
            node->blocks -= folding->items[child].blocks;
            if (node->share > 0)
                node->share -= folding->items[child].share;
        }
        node->cycles = frame->cycles;
    }
}

static struct graph *build(const struct folding *folding, const int32_t *covers)
{
    const struct graph *old = folding->graph;
    struct graph *result = graph_new(memory_format("%s", old->title));
    result->has_time = old->has_time;
    autofree int32_t *frames = copy_frames(folding, covers, result);
    autofree int32_t *closed = memory_get((2 * folding->count + 1) * sizeof *closed);
    autofree int32_t *nodes = memory_get((folding->blocks + 1) * sizeof *nodes);
    for (size_t i = 0; i < 2 * folding->count; i++)
        closed[i] = GRAPH_NONE;
    for (size_t i = 0; i < folding->blocks; i++) {
        int32_t cover = covers[i];
        const struct item *it = &folding->items[i];
        if (cover == GRAPH_NONE && it->child_count && !it->is_split)
            cover = (int32_t)i;
        if (cover != GRAPH_NONE && closed[cover] != GRAPH_NONE) {
            nodes[i] = closed[cover];
            continue;
        }
        nodes[i] = (int32_t)result->nodes.count;
        int32_t frame = frame_of(folding, (int32_t)i);
        if (cover == GRAPH_NONE) {
            *(struct graph_node *)array_add(&result->nodes) = *graph_node(old, i);
        } else {
            closed[cover] = nodes[i];
            add_closed(folding, result, cover);
            frame = frame_of(folding, cover % (int32_t)folding->count);
        }
        struct graph_node *node = graph_node(result, result->nodes.count - 1);
        node->frame = frame == GRAPH_NONE ? GRAPH_NONE : frames[frame];
        node->dominator = GRAPH_NONE;
    }
    for (size_t i = 0; i < old->nodes.count; i++) {
        int32_t dominator = graph_node(old, i)->dominator;
        struct graph_node *node = graph_node(result, (size_t)nodes[i]);
        if (dominator != GRAPH_NONE && nodes[dominator] != nodes[i] && node->dominator == GRAPH_NONE)
            node->dominator = nodes[dominator];
    }
    graph_join_edges(result, old, nodes);
    for (size_t i = 0; i < old->frames.count; i++)
        if (frames[i] != GRAPH_NONE && graph_frame(old, i)->header != GRAPH_NONE)
            graph_frame(result, (size_t)frames[i])->header = nodes[graph_frame(old, i)->header];
    return result;
}

struct graph *graph_fold(const struct graph *graph, const struct fold_options *options)
{
    struct folding folding = {
        .graph = graph, .blocks = graph->nodes.count, .count = graph->nodes.count + graph->frames.count};
    folding.items = memory_get((folding.count + 1) * sizeof *folding.items);
    folding.order = memory_get((folding.count + 1) * sizeof *folding.order);
    folding.roots = memory_get((graph->frames.count + 1) * sizeof *folding.roots);
    for (size_t i = 0; i < folding.count; i++)
        folding.items[i] = (struct item){.parent = GRAPH_NONE, .first_child = GRAPH_NONE, .next = GRAPH_NONE};
    for (size_t i = 0; i <= graph->frames.count; i++)
        folding.roots[i] = GRAPH_NONE;
    plant(&folding);
    weigh(&folding);
    choose(&folding, options->most);
    for (size_t i = 0; i < options->opened_count; i++)
        obey(&folding, &options->opened[i], true);
    for (size_t i = 0; i < options->closed_count; i++)
        obey(&folding, &options->closed[i], false);
    if (options->shown)
        show_block(&folding, options->shown);
    sort_order(&folding);
    autofree int32_t *covers = find_covers(&folding);
    struct graph *result = build(&folding, covers);
    free(folding.items);
    free(folding.order);
    free(folding.roots);
    return result;
}
