/* The evaluator by events, on streams of activities made by hand: rules of messages, wavefronts against a
   recurrence, noise, speeds, the shared disc, deadlocks; and that thousands of ranks are no matter. */
#include "plan/modelling/events/events.h"
#include "plan/modelling/events/links.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A model here is a function that says what a rank does as its n-th activity. */
struct language_model {
    bool (*step)(int32_t rank, int32_t ranks, size_t number, struct activity *activity);
};
struct walker {
    const struct language_model *model;
    int32_t rank, ranks;
    size_t number;
};

size_t activity_cause_count(const struct language_model *model)
{
    (void)model;
    return 3;
}

const struct activity_cause *activity_cause(const struct language_model *model, uint32_t cause)
{
    static const struct activity_cause only = {.object = "test", .file = "test.model"};
    (void)model, (void)cause;
    return &only;
}

struct walker *walker_begin(const struct language_model *model, int32_t rank, int32_t ranks, uint64_t seed)
{
    (void)seed;
    struct walker *walker = memory_get(sizeof *walker);
    *walker = (struct walker){model, rank, ranks, 0};
    return walker;
}

bool walker_next(struct walker *walker, struct activity *activity, struct error *error)
{
    (void)error;
    *activity = (struct activity){.line = (uint32_t)walker->number + 1};
    if (!walker->model->step(walker->rank, walker->ranks, walker->number++, activity))
        activity->kind = activity_END;
    return true;
}

static double told[2];

void walker_told(struct walker *walker, int32_t sender, double value)
{
    (void)walker;
    told[0] = sender;
    told[1] = value;
}

static bool takes_any;

bool activity_receives_from_any(const struct language_model *model)
{
    (void)model;
    return takes_any;
}

void walker_end(struct walker *walker)
{
    free(walker);
}

static struct network parse(const char *text)
{
    struct network network;
    struct error error = {0};
    if (!network_parse("network", text, strlen(text), &network, &error))
        fail_msg("%s", error.text);
    return network;
}

static const char plain[] =
    "[off-node small]\nup-to = 1000   L = 10us   o-send = 2us   o-receive = 3us   G = 1ns\n"
    "[off-node large]\nL = 10us   o-send = 2us   o-receive = 3us   O-send = 2ns   G = 1ns   "
    "handshake = 5us\n";

static struct evaluation evaluate(bool (*step)(int32_t, int32_t, size_t, struct activity *), int32_t ranks,
                                  const char *text, uint64_t seed)
{
    struct network network = parse(text);
    struct language_model model = {step};
    struct evaluation evaluation;
    struct error error = {0};
    if (!evaluate_events(&model, ranks, &network, seed, &evaluation, &error))
        fail_msg("%s", error.text);
    double sum = 0;
    for (unsigned i = 0; i < evaluated_KINDS; i++)
        sum += evaluation.kinds[i];
    assert_float_equal(sum, evaluation.seconds, 1e-9 * evaluation.seconds + 1e-15);
    network_free(&network);
    return evaluation;
}

static double seconds_of(bool (*step)(int32_t, int32_t, size_t, struct activity *), int32_t ranks,
                         const char *text, uint64_t seed)
{
    struct evaluation evaluation = evaluate(step, ranks, text, seed);
    array_free(&evaluation.causes);
    return evaluation.seconds;
}

static double bytes_sent;

/* Rank 0 sends; rank 1 computes 50 us, then receives. */
static bool late_receiver(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    (void)ranks;
    if (rank == 1 && number == 0) {
        activity->kind = activity_COMPUTE;
        activity->seconds = 50e-6;
        return true;
    }
    activity->kind = rank ? activity_RECEIVE : activity_SEND;
    activity->partner = 1 - rank;
    activity->bytes = bytes_sent;
    return number == (size_t)rank;
}

