/* From the chosen function, step by step: callers of callers, callees of callees.  Of each function the most
   important neighbours are shown; a node says how many more there are.  Importance is time where a run is
   known, else the number of loops. */
#include "show/report/graph/call_view.h"

#include "show/report/common/rows.h"
#include "store/problem.h"
#include "show/report/graph/queries.h"

#include <stdlib.h>

/* Neighbours of the chosen function and of others that are shown at once, and with each further step. */
enum { FIRST_NEAR = 24, FIRST_FAR = 6, EACH_MORE = 40 };

/* What is known about functions that may be shown. */
struct worth {
    double share, total;
    int64_t loops;
};

struct viewing {
    const struct call_table *table;
    const struct call_view_options *options;
    sqlite3 *connection;
    struct worth *worths; /* by function */
    int32_t *nodes;       /* by function: GRAPH_NONE */
    struct graph *graph;
    struct array leftovers; /* of struct leftover */
};

/* A function with more callers (callees) than are shown. */
struct leftover {
    uint32_t function;
    bool is_callers;
};

static bool read_worths(struct viewing *viewing, struct error *error)
{
    static const char *const queries[] = {"loop_counts", "run_shares"};
    for (unsigned i = 0; i < 2; i++) {
        sqlite3_stmt *rows = NULL;
        if (sqlite3_prepare_v2(viewing->connection, query_named(graph_queries, queries[i]), -1, &rows,
                               NULL) != SQLITE_OK)
            return error_set(error, NULL, "%s", store_problem(viewing->connection));
        int state;
        while ((state = report_step(rows, error)) == 1) {
            int64_t function = sqlite3_column_int64(rows, 0);
            if (function < 1 || function > viewing->table->highest)
                continue;
            struct worth *worth = &viewing->worths[function];
            if (i == 0) {
                worth->loops = sqlite3_column_int64(rows, 1);
            } else {
                worth->share = sqlite3_column_double(rows, 1);
                worth->total = sqlite3_column_double(rows, 2);
                viewing->graph->has_time = true;
            }
        }
        sqlite3_finalize(rows);
        if (state)
            return false;
    }
    return true;
}

