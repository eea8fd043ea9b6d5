/* From edges to links of levels, and back to ways.

   An edge between boxes of different frames leaves each frame around its source by a port at the bottom and
   enters each frame around its target by one at the top.  So it is a row of hops, a link of one level each.
   Frames are laid out from the innermost on: then the size of a frame, and where its ports are, is known when
   its turn comes as a box of the frame around it. */
#include "show/report/graph/layout_level.h"

#include <math.h>
#include <stdlib.h>

/* Where edges to one box pass the border of a frame. */
struct port {
    uint32_t frame, vertex; /* vertex of the frame's own level */
    uint32_t target;        /* the box */
    bool is_exit;
    double offset; /* from the middle of the frame */
};

struct hop {
    uint32_t level, link;
};

struct work {
    struct layout *layout;
    struct level *levels; /* 0: the whole; frame f: f + 1 */
    uint32_t *depths;     /* of frames, from 1 */
    uint32_t *box_vertices, *frame_vertices;
    struct array ports, hops; /* of struct port, struct hop */
    struct hash_index known_ports;
    size_t *first_hops; /* of edges */
    int32_t *entered;   /* scratch: frames */
};

static uint32_t add_vertex(struct work *work, uint32_t level, enum vertex_kind kind, uint32_t item,
                           double width, double height)
{
    struct array *vertices = &work->levels[level].vertices;
    *(struct vertex *)array_add(vertices) =
        (struct vertex){.kind = kind, .item = item, .width = width, .height = height};
    return (uint32_t)vertices->count - 1;
}

static uint32_t port_of(struct work *work, uint32_t frame, bool is_exit, uint32_t target)
{
    uint64_t hash = hash_mix(hash_mix(is_exit, frame), target);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&work->known_ports, hash, &slot)) != UINT32_MAX;) {
        const struct port *known = ARRAY_AT(struct port, &work->ports, place);
        if (known->frame == frame && known->target == target && known->is_exit == is_exit)
            return place;
    }
    uint32_t port = (uint32_t)work->ports.count;
    uint32_t vertex = add_vertex(work, frame + 1, is_exit ? vertex_EXIT : vertex_ENTRY, port, 2, 0);
    hash_index_add(&work->known_ports, hash, port);
    *(struct port *)array_add(&work->ports) =
        (struct port){.frame = frame, .vertex = vertex, .target = target, .is_exit = is_exit};
    return port;
}

static uint32_t depth_of(const struct work *work, int32_t frame)
{
    return frame < 0 ? 0 : work->depths[frame];
}

static int32_t frame_around(const struct work *work, int32_t frame)
{
    return work->layout->frames[frame].inside;
}

/* The frame that both are in. */
static int32_t common_frame(const struct work *work, int32_t one, int32_t other)
{
    while (one != other) {
        if (depth_of(work, one) >= depth_of(work, other))
            one = frame_around(work, one);
        else
            other = frame_around(work, other);
    }
    return one;
}

/* Entries first: a level's other vertices stand after them. */
static void add_ports(struct work *work, bool is_exit)
{
    for (size_t i = 0; i < work->layout->edge_count; i++) {
        const struct layout_edge *edge = &work->layout->edges[i];
        int32_t from = work->layout->boxes[edge->from].frame, to = work->layout->boxes[edge->to].frame;
        int32_t common = common_frame(work, from, to);
        for (int32_t at = is_exit ? from : to; at != common; at = frame_around(work, at))
            port_of(work, (uint32_t)at, is_exit, edge->to);
    }
}

static void add_boxes(struct work *work)
{
    autofree bool *is_added = memory_get(work->layout->frame_count + 1);
    for (uint32_t i = 0; i < work->layout->box_count; i++) {
        const struct layout_box *box = &work->layout->boxes[i];
        for (int32_t at = box->frame; at >= 0 && !is_added[at]; at = frame_around(work, at)) {
            is_added[at] = true;
            work->frame_vertices[at] =
                add_vertex(work, (uint32_t)(frame_around(work, at) + 1), vertex_FRAME, (uint32_t)at, 0, 0);
        }
        work->box_vertices[i] =
            add_vertex(work, (uint32_t)(box->frame + 1), vertex_BOX, i, box->width, box->height);
    }
    for (uint32_t i = 0; i < work->layout->frame_count; i++)
        if (!is_added[i])
            work->frame_vertices[i] =
                add_vertex(work, (uint32_t)(frame_around(work, (int32_t)i) + 1), vertex_FRAME, i, 0, 0);
}

/* An end of a link: a vertex of a level, or a frame at one of its ports. */
struct end {
    uint32_t vertex;
    int32_t port;
};