static void times_of_messages(void **state)
{
    (void)state;
    bytes_sent = 500; /* there since 2 + 10 + 0.5 us: only the receiver's overhead is left */
    assert_float_equal(seconds_of(late_receiver, 2, plain, 0), 53e-6, 1e-12);
    bytes_sent = 10000; /* 50 + handshake 5 + copy 20 + L 10 + G 10 + 3 us */
    struct evaluation evaluation = evaluate(late_receiver, 2, plain, 0);
    assert_float_equal(evaluation.seconds, 98e-6, 1e-12);
    assert_int_equal(evaluation.last_rank, 1);
    assert_int_equal(evaluation.messages, 1);
    assert_float_equal(evaluation.kinds[evaluated_WAIT], 45e-6, 1e-12);
    assert_float_equal(evaluation.kinds[evaluated_SEND], 3e-6, 1e-12);
    array_free(&evaluation.causes);
}

/* Both begin a receive and a send, then wait for all. */
static bool exchange(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    (void)ranks;
    static const enum activity_kind kinds[] = {activity_IRECEIVE, activity_ISEND, activity_WAIT};
    if (number >= 3)
        return false;
    activity->kind = kinds[number];
    activity->partner = 1 - rank;
    activity->bytes = bytes_sent;
    activity->request = number == 2 ? -1 : (int32_t)number;
    return true;
}

static void requests_end_in_order(void **state)
{
    (void)state;
    bytes_sent = 500;
    assert_float_equal(seconds_of(exchange, 2, plain, 0), 2e-6 + 10e-6 + 0.5e-6 + 3e-6, 1e-12);
    bytes_sent = 10000;
    assert_float_equal(seconds_of(exchange, 2, plain, 0), (2 + 5 + 20 + 10 + 10 + 3) * 1e-6, 1e-12);
}

static int32_t columns, rows, tiles;

static bool wavefront(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    (void)rank, (void)ranks;
    *activity = (struct activity){.kind = activity_WAVEFRONT,
                                  .columns = columns,
                                  .rows = rows,
                                  .tiles = tiles,
                                  .corner = (int32_t)number % 4,
                                  .seconds = 20e-6,
                                  .bytes = bytes_sent,
                                  .other_bytes = bytes_sent};
    return number < 4;
}

/* The same by a recurrence over ranks and tiles, eager messages only. */
static double reckon_wavefront(void)
{
    enum { O = 2, R = 3 };
    double clocks[64] = {0}, from_row[64], from_column[64];
    for (int32_t corner = 0; corner < 4; corner++)
        for (int32_t tile = 0; tile < tiles; tile++)
            for (int32_t step = 0; step < columns * rows; step++) {
                int32_t x = step % columns, y = step / columns;
                int32_t column = corner & 1 ? columns - 1 - x : x, row = corner & 2 ? rows - 1 - y : y;
                int32_t rank = row * columns + column;
                double *clock = &clocks[rank];
                if (x)
                    *clock = fmax(*clock, from_row[rank]) + R;
                if (y)
                    *clock = fmax(*clock, from_column[rank]) + R;
                *clock += 20;
                if (x + 1 < columns) {
                    *clock += O;
                    from_row[corner & 1 ? rank - 1 : rank + 1] = *clock + 10 + 0.5;
                }
                if (y + 1 < rows) {
                    *clock += O;
                    from_column[corner & 2 ? rank - columns : rank + columns] = *clock + 10 + 0.5;
                }
            }
    double last = 0;
    for (int32_t i = 0; i < columns * rows; i++)
        last = fmax(last, clocks[i]);
    return last * 1e-6;
}

static void wavefronts_are_exact(void **state)
{
    (void)state;
    bytes_sent = 500;
    for (columns = 1; columns <= 8; columns += 3)
        for (rows = 1; rows <= 8; rows += 2)
            for (tiles = 1; tiles <= 20; tiles += 6)
                assert_float_equal(seconds_of(wavefront, columns * rows, plain, 0), reckon_wavefront(),
                                   1e-9 * reckon_wavefront());
}

