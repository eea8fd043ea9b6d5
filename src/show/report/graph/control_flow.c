/* The control-flow graph of a function: loops are frames, nested; an edge back to the header of its loop is
   marked.  The dominator tree has the same nodes.

   Databases may be damaged: a row that refers to something outside the function is taken as if it referred
   to nothing, and a frame stands inside another only if that one comes before it. */
#include "show/report/graph/graph.h"

#include "base/path.h"
#include "show/report/common/rows.h"
#include "store/problem.h"
#include "show/report/graph/queries.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 100 };

static sqlite3_stmt *ask(sqlite3 *connection, const char *query, int64_t parameter, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, query, -1, &statement, NULL) != SQLITE_OK) {
        error_set(error, NULL, "%s", store_problem(connection));
        return NULL;
    }
    sqlite3_bind_int64(statement, 1, parameter);
    return statement;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static struct graph *new_graph(sqlite3 *connection, int64_t function, const char *format, bool demangle,
                               struct error *error)
{
    struct graph *graph = graph_new(NULL);
    sqlite3_stmt *row = ask(connection, query_named(graph_queries, "new_graph"), function, error);
    const char *name = row && report_step(row, error) == 1
                           ? graph_name(graph, text_of(row, 0), demangle)
                           : graph_text(graph, "function %lld", (long long)function);
    sqlite3_finalize(row);
    graph->title = memory_format("%s%s", format, name);
    return graph;
}

/* Nodes of blocks and frames of loops are in order of their rows. */
static int32_t find_node(const struct graph *graph, size_t blocks, int64_t row)
{
    struct bisection search = {0, blocks};
    while (bisect(&search))
        bisect_past(&search, graph_node(graph, search.middle)->row < row);
    bool is_there = search.first < blocks && graph_node(graph, search.first)->row == row;
    return is_there ? (int32_t)search.first : GRAPH_NONE;
}

static int32_t find_frame(const struct graph *graph, int64_t row)
{
    struct bisection search = {0, graph->frames.count};
    while (bisect(&search))
        bisect_past(&search, graph_frame(graph, search.middle)->row < row);
    bool is_there = search.first < graph->frames.count && graph_frame(graph, search.first)->row == row;
    return is_there ? (int32_t)search.first : GRAPH_NONE;
}

static const char *loop_title(struct graph *graph, sqlite3_stmt *row)
{
    const char *path = text_of(row, 5);
    int64_t first = sqlite3_column_int64(row, 6), last = sqlite3_column_int64(row, 7);
    const char *place = !path           ? ""
                        : last == first ? graph_text(graph, "  %s:%lld", path_name(path), (long long)first)
                                        : graph_text(graph, "  %s:%lld-%lld", path_name(path),
                                                     (long long)first, (long long)last);
    return graph_text(graph, "loop %lld%s%s", (long long)sqlite3_column_int64(row, 0),
                      sqlite3_column_int(row, 4) ? " (irreducible)" : "", place);
}

/* header is the block for now: blocks come later. */
static bool add_loops(struct graph *graph, sqlite3 *connection, int64_t function, int64_t **headers,
                      struct error *error)
{
    sqlite3_stmt *rows = ask(connection, query_named(graph_queries, "add_loops"), function, error);
    int state = rows ? 0 : -1;
    struct array found = ARRAY_OF(int64_t);
    while (rows && (state = report_step(rows, error)) == 1) {
        const char *title = loop_title(graph, rows);
        int32_t inside = find_frame(graph, sqlite3_column_int64(rows, 1));
        struct graph_frame *frame = graph_add_frame(graph, sqlite3_column_int64(rows, 0));
        frame->title = title;
        frame->inside = inside;
        frame->depth = sqlite3_column_int64(rows, 3);
        frame->is_irreducible = sqlite3_column_int(rows, 4) != 0;
        *(int64_t *)array_add(&found) = sqlite3_column_int64(rows, 2);
    }
    sqlite3_finalize(rows);
    *headers = found.data;
    return state == 0;
}

static bool add_blocks(struct graph *graph, sqlite3 *connection, int64_t function, bool is_short,
                       struct error *error)
{
    sqlite3_stmt *rows = ask(connection, query_named(graph_queries, "add_blocks"), function, error);
    int state = rows ? 0 : -1;
    struct array dominators = ARRAY_OF(int64_t);
    while (rows && (state = report_step(rows, error)) == 1) {
        struct graph_node *node = graph_add_node(graph, node_BLOCK, sqlite3_column_int64(rows, 0));
        node->position = sqlite3_column_int64(rows, 1);
        node->address = sqlite3_column_int64(rows, 2);
        node->instructions = sqlite3_column_int64(rows, 3);
        node->is_reachable = sqlite3_column_int(rows, 4) != 0;
        node->frame = find_frame(graph, sqlite3_column_int64(rows, 5));
        node->first_instruction = sqlite3_column_int64(rows, 6);
        node->title =
            graph_text(graph, "B%lld  0x%llx", (long long)node->position, (unsigned long long)node->address);
        *(int64_t *)array_add(&dominators) = sqlite3_column_int64(rows, 7);
        if (!is_short && !graph_read_instructions(graph, connection, node, MOST_LINES, error))
            break;
    }
    sqlite3_finalize(rows);
    for (size_t i = 0; i < dominators.count; i++)
        graph_node(graph, i)->dominator =
            find_node(graph, graph->nodes.count, *ARRAY_AT(int64_t, &dominators, i));
    array_free(&dominators);
    return state == 0;
}

