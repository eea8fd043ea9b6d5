/* Coordinates of a level.

   Each vertex wants to stand where the things are that it is linked with.  For a layer in a given order that
   is a least-squares problem with minimal distances, which merging neighbours that want the same room solves
   exactly (isotonic regression).  Layers are taken downwards, upwards, and at last with both sides.  Lanes
   pull harder than boxes, so that long links are straight.

   Links that go back turn below the layer of their source, run up on a track at the left, and turn again
   above their target. */
#include "show/report/graph/layout_level.h"

#include <math.h>
#include <stdlib.h>

/* Neighbours that have been pushed together: their common place, as if the first stood there. */
struct cluster {
    double sum, weight;
    uint32_t first;
};

static double distance(const struct vertex *left, const struct vertex *right)
{
    bool is_lane = left->kind == vertex_LANE && right->kind == vertex_LANE;
    return (left->width + right->width) / 2 + (is_lane ? LANE_SPACE : BOX_SPACE);
}

static void settle(struct level *level, uint32_t layer, const double *wanted, const double *weights,
                   struct cluster *clusters)
{
    uint32_t start = level->layer_starts[layer], count = level->layer_starts[layer + 1] - start, used = 0;
    double shift = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            shift += distance(level_vertex(level, level->order[start + i - 1]),
                              level_vertex(level, level->order[start + i]));
        clusters[used++] = (struct cluster){(wanted[i] - shift) * weights[i], weights[i], i};
        while (used > 1 && clusters[used - 2].sum * clusters[used - 1].weight >
                               clusters[used - 1].sum * clusters[used - 2].weight) {
            clusters[used - 2].sum += clusters[used - 1].sum;
            clusters[used - 2].weight += clusters[used - 1].weight;
            used--;
        }
    }
    shift = 0;
    uint32_t cluster = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct vertex *it = level_vertex(level, level->order[start + i]);
        if (i)
            shift += distance(level_vertex(level, level->order[start + i - 1]), it);
        if (cluster + 1 < used && clusters[cluster + 1].first == i)
            cluster++;
        it->x = clusters[cluster].sum / clusters[cluster].weight + shift;
    }
}

enum sides { sides_UPPER = 1, sides_LOWER = 2 };

static void settle_by_links(struct level *level, uint32_t layer, unsigned sides, double *wanted,
                            double *weights, struct cluster *clusters)
{
    uint32_t start = level->layer_starts[layer], count = level->layer_starts[layer + 1] - start;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = level->order[start + i];
        const struct vertex *it = level_vertex(level, at);
        double weight = 0.02, sum = it->x * weight;
        for (uint32_t j = level->upper_starts[at]; sides & sides_UPPER && j < level->upper_starts[at + 1];
             j++) {
            const struct segment *way = level_segment(level, level->upper[j]);
            sum += way->weight * (level_vertex(level, way->upper)->x + way->upper_offset - way->lower_offset);
            weight += way->weight;
        }
        for (uint32_t j = level->lower_starts[at]; sides & sides_LOWER && j < level->lower_starts[at + 1];
             j++) {
            const struct segment *way = level_segment(level, level->lower[j]);
            sum += way->weight * (level_vertex(level, way->lower)->x + way->lower_offset - way->upper_offset);
            weight += way->weight;
        }
        wanted[i] = sum / weight;
        weights[i] = weight;
    }
    settle(level, layer, wanted, weights, clusters);
}

/* Where links leave and enter boxes: side by side, in the order of their other ends. */
struct touch {
    double x;
    uint32_t segment;
};

static int compare_touches(const void *left, const void *right)
{
    const struct touch *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->segment < b->segment ? -1 : a->segment > b->segment;
}

static void spread_touches(struct level *level, uint32_t at, bool is_upper, struct touch *touches)
{
    const uint32_t *starts = is_upper ? level->lower_starts : level->upper_starts,
                   *segments = is_upper ? level->lower : level->upper;
    uint32_t count = starts[at + 1] - starts[at];
    for (uint32_t i = 0; i < count; i++) {
        const struct segment *way = level_segment(level, segments[starts[at] + i]);
        touches[i] = (struct touch){level_vertex(level, is_upper ? way->lower : way->upper)->x,
                                    segments[starts[at] + i]};
    }
    qsort(touches, count, sizeof *touches, compare_touches);
    double room = level_vertex(level, at)->width - 16, step = count > 1 ? fmin(14, room / (count - 1)) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct segment *way = level_segment(level, touches[i].segment);
        double offset = (i - (count - 1) / 2.0) * step;
        if (is_upper)
            way->upper_offset = offset;
        else
            way->lower_offset = offset;
    }
}

