/* Dominators, loops and paths against brute force on random graphs, and on the shapes that break slow or
   recursive code.  The brute force uses different methods from the code: dominance by removing nodes, loops
   by the recursive definition with reachability matrices, paths by exhaustive search. */
#include "code/structure/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 14 };

static uint64_t random_state = 88172645463325252u;
static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % limit);
}

/* A graph under construction: edges in order. */
struct sketch {
    struct array sources, targets;
    uint32_t count;
};

static struct sketch sketch_new(uint32_t count)
{
    return (struct sketch){ARRAY_OF(uint32_t), ARRAY_OF(uint32_t), count};
}

static void sketch_edge(struct sketch *sketch, uint32_t source, uint32_t target)
{
    *(uint32_t *)array_add(&sketch->sources) = source;
    *(uint32_t *)array_add(&sketch->targets) = target;
}

static struct graph sketch_graph(struct sketch *sketch)
{
    size_t edges = sketch->sources.count;
    struct graph graph = {sketch->count, memory_get((sketch->count + 1) * sizeof(uint32_t)),
                          memory_get(edges * sizeof(uint32_t))};
    const uint32_t *sources = sketch->sources.data, *targets = sketch->targets.data;
    for (size_t i = 0; i < edges; i++)
        graph.first[sources[i] + 1]++;
    for (uint32_t n = 0; n < graph.count; n++)
        graph.first[n + 1] += graph.first[n];
    uint32_t *place = memory_get((sketch->count + 1) * sizeof(uint32_t));
    memcpy(place, graph.first, (sketch->count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < edges; i++)
        graph.targets[place[sources[i]]++] = targets[i];
    free(place);
    array_free(&sketch->sources);
    array_free(&sketch->targets);
    return graph;
}

static void graph_done(struct graph *graph)
{
    free(graph->first);
    free(graph->targets);
}

struct answer {
    uint32_t *dominator, *enter, *leave, *innermost;
    struct array loops;
};

static struct answer answer_graph(const struct graph *graph, struct graph_scratch *scratch)
{
    struct answer answer = {.loops = ARRAY_OF(struct graph_loop)};
    answer.dominator = memory_get(graph->count * sizeof(uint32_t));
    answer.enter = memory_get(graph->count * sizeof(uint32_t));
    answer.leave = memory_get(graph->count * sizeof(uint32_t));
    answer.innermost = memory_get(graph->count * sizeof(uint32_t));
    graph_dominators(graph, scratch, answer.dominator, answer.enter, answer.leave);
    graph_loops(graph, scratch, &answer.loops, answer.innermost);
    return answer;
}

static void answer_done(struct answer *answer)
{
    free(answer->dominator);
    free(answer->enter);
    free(answer->leave);
    free(answer->innermost);
    array_free(&answer->loops);
}

static const struct graph_loop *loop_at(const struct answer *answer, uint32_t index)
{
    return ARRAY_AT(struct graph_loop, &answer->loops, index);
}

static struct graph random_graph(uint32_t count)
{
    struct sketch sketch = sketch_new(count);
    uint32_t shape = random_below(3), edges = random_below(count * 3 + 1);
    for (uint32_t n = 0; shape && n + 1 < count; n++)
        sketch_edge(&sketch, n, n + 1);
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t source = random_below(count), target = random_below(count);
        /* Mostly forward edges make graphs that look like functions. */
        if (shape == 2 && source > target && random_below(4))
            sketch_edge(&sketch, target, source);
        else
            sketch_edge(&sketch, source, target);
    }
    return sketch_graph(&sketch);
}

/* --- brute force --- */

/* Nodes reachable from a node within a set, as a bit mask; the start counts. */
static uint32_t reach_within(const struct graph *graph, uint32_t start, uint32_t set)
{
    uint32_t reached = set & (1u << start), before;
    do {
        before = reached;
        for (uint32_t n = 0; n < graph->count; n++) {
            for (uint32_t edge = graph->first[n]; reached >> n & 1 && edge < graph->first[n + 1]; edge++)
                reached |= set & (1u << graph->targets[edge]);
        }
    } while (reached != before);
    return reached;
}

static void number_by_recursion(const struct graph *graph, uint32_t node, uint32_t *number, uint32_t *next)
{
    number[node] = (*next)++;
    for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
        if (number[graph->targets[edge]] == NO_NODE)
            number_by_recursion(graph, graph->targets[edge], number, next);
    }
}

