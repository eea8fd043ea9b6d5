/* The call graph: functions, and an edge for each pair that calls, with the number of call sites.  Imports
   are dashed.  Calls with an unknown callee lead to one node "unknown", so that none is left out. */
#include "show/report/graph/graph.h"

#include "base/memory.h"
#include "show/report/common/rows.h"
#include "store/problem.h"
#include "show/report/graph/queries.h"

#include <stdlib.h>
#include <string.h>

struct call_edge {
    int64_t caller, callee, sites; /* callee 0: unknown */
};

struct around {
    struct array edges; /* of struct call_edge */
    bool *chosen;       /* by function id: drawn */
    bool *asked;        /* by function id: the reader named it */
    int64_t highest;
};

static bool load_edges(struct around *around, sqlite3 *connection, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(graph_queries, "load_edges"), -1, &rows, NULL) !=
        SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    int state;
    while ((state = report_step(rows, error)) == 1) {
        struct call_edge edge = {sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1),
                                 sqlite3_column_int64(rows, 2)};
        if (edge.caller < 1 || edge.callee < 0 || edge.caller > around->highest ||
            edge.callee > around->highest)
            continue;
        *(struct call_edge *)array_add(&around->edges) = edge;
    }
    sqlite3_finalize(rows);
    return state == 0;
}

/* Marks functions within depth steps of the named ones, following calls in one direction. */
static void mark_way(struct around *around, int64_t depth, bool to_callees)
{
    autofree bool *reached = memory_get((size_t)around->highest + 1);
    memcpy(reached, around->asked, (size_t)around->highest + 1);
    for (bool grew = true; grew && depth; depth--) {
        grew = false;
        autofree bool *next = memory_get((size_t)around->highest + 1);
        for (size_t i = 0; i < around->edges.count; i++) {
            const struct call_edge *edge = ARRAY_AT(struct call_edge, &around->edges, i);
            int64_t from = to_callees ? edge->caller : edge->callee,
                    to = to_callees ? edge->callee : edge->caller;
            if (from && to && reached[from] && !reached[to])
                next[to] = grew = true;
        }
        for (int64_t id = 1; id <= around->highest; id++)
            reached[id] |= next[id];
    }
    for (int64_t id = 1; id <= around->highest; id++)
        around->chosen[id] |= reached[id];
}

/* Adds the functions that are drawn; *nodes: by function id, GRAPH_NONE for others. */
static bool add_functions(struct graph *graph, const struct around *around, sqlite3 *connection,
                          bool demangle, int32_t *nodes, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(graph_queries, "add_functions"), -1, &rows, NULL) !=
        SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    int state;
    while ((state = report_step(rows, error)) == 1) {
        int64_t id = sqlite3_column_int64(rows, 0);
        if (id < 1 || id > around->highest || !around->chosen[id])
            continue;
        const char *origin = (const char *)sqlite3_column_text(rows, 2);
        const char *name = graph_name(graph, (const char *)sqlite3_column_text(rows, 1), demangle);
        nodes[id] = (int32_t)graph->nodes.count;
        struct graph_node *node =
            graph_add_node(graph, origin && !strcmp(origin, "import") ? node_IMPORT : node_FUNCTION, id);
        node->title = name;
        node->is_chosen = around->asked[id];
    }
    sqlite3_finalize(rows);
    return state == 0;
}

static void add_calls(struct graph *graph, const struct around *around, int32_t *nodes)
{
    for (size_t i = 0; i < around->edges.count; i++) {
        const struct call_edge *edge = ARRAY_AT(struct call_edge, &around->edges, i);
        if (nodes[edge->caller] == GRAPH_NONE || (edge->callee && nodes[edge->callee] == GRAPH_NONE))
            continue;
        if (nodes[edge->callee] == GRAPH_NONE) {
            nodes[0] = (int32_t)graph->nodes.count;
            graph_add_node(graph, node_UNKNOWN, 0)->title = "unknown (indirect)";
        }
        graph_add_edge(graph, (uint32_t)nodes[edge->caller], (uint32_t)nodes[edge->callee],
                       edge->callee ? edge_CALL : edge_INDIRECT)
            ->sites = edge->sites;
    }
}

/* Ids are places in the table, so none is above the number of rows. */
static bool find_highest(struct around *around, sqlite3 *connection, struct error *error)
{
    sqlite3_stmt *row = NULL;
    int64_t highest = -1, count = 0;
    if (sqlite3_prepare_v2(connection, query_named(graph_queries, "find_highest"), -1, &row, NULL) ==
            SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        highest = sqlite3_column_int64(row, 0);
        count = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    if (highest < 0 && sqlite3_errcode(connection) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    if (highest < 0 || highest > count)
        return error_set(error, NULL, "the database is damaged: functions are not numbered in order");
    around->highest = highest;
    return true;
}

struct graph *graph_of_calls(sqlite3 *connection, const int64_t *functions, size_t count,
                             const struct graph_options *options, struct error *error)
{
    struct around around = {.edges = ARRAY_OF(struct call_edge)};
    if (!find_highest(&around, connection, error))
        return NULL;
    size_t ids = (size_t)around.highest + 1;
    around.chosen = memory_get(ids);
    around.asked = memory_get(ids);
    autofree int32_t *nodes = memory_get(ids * sizeof *nodes);
    memset(nodes, 0xff, ids * sizeof *nodes);
    struct graph *graph = graph_new(memory_format("calls"));
    bool done = load_edges(&around, connection, error);
    for (size_t i = 0; i < count; i++)
        if (functions[i] > 0 && functions[i] <= around.highest)
            around.asked[functions[i]] = true;
    if (count) {
        mark_way(&around, options->depth, true);
        mark_way(&around, options->depth, false);
    } else {
        memset(around.chosen, 1, ids);
    }
    done = done && add_functions(graph, &around, connection, options->demangle, nodes, error);
    if (done)
        add_calls(graph, &around, nodes);
    array_free(&around.edges);
    free(around.chosen);
    free(around.asked);
    if (done)
        return graph;
    graph_free(graph);
    return NULL;
}
