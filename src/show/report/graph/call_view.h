/* The call graph around a function, or of the most important functions, small enough to be seen.

   A table of all calls is made once for a program: pairs of functions, by caller and by callee.  Views take
   from it in time that depends on what they show. */
#ifndef SHOW_REPORT_GRAPH_CALL_VIEW_H
#define SHOW_REPORT_GRAPH_CALL_VIEW_H
#include "show/report/graph/graph.h"

/* A caller and a callee (0: unknown) with their call sites. */
struct call_pair {
    uint32_t caller, callee, sites, tails;
};

struct call_table {
    uint32_t highest;        /* function */
    struct call_pair *pairs; /* by caller, then callee */
    uint32_t pair_count;
    uint32_t *by_callee;                     /* pairs in order of callees */
    uint32_t *caller_starts, *callee_starts; /* by function: the first in pairs (by_callee) */
};

struct call_table *call_table_read(sqlite3 *connection, struct error *error);
void call_table_free(struct call_table *table);

enum call_weight { weight_TIME, weight_LOOPS };

struct call_view_options {
    int64_t function; /* 0: the most important ones of the program */
    int64_t depth;    /* steps from it */
    size_t most;      /* functions */
    enum call_weight weight;
    /* Functions whose callers (callees) are wanted beyond the most important ones; once for each step. */
    const struct call_more {
        int64_t function;
        bool is_callers;
    } * more;
    size_t more_count;
    bool demangle;
};

/* Functions that call each other in a circle are in a frame.  NULL: the error is set. */
struct graph *call_view(const struct call_table *table, sqlite3 *connection,
                        const struct call_view_options *options, struct error *error);
#endif