struct true_loop {
    uint32_t header, nodes, parent, depth;
};
struct true_nest {
    struct true_loop loops[MOST];
    uint32_t count, number[MOST];
};

static bool has_edge(const struct graph *graph, uint32_t source, uint32_t target)
{
    for (uint32_t edge = graph->first[source]; edge < graph->first[source + 1]; edge++) {
        if (graph->targets[edge] == target)
            return true;
    }
    return false;
}

static void nest_by_definition(const struct graph *graph, uint32_t set, uint32_t parent,
                               struct true_nest *nest)
{
    uint32_t left = set;
    while (left) {
        uint32_t node = (uint32_t)__builtin_ctz(left), component = 0, header = node;
        uint32_t forward = reach_within(graph, node, set);
        for (uint32_t n = 0; n < graph->count; n++) {
            if (forward >> n & 1 && reach_within(graph, n, set) >> node & 1) {
                component |= 1u << n;
                if (nest->number[n] < nest->number[header])
                    header = n;
            }
        }
        left &= ~component;
        if ((component & (component - 1)) == 0 && !has_edge(graph, node, node))
            continue;
        uint32_t index = nest->count++;
        nest->loops[index] = (struct true_loop){header, component, parent,
                                                parent == NO_NODE ? 1 : nest->loops[parent].depth + 1};
        nest_by_definition(graph, component & ~(1u << header), index, nest);
    }
}

static bool enters_past_header(const struct graph *graph, const struct true_loop *loop, uint32_t reachable)
{
    for (uint32_t n = 0; n < graph->count; n++) {
        for (uint32_t edge = graph->first[n]; edge < graph->first[n + 1]; edge++) {
            uint32_t target = graph->targets[edge];
            if (reachable >> n & 1 && !(loop->nodes >> n & 1) && loop->nodes >> target & 1 &&
                target != loop->header)
                return true;
        }
    }
    return false;
}

static void check_dominators(const struct graph *graph, const struct answer *answer, uint32_t reachable)
{
    uint32_t dominators[MOST]; /* as masks */
    for (uint32_t b = 0; b < graph->count; b++) {
        dominators[b] = 0;
        for (uint32_t a = 0; a < graph->count; a++) {
            uint32_t rest = reach_within(graph, 0, reachable & ~(1u << a));
            if (reachable >> b & 1 && reachable >> a & 1 && !(rest >> b & 1))
                dominators[b] |= 1u << a;
        }
    }
    for (uint32_t b = 0; b < graph->count; b++) {
        if (!(reachable >> b & 1)) {
            assert_int_equal(answer->dominator[b], NO_NODE);
            assert_int_equal(answer->enter[b], 0);
            assert_int_equal(answer->leave[b], 0);
            continue;
        }
        assert_true(answer->enter[b] >= 1);
        for (uint32_t a = 0; a < graph->count; a++) {
            if (!(reachable >> a & 1))
                continue;
            bool contains = answer->enter[a] <= answer->enter[b] && answer->leave[b] <= answer->leave[a];
            assert_int_equal(contains, dominators[b] >> a & 1);
        }
        if (b == 0) {
            assert_int_equal(answer->dominator[b], NO_NODE);
        } else {
            /* The immediate one is dominated by all the others. */
            uint32_t others = dominators[b] & ~(1u << b);
            assert_true(answer->dominator[b] < graph->count);
            assert_int_equal(dominators[answer->dominator[b]], others);
        }
    }
}