/* A neighbour, or any function: the most important first. */
struct ranked {
    double value;
    uint32_t function;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

static double value_of(const struct viewing *viewing, uint32_t function, uint32_t sites)
{
    const struct worth *worth = &viewing->worths[function];
    double by_time = viewing->graph->has_time ? (worth->total + worth->share) * 1e9 : 0;
    return (viewing->options->weight == weight_TIME ? by_time : 0) + (double)worth->loops * 1e3 +
           (sites < 999 ? sites : 999);
}

static void add_function(struct viewing *viewing, uint32_t function)
{
    if (viewing->nodes[function] != GRAPH_NONE)
        return;
    viewing->nodes[function] = (int32_t)viewing->graph->nodes.count;
    struct graph_node *node = graph_add_node(viewing->graph, node_FUNCTION, function);
    node->loops = viewing->worths[function].loops;
    node->share = viewing->graph->has_time ? viewing->worths[function].share : -1;
    node->is_chosen = function == viewing->options->function;
}

static size_t allowance(const struct viewing *viewing, uint32_t function, bool is_callers)
{
    size_t allowed = function == viewing->options->function ? FIRST_NEAR : FIRST_FAR;
    for (size_t i = 0; i < viewing->options->more_count; i++)
        if (viewing->options->more[i].function == function &&
            viewing->options->more[i].is_callers == is_callers)
            allowed += EACH_MORE;
    return allowed;
}

/* Functions that were reached in one direction, and those among them whose neighbours come next. */
struct way {
    bool is_callers, is_last; /* is_last: only what was asked for */
    bool *is_reached;         /* by function */
    struct array next;        /* of uint32_t */
};

static void reach(struct way *way, uint32_t function)
{
    if (!way->is_reached[function])
        *(uint32_t *)array_add(&way->next) = function;
    way->is_reached[function] = true;
}

static void step_from(struct viewing *viewing, struct way *way, uint32_t function)
{
    const struct call_table *table = viewing->table;
    const uint32_t *starts = way->is_callers ? table->callee_starts : table->caller_starts;
    size_t allowed = allowance(viewing, function, way->is_callers);
    bool is_asked = allowed > (function == viewing->options->function ? FIRST_NEAR : FIRST_FAR);
    if (way->is_last && !is_asked)
        return;
    struct array found = ARRAY_OF(struct ranked);
    for (uint32_t i = starts[function]; i < starts[function + 1]; i++) {
        const struct call_pair *pair = &table->pairs[way->is_callers ? table->by_callee[i] : i];
        uint32_t other = way->is_callers ? pair->caller : pair->callee;
        if (other && viewing->nodes[other] == GRAPH_NONE)
            *(struct ranked *)array_add(&found) =
                (struct ranked){value_of(viewing, other, pair->sites), other};
        else if (other)
            reach(way, other);
    }
    if (found.count)
        qsort(found.data, found.count, found.width, compare_ranked);
    size_t shown = 0;
    for (; shown < found.count && shown < allowed; shown++) {
        if (viewing->graph->nodes.count >= viewing->options->most && !is_asked)
            break;
        uint32_t other = ARRAY_AT(struct ranked, &found, shown)->function;
        add_function(viewing, other);
        reach(way, other);
    }
    if (shown < found.count)
        *(struct leftover *)array_add(&viewing->leftovers) = (struct leftover){function, way->is_callers};
    array_free(&found);
}

static void walk(struct viewing *viewing, bool is_callers)
{
    struct way way = {.is_callers = is_callers,
                      .is_reached = memory_get((size_t)viewing->table->highest + 1),
                      .next = ARRAY_OF(uint32_t)};
    reach(&way, (uint32_t)viewing->options->function);
    for (int64_t step = 0; way.next.count; step++) {
        struct array now = way.next;
        way.next = ARRAY_OF(uint32_t);
        way.is_last = step >= viewing->options->depth;
        for (size_t i = 0; i < now.count; i++)
            step_from(viewing, &way, *ARRAY_AT(uint32_t, &now, i));
        array_free(&now);
    }
    array_free(&way.next);
    free(way.is_reached);
}

static void take_most_important(struct viewing *viewing)
{
    struct array all = ARRAY_OF(struct ranked);
    for (uint32_t i = 1; i <= viewing->table->highest; i++) {
        uint32_t callers = viewing->table->callee_starts[i + 1] - viewing->table->callee_starts[i];
        *(struct ranked *)array_push(&all) = (struct ranked){value_of(viewing, i, callers), i};
    }
    if (all.count)
        qsort(all.data, all.count, all.width, compare_ranked);
    for (size_t i = 0; i < all.count && i < viewing->options->most; i++)
        add_function(viewing, ARRAY_AT(struct ranked, &all, i)->function);
    array_free(&all);
}

static void add_edges(struct viewing *viewing)
{
    const struct call_table *table = viewing->table;
    size_t functions = viewing->graph->nodes.count;
    for (size_t i = 0; i < functions; i++) {
        uint32_t caller = (uint32_t)graph_node(viewing->graph, i)->row;
        for (uint32_t j = table->caller_starts[caller]; j < table->caller_starts[caller + 1]; j++) {
            const struct call_pair *pair = &table->pairs[j];
            if (!pair->callee && viewing->nodes[0] == GRAPH_NONE) {
                viewing->nodes[0] = (int32_t)viewing->graph->nodes.count;
                graph_add_node(viewing->graph, node_UNKNOWN, 0)->title = "unknown (indirect)";
            }
            if (viewing->nodes[pair->callee] == GRAPH_NONE)
                continue;
            enum graph_edge_kind kind = !pair->callee                ? edge_INDIRECT
                                        : pair->tails == pair->sites ? edge_TAIL
                                                                     : edge_CALL;
            graph_add_edge(viewing->graph, (uint32_t)i, (uint32_t)viewing->nodes[pair->callee], kind)->sites =
                pair->sites;
        }
    }
}

static void add_leftovers(struct viewing *viewing)
{
    for (size_t i = 0; i < viewing->leftovers.count; i++) {
        const struct leftover *it = ARRAY_AT(struct leftover, &viewing->leftovers, i);
        /* Some may have been reached from elsewhere in the meantime. */
        const struct call_table *table = viewing->table;
        const uint32_t *starts = it->is_callers ? table->callee_starts : table->caller_starts;
        int64_t count = 0;
        for (uint32_t j = starts[it->function]; j < starts[it->function + 1]; j++) {
            const struct call_pair *pair = &table->pairs[it->is_callers ? table->by_callee[j] : j];
            uint32_t other = it->is_callers ? pair->caller : pair->callee;
            count += other && viewing->nodes[other] == GRAPH_NONE;
        }
        if (!count)
            continue;
        uint32_t more = (uint32_t)viewing->graph->nodes.count,
                 function = (uint32_t)viewing->nodes[it->function];
        struct graph_node *node = graph_add_node(viewing->graph, node_MORE, it->function);
        node->is_callers = it->is_callers;
        node->blocks = count;
        graph_node(viewing->graph, more)->title = graph_text(
            viewing->graph, "… %lld more %s", (long long)count, it->is_callers ? "callers" : "callees");
        graph_add_edge(viewing->graph, it->is_callers ? more : function, it->is_callers ? function : more,
                       edge_CALL)
            ->sites = count;
    }
}

static bool read_names(struct viewing *viewing, struct error *error)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(viewing->connection, query_named(graph_queries, "read_names"), -1, &row, NULL) !=
        SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(viewing->connection));
    int state = 0;
    for (size_t i = 0; state >= 0 && i < viewing->graph->nodes.count; i++) {
        struct graph_node *node = graph_node(viewing->graph, i);
        sqlite3_bind_int64(row, 1, node->row);
        if ((state = report_step(row, error)) == 1) {
            node->title = graph_name(viewing->graph, (const char *)sqlite3_column_text(row, 0),
                                     viewing->options->demangle);
            node->kind = sqlite3_column_int(row, 1) ? node_IMPORT : node_FUNCTION;
            node->instructions = sqlite3_column_int64(row, 2);
        }
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    return state >= 0;
}