static bool compute_a_second(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    (void)rank, (void)ranks;
    activity->kind = activity_COMPUTE;
    activity->seconds = 1e-3;
    return number < 1000;
}

static void noise_and_speeds(void **state)
{
    (void)state;
    static const char *const distributions[] = {"fixed", "exponential", "pareto"};
    for (unsigned i = 0; i < 3; i++) {
        char *text = memory_format("%s[noise]\nrate = 1000   length = 100us   distribution = %s\n", plain,
                                   distributions[i]);
        double one = seconds_of(compute_a_second, 1, text, 7);
        assert_float_equal(one, 1.1, 0.02);
        assert_true(one == seconds_of(compute_a_second, 1, text, 7));
        assert_true(one != seconds_of(compute_a_second, 1, text, 8));
        assert_true(seconds_of(compute_a_second, 50, text, 7) > one);
        free(text);
    }
    char *text = memory_format("%s[nodes]\nspeeds = 1, 0.5\n", plain);
    assert_float_equal(seconds_of(compute_a_second, 1, text, 0), 1, 1e-9);
    assert_float_equal(seconds_of(compute_a_second, 2, text, 0), 2, 1e-9);
    free(text);
}

/* The last rank comes first. */
static bool read_disc(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    activity->kind = number ? activity_READ : activity_COMPUTE;
    activity->seconds = 0.001 * (ranks - rank);
    activity->bytes = 1e6;
    return number < 3;
}

static void discs_are_shared(void **state)
{
    (void)state;
    char *alone = memory_format("%s[disc]\nbandwidth = 100MB/s\n", plain),
         *shared = memory_format("%s[disc]\nbandwidth = 100MB/s   shared = yes\n", plain);
    assert_float_equal(seconds_of(read_disc, 5, alone, 0), 0.005 + 0.02, 1e-9);
    struct evaluation evaluation = evaluate(read_disc, 5, shared, 0);
    assert_float_equal(evaluation.seconds, 0.001 + 10 * 0.01, 1e-9);
    assert_int_equal(evaluation.last_rank, 0); /* came last to its first turn, and so to its second */
    array_free(&evaluation.causes);
    free(alone);
    free(shared);
}

static bool receive_only(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    activity->kind = activity_RECEIVE;
    activity->partner = (rank + 1) % ranks;
    return number < 1;
}

static bool send_only(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    activity->kind = activity_SEND;
    activity->partner = (rank + 1) % ranks;
    return number < 1;
}

static bool wait_only(int32_t rank, int32_t ranks, size_t number, struct activity *activity)
{
    (void)rank, (void)ranks;
    activity->kind = activity_WAIT;
    activity->request = 3;
    return number < 1;
}

static void mistakes_are_told(void **state)
{
    (void)state;
    static const struct {
        bool (*step)(int32_t, int32_t, size_t, struct activity *);
        const char *message;
    } cases[] = {{receive_only,
                  "test.model:1: deadlock: 6 of 6 ranks wait for ever: rank 0 receives from rank 1 "
                  "(line 1); rank 1 receives from rank 2 (line 1)"},
                 {send_only, "rank 0 sends to rank 1, which never receives it"},
                 {wait_only, "rank 0 waits for request 3, which was not begun"}};
    struct network network = parse(plain);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct language_model model = {cases[i].step};
        struct evaluation evaluation;
        struct error error = {0};
        assert_false(evaluate_events(&model, 6, &network, 0, &evaluation, &error));
        if (!strstr(error.text, cases[i].message))
            fail_msg("%s", error.text);
        array_free(&evaluation.causes);
    }
    network_free(&network);
}