static void check_loops(const struct graph *graph, const struct answer *answer, uint32_t reachable)
{
    struct true_nest nest = {0};
    uint32_t next = 0;
    memset(nest.number, 0xff, sizeof nest.number);
    number_by_recursion(graph, 0, nest.number, &next);
    nest_by_definition(graph, reachable, NO_NODE, &nest);
    assert_int_equal(answer->loops.count, nest.count);
    for (uint32_t i = 0; i < nest.count; i++) {
        const struct true_loop *expected = &nest.loops[i];
        const struct graph_loop *loop = NULL;
        for (uint32_t j = 0; j < nest.count; j++) {
            if (loop_at(answer, j)->header == expected->header)
                loop = loop_at(answer, j);
        }
        assert_non_null(loop);
        assert_int_equal(loop->depth, expected->depth);
        assert_int_equal(loop->is_irreducible, enters_past_header(graph, expected, reachable));
        if (expected->parent == NO_NODE)
            assert_int_equal(loop->parent, NO_NODE);
        else
            assert_int_equal(loop_at(answer, loop->parent)->header, nest.loops[expected->parent].header);
        bool has_child = false;
        for (uint32_t j = 0; j < nest.count; j++)
            has_child |= nest.loops[j].parent == i;
        assert_int_equal(loop->is_innermost, !has_child);
    }
    for (uint32_t n = 0; n < graph->count; n++) {
        uint32_t deepest = NO_NODE;
        for (uint32_t i = 0; i < nest.count; i++) {
            if (nest.loops[i].nodes >> n & 1 &&
                (deepest == NO_NODE || nest.loops[i].depth > nest.loops[deepest].depth))
                deepest = i;
        }
        if (deepest == NO_NODE)
            assert_int_equal(answer->innermost[n], NO_NODE);
        else
            assert_int_equal(loop_at(answer, answer->innermost[n])->header, nest.loops[deepest].header);
    }
    for (uint32_t i = 0; i < nest.count; i++) {
        uint32_t parent = loop_at(answer, i)->parent;
        assert_true(parent == NO_NODE || parent < i);
        for (uint32_t j = i + 1; j < nest.count; j++) {
            if (loop_at(answer, j)->parent == parent)
                assert_true(loop_at(answer, i)->header < loop_at(answer, j)->header);
        }
    }
}

/* Paths as text, one character for each node, '!' for an exit; in the order in which they are found. */
struct true_paths {
    const struct graph *graph;
    const uint32_t *innermost;
    uint32_t loop, header;
    uint32_t nodes[MOST], length;
    struct array left_out; /* edges as source * MOST + target */
    struct array lines;    /* of char[MOST + 2] */
};

static void add_line(struct array *lines, const uint32_t *nodes, uint32_t length, bool is_exit)
{
    char *line = array_add(lines);
    for (uint32_t i = 0; i < length; i++)
        line[i] = (char)('A' + nodes[i]);
    line[length] = is_exit ? '!' : '.';
}

static bool is_left_out(const struct true_paths *paths, uint32_t edge)
{
    for (size_t i = 0; i < paths->left_out.count; i++) {
        if (*ARRAY_AT(uint32_t, &paths->left_out, i) == edge)
            return true;
    }
    return false;
}

/* Finds the back edges of a search from the header: states 0 unseen, 1 open, 2 done. */
static void find_back_edges(struct true_paths *paths, uint32_t node, uint32_t *state)
{
    const struct graph *graph = paths->graph;
    state[node] = 1;
    for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
        uint32_t target = graph->targets[edge];
        if (target == paths->header || paths->innermost[target] != paths->loop)
            continue;
        if (state[target] == 1)
            *(uint32_t *)array_add(&paths->left_out) = node * MOST + target;
        else if (state[target] == 0)
            find_back_edges(paths, target, state);
    }
    state[node] = 2;
}

static void search_paths(struct true_paths *paths, uint32_t node)
{
    const struct graph *graph = paths->graph;
    paths->nodes[paths->length++] = node;
    if (graph->first[node] == graph->first[node + 1])
        add_line(&paths->lines, paths->nodes, paths->length, true);
    uint32_t seen = 0;
    for (uint32_t edge = graph->first[node]; edge < graph->first[node + 1]; edge++) {
        uint32_t target = graph->targets[edge];
        if (seen >> target & 1)
            continue;
        seen |= 1u << target;
        if (target == paths->header || paths->innermost[target] != paths->loop)
            add_line(&paths->lines, paths->nodes, paths->length, target != paths->header);
        else if (!is_left_out(paths, node * MOST + target))
            search_paths(paths, target);
    }
    paths->length--;
}

static void collect_path(void *context, const uint32_t *nodes, uint32_t length, bool is_exit)
{
    add_line(context, nodes, length, is_exit);
}

static void put_returning_first(struct array *lines)
{
    struct array sorted = ARRAY_OF(char[MOST + 2]);
    for (unsigned is_exit = 0; is_exit < 2; is_exit++)
        for (size_t i = 0; i < lines->count; i++)
            if ((strchr(array_at(lines, i), '!') != NULL) == is_exit)
                memcpy(array_add(&sorted), array_at(lines, i), lines->width);
    array_free(lines);
    *lines = sorted;
}

