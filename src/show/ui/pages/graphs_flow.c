/* Control flow and dominators of a function, and the instructions of a block. */
#include "show/report/graph/fold.h"
#include "show/ui/pages/graphs.h"
#include "show/ui/pages/pages.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>

/* Up to so many nodes, blocks are shown with so many instructions. */
enum { FEW_NODES = 40, SOME_NODES = 160, MANY_LINES = 100, SOME_LINES = 5 };

static struct array fold_choices(const struct array *keys)
{
    struct array choices = ARRAY_OF(struct fold_choice);
    for (size_t i = 0; i < keys->count; i++) {
        const struct graph_key *key = ARRAY_AT(struct graph_key, keys, i);
        *(struct fold_choice *)array_add(&choices) =
            (struct fold_choice){key->letter == 'l'   ? fold_LOOP
                                 : key->letter == 'b' ? fold_REGION
                                                      : fold_LOOP_REGION,
                                 key->row};
    }
    return choices;
}

static bool print_node(const void *context, FILE *out, const struct graph *graph,
                       const struct graph_node *node)
{
    const struct graph_view *view = context;
    (void)graph;
    if (node->kind == node_LOOP)
        graph_view_address(out, view, &(struct graph_key){'l', node->row}, NULL);
    else if (node->kind == node_REGION)
        graph_view_address(out, view, &(struct graph_key){node->is_loop_region ? 'r' : 'b', node->row}, NULL);
    else if (node->kind == node_ELSEWHERE && node->function)
        fprintf(out, "/%u/graph/flow/%lld", view->request->subject->number, (long long)node->function);
    else
        fprintf(out, "#block-%lld", (long long)node->row);
    return true;
}

static bool print_frame(const void *context, FILE *out, const struct graph *graph,
                        const struct graph_frame *frame)
{
    const struct graph_view *view = context;
    (void)graph;
    fprintf(out, "/%u/loop/%lld", view->request->subject->number, (long long)frame->row);
    return true;
}

static bool print_close(const void *context, FILE *out, const struct graph *graph,
                        const struct graph_frame *frame)
{
    (void)graph;
    graph_view_address(out, context, NULL, &(struct graph_key){'l', frame->row});
    return true;
}

static bool read_lines(const struct graph_view *view, struct graph *graph, struct graph *shown,
                       struct error *error)
{
    bool is_long = view->text && *view->text == 'l', is_short = view->text && *view->text == 's';
    int64_t lines = is_short                                     ? 0
                    : is_long || shown->nodes.count <= FEW_NODES ? MANY_LINES
                    : shown->nodes.count <= SOME_NODES           ? SOME_LINES
                                                                 : 0;
    for (size_t i = 0; lines && i < shown->nodes.count; i++)
        if (graph_node(shown, i)->kind == node_BLOCK &&
            !graph_read_instructions(graph, view->request->connection, graph_node(shown, i), lines, error))
            return false;
    return true;
}

static char *words_for(const struct graph *all, const struct graph *shown)
{
    size_t closed = 0;
    for (size_t i = 0; i < shown->nodes.count; i++)
        closed += graph_node(shown, i)->kind == node_LOOP || graph_node(shown, i)->kind == node_REGION;
    if (!closed)
        return memory_format("All %zu blocks are shown. Choose a block to read its instructions.",
                             all->nodes.count);
    return memory_format("%zu blocks in %zu nodes: %zu loops and regions are closed, and open when you "
                         "choose them. A region is a "
                         "block with everything that can only be reached through it.",
                         all->nodes.count, shown->nodes.count, closed);
}

static bool write_blocks(struct ui_request *request, struct ui_answer *answer, enum graph_page page,
                         struct error *error)
{
    struct graph_view view;
    struct graph_options options = {.is_short = true, .demangle = request->options->demangle};
    bool done = graph_view_begin(&view, request, answer, page, error);
    struct graph *graph = !done ? NULL
                          : page == graph_FLOW
                              ? graph_of_flow(request->connection, view.function, &options, error)
                              : graph_of_dominators(request->connection, view.function, &options, error);
    done = graph && graph_read_costs(graph, request->connection, view.function, error);
    if (done) {
        struct array opened = fold_choices(&view.opened), closed = fold_choices(&view.closed);
        struct fold_options fold = {.most = (size_t)view.most,
                                    .opened = opened.data,
                                    .opened_count = opened.count,
                                    .closed = closed.data,
                                    .closed_count = closed.count,
                                    .shown = view.show};
        struct graph *shown = graph_fold(graph, &fold);
        done = read_lines(&view, graph, shown, error);
        if (done) {
            struct picture_options picture = {.node_address = print_node,
                                              .frame_address = print_frame,
                                              .fold_address = print_close,
                                              .context = &view};
            autofree char *words = words_for(graph, shown);
            graph_view_write(&view, request, answer, shown, &picture, words);
        }
        graph_free(shown);
        array_free(&opened);
        array_free(&closed);
    }
    graph_free(graph);
    graph_view_end(&view);
    return done;
}

bool page_graph_flow(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    return write_blocks(request, answer, graph_FLOW, error);
}

bool page_graph_dominators(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    return write_blocks(request, answer, graph_DOMINATORS, error);
}

bool page_block_code(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    int64_t block = ui_rest_number(request);
    return ui_json_rows(request, answer, query_named(page_queries, "page_block_code"), &block, 1, error);
}
