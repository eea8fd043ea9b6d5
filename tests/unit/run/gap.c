/* Why loops take longer than predicted (src/run/measure/gap*.c): rows made by hand, and for each rule one
   loop where it speaks and one where it is silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine_text.h"
#include "run/measure/gap.h"

static const char arm[] =
    "name arm\ntitle Arm\nisa aarch64\nfigures invented\nwidth 8\nfloating 4\nmemory 3\nbranches 2\nports 0 "
    "1\n"
    "reorder-buffer 256\nforward 5 7\nmispredict 14\nslow 20 udiv x,x,x\ncache 1 64K ways 4 line 64 "
    "bandwidth 48 latency "
    "4\n"
    "cache 2 1M bandwidth 27 latency 14\ncache 3 32M bandwidth 19 latency 120 shared\n"
    "main-memory bandwidth 10 latency 340\nform udiv x,x,x : uops 1 ports p0 latency 7 divider 7\n";
static const char intel[] =
    "name intel\ntitle Intel\nisa x86-64\nfigures invented\nwidth 4\nfloating 2\nmemory 3\nbranches 2\nports "
    "0 1\n"
    "forward 5 6\nmispredict 16\ncache 1 32K ways 8 line 64 bandwidth 64 latency 4\ncache 2 256K\n";

static struct model model;
static struct machine *machine;
static struct gap_machine caches;
enum { LOOP = 1, MEGABYTE = 1 << 20 };

static void use(const char *text)
{
    machine_free(machine);
    machine = parsed(text);
    caches = gap_machine_of(machine);
}

/* A loop of a run of 2 GHz, a million iterations in ten entries: 12 cycles an iteration by samples, 2
   predicted.  It has block 1 with a load, a store and a division. */
static int begin(void **state)
{
    (void)state;
    model_init(&model);
    use(arm);
    *(struct sampled_run *)model_add(&model.runs) =
        (struct sampled_run){.cycles_per_second = 2e9, .frequency = 1e6, .threads = 1, .samples = 6000};
    struct loop *loop = model_add(&model.loops);
    loop->is_innermost = 1;
    *(struct run_loop *)model_add(&model.run_loops) = (struct run_loop){.run = 1,
                                                                        .loop = LOOP,
                                                                        .samples = 6000,
                                                                        .self_seconds = 6e-3,
                                                                        .error = 0.01,
                                                                        .entries = 10,
                                                                        .iterations = 1000000,
                                                                        .cycles_per_iteration = 12,
                                                                        .measured_by = run_measure_SAMPLES,
                                                                        .sampled_cycles = 12,
                                                                        .probed_cycles = NAN,
                                                                        .predicted_cycles = 2,
                                                                        .path = 1};
    *(struct path *)model_add(&model.paths) = (struct path){.loop = LOOP, .position = 1};
    *(struct path_block *)model_add(&model.path_blocks) =
        (struct path_block){.loop = LOOP, .path = 1, .position = 1, .block = 1};
    *(struct loop_block *)model_add(&model.loop_blocks) = (struct loop_block){.loop = LOOP, .block = 1};
    *(struct loop_cycle *)model_add(&model.loop_cycles) =
        (struct loop_cycle){.loop = LOOP, .path = 1, .cycles = 2, .instruction_count = 8, .known_count = 8};
    *(struct encoding *)model_add(&model.encodings) =
        (struct encoding){.form = model_string(&model, "ldr x,[x]")};
    *(struct encoding *)model_add(&model.encodings) =
        (struct encoding){.form = model_string(&model, "udiv x,x,x")};
    *(struct instruction *)model_add(&model.code) = (struct instruction){.block = 1, .encoding = 1};
    *(struct instruction *)model_add(&model.code) =
        (struct instruction){.block = 1, .encoding = 1, .offset = 4};
    return 0;
}

static int end(void **state)
{
    (void)state;
    model_free(&model);
    machine_free(machine);
    machine = NULL;
    return 0;
}

static struct run_loop *loop_row(void)
{
    return model_run_loop(&model, 0);
}

static struct sampled_run *run_row(void)
{
    return model_sampled_run(&model, 1);
}