static void check_paths(const struct graph *graph, const struct answer *answer, struct graph_scratch *scratch)
{
    for (uint32_t i = 0; i < answer->loops.count; i++) {
        const struct graph_loop *loop = loop_at(answer, i);
        if (!loop->is_innermost)
            continue;
        struct true_paths paths = {.graph = graph,
                                   .innermost = answer->innermost,
                                   .loop = i,
                                   .header = loop->header,
                                   .left_out = ARRAY_OF(uint32_t),
                                   .lines = ARRAY_OF(char[MOST + 2])};
        uint32_t state[MOST] = {0};
        find_back_edges(&paths, loop->header, state);
        if (!loop->is_irreducible)
            assert_int_equal(paths.left_out.count, 0);
        search_paths(&paths, loop->header);
        assert_int_equal(graph_count_paths(graph, scratch, answer->innermost, i, loop->header),
                         paths.lines.count);
        struct array lines = ARRAY_OF(char[MOST + 2]);
        uint32_t limit = random_below(3) ? 1000000 : random_below(5);
        uint32_t expected = limit < paths.lines.count ? limit : (uint32_t)paths.lines.count;
        assert_int_equal(
            graph_list_paths(graph, scratch, answer->innermost, i, loop->header, limit, collect_path, &lines),
            expected);
        assert_int_equal(lines.count, expected);
        if (limit < paths.lines.count)
            put_returning_first(&paths.lines);
        if (expected)
            assert_memory_equal(lines.data, paths.lines.data, expected * lines.width);
        array_free(&lines);
        array_free(&paths.lines);
        array_free(&paths.left_out);
    }
}

static void test_random_graphs(void **unused)
{
    (void)unused;
    struct graph_scratch scratch = {0};
    uint32_t irreducible = 0, deep = 0;
    for (unsigned round = 0; round < 20000; round++) {
        struct graph graph = random_graph(1 + random_below(MOST));
        struct answer answer = answer_graph(&graph, &scratch);
        uint32_t reachable = reach_within(&graph, 0, (1u << graph.count) - 1);
        check_dominators(&graph, &answer, reachable);
        check_loops(&graph, &answer, reachable);
        check_paths(&graph, &answer, &scratch);
        for (uint32_t i = 0; i < answer.loops.count; i++) {
            irreducible += loop_at(&answer, i)->is_irreducible;
            deep += loop_at(&answer, i)->depth > 2;
        }
        answer_done(&answer);
        graph_done(&graph);
    }
    graph_scratch_free(&scratch);
    assert_true(irreducible > 1000); /* or the graphs have become too tame */
    assert_true(deep > 1000);
}

/* --- shapes --- */

static void test_empty_and_single(void **unused)
{
    (void)unused;
    struct graph_scratch scratch = {0};
    struct graph empty = {0};
    struct array loops = ARRAY_OF(struct graph_loop);
    graph_dominators(&empty, &scratch, NULL, NULL, NULL);
    graph_loops(&empty, &scratch, &loops, NULL);
    assert_int_equal(loops.count, 0);

    for (unsigned edges = 0; edges < 3; edges++) {
        struct sketch sketch = sketch_new(1);
        for (unsigned i = 0; i < edges; i++)
            sketch_edge(&sketch, 0, 0);
        struct graph graph = sketch_graph(&sketch);
        struct answer answer = answer_graph(&graph, &scratch);
        assert_int_equal(answer.enter[0], 1);
        assert_int_equal(answer.leave[0], 1);
        assert_int_equal(answer.dominator[0], NO_NODE);
        assert_int_equal(answer.loops.count, edges > 0);
        if (edges)
            assert_int_equal(graph_count_paths(&graph, &scratch, answer.innermost, 0, 0), 1);
        answer_done(&answer);
        graph_done(&graph);
    }
    graph_scratch_free(&scratch);
}

/* Results are appended: a second graph's loops must refer to their own rows. */
static void test_loops_are_appended(void **unused)
{
    (void)unused;
    struct graph_scratch scratch = {0};
    struct array loops = ARRAY_OF(struct graph_loop);
    struct sketch sketch = sketch_new(3);
    sketch_edge(&sketch, 0, 1);
    sketch_edge(&sketch, 1, 1);
    sketch_edge(&sketch, 1, 2);
    sketch_edge(&sketch, 2, 0);
    struct graph graph = sketch_graph(&sketch);
    uint32_t innermost[3];
    graph_loops(&graph, &scratch, &loops, innermost);
    graph_loops(&graph, &scratch, &loops, innermost);
    assert_int_equal(loops.count, 4);
    assert_int_equal(ARRAY_AT(struct graph_loop, &loops, 3)->parent, 2);
    assert_int_equal(ARRAY_AT(struct graph_loop, &loops, 2)->parent, NO_NODE);
    assert_int_equal(innermost[0], 2);
    assert_int_equal(innermost[1], 3);
    assert_int_equal(innermost[2], 2);
    array_free(&loops);
    graph_done(&graph);
    graph_scratch_free(&scratch);
}

