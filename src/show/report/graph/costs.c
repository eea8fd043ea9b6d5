/* What the tables say about time: cycles of an iteration from loop_cycles, shares of the last run from its
 * samples. */
#include "show/report/graph/graph.h"

#include "show/report/common/rows.h"
#include "store/problem.h"
#include "show/report/graph/queries.h"

/* Calls `take` for each row of a query about the function. */
static bool each_row(sqlite3 *connection, const char *query, int64_t function, struct graph *graph,
                     void (*take)(struct graph *graph, sqlite3_stmt *row), struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query, -1, &rows, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    sqlite3_bind_int64(rows, 1, function);
    int state;
    while ((state = report_step(rows, error)) == 1)
        take(graph, rows);
    sqlite3_finalize(rows);
    return state == 0;
}

static struct graph_frame *frame_of_loop(const struct graph *graph, int64_t row)
{
    struct bisection search = {0, graph->frames.count};
    while (bisect(&search))
        bisect_past(&search, graph_frame(graph, search.middle)->row < row);
    struct graph_frame *found = search.first < graph->frames.count ? graph_frame(graph, search.first) : NULL;
    return found && found->row == row ? found : NULL;
}

static void take_cycles(struct graph *graph, sqlite3_stmt *row)
{
    struct graph_frame *frame = frame_of_loop(graph, sqlite3_column_int64(row, 0));
    if (frame && sqlite3_column_type(row, 1) != SQLITE_NULL)
        frame->cycles = sqlite3_column_double(row, 1);
}

static void take_loop_share(struct graph *graph, sqlite3_stmt *row)
{
    struct graph_frame *frame = frame_of_loop(graph, sqlite3_column_int64(row, 0));
    if (frame)
        frame->share = sqlite3_column_double(row, 1);
}

static void take_block_share(struct graph *graph, sqlite3_stmt *row)
{
    int64_t block = sqlite3_column_int64(row, 0);
    struct bisection search = {0, graph->nodes.count};
    while (search.end && graph_node(graph, search.end - 1)->kind != node_BLOCK)
        search.end--;
    while (bisect(&search))
        bisect_past(&search, graph_node(graph, search.middle)->row < block);
    if (search.first < graph->nodes.count && graph_node(graph, search.first)->row == block)
        graph_node(graph, search.first)->share = sqlite3_column_double(row, 1);
}

static void take_run(struct graph *graph, sqlite3_stmt *row)
{
    graph->has_time = sqlite3_column_int64(row, 0) > 0;
}

bool graph_read_costs(struct graph *graph, sqlite3 *connection, int64_t function, struct error *error)
{
    if (!each_row(connection, query_named(graph_queries, "loop_cycles"), function, graph, take_cycles,
                  error) ||
        !each_row(connection, query_named(graph_queries, "count_runs"), function, graph, take_run, error))
        return false;
    return !graph->has_time || (each_row(connection, query_named(graph_queries, "loop_shares"), function,
                                         graph, take_loop_share, error) &&
                                each_row(connection, query_named(graph_queries, "block_shares"), function,
                                         graph, take_block_share, error));
}