/* What a rule said; NULL: nothing. */
static const struct run_gap *gap_of(enum gap_rule rule)
{
    gap_explain(&model, &caches);
    const struct run_gap *found = NULL;
    for (uint32_t i = 0; i < model.run_gaps.count; i++) {
        const struct run_gap *row = model_run_gap(&model, i);
        assert_int_equal(row->position, i + 1);
        if (row->rule == rule)
            found = row;
    }
    return found;
}

static void silent(enum gap_rule rule)
{
    assert_null(gap_of(rule));
}

static void says(enum gap_rule rule, enum gap_certainty certainty, double cycles, double value,
                 double reference)
{
    const struct run_gap *row = gap_of(rule);
    if (!row)
        fail_msg("%s is silent: wanted %g %g %g", gap_text(rule)->title, cycles, value, reference);
    assert_non_null(row);
    const double wanted[] = {cycles, value, reference}, got[] = {row->cycles, row->value, row->reference};
    for (unsigned i = 0; i < 3; i++)
        if (!(isnan(wanted[i]) && isnan(got[i])) && !(fabs(got[i] - wanted[i]) <= 0.01 * fabs(wanted[i])))
            fail_msg("figure %u is %g, not %g", i, got[i], wanted[i]);
    assert_int_equal(row->certainty, certainty);
}

static struct probe_address *add_address(uint64_t bytes, int64_t stride)
{
    if (model.probe_runs.count < 2) {
        model_add(&model.probe_runs);
        *(struct probe_loop *)model_add(&model.probe_loops) =
            (struct probe_loop){.run = 1, .loop = LOOP, .entries = 10, .iterations = 1000000};
    }
    uint64_t start = (uint64_t)1 << 30;
    for (uint32_t i = 0; i < model.probe_addresses.count; i++)
        start += 1 << 28;
    struct probe_address *row = model_add(&model.probe_addresses);
    *row = (struct probe_address){.run = 1,
                                  .instruction = (uint32_t)model.probe_addresses.count,
                                  .loop = LOOP,
                                  .bytes = 8,
                                  .count = 1000000,
                                  .minimum = start,
                                  .maximum = start + bytes - 8,
                                  .stride = stride,
                                  .stride_share = stride ? 1 : 0.1,
                                  .lines = bytes / 64,
                                  .pages = bytes / 4096,
                                  .sets = 64};
    return row;
}

static void put_in_chain(uint32_t instruction)
{
    *(struct bound_instruction *)model_add(&model.bound_instructions) = (struct bound_instruction){
        .loop = LOOP, .path = 1, .part = core_part_LATENCY, .instruction = instruction};
}

/* 64 bytes an iteration from memory at 10 a cycle: 6.4 cycles, less the 2 that were predicted. */
static void data_in_memory(void **state)
{
    (void)state;
    add_address(64 * MEGABYTE, 64);
    loop_row()->cycles_per_iteration = 7;
    says(gap_rule_CACHE, gap_certainty_SHOWN, 4.4, 64 * MEGABYTE, 32 * MEGABYTE);
    silent(gap_rule_UNEXPLAINED);
    /* What is left of a larger gap stays unexplained. */
    loop_row()->cycles_per_iteration = 20;
    says(gap_rule_CACHE, gap_certainty_LIKELY, 4.4, 64 * MEGABYTE, 32 * MEGABYTE);
    says(gap_rule_UNEXPLAINED, gap_certainty_SHOWN, 13.6, 20, 2);
    /* In a cache that is large enough, the same walk is no cause. */
    model.probe_addresses.count = 0;
    add_address(48 << 10, 64);
    silent(gap_rule_CACHE);
}

/* Where probes cannot count the lines any more, pages say how many there are. */
static void many_lines(void **state)
{
    (void)state;
    struct probe_address *row = add_address(64 * MEGABYTE, 64);
    loop_row()->entries = 1;
    row->lines = 340696;
    row->count = 4 * MEGABYTE;
    model_probe_loop(&model, 0)->iterations = 4 * MEGABYTE;
    loop_row()->cycles_per_iteration = 7;
    says(gap_rule_CACHE, gap_certainty_SHOWN, 4.4, 64 * MEGABYTE, 32 * MEGABYTE);
}