static void spread_all_touches(struct level *level)
{
    autofree struct touch *touches = memory_get((level->segments.count + 1) * sizeof *touches);
    for (uint32_t i = 0; i < level->vertices.count; i++) {
        if (level_vertex(level, i)->kind != vertex_BOX)
            continue;
        spread_touches(level, i, true, touches);
        spread_touches(level, i, false, touches);
    }
    for (size_t i = 0; i < level->segments.count; i++) {
        const struct segment *way = level_segment(level, i);
        if (way->link == LAYOUT_NONE)
            continue;
        struct link *link = level_link(level, (size_t)way->link);
        if (way->is_link_start)
            link->from_offset = way->upper_offset;
        if (way->is_link_end)
            link->to_offset = way->lower_offset;
    }
    /* Links that share lanes enter where the first of them does. */
    for (size_t i = 0; i < level->segments.count; i++) {
        const struct segment *way = level_segment(level, i);
        if (way->link == LAYOUT_NONE || way->is_link_start || !way->is_link_end)
            continue;
        ARRAY_AT(struct chain, &level->chains, (size_t)level_link(level, (size_t)way->link)->chain)
            ->end_offset = way->lower_offset;
    }
}

static void choose_x(struct level *level)
{
    size_t count = level->vertices.count;
    autofree double *wanted = memory_get((count + 1) * sizeof *wanted),
                    *weights = memory_get((count + 1) * sizeof *weights);
    autofree struct cluster *clusters = memory_get((count + 1) * sizeof *clusters);
    for (uint32_t layer = 0; layer < level->layer_count; layer++) {
        for (uint32_t i = 0; i < level->layer_starts[layer + 1] - level->layer_starts[layer]; i++)
            wanted[i] = 0, weights[i] = 1;
        settle(level, layer, wanted, weights, clusters);
    }
    unsigned rounds = count > 20000 ? 6 : 12;
    for (unsigned round = 0; round < rounds; round++) {
        if (round == rounds - 4)
            spread_all_touches(level);
        bool is_last = round + 2 >= rounds, is_downwards = round % 2 == 0;
        unsigned sides = is_last ? sides_UPPER | sides_LOWER : is_downwards ? sides_UPPER : sides_LOWER;
        for (uint32_t i = 0; i < level->layer_count; i++)
            settle_by_links(level, is_downwards ? i : level->layer_count - 1 - i, sides, wanted, weights,
                            clusters);
    }
    double left = INFINITY, right = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        left = fmin(left, level_vertex(level, i)->x - level_vertex(level, i)->width / 2);
        right = fmax(right, level_vertex(level, i)->x + level_vertex(level, i)->width / 2);
    }
    double margin = FRAME_SPACE + level->track_count * TRACK, room = count ? right - left : 0;
    level->width = fmax(room + margin + FRAME_SPACE, level->label_width + 2 * FRAME_SPACE);
    margin += fmax(0, level->width - room - margin - FRAME_SPACE) / 2;
    for (size_t i = 0; i < count; i++)
        level_vertex(level, i)->x += margin - left;
}

