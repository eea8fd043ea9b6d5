/* Places for the boxes of a graph, the frames around them, and ways for its edges: a layered drawing.

   Edges go down, but those that close a cycle: these go up on the left side of their frame.  Every edge
   leaves at the bottom of a box or frame and enters at the top.  A frame is laid out on its own and is one
   box in the frame around it, so boxes never overlap, frames contain what is in them, and thousands of boxes
   take milliseconds.  An edge into or out of a frame passes its border at a port, which edges with the same
   target share.

   The steps, each of one frame (a level: layout_level.h):

       layout.c            edges become links of levels, through ports; afterwards, ways are joined again
         layout_layers.c   cycles are cut, layers by the longest way, wide layers are spread over several
         layout_order.c    order in layers, by barycentres, with few crossings
         layout_places.c   coordinates: near what a box is linked with; ways of links

   Lengths are pixels at the usual zoom; y grows downwards. */
#ifndef SHOW_REPORT_GRAPH_LAYOUT_H
#define SHOW_REPORT_GRAPH_LAYOUT_H
#include "base/memory.h"

struct layout_box {
    double width, height;
    int32_t frame; /* that it is in; -1 */
    double x, y;   /* result: upper left corner */
};

struct layout_frame {
    int32_t inside;                   /* frame around it, which stands before it; -1 */
    double label_width, label_height; /* room at the top */
    double x, y, width, height;       /* result */
};

struct layout_edge {
    uint32_t from, to;  /* boxes */
    size_t first_point; /* result: of its way, in points */
    uint32_t point_count;
    bool goes_up; /* result */
};

/* Of a way: it runs straight where one of two points is a corner, else in a curve that is vertical at both.
 */
struct layout_point {
    double x, y;
    bool is_corner;
};

struct layout {
    struct layout_box *boxes;
    struct layout_frame *frames;
    struct layout_edge *edges;
    size_t box_count, frame_count, edge_count;
    struct array points;  /* of struct layout_point */
    double width, height; /* result */
};

void graph_layout_run(struct layout *layout);
void graph_layout_free(
    struct layout *layout); /* the points alone: boxes, frames and edges are the caller's */
#endif