/* When each of some flows has ended; all leave at their times. */
static void run_flows(struct links *links, const struct links_route *const *routes, const double *leaves,
                      const double *bytes, int32_t count, double *ends)
{
    struct array ended = ARRAY_OF(int32_t);
    int32_t started = 0, over = 0;
    while (over < count) {
        while (started < count && leaves[started] <= links_next(links)) {
            links_start(links, started, leaves[started], bytes[started], routes[started]);
            started++;
        }
        double now = links_next(links);
        assert_true(isfinite(now));
        ended.count = 0;
        links_step(links, &ended);
        for (size_t i = 0; i < ended.count; i++)
            ends[*ARRAY_AT(int32_t, &ended, i)] = now;
        over += (int32_t)ended.count;
    }
    assert_true(isinf(links_next(links)));
    array_free(&ended);
}

static struct links_route route_over(double latency, double bound, int32_t first, int32_t second)
{
    struct links_route route = {.latency = latency, .bound = bound, .shared = ARRAY_OF(int32_t)};
    *(int32_t *)array_add(&route.shared) = first;
    if (second >= 0)
        *(int32_t *)array_add(&route.shared) = second;
    return route;
}

/* By hand: links of 1000 and 600 bytes a second. */
static void flows_share_links(void **state)
{
    (void)state;
    struct links *links = links_begin();
    int32_t wide = links_add(links, 1000), narrow = links_add(links, 600);
    struct links_route usual = route_over(1, INFINITY, wide, -1),
                       both = route_over(1, INFINITY, wide, narrow), slow = route_over(1, 100, wide, -1),
                       far = route_over(3, INFINITY, wide, -1), other = route_over(1, INFINITY, narrow, -1);
    double ends[4];
    /* Alone: latency, and bytes over bandwidth. Two: half each, until the first has ended. */
    run_flows(links, (const struct links_route *[]){&usual}, (double[]){0}, (double[]){500}, 1, ends);
    assert_float_equal(ends[0], 1.5, 1e-9);
    run_flows(links, (const struct links_route *[]){&usual, &usual}, (double[]){0, 0}, (double[]){500, 1000},
              2, ends);
    assert_float_equal(ends[0], 2, 1e-9);
    assert_float_equal(ends[1], 2.5, 1e-9);
    /* One that cannot take its half leaves the rest. */
    run_flows(links, (const struct links_route *[]){&slow, &usual}, (double[]){0, 0}, (double[]){100, 900}, 2,
              ends);
    assert_float_equal(ends[0], 2, 1e-9);
    assert_float_equal(ends[1], 2, 1e-9);
    /* Two over the narrow link have 300 each, and the third 700 of the wide one. */
    run_flows(links, (const struct links_route *[]){&both, &other, &usual}, (double[]){0, 0, 0},
              (double[]){300, 300, 700}, 3, ends);
    for (unsigned i = 0; i < 3; i++)
        assert_float_equal(ends[i], 2, 1e-9);
    /* Three times the latency: a third of what the other one has; it begins to share two seconds later. */
    run_flows(links, (const struct links_route *[]){&far, &usual}, (double[]){0, 0}, (double[]){250, 2750}, 2,
              ends);
    assert_float_equal(ends[0], 4, 1e-9);
    assert_float_equal(ends[1], 4, 1e-9);
    links_end(links);
    struct links_route *all[] = {&usual, &both, &slow, &far, &other};
    for (unsigned i = 0; i < 5; i++)
        array_free(&all[i]->shared);
}

static void many_ranks(void **state)
{
    (void)state;
    columns = 64, rows = 32, tiles = 10, bytes_sent = 500;
    struct evaluation evaluation = evaluate(wavefront, columns * rows, plain, 0);
    assert_int_equal(evaluation.messages, 4ull * 10 * (63 * 32 + 64 * 31));
    array_free(&evaluation.causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_messages),    cmocka_unit_test(requests_end_in_order),
        cmocka_unit_test(wavefronts_are_exact), cmocka_unit_test(noise_and_speeds),
        cmocka_unit_test(discs_are_shared),     cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(flows_share_links),    cmocka_unit_test(many_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
