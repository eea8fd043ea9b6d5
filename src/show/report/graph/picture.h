/* A graph as SVG.

   Colours are classes (picture.css), so that a page in light or dark decides about them; a picture that
   stands alone has the style in it.  The text of nodes is set in a monospaced font whose letters are assumed
   to be 0.61 of its size wide. */
#ifndef SHOW_REPORT_GRAPH_PICTURE_H
#define SHOW_REPORT_GRAPH_PICTURE_H
#include "show/report/graph/graph.h"

enum picture_size { size_NONE, size_TIME, size_LOOPS };

struct picture_options {
    enum picture_size size; /* functions with more time (loops) are larger */
    bool is_alone;          /* a file of its own: with its style, without links */
    /* Links: writes the address of a node (frame); false: it has none.  NULL: no links. */
    bool (*node_address)(const void *context, FILE *out, const struct graph *graph,
                         const struct graph_node *node);
    bool (*frame_address)(const void *context, FILE *out, const struct graph *graph,
                          const struct graph_frame *frame);
    bool (*fold_address)(const void *context, FILE *out, const struct graph *graph,
                         const struct graph_frame *frame);
    const void *context;
};

void picture_write(const struct graph *graph, const struct picture_options *options, FILE *out);
/* A short name of a node for people: B12, loop 5, main; and its id in pages. */
void picture_node_name(FILE *out, const struct graph_node *node);
void picture_node_id(FILE *out, const struct graph_node *node);
#endif
