#include "show/report/graph/graph.h"

#include "model/demangle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct graph *graph_new(char *title)
{
    struct graph *graph = memory_get(sizeof *graph);
    graph->title = title;
    graph->nodes = ARRAY_OF(struct graph_node);
    graph->frames = ARRAY_OF(struct graph_frame);
    graph->edges = ARRAY_OF(struct graph_edge);
    return graph;
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    array_free(&graph->nodes);
    array_free(&graph->frames);
    array_free(&graph->edges);
    arena_free(&graph->texts);
    free(graph->title);
    free(graph);
}

char *graph_text(struct graph *graph, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = arena_get(&graph->texts, length > 0 ? (size_t)length + 1 : 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

struct graph_node *graph_node(const struct graph *graph, size_t index)
{
    return ARRAY_AT(struct graph_node, &graph->nodes, index);
}

struct graph_frame *graph_frame(const struct graph *graph, size_t index)
{
    return ARRAY_AT(struct graph_frame, &graph->frames, index);
}

struct graph_edge *graph_edge(const struct graph *graph, size_t index)
{
    return ARRAY_AT(struct graph_edge, &graph->edges, index);
}

struct graph_node *graph_add_node(struct graph *graph, enum node_kind kind, int64_t row)
{
    struct graph_node *node = array_add(&graph->nodes);
    *node = (struct graph_node){.kind = kind,
                                .row = row,
                                .frame = GRAPH_NONE,
                                .dominator = GRAPH_NONE,
                                .title = "?",
                                .share = -1,
                                .cycles = -1,
                                .is_reachable = true};
    return node;
}

struct graph_frame *graph_add_frame(struct graph *graph, int64_t row)
{
    struct graph_frame *frame = array_add(&graph->frames);
    *frame = (struct graph_frame){
        .row = row, .inside = GRAPH_NONE, .header = GRAPH_NONE, .title = "?", .cycles = -1, .share = -1};
    return frame;
}

struct graph_edge *graph_add_edge(struct graph *graph, uint32_t from, uint32_t to, enum graph_edge_kind kind)
{
    struct graph_edge *edge = array_add(&graph->edges);
    *edge = (struct graph_edge){.from = from, .to = to, .kind = kind, .sites = 1};
    return edge;
}

const char *graph_name(struct graph *graph, const char *name, bool demangle)
{
    autofree char *plain = demangle && name ? demangle_name(name) : NULL;
    return graph_text(graph, "%s", plain ? plain : name ? name : "?");
}

static int compare_edges(const void *left, const void *right)
{
    const struct graph_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

void graph_join_edges(struct graph *graph, const struct graph *old, const int32_t *nodes)
{
    for (size_t i = 0; i < old->edges.count; i++) {
        const struct graph_edge *edge = graph_edge(old, i);
        int32_t from = nodes[edge->from], to = nodes[edge->to];
        if (from == GRAPH_NONE || to == GRAPH_NONE)
            continue;
        bool is_whole = graph_node(graph, (size_t)from)->kind == graph_node(old, edge->from)->kind;
        if (from == to && !is_whole)
            continue;
        struct graph_edge *added = graph_add_edge(graph, (uint32_t)from, (uint32_t)to, edge->kind);
        added->is_back = edge->is_back;
        added->sites = edge->sites;
    }
    if (graph->edges.count)
        qsort(graph->edges.data, graph->edges.count, graph->edges.width, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct graph_edge *last = kept ? graph_edge(graph, kept - 1) : NULL;
        if (last && !compare_edges(last, graph_edge(graph, i))) {
            last->sites += graph_edge(graph, i)->sites;
            last->is_back |= graph_edge(graph, i)->is_back;
        } else {
            *graph_edge(graph, kept++) = *graph_edge(graph, i);
        }
    }
    graph->edges.count = kept;
}

static void name_node(const struct graph_node *node, char name[32])
{
    static const char letters[] = {
        [node_BLOCK] = 'b', [node_ELSEWHERE] = 'b', [node_FUNCTION] = 'f', [node_IMPORT] = 'f',
        [node_LOOP] = 'l',  [node_REGION] = 'r',    [node_MORE] = 'm'};
    if (node->kind == node_UNKNOWN)
        snprintf(name, 32, "unknown");
    else
        snprintf(name, 32, "%c%lld", letters[node->kind], (long long)node->row);
}

static void draw_node(struct drawing *drawing, const struct graph *graph, const struct graph_node *node)
{
    char name[32];
    name_node(node, name);
    bool is_block = node->kind == node_BLOCK;
    autofree char *label =
        memory_format("%s%s%s", node->title, is_block ? "\n" : "", node->lines ? node->lines : "");
    const char *style = node->kind == node_IMPORT      ? "dashed,filled"
                        : node->kind == node_UNKNOWN   ? "dotted"
                        : node->kind == node_ELSEWHERE ? "rounded"
                        : node->is_reachable           ? NULL
                                                       : "dashed";
    drawing_node(drawing, name, node->frame == GRAPH_NONE ? 0 : graph_frame(graph, (size_t)node->frame)->row,
                 label, style, node->is_chosen ? "lightyellow" : NULL);
}

static void draw_edge(struct drawing *drawing, const struct graph *graph, const struct graph_edge *edge)
{
    static const struct {
        const char *color, *style;
    } looks[] = {
        [edge_FALL] = {"gray25", NULL},        [edge_TAKEN] = {"blue", NULL},
        [edge_SWITCH] = {"purple", NULL},      [edge_EXCEPTION] = {"red", "dashed"},
        [edge_TAIL] = {"darkgreen", "dotted"}, [edge_INDIRECT] = {NULL, "dotted"},
        [edge_DOMINATES] = {NULL, NULL},
    };
    char from[32], to[32];
    name_node(graph_node(graph, edge->from), from);
    name_node(graph_node(graph, edge->to), to);
    bool is_call = edge->kind == edge_CALL || edge->kind == edge_INDIRECT;
    autofree char *label = is_call && edge->sites > 1 ? memory_format("%lld", (long long)edge->sites) : NULL;
    drawing_edge(drawing, from, to, label, looks[edge->kind].color,
                 edge->is_back ? "bold" : looks[edge->kind].style);
}

struct drawing *graph_draw(const struct graph *graph)
{
    static const char *const shades[] = {"#f7f7f7", "#ececec", "#e1e1e1", "#d6d6d6", "#cbcbcb"};
    struct drawing *drawing = drawing_new(graph->title);
    for (size_t i = 0; i < graph->frames.count; i++) {
        const struct graph_frame *frame = graph_frame(graph, i);
        int64_t depth = frame->depth < 1 ? 1 : frame->depth > 5 ? 5 : frame->depth;
        autofree char *label = memory_format("%s\n", frame->title);
        drawing_frame(drawing, frame->row,
                      frame->inside == GRAPH_NONE ? 0 : graph_frame(graph, (size_t)frame->inside)->row, label,
                      shades[depth - 1]);
    }
    for (size_t i = 0; i < graph->nodes.count; i++)
        draw_node(drawing, graph, graph_node(graph, i));
    for (size_t i = 0; i < graph->edges.count; i++)
        draw_edge(drawing, graph, graph_edge(graph, i));
    return drawing;
}