static uint32_t link_between(struct level *level, struct end from, struct end to)
{
    uint64_t hash = hash_mix(hash_mix(from.vertex, (uint32_t)from.port), to.vertex);
    hash = hash_mix(hash, (uint32_t)to.port);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&level->links_by_ends, hash, &slot)) != UINT32_MAX;) {
        const struct link *link = level_link(level, place);
        if (link->from == from.vertex && link->from_port == from.port && link->to == to.vertex &&
            link->to_port == to.port)
            return place;
    }
    hash_index_add(&level->links_by_ends, hash, (uint32_t)level->links.count);
    *(struct link *)array_add(&level->links) =
        (struct link){.from = from.vertex, .to = to.vertex, .from_port = from.port, .to_port = to.port};
    return (uint32_t)level->links.count - 1;
}

static void add_hop(struct work *work, uint32_t level, struct end from, struct end to)
{
    uint32_t link = link_between(&work->levels[level], from, to);
    *(struct hop *)array_add(&work->hops) = (struct hop){level, link};
}

static uint32_t port_vertex(const struct work *work, int32_t port)
{
    return ARRAY_AT(struct port, &work->ports, (size_t)port)->vertex;
}

/* Hops into a frame and the frames in it that the target is in, outermost first. */
static void enter_frames(struct work *work, struct end from, int32_t common, uint32_t target)
{
    size_t count = 0;
    uint32_t level = (uint32_t)(common + 1);
    for (int32_t at = work->layout->boxes[target].frame; at != common; at = frame_around(work, at))
        work->entered[count++] = at;
    while (count) {
        int32_t entered = work->entered[--count],
                port = (int32_t)port_of(work, (uint32_t)entered, false, target);
        add_hop(work, level, from, (struct end){work->frame_vertices[entered], port});
        level = (uint32_t)(entered + 1);
        from = (struct end){port_vertex(work, port), LAYOUT_NONE};
    }
    add_hop(work, level, from, (struct end){work->box_vertices[target], LAYOUT_NONE});
}

static void add_links(struct work *work)
{
    for (size_t i = 0; i < work->layout->edge_count; i++) {
        const struct layout_edge *edge = &work->layout->edges[i];
        int32_t at = work->layout->boxes[edge->from].frame;
        int32_t common = common_frame(work, at, work->layout->boxes[edge->to].frame);
        struct end from = {work->box_vertices[edge->from], LAYOUT_NONE};
        work->first_hops[i] = work->hops.count;
        for (; at != common; at = frame_around(work, at)) {
            int32_t port = (int32_t)port_of(work, (uint32_t)at, true, edge->to);
            add_hop(work, (uint32_t)(at + 1), from, (struct end){port_vertex(work, port), LAYOUT_NONE});
            from = (struct end){work->frame_vertices[at], port};
        }
        enter_frames(work, from, common, edge->to);
    }
    work->first_hops[work->layout->edge_count] = work->hops.count;
}

static void run_level(struct work *work, uint32_t number)
{
    struct level *level = &work->levels[number];
    for (size_t i = 0; i < level->vertices.count; i++) {
        struct vertex *it = level_vertex(level, i);
        if (it->kind == vertex_FRAME) {
            it->width = work->layout->frames[it->item].width;
            it->height = work->layout->frames[it->item].height;
        }
    }
    for (size_t i = 0; i < level->links.count; i++) {
        struct link *link = level_link(level, i);
        if (link->from_port != LAYOUT_NONE)
            link->from_offset = ARRAY_AT(struct port, &work->ports, (size_t)link->from_port)->offset;
        if (link->to_port != LAYOUT_NONE)
            link->to_offset = ARRAY_AT(struct port, &work->ports, (size_t)link->to_port)->offset;
    }
    level_make_layers(level);
    level_make_order(level);
    level_make_places(level);
    for (size_t i = 0; i < level->vertices.count; i++) {
        const struct vertex *it = level_vertex(level, i);
        if (it->kind == vertex_ENTRY || it->kind == vertex_EXIT)
            ARRAY_AT(struct port, &work->ports, it->item)->offset = it->x - level->width / 2;
    }
}

/* From a level's own coordinates to those of the drawing. */
static void take_places(struct work *work)
{
    struct layout *layout = work->layout;
    for (uint32_t number = 0; number <= layout->frame_count; number++) {
        const struct level *level = &work->levels[number];
        double x = number ? layout->frames[number - 1].x : 0, y = number ? layout->frames[number - 1].y : 0;
        for (size_t i = 0; i < level->vertices.count; i++) {
            const struct vertex *it = level_vertex(level, i);
            if (it->kind == vertex_BOX) {
                layout->boxes[it->item].x = x + it->x - it->width / 2;
                layout->boxes[it->item].y = y + it->y;
            } else if (it->kind == vertex_FRAME) {
                layout->frames[it->item].x = x + it->x - it->width / 2;
                layout->frames[it->item].y = y + it->y;
            }
        }
    }
}