static void test_long_chain(void **unused)
{
    (void)unused;
    enum { LENGTH = 200000 };
    struct graph_scratch scratch = {0};
    struct sketch sketch = sketch_new(LENGTH);
    for (uint32_t n = 0; n + 1 < LENGTH; n++)
        sketch_edge(&sketch, n, n + 1);
    sketch_edge(&sketch, LENGTH - 1, 1);
    struct graph graph = sketch_graph(&sketch);
    struct answer answer = answer_graph(&graph, &scratch);
    for (uint32_t n = 1; n < LENGTH; n++) {
        assert_int_equal(answer.dominator[n], n - 1);
        assert_int_equal(answer.enter[n], n + 1);
        assert_int_equal(answer.leave[n], LENGTH);
        assert_int_equal(answer.innermost[n], 0);
    }
    assert_int_equal(answer.innermost[0], NO_NODE);
    assert_int_equal(answer.loops.count, 1);
    assert_int_equal(graph_count_paths(&graph, &scratch, answer.innermost, 0, 1), 1);
    answer_done(&answer);
    graph_done(&graph);
    graph_scratch_free(&scratch);
}

/* Two rails with rungs both ways and an entry into every rung: each method that walks up trees step by step
 * is quadratic here. */
static void test_ladder(void **unused)
{
    (void)unused;
    enum { RUNGS = 50000 };
    struct graph_scratch scratch = {0};
    struct sketch sketch = sketch_new(2 * RUNGS + 1);
    for (uint32_t i = 0; i < RUNGS; i++) {
        uint32_t left = 1 + 2 * i, right = left + 1;
        sketch_edge(&sketch, 0, right);
        sketch_edge(&sketch, left, right);
        sketch_edge(&sketch, right, left);
        if (i + 1 < RUNGS) {
            sketch_edge(&sketch, left, left + 2);
            sketch_edge(&sketch, right + 2, right);
        }
    }
    struct graph graph = sketch_graph(&sketch);
    struct answer answer = answer_graph(&graph, &scratch);
    for (uint32_t n = 1; n < graph.count; n++)
        assert_true(answer.dominator[n] == 0 || n % 2 == 1);
    assert_true(answer.loops.count > 0);
    answer_done(&answer);
    graph_done(&graph);
    graph_scratch_free(&scratch);
}

/* Nested loops, each header around the next: 0 -> 1 -> … -> depth -> depth+1 (latch of the innermost) …, and
   from outside the nest edges to the innermost body, which makes all of them irreducible. */
static void check_nested(uint32_t depth, bool is_irreducible)
{
    struct graph_scratch scratch = {0};
    struct sketch sketch = sketch_new(2 * depth + 2);
    for (uint32_t n = 0; n < 2 * depth; n++)
        sketch_edge(&sketch, n, n + 1);
    for (uint32_t n = 1; n <= depth; n++)
        sketch_edge(&sketch, 2 * depth + 1 - n, n);
    if (is_irreducible) {
        sketch_edge(&sketch, 0, 2 * depth + 1);
        for (uint32_t i = 0; i < 50000; i++)
            sketch_edge(&sketch, 2 * depth + 1, depth + 1);
    }
    struct graph graph = sketch_graph(&sketch);
    struct answer answer = answer_graph(&graph, &scratch);
    assert_int_equal(answer.loops.count, depth);
    for (uint32_t i = 0; i < depth; i++) {
        const struct graph_loop *loop = loop_at(&answer, i);
        assert_int_equal(loop->header, i + 1);
        assert_int_equal(loop->depth, i + 1);
        assert_int_equal(loop->parent, i ? i - 1 : NO_NODE);
        assert_int_equal(loop->is_irreducible, is_irreducible);
        assert_int_equal(loop->is_innermost, i + 1 == depth);
    }
    answer_done(&answer);
    graph_done(&graph);
    graph_scratch_free(&scratch);
}

static void test_nested(void **unused)
{
    (void)unused;
    check_nested(2000, false);
    check_nested(2000, true);
    check_nested(50000, false);
    check_nested(50000, true);
}