static void data_in_other_levels(void **state)
{
    (void)state;
    loop_row()->cycles_per_iteration = 3;
    add_address(512 << 10, 64); /* 64 bytes at 27 a cycle */
    says(gap_rule_CACHE, gap_certainty_LIKELY, 64.0 / 27 - 2, 512 << 10, 64 << 10);
    model.probe_addresses.count = 0;
    add_address(8 * MEGABYTE, 64); /* at 19 a cycle */
    loop_row()->cycles_per_iteration = 3.4;
    says(gap_rule_CACHE, gap_certainty_SHOWN, 64.0 / 19 - 2, 8 * MEGABYTE, MEGABYTE);
    /* Entries of 200 iterations, 13 KB: whether these lines were still in the cache is unknown. */
    loop_row()->entries = 5000;
    says(gap_rule_CACHE, gap_certainty_LIKELY, 64.0 / 19 - 2, 8 * MEGABYTE, MEGABYTE);
    /* A computer whose bandwidths are unknown. */
    caches.caches[2].bytes_per_cycle = 0;
    says(gap_rule_CACHE, gap_certainty_LIKELY, NAN, 8 * MEGABYTE, MEGABYTE);
    /* Transfers that take less than the prediction explain nothing. */
    use(arm);
    loop_row()->predicted_cycles = 10;
    loop_row()->cycles_per_iteration = 12;
    silent(gap_rule_CACHE);
}

static void streams(void **state)
{
    (void)state;
    /* Three loads of a stencil touch the same lines: 8 bytes an iteration at 10 a cycle. */
    for (unsigned i = 0; i < 3; i++) {
        struct probe_address *row = add_address(64 * MEGABYTE, 8);
        row->minimum = ((uint64_t)1 << 30) + 8 * i;
        row->maximum = row->minimum + 64 * MEGABYTE - 8;
    }
    loop_row()->predicted_cycles = 0.5;
    loop_row()->cycles_per_iteration = 0.8;
    says(gap_rule_CACHE, gap_certainty_SHOWN, 0.3, 64 * MEGABYTE + 64, 32 * MEGABYTE);
    /* Three arrays take three times as long; the small one beside them is in the first cache.  A store costs
     * twice. */
    model.probe_addresses.count = 0;
    add_address(16 << 10, 8);
    add_address(64 * MEGABYTE, 8);
    add_address(64 * MEGABYTE, 8)->is_store = 1;
    loop_row()->cycles_per_iteration = 5;
    says(gap_rule_CACHE, gap_certainty_LIKELY, 2.4 - 0.5, 128 * MEGABYTE, 32 * MEGABYTE);
}

static void pointer_chase(void **state)
{
    (void)state;
    put_in_chain(1);
    add_address(512 << 10, 0)->instruction = 1;
    loop_row()->predicted_cycles = 4;
    loop_row()->cycles_per_iteration = 13; /* one of eight loads finds its line in the first cache */
    says(gap_rule_CACHE, gap_certainty_SHOWN, 8.75, 512 << 10, 64 << 10);
    assert_int_equal(model_run_gap(&model, 0)->instruction, 1);
    /* The same loads without a chain overlap: 32 iterations in the reorder buffer, 16 loads at a time. */
    model.bound_instructions.count = 0;
    model_probe_address(&model, 0)->lines = MEGABYTE;
    model_probe_address(&model, 0)->maximum += 63 * MEGABYTE;
    loop_row()->predicted_cycles = 1;
    says(gap_rule_CACHE, gap_certainty_SHOWN, 0.5 * 336 / 16 - 1, 64 * MEGABYTE, 32 * MEGABYTE);
}

static void add_pattern(enum access_pattern pattern, int64_t stride)
{
    *(struct access_pattern_row *)model_add(&model.access_patterns) =
        (struct access_pattern_row){.loop = LOOP,
                                    .path = 1,
                                    .instruction = 1,
                                    .position = 1,
                                    .pattern = (uint8_t)pattern,
                                    .stride = stride,
                                    .bytes = 8,
                                    .is_load = 1};
}

