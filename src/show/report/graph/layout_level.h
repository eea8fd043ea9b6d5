/* One frame of a layout (layout.h), on its own. */
#ifndef SHOW_REPORT_GRAPH_LAYOUT_LEVEL_H
#define SHOW_REPORT_GRAPH_LAYOUT_LEVEL_H
#include "base/hash_index.h"
#include "show/report/graph/layout.h"

enum vertex_kind { vertex_BOX, vertex_FRAME, vertex_ENTRY, vertex_EXIT, vertex_LANE };

enum { LAYOUT_NONE = -1, BOX_SPACE = 22, LANE_SPACE = 9, LAYER_SPACE = 30, FRAME_SPACE = 12, TRACK = 9 };

struct vertex {
    enum vertex_kind kind;
    uint32_t item; /* box, frame or port */
    double width, height;
    uint32_t layer, position; /* in its layer */
    double x, y;              /* middle, top */
};

/* An edge, or a part of several that have the same end. */
struct link {
    uint32_t from, to;
    int32_t from_port, to_port;    /* of frames; LAYOUT_NONE */
    double from_offset, to_offset; /* from the middle */
    bool is_back;
    uint32_t track; /* of a link that goes back: 0 is the nearest to the boxes */
    int32_t chain;  /* lanes through the layers between its ends; LAYOUT_NONE */
    uint32_t first_point, point_count;
};

/* Lanes for all links with one end: a vertex in each layer from first to last. */
struct chain {
    uint32_t first_lane, first, last;
    double end_offset; /* where it enters a box */
};

/* Between neighbouring layers; offsets from the middle of what it connects. */
struct segment {
    uint32_t upper, lower;
    double upper_offset, lower_offset, weight;
    int32_t link;                    /* LAYOUT_NONE: between lanes */
    bool is_link_start, is_link_end; /* upper (lower) is an end of that link */
};

struct level {
    struct array vertices, links, chains, segments; /* of the structures above */
    struct hash_index links_by_ends;
    uint32_t layer_count;
    uint32_t *layer_starts, *order;                        /* vertices by layer: order[layer_starts[l]] … */
    uint32_t *upper_starts, *upper, *lower_starts, *lower; /* segments by their lower (upper) vertex */
    double *layer_tops, *layer_bottoms;
    uint32_t track_count; /* of links that go back, on the left */
    double label_width, label_height;
    double width, height; /* result */
    struct array points;  /* of links: struct layout_point */
};

static inline struct vertex *level_vertex(const struct level *level, size_t index)
{
    return ARRAY_AT(struct vertex, &level->vertices, index);
}
static inline struct link *level_link(const struct level *level, size_t index)
{
    return ARRAY_AT(struct link, &level->links, index);
}
static inline struct segment *level_segment(const struct level *level, size_t index)
{
    return ARRAY_AT(struct segment, &level->segments, index);
}

void level_make_layers(struct level *level);
void level_make_order(struct level *level);
void level_make_places(struct level *level);
#endif
