/* What a second run measured becomes figures of loops, and branches become paths (src/run/measure): rows
   made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "runtime/probe/summary_file.h"
#include "run/measure/figures.h"
#include "run/measure/paths.h"

enum { OUTSIDE = 1, HEADER, LEFT, RIGHT, LATCH, BEHIND, BLOCKS = BEHIND };
enum { PLAIN = 1, BRANCH, CALL };

static struct model model;
static struct array loops;

static void add_block(uint32_t id, enum block_end ends, uint32_t encoding)
{
    *(struct instruction *)model_add(&model.code) =
        (struct instruction){.block = id, .encoding = encoding, .target = NO_ADDRESS};
    *(struct block *)model_add(&model.blocks) = (struct block){.function = 1,
                                                               .first_instruction = model_last(&model.code),
                                                               .instruction_count = 1,
                                                               .ends = (uint8_t)ends,
                                                               .is_reachable = true,
                                                               .loop = id > OUTSIDE && id < BEHIND ? 1 : 0};
    if (id > OUTSIDE && id < BEHIND)
        *(struct loop_block *)model_add(&model.loop_blocks) = (struct loop_block){.loop = 1, .block = id};
}

static void add_edge(uint32_t source, uint32_t target, enum edge_kind kind)
{
    *(struct edge *)model_add(&model.edges) =
        (struct edge){.source = source, .target = target, .kind = (uint8_t)kind};
}

static void add_path(uint32_t position, uint32_t middle, bool is_exit)
{
    uint32_t blocks[] = {HEADER, middle, LATCH};
    *(struct path *)model_add(&model.paths) =
        (struct path){.loop = 1, .position = position, .is_exit = is_exit};
    for (uint32_t i = 0; i < 3; i++)
        *(struct path_block *)model_add(&model.path_blocks) =
            (struct path_block){.loop = 1, .path = position, .position = i + 1, .block = blocks[i]};
}

/* A loop with one condition and its test at the end; 100 samples of it are 0.1 s at 2 GHz. */
static int begin(void **state)
{
    (void)state;
    model_init(&model);
    *(struct program *)model_add(&model.programs) = (struct program){.isa = isa_AARCH64};
    *(struct function *)model_add(&model.functions) =
        (struct function){.program = 1, .first_block = 1, .block_count = BLOCKS};
    *(struct encoding *)model_add(&model.encodings) = (struct encoding){.flow = flow_NEXT};
    *(struct encoding *)model_add(&model.encodings) = (struct encoding){.flow = flow_BRANCH};
    *(struct encoding *)model_add(&model.encodings) = (struct encoding){.flow = flow_CALL};
    *(struct loop *)model_add(&model.loops) =
        (struct loop){.function = 1, .header = HEADER, .is_innermost = 1, .block_count = 4, .path_count = 4};
    add_block(OUTSIDE, block_end_FALL, PLAIN);
    add_block(HEADER, block_end_BRANCH, BRANCH);
    add_block(LEFT, block_end_JUMP, PLAIN);
    add_block(RIGHT, block_end_FALL, PLAIN);
    add_block(LATCH, block_end_BRANCH, BRANCH);
    add_block(BEHIND, block_end_RETURN, PLAIN);
    add_edge(OUTSIDE, HEADER, edge_kind_FALL);
    add_edge(HEADER, LEFT, edge_kind_FALL);
    add_edge(HEADER, RIGHT, edge_kind_TAKEN);
    add_edge(LEFT, LATCH, edge_kind_TAKEN);
    add_edge(RIGHT, LATCH, edge_kind_FALL);
    add_edge(LATCH, HEADER, edge_kind_TAKEN);
    add_edge(LATCH, BEHIND, edge_kind_FALL);
    *(struct sampled_run *)model_add(&model.runs) = (struct sampled_run){.cycles_per_second = 2e9};
    *(struct run_loop *)model_add(&model.run_loops) = (struct run_loop){.run = 1,
                                                                        .loop = 1,
                                                                        .samples = 100,
                                                                        .self_seconds = 0.1,
                                                                        .error = 0.1,
                                                                        .sampled_cycles = NAN,
                                                                        .probed_cycles = NAN,
                                                                        .cycles_per_iteration = NAN};
    loops = ARRAY_OF(uint32_t);
    *(uint32_t *)array_push(&loops) = 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    array_free(&loops);
    model_free(&model);
    return 0;
}