/* Without probes of addresses: the distance in the code times the iterations of an entry. */
static void data_from_the_code(void **state)
{
    (void)state;
    add_pattern(access_pattern_CONSTANT_STRIDE, 64); /* 100000 iterations: 6.4 MB from L3 */
    loop_row()->cycles_per_iteration = 4;
    says(gap_rule_CACHE, gap_certainty_LIKELY, 64.0 / 19 - 2, 6400064, MEGABYTE);
    loop_row()->entries = 1000; /* 64 KB */
    loop_row()->iterations = 1000000;
    model.access_patterns.count = 0;
    add_pattern(access_pattern_STRIDE_ONE, 8);
    silent(gap_rule_CACHE);
    model.access_patterns.count = 0;
    add_pattern(access_pattern_INDIRECT, 0);
    says(gap_rule_CACHE, gap_certainty_POSSIBLE, NAN, NAN, 64 << 10);
    loop_row()->cycles_per_iteration = 2.1;
    silent(gap_rule_CACHE);
}

static void few_sets(void **state)
{
    (void)state;
    put_in_chain(1);
    struct probe_address *row = add_address(64 * 4096, 4096);
    row->instruction = 1;
    row->lines = 64; /* 4 KB of data, and 16 lines of the cache for it */
    row->sets = 1;
    loop_row()->predicted_cycles = 4;
    loop_row()->cycles_per_iteration = 14;
    says(gap_rule_SETS, gap_certainty_SHOWN, 10, 1, 64);
    silent(gap_rule_CACHE);
    model_probe_address(&model, 0)->lines = 16;
    silent(gap_rule_SETS);
    model_probe_address(&model, 0)->lines = 64;
    model_probe_address(&model, 0)->sets = 64;
    silent(gap_rule_SETS);
}

/* Twenty streams at one offset in their pages, where the cache has sixteen lines for each offset. */
static void streams_side_by_side(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        add_address(2048, 8);
    loop_row()->predicted_cycles = 20.0 / 3;
    loop_row()->cycles_per_iteration = 40;
    says(gap_rule_SETS, gap_certainty_SHOWN, 40 - 20.0 / 3, 1, 64);
    model.probe_addresses.count = 16;
    silent(gap_rule_SETS);
    model.probe_addresses.count = 20;
    for (uint32_t i = 0; i < 20; i++)
        model_probe_address(&model, i)->minimum += 64 * i;
    silent(gap_rule_SETS);
}

static void aliases(void **state)
{
    (void)state;
    use(intel);
    add_address(4096, 8)->aliases = 900000;
    add_address(4096, 8)->is_store = 1;
    loop_row()->cycles_per_iteration = 7;
    says(gap_rule_ALIASING, gap_certainty_SHOWN, 4.5, 0.9, 0);
    model_probe_address(&model, 0)->aliases = 10000;
    silent(gap_rule_ALIASING);
    model_probe_address(&model, 0)->aliases = 900000;
    use(arm); /* compares whole addresses */
    silent(gap_rule_ALIASING);
}

static void denormals(void **state)
{
    (void)state;
    silent(gap_rule_DENORMALS);
    model_add(&model.denormal_runs);
    struct denormal_site *site = model_add(&model.denormal_sites);
    *site = (struct denormal_site){
        .run = 1, .loop = LOOP, .instruction = 1, .operand_events = 50000, .seconds = 5e-3};
    says(gap_rule_DENORMALS, gap_certainty_SHOWN, 10, 0.05, 0);
    site->seconds = NAN; /* unknown penalty */
    says(gap_rule_DENORMALS, gap_certainty_LIKELY, NAN, 0.05, 0);
    site->loop = LOOP + 1;
    silent(gap_rule_DENORMALS);
}

static void add_path(uint32_t position, uint32_t block, double share)
{
    if (position > 1)
        *(struct path *)model_add(&model.paths) = (struct path){.loop = LOOP, .position = position};
    const uint32_t blocks[] = {1, block, 4};
    for (uint32_t i = 0; i < 3; i++)
        *(struct path_block *)model_add(&model.path_blocks) =
            (struct path_block){.loop = LOOP, .path = position, .position = i + 1, .block = blocks[i]};
    *(struct run_path *)model_add(&model.run_paths) =
        (struct run_path){.run = 1, .loop = LOOP, .path = position, .share = share};
}

