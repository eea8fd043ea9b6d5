/* The layout of graphs: what must hold for every drawing, on random graphs with nested frames, on shapes that
   break slow or recursive code, and on small graphs whose places are known. */
#include "show/report/graph/layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t random_state = 88172645463325252u;
static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % limit);
}

static struct layout new_layout(size_t boxes, size_t frames, size_t edges)
{
    struct layout layout = {.boxes = calloc(boxes + 1, sizeof *layout.boxes),
                            .frames = calloc(frames + 1, sizeof *layout.frames),
                            .edges = calloc(edges + 1, sizeof *layout.edges),
                            .box_count = boxes,
                            .frame_count = frames,
                            .edge_count = edges};
    for (size_t i = 0; i < boxes; i++)
        layout.boxes[i] = (struct layout_box){.width = 60, .height = 20, .frame = -1};
    for (size_t i = 0; i < frames; i++)
        layout.frames[i] = (struct layout_frame){.inside = -1, .label_width = 50, .label_height = 18};
    return layout;
}

static void free_all(struct layout *layout)
{
    graph_layout_free(layout);
    free(layout->boxes);
    free(layout->frames);
    free(layout->edges);
}

struct place {
    double x, y, width, height;
    int32_t inside;
};

static bool overlap(const struct place *a, const struct place *b)
{
    return a->x + a->width > b->x + 0.01 && b->x + b->width > a->x + 0.01 && a->y + a->height > b->y + 0.01 &&
           b->y + b->height > a->y + 0.01;
}

static bool contains(double x, double y, double width, double height, const struct place *it)
{
    return it->x >= x - 0.01 && it->y >= y - 0.01 && it->x + it->width <= x + width + 0.01 &&
           it->y + it->height <= y + height + 0.01;
}

static void check_places(const struct layout *layout)
{
    size_t count = layout->box_count + layout->frame_count;
    struct place *places = calloc(count + 1, sizeof *places);
    for (size_t i = 0; i < layout->box_count; i++) {
        const struct layout_box *it = &layout->boxes[i];
        places[i] = (struct place){it->x, it->y, it->width, it->height, it->frame};
    }
    for (size_t i = 0; i < layout->frame_count; i++) {
        const struct layout_frame *it = &layout->frames[i];
        places[layout->box_count + i] = (struct place){it->x, it->y, it->width, it->height, it->inside};
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(contains(0, 0, layout->width, layout->height, &places[i]));
        if (places[i].inside >= 0) {
            const struct layout_frame *around = &layout->frames[places[i].inside];
            assert_true(contains(around->x, around->y + around->label_height, around->width,
                                 around->height - around->label_height, &places[i]));
        }
        for (size_t j = 0; j < i; j++)
            if (places[i].inside == places[j].inside)
                assert_false(overlap(&places[i], &places[j]));
    }
    free(places);
}

/* Every way starts at the bottom of its source and ends at the top of its target; without turning, it never
 * goes up. */
static void check_ways(const struct layout *layout)
{
    for (size_t i = 0; i < layout->edge_count; i++) {
        const struct layout_edge *edge = &layout->edges[i];
        const struct layout_box *from = &layout->boxes[edge->from], *to = &layout->boxes[edge->to];
        const struct layout_point *points = ARRAY_AT(struct layout_point, &layout->points, edge->first_point);
        assert_true(edge->point_count >= 2);
        const struct layout_point *last = &points[edge->point_count - 1];
        assert_true(fabs(points->y - from->y - from->height) < 0.01);
        assert_true(points->x >= from->x && points->x <= from->x + from->width);
        assert_true(fabs(last->y - to->y) < 0.01 && last->x >= to->x && last->x <= to->x + to->width);
        for (uint32_t j = 1; j < edge->point_count; j++) {
            assert_true(isfinite(points[j].x) && isfinite(points[j].y));
            if (!edge->goes_up)
                assert_true(points[j].y >= points[j - 1].y - 0.01);
        }
    }
}