struct graph *call_view(const struct call_table *table, sqlite3 *connection,
                        const struct call_view_options *options, struct error *error)
{
    struct viewing viewing = {.table = table,
                              .options = options,
                              .connection = connection,
                              .worths = memory_get(((size_t)table->highest + 1) * sizeof *viewing.worths),
                              .nodes = memory_get(((size_t)table->highest + 1) * sizeof *viewing.nodes),
                              .graph = graph_new(memory_format("calls")),
                              .leftovers = ARRAY_OF(struct leftover)};
    for (size_t i = 0; i <= table->highest; i++)
        viewing.nodes[i] = GRAPH_NONE;
    bool done = read_worths(&viewing, error);
    if (done && options->function > 0 && options->function <= table->highest) {
        add_function(&viewing, (uint32_t)options->function);
        walk(&viewing, false);
        walk(&viewing, true);
    } else if (done) {
        take_most_important(&viewing);
    }
    done = done && read_names(&viewing, error);
    if (done) {
        add_edges(&viewing);
        add_leftovers(&viewing);
        graph_group_cycles(viewing.graph);
    }
    free(viewing.worths);
    free(viewing.nodes);
    array_free(&viewing.leftovers);
    if (done)
        return viewing.graph;
    graph_free(viewing.graph);
    return NULL;
}