/* Block 1 goes on to 2 or 3; a quarter of the iterations take the rare way. */
static void branches(void **state)
{
    (void)state;
    model.path_blocks.count = 0;
    loop_row()->path = 0;
    loop_row()->cycles_per_iteration = 6;
    add_path(1, 2, 0.75);
    silent(gap_rule_BRANCHES);
    model.path_blocks.count = model.run_paths.count = 0;
    add_path(1, 2, 0.75);
    add_path(2, 3, 0.25);
    says(gap_rule_BRANCHES, gap_certainty_LIKELY, 0.25 * 14, 0.25, 14);
    assert_int_equal(model_run_gap(&model, 0)->instruction, 2); /* the last of block 1 */
    /* A predictable pattern takes no time, so there is nothing to explain. */
    loop_row()->cycles_per_iteration = 2.1;
    silent(gap_rule_BRANCHES);
    /* Where the paths are unknown, it may be one. */
    loop_row()->cycles_per_iteration = 6;
    model.run_paths.count = 0;
    says(gap_rule_BRANCHES, gap_certainty_POSSIBLE, NAN, NAN, 14);
}

/* Samples that wait for a store: no cause that the code merely allows stands before that. */
static void where_samples_stand(void **state)
{
    (void)state;
    struct run_point *point = model_add(&model.run_points);
    *point =
        (struct run_point){.run = 1, .loop = LOOP, .kind = point_kind_STORE, .instruction = 1, .part = 0.8};
    add_path(1, 2, 0.5);
    add_path(2, 3, 0.5);
    model.run_paths.count = 0;
    silent(gap_rule_BRANCHES);
    says(gap_rule_CACHE, gap_certainty_LIKELY, NAN, NAN, 64 << 10);
    assert_int_equal(model_run_gap(&model, 0)->instruction, 1);
    point->part = 0.3; /* the rest may be the branch */
    says(gap_rule_BRANCHES, gap_certainty_POSSIBLE, NAN, NAN, 14);
    point->kind = point_kind_DIVISION;
    silent(gap_rule_CACHE);
}

static void counted_branches(void **state)
{
    (void)state;
    *(struct run_counter *)model_add(&model.run_counters) =
        (struct run_counter){.run = 1, .name = model_string(&model, "BR_MIS_PRED")};
    struct counter_value *value = model_add(&model.counter_values);
    *value = (struct counter_value){.counter = 1, .loop = LOOP, .count = 700000};
    says(gap_rule_BRANCHES, gap_certainty_SHOWN, 9.8, 0.7, 14);
    value->count = 500;
    silent(gap_rule_BRANCHES);
    value->count = 700000;
    value->loop = LOOP + 1;
    silent(gap_rule_BRANCHES);
}

/* Instruction 2 goes to block 2 or 3 inside the loop, instruction 3 back or out. */
static void add_branch(uint32_t instruction, uint64_t misses)
{
    if (model.probe_runs.count < 2)
        model_add(&model.probe_runs);
    *(struct probe_branch *)model_add(&model.probe_branches) =
        (struct probe_branch){.run = 1,
                              .instruction = instruction,
                              .loop = LOOP,
                              .count = 1000000,
                              .guessed = 100000,
                              .misses = misses};
}

static void recorded_branches(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{1, 2}, {1, 3}, {4, 1}, {4, 5}};
    for (uint32_t block = 2; block <= 4; block++)
        *(struct loop_block *)model_add(&model.loop_blocks) =
            (struct loop_block){.loop = LOOP, .block = block};
    for (unsigned i = 0; i < 4; i++) {
        struct edge *edge = model_add(&model.edges);
        edge->source = edges[i][0];
        edge->target = edges[i][1];
    }
    *(struct instruction *)model_add(&model.code) = (struct instruction){.block = 4, .encoding = 1};
    loop_row()->cycles_per_iteration = 9;
    add_branch(2, 50000);
    add_branch(3, 0);
    says(gap_rule_BRANCHES, gap_certainty_SHOWN, 7, 0.5, 14);
    assert_int_equal(model_run_gap(&model, 0)->instruction, 2);
    silent(gap_rule_SHORT_TRIPS);
    /* The branch that ends the loop is missed once in an entry of four iterations. */
    model_probe_branch(&model, 0)->misses = 0;
    model_probe_branch(&model, 1)->misses = 25000;
    loop_row()->entries = 250000;
    loop_row()->cycles_per_iteration = 6;
    silent(gap_rule_BRANCHES);
    says(gap_rule_SHORT_TRIPS, gap_certainty_SHOWN, 3.5, 4, 14);
    model_probe_branch(&model, 1)->misses = 0; /* lengths that the predictor learns */
    silent(gap_rule_SHORT_TRIPS);
}