/* Every node leads to every node: one loop in another all the way down. */
static void test_complete(void **unused)
{
    (void)unused;
    enum { COUNT = 300 };
    struct graph_scratch scratch = {0};
    struct sketch sketch = sketch_new(COUNT);
    for (uint32_t a = 0; a < COUNT; a++) {
        for (uint32_t b = 0; b < COUNT; b++)
            sketch_edge(&sketch, a, b);
    }
    struct graph graph = sketch_graph(&sketch);
    struct answer answer = answer_graph(&graph, &scratch);
    assert_int_equal(answer.loops.count, COUNT);
    for (uint32_t n = 1; n < COUNT; n++) {
        assert_int_equal(answer.dominator[n], 0);
        assert_int_equal(answer.enter[n], answer.leave[n]);
        assert_int_equal(loop_at(&answer, n)->depth, n + 1);
        /* Header 0 leads into the second loop past its header, and so on. */
        assert_int_equal(loop_at(&answer, n)->is_irreducible, n + 1 < COUNT);
    }
    assert_false(loop_at(&answer, 0)->is_irreducible);
    answer_done(&answer);
    graph_done(&graph);
    graph_scratch_free(&scratch);
}

struct path_tally {
    uint64_t nodes;
    uint32_t exits, paths;
};

static void tally_path(void *context, const uint32_t *nodes, uint32_t length, bool is_exit)
{
    struct path_tally *tally = context;
    assert_int_equal(nodes[0], 0);
    tally->nodes += length;
    tally->exits += is_exit;
    tally->paths++;
}

/* A loop of diamonds in a row has 2^diamonds paths: counted exactly, saturated, and listed up to the limit.
 */
static void test_diamonds(void **unused)
{
    (void)unused;
    struct graph_scratch scratch = {0};
    for (uint32_t diamonds = 1; diamonds <= 100; diamonds += 33) {
        struct sketch sketch = sketch_new(3 * diamonds + 1);
        for (uint32_t i = 0; i < diamonds; i++) {
            sketch_edge(&sketch, 3 * i, 3 * i + 1);
            sketch_edge(&sketch, 3 * i, 3 * i + 2);
            sketch_edge(&sketch, 3 * i + 1, 3 * i + 3);
            sketch_edge(&sketch, 3 * i + 2, 3 * i + 3);
        }
        sketch_edge(&sketch, 3 * diamonds, 0);
        struct graph graph = sketch_graph(&sketch);
        struct answer answer = answer_graph(&graph, &scratch);
        uint64_t expected = diamonds < 63 ? (uint64_t)1 << diamonds : INT64_MAX;
        assert_true(graph_count_paths(&graph, &scratch, answer.innermost, 0, 0) == expected);
        struct path_tally tally = {0};
        uint32_t listed = expected < 1000 ? (uint32_t)expected : 1000;
        assert_int_equal(graph_list_paths(&graph, &scratch, answer.innermost, 0, 0, 1000, tally_path, &tally),
                         listed);
        assert_int_equal(tally.paths, listed);
        assert_int_equal(tally.exits, 0);
        assert_int_equal(tally.nodes, (uint64_t)listed * (2 * diamonds + 1));
        answer_done(&answer);
        graph_done(&graph);
    }
    graph_scratch_free(&scratch);
}

/* A graph of many small loops: counting the paths of each must not cost the whole graph each time. */
static void test_many_loops(void **unused)
{
    (void)unused;
    enum { LOOPS = 60000 };
    struct graph_scratch scratch = {0};
    struct sketch sketch = sketch_new(3 * LOOPS + 1);
    for (uint32_t i = 0; i < LOOPS; i++) {
        sketch_edge(&sketch, 3 * i, 3 * i + 1);
        sketch_edge(&sketch, 3 * i, 3 * i + 2);
        sketch_edge(&sketch, 3 * i + 1, 3 * i + 2);
        sketch_edge(&sketch, 3 * i + 2, 3 * i);
        sketch_edge(&sketch, 3 * i + 2, 3 * i + 3);
    }
    struct graph graph = sketch_graph(&sketch);
    struct answer answer = answer_graph(&graph, &scratch);
    assert_int_equal(answer.loops.count, LOOPS);
    for (uint32_t i = 0; i < LOOPS; i++) {
        assert_int_equal(loop_at(&answer, i)->header, 3 * i);
        assert_int_equal(graph_count_paths(&graph, &scratch, answer.innermost, i, 3 * i), 4);
    }
    answer_done(&answer);
    graph_done(&graph);
    graph_scratch_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_empty_and_single),
        cmocka_unit_test(test_loops_are_appended),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_diamonds),
        cmocka_unit_test(test_many_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
