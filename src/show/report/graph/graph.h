/* Graphs of the tables: control flow and dominators of a function, calls between functions.

   A graph is built once, as nodes, frames around them (loops, groups of functions that call each other) and
   edges.  Then it is drawn: by Graphviz (graph_draw), or for a page, which folds what is too much for a
   screen (fold.h), places it (layout.h) and writes it as SVG (picture.h).  Nodes and frames are named by
   their place in their array; texts live in the graph's arena. */
#ifndef SHOW_REPORT_GRAPH_GRAPH_H
#define SHOW_REPORT_GRAPH_GRAPH_H
#include "base/memory.h"
#include "show/report/common/drawing.h"

#include <sqlite3.h>

enum node_kind {
    node_BLOCK,
    node_ELSEWHERE, /* a block of another function, which a tail call leads to */
    node_FUNCTION,
    node_IMPORT,
    node_UNKNOWN, /* what calls with an unknown callee lead to */
    node_LOOP,    /* a loop that is closed: one node for all of its blocks */
    node_REGION,  /* a block and the blocks that it dominates, closed */
    node_MORE,    /* callers or callees that are left out */
};

enum graph_edge_kind {
    edge_FALL,
    edge_TAKEN,
    edge_SWITCH,
    edge_EXCEPTION,
    edge_TAIL,
    edge_CALL,
    edge_INDIRECT,
    edge_DOMINATES
};

enum { GRAPH_NONE = -1 };

struct graph_node {
    enum node_kind kind;
    int64_t row;   /* the block, function or loop; node_REGION: its first block; node_MORE: the function */
    int32_t frame; /* that it is in; GRAPH_NONE */
    int32_t dominator;         /* immediate one, a node; GRAPH_NONE */
    const char *title, *lines; /* its name; further lines, each ended by \n, NULL for none */
    int64_t address, first_instruction, instructions, position;
    int64_t function;             /* node_ELSEWHERE: that the block is in */
    int64_t blocks;               /* of node_LOOP and node_REGION; node_MORE: functions */
    int64_t loops;                /* of a function */
    double share;                 /* of the run's time in its own code; less than 0: unknown */
    bool is_reachable, is_chosen; /* is_chosen: the reader named it */
    double cycles;                /* node_LOOP: of an iteration; less than 0: unknown */
    bool is_loop_region;          /* node_REGION: of a loop, which row is then */
    bool is_callers;              /* node_MORE: callers are left out; otherwise callees */
};

struct graph_frame {
    int64_t row;    /* loop; 0: a group of functions */
    int32_t inside; /* frame around it, which stands before it; GRAPH_NONE */
    int32_t header; /* a node; GRAPH_NONE */
    int64_t depth;  /* from 1 */
    const char *title;
    double cycles, share; /* of an iteration; of the run's time; less than 0: unknown */
    bool is_irreducible;
};

struct graph_edge {
    uint32_t from, to;
    enum graph_edge_kind kind;
    bool is_back;  /* to the header of a loop around its source */
    int64_t sites; /* edges or calls that it stands for */
};

struct graph {
    char *title;
    struct array nodes, frames, edges; /* of struct graph_node, graph_frame, graph_edge */
    struct arena texts;
    bool has_time; /* shares are known */
};

struct graph_options {
    bool is_short; /* blocks without their instructions */
    bool demangle;
    int64_t depth; /* call graph: steps from the chosen function; less than 0: no limit */
};

/* Each returns a graph, or NULL with the error set. */
struct graph *graph_of_flow(sqlite3 *connection, int64_t function, const struct graph_options *options,
                            struct error *error);
struct graph *graph_of_dominators(sqlite3 *connection, int64_t function, const struct graph_options *options,
                                  struct error *error);
/* Functions 0: the whole call graph; otherwise their callers and callees. */
struct graph *graph_of_calls(sqlite3 *connection, const int64_t *functions, size_t count,
                             const struct graph_options *options, struct error *error);

/* The instructions of a block as lines, at most so many, then "… 12 more". */
bool graph_read_instructions(struct graph *graph, sqlite3 *connection, struct graph_node *node, int64_t most,
                             struct error *error);
/* Cycles of loops and shares of the time, where the database has them: for frames and blocks. */
bool graph_read_costs(struct graph *graph, sqlite3 *connection, int64_t function, struct error *error);

struct graph *graph_new(char *title); /* which it frees */
void graph_free(struct graph *graph);
char *graph_text(struct graph *graph, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct graph_node *graph_node(const struct graph *graph, size_t index);
struct graph_frame *graph_frame(const struct graph *graph, size_t index);
struct graph_edge *graph_edge(const struct graph *graph, size_t index);
/* New ones at the end, with nothing known. */
struct graph_node *graph_add_node(struct graph *graph, enum node_kind kind, int64_t row);
struct graph_frame *graph_add_frame(struct graph *graph, int64_t row);
struct graph_edge *graph_add_edge(struct graph *graph, uint32_t from, uint32_t to, enum graph_edge_kind kind);
/* The name of a function for people, in the graph's arena. */
const char *graph_name(struct graph *graph, const char *name, bool demangle);

/* The edges of another graph, whose nodes became those of nodes[]: within a node they go, edges of a kind
   between the same two become one. */
void graph_join_edges(struct graph *graph, const struct graph *old, const int32_t *nodes);

/* Puts nodes that lead to each other in a circle into frames of their own; the graph has no frames before. */
void graph_group_cycles(struct graph *graph);

/* For Graphviz. */
struct drawing *graph_draw(const struct graph *graph);
#endif