static void random_graphs(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        uint32_t boxes = 1 + random_below(40), frames = random_below(9), edges = random_below(70);
        struct layout layout = new_layout(boxes, frames, edges);
        for (uint32_t i = 0; i < frames; i++)
            layout.frames[i].inside = (int32_t)random_below(i + 1) - 1;
        for (uint32_t i = 0; i < boxes; i++) {
            layout.boxes[i].frame = (int32_t)random_below(frames + 1) - 1;
            layout.boxes[i].width = 20 + random_below(200);
            layout.boxes[i].height = 10 + random_below(100);
        }
        bool is_acyclic = round % 2 && !frames;
        for (uint32_t i = 0; i < edges; i++) {
            uint32_t from = random_below(boxes), to = random_below(boxes);
            if (is_acyclic && from == to)
                to = (from + 1) % boxes;
            bool is_turned = is_acyclic && from > to;
            layout.edges[i] =
                (struct layout_edge){.from = is_turned ? to : from, .to = is_turned ? from : to};
        }
        if (is_acyclic && boxes == 1)
            layout.edge_count = 0;
        graph_layout_run(&layout);
        check_places(&layout);
        check_ways(&layout);
        for (uint32_t i = 0; is_acyclic && i < layout.edge_count; i++)
            assert_false(layout.edges[i].goes_up);
        free_all(&layout);
    }
}

/* A loop of three blocks between two others: its frame has the three; the only edge that goes up is the one
 * back to the header; the others are straight below each other. */
static void a_loop(void **state)
{
    (void)state;
    static const uint32_t ends[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}};
    struct layout layout = new_layout(5, 1, 5);
    for (unsigned i = 0; i < 5; i++)
        layout.edges[i] = (struct layout_edge){.from = ends[i][0], .to = ends[i][1]};
    for (unsigned i = 1; i <= 3; i++)
        layout.boxes[i].frame = 0;
    graph_layout_run(&layout);
    check_places(&layout);
    check_ways(&layout);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(layout.edges[i].goes_up, i == 3);
    for (unsigned i = 1; i < 5; i++) {
        assert_true(layout.boxes[i].y > layout.boxes[i - 1].y + 20);
        assert_true(fabs(layout.boxes[i].x - layout.boxes[i - 1].x) < 16);
    }
    const struct layout_point *up =
        ARRAY_AT(struct layout_point, &layout.points, layout.edges[3].first_point);
    assert_true(up[2].x > layout.frames[0].x && up[2].x < layout.boxes[2].x);
    free_all(&layout);
}

/* An if: the two sides are next to each other, the same distance from what they join in. */
static void a_choice(void **state)
{
    (void)state;
    static const uint32_t ends[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    struct layout layout = new_layout(4, 0, 4);
    for (unsigned i = 0; i < 4; i++)
        layout.edges[i] = (struct layout_edge){.from = ends[i][0], .to = ends[i][1]};
    graph_layout_run(&layout);
    check_places(&layout);
    const struct layout_box *boxes = layout.boxes;
    assert_true(boxes[1].y == boxes[2].y && boxes[0].y < boxes[1].y && boxes[3].y > boxes[1].y);
    assert_true(fabs(boxes[0].x - (boxes[1].x + boxes[2].x) / 2) < 1 && fabs(boxes[0].x - boxes[3].x) < 1);
    free_all(&layout);
}

/* The cases of a switch become several rows: the drawing is not a strip. */
static void a_switch(void **state)
{
    (void)state;
    enum { CASES = 400 };
    struct layout layout = new_layout(CASES + 2, 0, 2 * CASES);
    for (unsigned i = 0; i < CASES; i++) {
        layout.edges[2 * i] = (struct layout_edge){.from = 0, .to = i + 1};
        layout.edges[2 * i + 1] = (struct layout_edge){.from = i + 1, .to = CASES + 1};
    }
    graph_layout_run(&layout);
    check_places(&layout);
    check_ways(&layout);
    assert_true(layout.width < 8 * layout.height);
    free_all(&layout);
}

/* Nothing is recursive, and nothing takes the square of what is long. */
static void large_ones(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct layout chain = new_layout(MANY, 0, 2 * MANY);
    for (unsigned i = 0; i < 2 * MANY; i++)
        chain.edges[i] = (struct layout_edge){.from = i < MANY ? i : i - MANY,
                                              .to = i < MANY ? (i + 1) % MANY : (i - MANY) / 2};
    graph_layout_run(&chain);
    check_ways(&chain);
    free_all(&chain);
    enum { DEEP = 300 };
    struct layout nest = new_layout(DEEP, DEEP, DEEP);
    for (unsigned i = 0; i < DEEP; i++) {
        nest.frames[i].inside = (int32_t)i - 1;
        nest.boxes[i].frame = (int32_t)i;
        nest.edges[i] = (struct layout_edge){.from = i, .to = (i + 1) % DEEP};
    }
    graph_layout_run(&nest);
    check_places(&nest);
    check_ways(&nest);
    free_all(&nest);
    struct layout nothing = new_layout(0, 0, 0);
    graph_layout_run(&nothing);
    free_all(&nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs), cmocka_unit_test(a_loop),     cmocka_unit_test(a_choice),
        cmocka_unit_test(a_switch),      cmocka_unit_test(large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