static const struct run_loop *row(void)
{
    return model_run_loop(&model, 0);
}

/* A process with these entries, each of so many nanoseconds; ns 0: without a clock. */
static struct probe_loop *add_process(uint64_t entries, uint64_t iterations, double ns, double cycles)
{
    *(struct probe_run *)model_add(&model.probe_runs) = (struct probe_run){.pair_ns = 8};
    struct probe_loop *loop = model_add(&model.probe_loops);
    *loop = (struct probe_loop){.run = model_last(&model.probe_runs),
                                .loop = 1,
                                .entries = entries,
                                .iterations = iterations,
                                .total_ns = ns > 0 ? ns * (double)entries : NAN,
                                .cycles_per_iteration = ns > 0 ? cycles : NAN};
    return loop;
}

static void test_processes(void **state)
{
    (void)state;
    add_process(10, 1000000, 0, 0);
    add_process(30, 3000000, 0, 0);
    assert_int_equal(measure_figures(&model, 1, 1, &loops), 1);
    assert_int_equal(row()->entries, 40);
    assert_int_equal(row()->iterations, 4000000);
    assert_float_equal(row()->sampled_cycles, 50, 1e-9);
    assert_int_equal(row()->measured_by, run_measure_SAMPLES);
    assert_float_equal(row()->cycles_per_iteration, 50, 1e-9);
}

static void test_runs_before(void **state)
{
    (void)state;
    add_process(10, 1000000, 0, 0);
    assert_int_equal(measure_figures(&model, 1, 2, &loops), 0);
    assert_int_equal(row()->iterations, 0);
    assert_true(isnan(row()->cycles_per_iteration));
}

/* Entries of a microsecond are uncertain by 0.4 %, samples by 10 %. */
static void test_long_entries(void **state)
{
    (void)state;
    add_process(1000, 1000000, 1000, 48);
    add_process(3000, 3000000, 1000, 56);
    measure_figures(&model, 1, 1, &loops);
    assert_int_equal(row()->measured_by, run_measure_PROBES);
    assert_float_equal(row()->cycles_per_iteration, 54, 1e-9);
    assert_float_equal(row()->sampled_cycles, 50, 1e-9);
}

/* Of 20 ns, 4 are uncertain. */
static void test_short_entries(void **state)
{
    (void)state;
    add_process(1000, 4000000, 20, 52);
    measure_figures(&model, 1, 1, &loops);
    assert_int_equal(row()->measured_by, run_measure_SAMPLES);
    assert_float_equal(row()->cycles_per_iteration, 50, 1e-9);
    assert_float_equal(row()->probed_cycles, 52, 1e-9);
}

/* Three standard errors of 50 are 15. */
static void test_interrupted(void **state)
{
    (void)state;
    add_process(1000, 4000000, 1000, 90);
    measure_figures(&model, 1, 1, &loops);
    assert_int_equal(row()->measured_by, run_measure_SAMPLES);
    assert_float_equal(row()->cycles_per_iteration, 50, 1e-9);
}

static void test_calls(void **state)
{
    (void)state;
    model_instruction(&model, model_block(&model, LEFT)->first_instruction)->encoding = CALL;
    add_process(1000, 4000000, 1000, 52);
    measure_figures(&model, 1, 1, &loops);
    assert_int_equal(row()->measured_by, run_measure_SAMPLES);
}

/* A loop that a program never left: nobody counted all of its iterations. */
static void test_abandoned(void **state)
{
    (void)state;
    add_process(10, 1000000, 1000, 52)->abandoned = 1;
    measure_figures(&model, 1, 1, &loops);
    assert_true(isnan(row()->sampled_cycles));
    assert_int_equal(row()->measured_by, run_measure_PROBES);
}

static void test_unknown_clock(void **state)
{
    (void)state;
    model_sampled_run(&model, 1)->cycles_per_second = NAN;
    add_process(10, 1000000, 0, 0);
    measure_figures(&model, 1, 1, &loops);
    assert_int_equal(row()->iterations, 1000000);
    assert_int_equal(row()->measured_by, run_measure_NONE);
    assert_true(isnan(row()->cycles_per_iteration));
}