static void page_faults(void **state)
{
    (void)state;
    loop_row()->cycles_per_iteration = 2;
    loop_row()->self_seconds = 1e-3;
    loop_row()->kernel_seconds = 3e-3;
    run_row()->minor_faults = 4000;
    says(gap_rule_PAGE_FAULTS, gap_certainty_SHOWN, 6, 0.75, 4000);
    silent(gap_rule_UNEXPLAINED);
    loop_row()->kernel_seconds = 3e-5; /* interrupts */
    silent(gap_rule_PAGE_FAULTS);
    loop_row()->kernel_seconds = 3e-3;
    run_row()->minor_faults = 10; /* too few for that time: it is something else */
    silent(gap_rule_PAGE_FAULTS);
    run_row()->minor_faults = 4000;
    run_row()->frequency = 1000; /* three samples: chance */
    silent(gap_rule_PAGE_FAULTS);
    loop_row()->kernel_seconds = NAN; /* not sampled */
    silent(gap_rule_PAGE_FAULTS);
}

static void division(void **state)
{
    (void)state;
    silent(gap_rule_DIVISION);
    model_instruction(&model, 2)->encoding = 2;
    loop_row()->predicted_cycles = 7;
    loop_row()->cycles_per_iteration = 20;
    says(gap_rule_DIVISION, gap_certainty_LIKELY, 13, 1, 20);
    assert_int_equal(model_run_gap(&model, 0)->instruction, 2);
    loop_row()->cycles_per_iteration = 7.2;
    silent(gap_rule_DIVISION);
    loop_row()->cycles_per_iteration = 20;
    use(intel); /* says nothing of its divisions */
    silent(gap_rule_DIVISION);
}

static void waiting(void **state)
{
    (void)state;
    loop_row()->cycles_per_iteration = 2;
    loop_row()->self_seconds = 1e-3;
    loop_row()->probed_cycles = 10;
    run_row()->waiting_seconds = 4e-3;
    silent(gap_rule_WAITING); /* one thread: others of the computer were in its way */
    run_row()->threads = 4;
    says(gap_rule_WAITING, gap_certainty_SHOWN, 8, 0.8, 4);
    run_row()->waiting_seconds = 1e-3; /* nobody waited as long */
    silent(gap_rule_WAITING);
}

static void short_trips(void **state)
{
    (void)state;
    loop_row()->entries = 250000; /* of 4 iterations */
    loop_row()->cycles_per_iteration = 6;
    says(gap_rule_SHORT_TRIPS, gap_certainty_LIKELY, 3.5, 4, 14);
    model_add(&model.probe_runs);
    *(struct probe_loop *)model_add(&model.probe_loops) = (struct probe_loop){.run = 1,
                                                                              .loop = LOOP,
                                                                              .entries = 250000,
                                                                              .iterations = 1000000,
                                                                              .setup_cycles = 16,
                                                                              .setup = probe_setup_FITTED};
    says(gap_rule_SHORT_TRIPS, gap_certainty_SHOWN, 4, 4, 16);
    loop_row()->entries = 1000;
    silent(gap_rule_SHORT_TRIPS);
}

static void calls(void **state)
{
    (void)state;
    loop_row()->cycles_per_iteration = 2;
    loop_row()->self_seconds = 1e-3;
    silent(gap_rule_CALLS);
    loop_row()->call_seconds = 4e-3;
    *(struct call *)model_add(&model.calls) = (struct call){.caller = 1, .instruction = 2};
    says(gap_rule_CALLS, gap_certainty_SHOWN, 8, 1, 0.8);
    assert_int_equal(model_run_gap(&model, 0)->instruction, 2);
    loop_row()->calls_per_iteration = 3; /* not the places in the code */
    says(gap_rule_CALLS, gap_certainty_SHOWN, 8, 3, 0.8);
}