bool graph_read_instructions(struct graph *graph, sqlite3 *connection, struct graph_node *node, int64_t most,
                             struct error *error)
{
    sqlite3_stmt *rows =
        ask(connection, query_named(graph_queries, "graph_read_instructions"), node->row, error);
    if (!rows)
        return false;
    int64_t shown = node->instructions > most ? most : node->instructions;
    sqlite3_bind_int64(rows, 2, node->first_instruction);
    sqlite3_bind_int64(rows, 3, node->first_instruction + shown - 1);
    autofree char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        sqlite3_finalize(rows);
        return error_set_errno(error, NULL, "no memory for the instructions of a block");
    }
    int state;
    while ((state = report_step(rows, error)) == 1)
        fprintf(out, "%s\n", text_of(rows, 0) ? text_of(rows, 0) : "?");
    if (shown < node->instructions)
        fprintf(out, "… %lld more\n", (long long)(node->instructions - shown));
    fclose(out);
    sqlite3_finalize(rows);
    node->lines = graph_text(graph, "%s", text);
    return state == 0;
}

static bool goes_back(const struct graph *graph, uint32_t from, uint32_t to)
{
    for (int32_t at = graph_node(graph, from)->frame; at != GRAPH_NONE;
         at = graph_frame(graph, (size_t)at)->inside)
        if (graph_frame(graph, (size_t)at)->header == (int32_t)to)
            return true;
    return false;
}

static enum graph_edge_kind kind_of(const char *word)
{
    static const char *const words[] = {[edge_FALL] = "fall",
                                        [edge_TAKEN] = "taken",
                                        [edge_SWITCH] = "switch",
                                        [edge_EXCEPTION] = "exception",
                                        [edge_TAIL] = "tail call"};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], word))
            return (enum graph_edge_kind)i;
    return edge_FALL;
}

/* Blocks of other functions that tail calls lead to, once each; they stand after the blocks. */
static uint32_t node_elsewhere(struct graph *graph, size_t blocks, int64_t block, int64_t function,
                               const char *name)
{
    for (size_t i = blocks; i < graph->nodes.count; i++)
        if (graph_node(graph, i)->row == block)
            return (uint32_t)i;
    struct graph_node *node = graph_add_node(graph, node_ELSEWHERE, block);
    node->title = name;
    node->function = function;
    return (uint32_t)graph->nodes.count - 1;
}

static bool add_edges(struct graph *graph, sqlite3 *connection, int64_t function, bool demangle,
                      struct error *error)
{
    size_t blocks = graph->nodes.count;
    sqlite3_stmt *rows = ask(connection, query_named(graph_queries, "add_edges"), function, error);
    int state = rows ? 0 : -1;
    while (rows && (state = report_step(rows, error)) == 1) {
        int32_t from = find_node(graph, blocks, sqlite3_column_int64(rows, 0)),
                to = find_node(graph, blocks, sqlite3_column_int64(rows, 1));
        if (from == GRAPH_NONE)
            continue;
        if (to == GRAPH_NONE)
            to = (int32_t)node_elsewhere(graph, blocks, sqlite3_column_int64(rows, 1),
                                         sqlite3_column_int64(rows, 3),
                                         graph_name(graph, text_of(rows, 4), demangle));
        struct graph_edge *edge =
            graph_add_edge(graph, (uint32_t)from, (uint32_t)to, kind_of(text_of(rows, 2)));
        edge->is_back = goes_back(graph, edge->from, edge->to);
    }
    sqlite3_finalize(rows);
    return state == 0;
}

static struct graph *done_or_nothing(struct graph *graph, bool done)
{
    if (done)
        return graph;
    graph_free(graph);
    return NULL;
}

struct graph *graph_of_flow(sqlite3 *connection, int64_t function, const struct graph_options *options,
                            struct error *error)
{
    struct graph *graph = new_graph(connection, function, "", options->demangle, error);
    autofree int64_t *headers = NULL;
    bool done = add_loops(graph, connection, function, &headers, error) &&
                add_blocks(graph, connection, function, options->is_short, error);
    for (size_t i = 0; done && i < graph->frames.count; i++)
        graph_frame(graph, i)->header = find_node(graph, graph->nodes.count, headers[i]);
    done = done && add_edges(graph, connection, function, options->demangle, error) && !error->set;
    return done_or_nothing(graph, done);
}

struct graph *graph_of_dominators(sqlite3 *connection, int64_t function, const struct graph_options *options,
                                  struct error *error)
{
    struct graph *graph = new_graph(connection, function, "dominators of ", options->demangle, error);
    bool done = add_blocks(graph, connection, function, options->is_short, error) && !error->set;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (graph_node(graph, i)->dominator != GRAPH_NONE)
            graph_add_edge(graph, (uint32_t)graph_node(graph, i)->dominator, i, edge_DOMINATES);
    return done_or_nothing(graph, done);
}
