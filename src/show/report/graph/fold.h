/* Folding: a control-flow graph with at most so many nodes on the screen.

   Two things can be closed.  A loop becomes one node for all of its blocks.  A region becomes one, too: a
   block (or a loop) with everything that it dominates in the same loop, which control can only enter through
   it. Both nest, so any function can be shown by a few dozen nodes, whether it has loops or not.

   What is opened is decided by time, where a run is known, else by size: the largest closed thing is opened
   as long as there is room; straight runs of blocks last.  The reader's own choices come after that: they
   open or close single things, and change nothing else. */
#ifndef SHOW_REPORT_GRAPH_FOLD_H
#define SHOW_REPORT_GRAPH_FOLD_H
#include "show/report/graph/graph.h"

/* A loop, or the region of a block or a loop. */
enum fold_kind { fold_LOOP, fold_REGION, fold_LOOP_REGION };
struct fold_choice {
    enum fold_kind kind;
    int64_t row; /* loop; block */
};

struct fold_options {
    size_t most; /* nodes that are opened without being asked for */
    const struct fold_choice *opened, *closed;
    size_t opened_count, closed_count;
    int64_t shown; /* a block that must be seen; 0: none */
};

/* A new graph, whose texts are those of the old one: that must stay. Nodes of closed things have `blocks`
   set; is_loop_region of a region tells fold_LOOP_REGION. */
struct graph *graph_fold(const struct graph *graph, const struct fold_options *options);
#endif