/* A store one step ahead of a load: the next iteration reads it. */
static void forwarding(void **state)
{
    (void)state;
    struct probe_address *load = add_address(8192, 8);
    uint64_t start = load->minimum;
    struct probe_address *store = add_address(8192, 8);
    store->is_store = 1;
    silent(gap_rule_FORWARDING);
    store->minimum = start + 8;
    store->maximum = store->minimum + 8184;
    says(gap_rule_FORWARDING, gap_certainty_SHOWN, 10, 1, 5);
    silent(gap_rule_UNEXPLAINED);
    store->minimum -= 16; /* after the load */
    store->maximum -= 16;
    silent(gap_rule_FORWARDING);
    store->minimum += 8; /* in place */
    store->maximum += 8;
    silent(gap_rule_FORWARDING);
    store->minimum += 16; /* two ahead: 12 cycles each are a chain of 24, of which 5 are known */
    store->maximum += 16;
    says(gap_rule_FORWARDING, gap_certainty_LIKELY, 0.5, 2, 5);
    says(gap_rule_UNEXPLAINED, gap_certainty_SHOWN, 9.5, 12, 2);
    store->minimum += 8 * 100;
    store->maximum += 8 * 100;
    silent(gap_rule_FORWARDING);
    /* Both at one place. */
    model_probe_address(&model, 0)->stride = store->stride = 0;
    store->minimum = start;
    says(gap_rule_FORWARDING, gap_certainty_LIKELY, 3, 1, 5);
    /* Downwards, the store ahead is the lower one. */
    model_probe_address(&model, 0)->stride = store->stride = -8;
    store->minimum = start - 8;
    store->maximum = model_probe_address(&model, 0)->maximum - 8;
    says(gap_rule_FORWARDING, gap_certainty_SHOWN, 10, 1, 5);
    /* A histogram. */
    for (uint32_t i = 0; i < 2; i++) {
        struct probe_address *row = model_probe_address(&model, i);
        row->stride_share = 0.1;
        row->minimum = start;
        row->lines = 16;
    }
    says(gap_rule_FORWARDING, gap_certainty_LIKELY, NAN, NAN, 5);
    store->lines = 1000;
    silent(gap_rule_FORWARDING);
}

/* Entries of 4 iterations. */
static void overlaps(void)
{
    says(gap_rule_OVERLAP, gap_certainty_LIKELY, -8, 4, model_run_gap(&model, 0)->reference);
    assert_true(model_run_gap(&model, 0)->reference > 1);
}

static void faster(void **state)
{
    (void)state;
    loop_row()->predicted_cycles = 20;
    says(gap_rule_FASTER, gap_certainty_SHOWN, -8, 12, 20);
    silent(gap_rule_UNEXPLAINED);
    model_loop_cycle(&model, 0)->known_count = 7; /* a figure was assumed */
    says(gap_rule_FASTER, gap_certainty_LIKELY, -8, 12, 20);
    loop_row()->predicted_cycles = 13;
    silent(gap_rule_FASTER);
    /* Short entries overlap. */
    loop_row()->predicted_cycles = 20;
    loop_row()->entries = 250000;
    silent(gap_rule_FASTER);
    overlaps();
    loop_row()->entries = 10;
    silent(gap_rule_OVERLAP);
    says(gap_rule_FASTER, gap_certainty_LIKELY, -8, 12, 20);
    /* A called function hides a part of the loop. */
    loop_row()->call_seconds = 1e-3;
    silent(gap_rule_FASTER);
    loop_row()->call_seconds = 0;
    /* Another path may be the usual one: nothing is wrong with the model. */
    loop_row()->predicted_cycles = 20;
    *(struct path *)model_add(&model.paths) = (struct path){.loop = LOOP, .position = 2};
    silent(gap_rule_FASTER);
}

static void unexplained(void **state)
{
    (void)state;
    says(gap_rule_UNEXPLAINED, gap_certainty_SHOWN, 10, 12, 2);
    loop_row()->cycles_per_iteration = 2.15;
    silent(gap_rule_UNEXPLAINED);
    /* Too few samples to say so. */
    loop_row()->cycles_per_iteration = 2.6;
    says(gap_rule_UNEXPLAINED, gap_certainty_SHOWN, 0.6, 2.6, 2);
    loop_row()->error = 0.2;
    silent(gap_rule_UNEXPLAINED);
}