static void take_ways(struct work *work)
{
    struct layout *layout = work->layout;
    for (size_t i = 0; i < layout->edge_count; i++) {
        struct layout_edge *edge = &layout->edges[i];
        edge->first_point = layout->points.count;
        for (size_t j = work->first_hops[i]; j < work->first_hops[i + 1]; j++) {
            const struct hop *hop = ARRAY_AT(struct hop, &work->hops, j);
            const struct level *level = &work->levels[hop->level];
            const struct link *link = level_link(level, hop->link);
            double x = hop->level ? layout->frames[hop->level - 1].x : 0,
                   y = hop->level ? layout->frames[hop->level - 1].y : 0;
            edge->goes_up |= link->is_back;
            for (uint32_t k = 0; k < link->point_count; k++) {
                struct layout_point point =
                    *ARRAY_AT(struct layout_point, &level->points, link->first_point + k);
                point.x += x;
                point.y += y;
                const struct layout_point *last =
                    layout->points.count > edge->first_point
                        ? ARRAY_AT(struct layout_point, &layout->points, layout->points.count - 1)
                        : NULL;
                if (!last || fabs(last->x - point.x) > 0.1 || fabs(last->y - point.y) > 0.1)
                    *(struct layout_point *)array_add(&layout->points) = point;
            }
        }
        edge->point_count = (uint32_t)(layout->points.count - edge->first_point);
    }
}

static void free_level(struct level *level)
{
    array_free(&level->vertices);
    array_free(&level->links);
    hash_index_free(&level->links_by_ends);
    array_free(&level->chains);
    array_free(&level->segments);
    array_free(&level->points);
    free(level->layer_starts);
    free(level->order);
    free(level->upper_starts);
    free(level->upper);
    free(level->lower_starts);
    free(level->lower);
    free(level->layer_tops);
    free(level->layer_bottoms);
}

static void begin(struct work *work, struct layout *layout)
{
    *work =
        (struct work){.layout = layout,
                      .levels = memory_get((layout->frame_count + 1) * sizeof *work->levels),
                      .depths = memory_get((layout->frame_count + 1) * sizeof *work->depths),
                      .box_vertices = memory_get((layout->box_count + 1) * sizeof *work->box_vertices),
                      .frame_vertices = memory_get((layout->frame_count + 1) * sizeof *work->frame_vertices),
                      .first_hops = memory_get((layout->edge_count + 1) * sizeof *work->first_hops),
                      .entered = memory_get((layout->frame_count + 1) * sizeof *work->entered),
                      .ports = ARRAY_OF(struct port),
                      .hops = ARRAY_OF(struct hop)};
    layout->points = ARRAY_OF(struct layout_point);
    for (size_t i = 0; i < layout->frame_count; i++)
        work->depths[i] = depth_of(work, layout->frames[i].inside) + 1;
    for (size_t i = 0; i <= layout->frame_count; i++)
        work->levels[i] = (struct level){.vertices = ARRAY_OF(struct vertex),
                                         .links = ARRAY_OF(struct link),
                                         .chains = ARRAY_OF(struct chain),
                                         .segments = ARRAY_OF(struct segment),
                                         .points = ARRAY_OF(struct layout_point),
                                         .label_width = i ? layout->frames[i - 1].label_width : 0,
                                         .label_height = i ? layout->frames[i - 1].label_height : 0};
}

void graph_layout_run(struct layout *layout)
{
    struct work work;
    begin(&work, layout);
    add_ports(&work, false);
    add_boxes(&work);
    add_ports(&work, true);
    add_links(&work);
    for (size_t i = layout->frame_count + 1; i-- > 0;) {
        run_level(&work, (uint32_t)i);
        if (i) {
            layout->frames[i - 1].width = work.levels[i].width;
            layout->frames[i - 1].height = work.levels[i].height;
        }
    }
    layout->width = work.levels[0].width;
    layout->height = work.levels[0].height;
    take_places(&work);
    take_ways(&work);
    for (size_t i = 0; i <= layout->frame_count; i++)
        free_level(&work.levels[i]);
    free(work.levels);
    free(work.depths);
    free(work.box_vertices);
    free(work.frame_vertices);
    free(work.first_hops);
    free(work.entered);
    hash_index_free(&work.known_ports);
    array_free(&work.ports);
    array_free(&work.hops);
}

void graph_layout_free(struct layout *layout)
{
    array_free(&layout->points);
}