static void test_limits(void **state)
{
    (void)state;
    measure_limit(&model, 1, run_limit_kind_UNPROBED, 2);
    measure_limit(&model, 1, run_limit_kind_DIFFERS, 0);
    measure_limit(&model, 1, run_limit_kind_ENDED, 1);
    measure_limit(&model, 1, run_limit_kind_UNPROBED, 3);
    assert_int_equal(model.run_limits.count, 2);
    assert_int_equal(model_run_limit(&model, 0)->count, 5);
    assert_int_equal(model_run_limit(&model, 1)->kind, run_limit_kind_ENDED);
    assert_int_equal(model_run_limit(&model, 1)->position, 2);
}

static void add_branch(uint32_t run, uint32_t block, uint64_t count, uint64_t taken)
{
    *(struct probe_branch *)model_add(&model.probe_branches) =
        (struct probe_branch){.run = run,
                              .instruction = model_block(&model, block)->first_instruction,
                              .loop = 1,
                              .count = count,
                              .taken = taken};
}

/* 100 entries of 10 iterations, in two processes: 300 went right. */
static void test_paths(void **state)
{
    (void)state;
    add_path(1, LEFT, false);
    add_path(2, RIGHT, false);
    add_path(3, LEFT, true);
    add_path(4, RIGHT, true);
    add_branch(1, HEADER, 77, 77); /* of a run before */
    add_branch(2, HEADER, 400, 300);
    add_branch(2, LATCH, 400, 360);
    add_branch(3, HEADER, 600, 0);
    add_branch(3, LATCH, 600, 540);
    measure_paths(&model, 1, 2, 1);
    assert_int_equal(model.run_paths.count, 4);
    uint64_t expected[] = {630, 270, 70, 30};
    for (uint32_t i = 0; i < 4; i++) {
        const struct run_path *path = model_run_path(&model, i);
        assert_int_equal(path->path, i + 1);
        assert_int_equal(path->count, expected[i]);
        assert_float_equal(path->share, (double)expected[i] / 1000, 1e-9);
    }
}

static void test_no_paths(void **state)
{
    (void)state;
    add_path(1, LEFT, false);
    measure_paths(&model, 1, 1, 1);
    assert_int_equal(model.run_paths.count, 0);
    model_block(&model, HEADER)->ends = block_end_INDIRECT; /* a jump table */
    add_branch(1, LATCH, 600, 540);
    measure_paths(&model, 1, 1, 1);
    assert_int_equal(model.run_paths.count, 0);
}

static double missed(bool (*outcome)(unsigned number))
{
    struct probe_branch_slot slot = {0};
    uint64_t history = 0;
    enum { COUNT = 100000 };
    for (unsigned i = 0; i < COUNT; i++)
        probe_decide(&slot, &history, outcome(i));
    assert_int_equal(slot.count, COUNT);
    return (double)slot.misses[0] / COUNT;
}

static bool alternates(unsigned number)
{
    return number & 1;
}

static bool every_tenth(unsigned number)
{
    return number % 10 == 0;
}

static bool is_random(unsigned number)
{
    uint64_t mixed = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed ^= mixed >> 29;
    return mixed * UINT64_C(0xbf58476d1ce4e5b9) >> 63;
}

static void test_predictor(void **state)
{
    (void)state;
    assert_true(missed(alternates) < 0.001);
    assert_true(missed(every_tenth) < 0.001);
    assert_true(missed(is_random) > 0.45 && missed(is_random) < 0.55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_processes, begin, end),
        cmocka_unit_test_setup_teardown(test_runs_before, begin, end),
        cmocka_unit_test_setup_teardown(test_short_entries, begin, end),
        cmocka_unit_test_setup_teardown(test_interrupted, begin, end),
        cmocka_unit_test_setup_teardown(test_long_entries, begin, end),
        cmocka_unit_test_setup_teardown(test_calls, begin, end),
        cmocka_unit_test_setup_teardown(test_abandoned, begin, end),
        cmocka_unit_test_setup_teardown(test_unknown_clock, begin, end),
        cmocka_unit_test_setup_teardown(test_limits, begin, end),
        cmocka_unit_test_setup_teardown(test_paths, begin, end),
        cmocka_unit_test_setup_teardown(test_no_paths, begin, end),
        cmocka_unit_test(test_predictor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