/* Nothing to compare: no rows; the surest cause comes before others and leaves them the rest. */
static void order(void **state)
{
    (void)state;
    add_address(64 * MEGABYTE, 64);
    model_instruction(&model, 2)->encoding = 2;
    loop_row()->cycles_per_iteration = 8; /* 4.4 of 6 cycles are memory's, so that 1.6 are left */
    gap_explain(&model, &caches);
    assert_int_equal(model.run_gaps.count, 2);
    assert_int_equal(model_run_gap(&model, 0)->rule, gap_rule_CACHE);
    assert_int_equal(model_run_gap(&model, 1)->rule, gap_rule_DIVISION);
    assert_true(fabs(model_run_gap(&model, 1)->cycles - 1.6) < 1e-9);
    loop_row()->cycles_per_iteration = NAN;
    gap_explain(&model, &caches);
    assert_int_equal(model.run_gaps.count, 0);
    loop_row()->cycles_per_iteration = 8;
    loop_row()->predicted_cycles = NAN;
    gap_explain(&model, &caches);
    assert_int_equal(model.run_gaps.count, 0);
}

/* Sizes of the host, figures of the file. */
static void computers(void **state)
{
    (void)state;
    struct gap_machine host = gap_host(machine);
    assert_ptr_equal(host.machine, machine);
    assert_true(host.cache_count > 0 && host.caches[0].level == 1 && host.caches[0].latency == 4);
    assert_int_equal(gap_machine_of(NULL).cache_count, 0);
    for (unsigned rule = 0; rule <= gap_rule_UNEXPLAINED; rule++) {
        const struct gap_text *text = gap_text((enum gap_rule)rule);
        assert_true(*text->title && *text->meaning && *text->remedy);
    }
}

#define ONE(test) cmocka_unit_test_setup_teardown(test, begin, end)
/* The loop is around another one, which each iteration enters once. */
static void inner_exits(void **state)
{
    (void)state;
    use(intel);
    model_loop(&model, LOOP)->is_innermost = 0;
    struct loop *inner = model_add(&model.loops);
    inner->parent = LOOP;
    inner->is_innermost = 1;
    *(struct run_loop *)model_add(&model.run_loops) =
        (struct run_loop){.run = 1, .loop = LOOP + 1, .entries = 500000, .iterations = 2000000};
    says(gap_rule_INNER_EXITS, gap_certainty_LIKELY, 8, 0.5, 16); /* one miss each other iteration */
    model_add(&model.probe_runs);
    *(struct probe_loop *)model_add(&model.probe_loops) =
        (struct probe_loop){.run = 1, .loop = LOOP + 1, .usual_iterations = 4, .usual_share = 1};
    silent(gap_rule_INNER_EXITS); /* predictors learn that */
    model_probe_loop(&model, 0)->usual_iterations = 40;
    says(gap_rule_INNER_EXITS, gap_certainty_LIKELY, 8, 0.5, 16);
    model_loop(&model, LOOP)->is_innermost = 1;
    silent(gap_rule_INNER_EXITS);
}

/* Own code that takes less than predicted hides behind what is inside: no fault of the model. */
static void own_code_hides(void **state)
{
    (void)state;
    model_loop(&model, LOOP)->is_innermost = 0;
    loop_row()->predicted_cycles = 20;
    loop_row()->entries = 1;
    silent(gap_rule_FASTER);
    says(gap_rule_OVERLAP, gap_certainty_LIKELY, -8, NAN, NAN);
}

static void estimated_ways_are_no_fault(void **state)
{
    (void)state;
    loop_row()->predicted_cycles = 20;
    loop_row()->entries = 1;
    assert_non_null(gap_of(gap_rule_FASTER));
    loop_row()->predicted_by = run_prediction_SAMPLES;
    silent(gap_rule_FASTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(data_in_memory),
        ONE(many_lines),
        ONE(data_in_other_levels),
        ONE(streams),
        ONE(pointer_chase),
        ONE(few_sets),
        ONE(streams_side_by_side),
        ONE(aliases),
        ONE(denormals),
        ONE(branches),
        ONE(counted_branches),
        ONE(where_samples_stand),
        ONE(page_faults),
        ONE(recorded_branches),
        ONE(division),
        ONE(waiting),
        ONE(short_trips),
        ONE(calls),
        ONE(forwarding),
        ONE(faster),
        ONE(inner_exits),
        ONE(own_code_hides),
        ONE(estimated_ways_are_no_fault),
        ONE(unexplained),
        ONE(order),
        ONE(computers),
        ONE(data_from_the_code),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