/* Layers below each other: more room where links go far to the side, and for links that turn there. */
static void choose_y(struct level *level)
{
    autofree double *room = memory_get((level->layer_count + 2) * sizeof *room);
    autofree uint32_t *turns = memory_get((level->layer_count + 2) * sizeof *turns);
    for (size_t i = 0; i < level->segments.count; i++) {
        const struct segment *way = level_segment(level, i);
        const struct vertex *upper = level_vertex(level, way->upper),
                            *lower = level_vertex(level, way->lower);
        double far = fabs(upper->x + way->upper_offset - lower->x - way->lower_offset);
        room[upper->layer + 1] = fmax(room[upper->layer + 1], fmin(far * 0.06, 70));
    }
    for (size_t i = 0; i < level->links.count; i++) {
        const struct link *link = level_link(level, i);
        if (!link->is_back)
            continue;
        turns[level_vertex(level, link->from)->layer + 1] |= 1;
        turns[level_vertex(level, link->to)->layer] |= 1;
    }
    level->layer_tops = memory_get((level->layer_count + 1) * sizeof *level->layer_tops);
    level->layer_bottoms = memory_get((level->layer_count + 1) * sizeof *level->layer_bottoms);
    double y = level->label_height;
    for (uint32_t layer = 0; layer < level->layer_count; layer++) {
        double height = 0;
        for (uint32_t i = level->layer_starts[layer]; i < level->layer_starts[layer + 1]; i++)
            height = fmax(height, level_vertex(level, level->order[i])->height);
        bool is_port = layer == 0 && level_vertex(level, level->order[0])->kind == vertex_ENTRY;
        double space = layer == 0 ? (turns[0] ? 14 : 4) : LAYER_SPACE + room[layer] + (turns[layer] ? 12 : 0);
        if (is_port)
            space = 0;
        else if (layer == 1 && level_vertex(level, level->order[0])->kind == vertex_ENTRY)
            space = 14 + room[layer] + (turns[layer] ? 8 : 0);
        y += space;
        level->layer_tops[layer] = y;
        y += height;
        level->layer_bottoms[layer] = y;
        for (uint32_t i = level->layer_starts[layer]; i < level->layer_starts[layer + 1]; i++)
            level_vertex(level, level->order[i])->y = level->layer_tops[layer];
    }
    level->height = y + FRAME_SPACE + (level->layer_count && turns[level->layer_count] ? 10 : 0);
}

static void add_point(struct level *level, double x, double y, bool is_corner)
{
    *(struct layout_point *)array_add(&level->points) = (struct layout_point){x, y, is_corner};
}

static void add_straight(struct level *level, double x, double from, double to)
{
    add_point(level, x, from, false);
    if (to - from > 0.5)
        add_point(level, x, to, false);
}

static void run_down(struct level *level, const struct link *link)
{
    const struct vertex *from = level_vertex(level, link->from), *to = level_vertex(level, link->to);
    double x = from->x + link->from_offset, end = link->to_offset;
    add_straight(level, x, from->kind == vertex_ENTRY ? 0 : from->y + from->height,
                 level->layer_bottoms[from->layer]);
    if (link->chain != LAYOUT_NONE) {
        const struct chain *chain = ARRAY_AT(struct chain, &level->chains, (size_t)link->chain);
        for (uint32_t layer = from->layer + 1; layer < to->layer; layer++)
            add_straight(level, level_vertex(level, chain->first_lane + layer - chain->first)->x,
                         level->layer_tops[layer], level->layer_bottoms[layer]);
        end = link->to_port == LAYOUT_NONE ? chain->end_offset : end;
    }
    add_point(level, to->x + end, to->kind == vertex_EXIT ? level->height : to->y, false);
}

static void run_back(struct level *level, const struct link *link)
{
    const struct vertex *from = level_vertex(level, link->from), *to = level_vertex(level, link->to);
    double lane = FRAME_SPACE + (level->track_count - link->track - 0.5) * TRACK - 4;
    double start =
               from->x + (link->from_port == LAYOUT_NONE ? -fmin(from->width / 4, 24) : link->from_offset),
           end = to->x + (link->to_port == LAYOUT_NONE ? -fmin(to->width / 4, 24) : link->to_offset);
    double below = level->layer_bottoms[from->layer] + 8 + (link->track % 3) * 3,
           above = level->layer_tops[to->layer] - 9 - (link->track % 2) * 3;
    add_point(level, start, from->y + from->height, false);
    add_point(level, start, below, true);
    add_point(level, lane, below, true);
    add_point(level, lane, above, true);
    add_point(level, end, above, true);
    add_point(level, end, to->y, false);
}

void level_make_places(struct level *level)
{
    choose_x(level);
    choose_y(level);
    for (size_t i = 0; i < level->links.count; i++) {
        struct link *link = level_link(level, i);
        link->first_point = (uint32_t)level->points.count;
        if (link->is_back)
            run_back(level, link);
        else
            run_down(level, link);
        link->point_count = (uint32_t)level->points.count - link->first_point;
    }
}
