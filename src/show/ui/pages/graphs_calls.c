/* Calls: around a function, or of the most important functions of the program. */
#include "show/ui/calls.h"
#include "show/ui/pages/graphs.h"
#include "show/ui/pages/pages.h"

#include <stdlib.h>

static bool print_node(const void *context, FILE *out, const struct graph *graph,
                       const struct graph_node *node)
{
    const struct graph_view *view = context;
    (void)graph;
    if (node->kind == node_MORE) {
        graph_view_address(out, view, &(struct graph_key){node->is_callers ? 'p' : 'c', node->row}, NULL);
        return true;
    }
    if (node->kind == node_UNKNOWN)
        return false;
    if (node->is_chosen) {
        fprintf(out, "/%u/function/%lld", view->request->subject->number, (long long)node->row);
        return true;
    }
    struct graph_view there = *view;
    there.function = node->row;
    there.opened = ARRAY_OF(struct graph_key);
    graph_view_address(out, &there, NULL, NULL);
    return true;
}

static char *words_for(const struct graph_view *view, const struct call_table *table,
                       const struct graph *graph)
{
    size_t functions = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        functions += graph_node(graph, i)->kind == node_FUNCTION || graph_node(graph, i)->kind == node_IMPORT;
    const char *weight = graph->has_time && (!view->size || *view->size == 't') ? "time" : "loops";
    if (view->function)
        return memory_format(
            "Callers are above, callees below; those with the most %s are shown first. Choose a function to "
            "see the calls around it, and the chosen one to see its page.",
            weight);
    if (functions == table->highest)
        return memory_format("All %zu functions of the program. Choose one to see the calls around it.",
                             functions);
    return memory_format("%zu of %u functions: those with the most %s, and the calls between them. Choose "
                         "one to see the calls "
                         "around it.",
                         functions, table->highest, weight);
}

static bool write_calls(const struct graph_view *view, struct ui_request *request, struct ui_answer *answer,
                        struct error *error)
{
    const struct call_table *table = ui_calls_table(request->subject->calls, request->connection, error);
    if (!table)
        return false;
    struct array more = ARRAY_OF(struct call_more);
    for (size_t i = 0; i < view->opened.count; i++) {
        const struct graph_key *key = ARRAY_AT(struct graph_key, &view->opened, i);
        *(struct call_more *)array_add(&more) = (struct call_more){key->row, key->letter == 'p'};
    }
    bool by_loops = view->size && *view->size == 'l';
    struct call_view_options options = {.function = view->function,
                                        .depth = view->depth,
                                        .most = (size_t)view->most,
                                        .weight = by_loops ? weight_LOOPS : weight_TIME,
                                        .more = more.data,
                                        .more_count = more.count,
                                        .demangle = request->options->demangle};
    struct graph *graph = call_view(table, request->connection, &options, error);
    if (graph) {
        struct picture_options picture = {.size = graph->has_time && !by_loops ? size_TIME : size_LOOPS,
                                          .node_address = print_node,
                                          .context = view};
        autofree char *words = words_for(view, table, graph);
        graph_view_write(view, request, answer, graph, &picture, words);
    }
    bool done = graph != NULL;
    graph_free(graph);
    array_free(&more);
    return done;
}

bool page_graph_calls(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    struct graph_view view;
    bool done = graph_view_begin(&view, request, answer, graph_CALLS, error) &&
                write_calls(&view, request, answer, error);
    graph_view_end(&view);
    return done;
}
