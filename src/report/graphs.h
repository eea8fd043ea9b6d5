/* Graphs of the tables: control flow and dominators of a function, calls between functions. */
#ifndef REPORT_GRAPHS_H
#define REPORT_GRAPHS_H
#include "report/common/drawing.h"
#include <sqlite3.h>

struct graph_options {
    bool is_short; /* blocks without their instructions */
    bool demangle;
    int64_t depth; /* call graph: steps from the chosen function; less than 0: no limit */
};

/* Each returns a drawing, or NULL with the error set. */
struct drawing *draw_control_flow(sqlite3 *connection, int64_t function, const struct graph_options *options,
                                  struct error *error);
struct drawing *draw_dominators(sqlite3 *connection, int64_t function, const struct graph_options *options,
                                struct error *error);
/* Functions 0: the whole call graph; otherwise their callers and callees. */
struct drawing *draw_call_graph(sqlite3 *connection, const int64_t *functions, size_t count,
                                const struct graph_options *options, struct error *error);
#endif
