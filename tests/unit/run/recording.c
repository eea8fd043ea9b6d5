/* Recordings of probes become rows (src/run/probe/recording): events with known answers go through the
   runtime's own summaries into recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "probe_recording_files.h"

/* ---- what a run is ---- */

static void the_run(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct tape_thread thread;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape.header.reading_cost = 64 * 5;
    tape.header.inner_cost = 64 * 7;
    tape.header.pair_cost = 64 * 9;
    tape.header.cycles_per_kilotick_end = 4096 + 1024;
    tape.header.foreign_events = 8;
    tape.header.traps = 6;
    tape_thread_init(&thread, &tape, 1);
    thread.thread->start_ticks = 1000;
    thread.thread->away = 500;
    tape_event(&thread, PROBE_LEAVE, OUTER, STACK, 2000);
    tape_thread_end(&thread, false);
    put_tape(&fixture, &tape);
    add(&fixture);
    assert_int_equal(fixture.model.probe_runs.count, 2);
    const struct probe_run *run = model_probe_run(&fixture.model, 1);
    assert_string_equal(model_text(&fixture.model, run->command), "./solver --steps 7");
    assert_int_equal(run->process, 4242);
    assert_int_equal(run->exit_status, 3);
    assert_int_equal(run->end_signal, NO_NUMBER);
    assert_int_equal(run->threads, 1);
    assert_int_equal(run->traps, 6);
    assert_true(run->seconds == 2);
    assert_true(run->ticks_per_second == 5e8);
    assert_true(run->cycles_per_second == 5e8 * 4.5);
    assert_true(run->reading_ns == 10 && run->inner_ns == 14 && run->pair_ns == 18);
    assert_int_equal(limit_of(&fixture.model, 1, probe_limit_kind_UNPAIRED), 1);
    assert_int_equal(limit_of(&fixture.model, 1, probe_limit_kind_FOREIGN), 8);
    assert_int_equal(limit_of(&fixture.model, 1, probe_limit_kind_FREQUENCY), 25);
    assert_int_equal(limit_of(&fixture.model, 1, probe_limit_kind_OVERHEAD), 50);
    assert_int_equal(fixture.model.probe_limits.count, 4);
    tear_down(&fixture);
}

/* ---- functions ---- */

struct brute {
    uint64_t calls;
    double sum, square, total, self, minimum, maximum;
    struct array times; /* of double */
};

static void brute_add(struct brute *brute, double time)
{
    brute->minimum = brute->calls++ ? fmin(brute->minimum, time) : time;
    brute->maximum = fmax(brute->maximum, time);
    brute->sum += time;
    brute->square += time * time;
    *(double *)array_push(&brute->times) = time;
}

static int by_number(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double brute_median(struct brute *brute)
{
    qsort(brute->times.data, brute->times.count, sizeof(double), by_number);
    return *ARRAY_AT(double, &brute->times, (brute->times.count - 1) / 2);
}

static double brute_deviation(const struct brute *brute)
{
    double mean = brute->sum / (double)brute->calls;
    return sqrt(fmax(0, brute->square / (double)brute->calls - mean * mean));
}

enum { INNER_COST = 3, PAIR_COST = 8 }; /* ticks */

/* OUTER calls INNER a few times; probes cost what the header says.  Times of the brute force are those
   without probes. */
static void call_tree(struct tape_thread *thread, struct brute *outer, struct brute *inner, unsigned calls)
{
    uint64_t now = 2000;
    for (unsigned i = 0; i < calls; i++) {
        uint64_t entered = now, own = 10 + random_below(5), inside = 0;
        unsigned inner_calls = (unsigned)random_below(4);
        tape_event(thread, PROBE_ENTER, OUTER, STACK, now);
        now += own + INNER_COST;
        for (unsigned k = 0; k < inner_calls; k++) {
            uint64_t time = 1 + random_below(1 << random_below(12));
            tape_event(thread, PROBE_ENTER, INNER, STACK - 64, now);
            now += time + INNER_COST;
            tape_event(thread, PROBE_LEAVE, INNER, STACK - 64, now);
            now += PAIR_COST - INNER_COST;
            inside += time;
            brute_add(inner, (double)time * TICK_NS);
            inner->self += (double)time * TICK_NS;
        }
        tape_event(thread, PROBE_LEAVE, OUTER, STACK, now);
        assert_int_equal(now - entered, own + inside + INNER_COST + inner_calls * PAIR_COST);
        now += PAIR_COST;
        brute_add(outer, (double)(own + inside) * TICK_NS);
        outer->self += (double)own * TICK_NS;
    }
}

static void compare(const struct probe_function *row, struct brute *brute)
{
    assert_int_equal(row->calls, brute->calls);
    assert_true(is_near(row->total_ns, brute->sum, 1e-12));
    assert_true(is_near(row->self_ns, brute->self, 1e-12));
    assert_true(is_near(row->mean_ns, brute->sum / (double)brute->calls, 1e-12));
    assert_true(is_near(row->min_ns, brute->minimum, 1e-12));
    assert_true(is_near(row->max_ns, brute->maximum, 1e-12));
    assert_true(is_near(row->median_ns, brute_median(brute), 0.12));
    assert_true(is_near(row->deviation_ns, brute_deviation(brute), 1e-6));
    array_free(&brute->times);
}

/* Two threads; the second was killed with events in its buffer. */
static void functions(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct brute outer = {.times = ARRAY_OF(double)}, inner = {.times = ARRAY_OF(double)};
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape.header.inner_cost = 64 * INNER_COST;
    tape.header.pair_cost = 64 * PAIR_COST;
    for (uint32_t i = 1; i <= 2; i++) {
        struct tape_thread thread;
        tape_thread_init(&thread, &tape, i);
        call_tree(&thread, &outer, &inner, 2345);
        assert_true(thread.used > 0);
        tape_thread_end(&thread, i == 2);
    }
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct model *model = &fixture.model;
    assert_int_equal(model_probe_run(model, 1)->threads, 2);
    assert_int_equal(model->probe_functions.count, 2);
    assert_int_equal(model_probe_function(model, 0)->function, 1);
    compare(model_probe_function(model, 0), &inner);
    compare(model_probe_function(model, 1), &outer);
    assert_int_equal(model->probe_limits.count, 0);
    uint64_t counts[3] = {0};
    for (uint32_t i = 0; i < model->probe_histograms.count; i++) {
        const struct probe_histogram *row = model_probe_histogram(model, i);
        assert_int_equal(row->quantity, probe_quantity_FUNCTION_TIME);
        assert_true(row->low < row->high &&
                    (!i || row[-1].subject != row->subject || row[-1].high <= row->low));
        counts[row->subject] += row->count;
    }
    assert_int_equal(counts[1], inner.calls);
    assert_int_equal(counts[2], outer.calls);
    tear_down(&fixture);
}

/* A recursive function counts once; what never returned is abandoned. */
static void recursion(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct tape_thread thread;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape.header.end_ticks = 10000;
    tape_thread_init(&thread, &tape, 7);
    for (unsigned i = 0; i < 5; i++)
        tape_event(&thread, PROBE_ENTER, INNER, STACK - 32 * i, 2000 + 100 * i);
    for (unsigned i = 5; i-- > 0;)
        tape_event(&thread, PROBE_LEAVE, INNER, STACK - 32 * i, 4000 - 100 * i);
    tape_event(&thread, PROBE_ENTER, OUTER, STACK, 6000);
    tape_event(&thread, PROBE_ENTER, CALL, STACK - 32, 6010);
    tape_event(&thread, PROBE_LEAVE, CALL, STACK - 32, 6060);
    tape_thread_end(&thread, true);
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct probe_function *row = model_probe_function(&fixture.model, 0);
    assert_int_equal(row->calls, 5);
    assert_true(row->total_ns == 2000 * TICK_NS);
    assert_true(row->self_ns == 2000 * TICK_NS);
    assert_true(row->min_ns == 1200 * TICK_NS && row->max_ns == 2000 * TICK_NS);
    assert_true(row->mean_ns == 1600 * TICK_NS);
    row = model_probe_function(&fixture.model, 1);
    assert_int_equal(row->function, 2);
    assert_int_equal(row->calls, 1);
    assert_int_equal(row->abandoned, 1);
    assert_true(isnan(row->mean_ns) && isnan(row->median_ns) && isnan(row->deviation_ns));
    assert_int_equal(limit_of(&fixture.model, 1, probe_limit_kind_ABANDONED), 1);
    const struct probe_call *call = model_probe_call(&fixture.model, 0);
    assert_int_equal(fixture.model.probe_calls.count, 1);
    assert_int_equal(call->instruction, 3);
    assert_int_equal(call->caller, 1);
    assert_int_equal(call->callee, 2);
    assert_int_equal(call->calls, 1);
    assert_true(call->total_ns == 50 * TICK_NS && call->median_ns == call->min_ns);
    tear_down(&fixture);
}

/* ---- loops ---- */

static void loops(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct tape_thread thread;
    uint64_t now = 2000, sum = 0, square = 0, time = 0;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape_thread_init(&thread, &tape, 1);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t iterations = i % 5 < 3 ? 40 : 10 + i % 7;
        record_loop(&thread, &now, iterations, 100 + 6 * iterations);
        sum += iterations;
        square += iterations * iterations;
        time += 100 + 6 * iterations;
    }
    tape_thread_end(&thread, true);
    put_tape(&fixture, &tape);
    add(&fixture);
    assert_int_equal(fixture.model.probe_loops.count, 1);
    const struct probe_loop *row = model_probe_loop(&fixture.model, 0);
    assert_int_equal(row->loop, 1);
    assert_int_equal(row->entries, 1000);
    assert_int_equal(row->iterations, sum);
    assert_int_equal(row->min_iterations, 10);
    assert_int_equal(row->max_iterations, 40);
    assert_true(row->median_iterations == 40);
    assert_true(
        is_near(row->deviation_iterations, sqrt((double)square / 1e3 - pow((double)sum / 1e3, 2)), 1e-9));
    assert_int_equal(row->usual_iterations, 40);
    assert_true(row->usual_share == 0.6);
    assert_int_equal(row->counting, probe_counting_REGISTER);
    assert_true(is_near(row->total_ns, (double)time * TICK_NS, 1e-12));
    assert_true(is_near(row->cycles_per_entry, (double)time / 1000 * TICK_CYCLES, 1e-12));
    assert_true(is_near(row->cycles_per_iteration, (double)time / (double)sum * TICK_CYCLES, 1e-12));
    assert_int_equal(row->setup, probe_setup_FITTED);
    assert_true(is_near(row->setup_cycles, 100 * TICK_CYCLES, 1e-6));
    tear_down(&fixture);
}

/* Always 17 iterations: nothing can be fitted, but the model knows what an iteration takes. */
static void setup_from_the_model(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct tape_thread thread;
    uint64_t now = 2000;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape_thread_init(&thread, &tape, 1);
    for (unsigned i = 0; i < 100; i++)
        record_loop(&thread, &now, 17, 45);
    tape_thread_end(&thread, false);
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct probe_loop *row = model_probe_loop(&fixture.model, 0);
    assert_int_equal(row->setup, probe_setup_NONE);
    assert_true(isnan(row->setup_cycles));
    assert_int_equal(row->usual_iterations, 17);
    assert_true(row->usual_share == 1);
    assert_true(row->median_iterations == 17 && row->deviation_iterations == 0);
    const struct probe_histogram *only =
        model_probe_histogram(&fixture.model, fixture.model.probe_histograms.count - 1);
    assert_true(only->quantity == probe_quantity_ITERATIONS && only->low == 17 && only->high == 17);
    recording_conclude(&fixture.model);
    assert_int_equal(model_probe_loop(&fixture.model, 0)->setup, probe_setup_NONE);
    for (uint32_t path = 1; path <= 2; path++)
        *(struct loop_cycle *)model_add(&fixture.model.loop_cycles) =
            (struct loop_cycle){.loop = 1, .path = path, .cycles = 6};
    recording_conclude(&fixture.model);
    row = model_probe_loop(&fixture.model, 0);
    assert_int_equal(row->setup, probe_setup_MODEL);
    assert_true(is_near(row->setup_cycles, 45 * TICK_CYCLES - 17 * 6, 1e-12));
    struct probe_loop *again = model_probe_loop(&fixture.model, 0);
    again->setup = probe_setup_NONE;
    model_block(&fixture.model, 1)->loop = 1;
    *(struct call *)model_add(&fixture.model.calls) = (struct call){.caller = 1, .instruction = 3};
    recording_conclude(&fixture.model);
    assert_int_equal(again->setup, probe_setup_NONE); /* what it calls was not predicted */
    model_call(&fixture.model, 0)->caller = 2;
    again->iterations = 100 * 65;
    recording_conclude(&fixture.model);
    assert_int_equal(again->setup, probe_setup_NONE); /* too many for that */
    tear_down(&fixture);
}

/* Counters of two threads, and entries that are too long for them. */
static void tallies(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    for (uint32_t i = 1; i <= 2; i++) {
        struct tape_thread thread;
        tape_thread_init(&thread, &tape, i);
        uint64_t *words = (uint64_t *)((struct probe_segment *)tape_segment(&tape, PROBE_SEGMENT_COUNTERS, i,
                                                                            8 * (1 + PROBE_TALLY_WORDS)) +
                                       1);
        words[0] = 12345; /* where the loop's variable was */
        words[1 + 0] = 5;
        words[1 + 3] = 100;
        words[1 + 255] = 20;
        tape_event(&thread, PROBE_TALLIED, TALLIED, STACK, 1000 * i);
        tape_thread_end(&thread, i == 1);
    }
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct probe_loop *row = model_probe_loop(&fixture.model, 0);
    assert_int_equal(row->loop, 2);
    assert_int_equal(row->entries, 2 * 125 + 2);
    assert_int_equal(row->iterations, 2 * (300 + 20 * 255) + 3000);
    assert_int_equal(row->min_iterations, 0);
    assert_int_equal(row->max_iterations, 2000);
    assert_true(row->median_iterations == 3);
    assert_int_equal(row->usual_iterations, 3);
    assert_true(row->usual_share == 200.0 / 252);
    assert_true(isnan(row->total_ns) && isnan(row->cycles_per_entry) && isnan(row->median_ns));
    assert_int_equal(fixture.model.probe_histograms.count, 5);
    const struct probe_histogram *bucket = model_probe_histogram(&fixture.model, 2);
    assert_true(bucket->low == 255 && bucket->high == 255 && bucket->count == 40);
    bucket = model_probe_histogram(&fixture.model, 3);
    assert_true(bucket->low <= 1000 && bucket->high > 1000 && bucket->count == 1);
    tear_down(&fixture);
}

/* ---- values ---- */

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void values(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    for (uint32_t i = 1; i <= 2; i++) {
        struct tape_thread thread;
        tape_thread_init(&thread, &tape, i);
        for (unsigned k = 0; k < 1500; k++) {
            tape_event(&thread, PROBE_SEEN, SIGNED_VALUE, STACK, (uint32_t)(k % 3 ? -7 : 100 * (int)i));
            tape_event(&thread, PROBE_SEEN, FLOAT_VALUE, STACK, bits_of(k % 2 ? -0.25 : 3));
            tape_event(&thread, PROBE_SEEN, POINTER, STACK, 0x7f0000001000 + 8 * random_below(1000));
            tape_event(&thread, PROBE_SEEN, ARGUMENT, STACK, k % 100);
        }
        tape_event(&thread, PROBE_SEEN, FLOAT_VALUE, STACK, bits_of(INFINITY));
        tape_thread_end(&thread, i == 2);
    }
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct model *model = &fixture.model;
    assert_int_equal(model->probe_values.count, 5);
    const struct probe_value *row = model_probe_value(model, 1);
    assert_int_equal(row->kind, probe_value_kind_PARAMETER);
    assert_string_equal(model_text(model, row->name), "n");
    assert_int_equal(row->count, 3000);
    assert_int_equal(row->distinct_count, 3);
    assert_true(row->minimum == -7 && row->maximum == 200);
    assert_true(is_near(row->mean, (-7 * 2000.0 + 100 * 500 + 200 * 500) / 3000, 1e-12));
    assert_true(is_near(row->deviation,
                        sqrt((49 * 2000.0 + 1e4 * 500 + 4e4 * 500) / 3000 - row->mean * row->mean), 1e-9));
    const struct probe_frequent *frequent = model_probe_frequent(model, 0);
    assert_true(frequent->value == 1 && frequent->position == 1);
    assert_true(frequent->integer == -7 && frequent->number == -7 && frequent->count == 2000);
    assert_true(frequent->error == 0 && is_near(frequent->share, 2.0 / 3, 1e-12));
    assert_true(frequent[1].integer == 100 && frequent[1].count == 500 && frequent[1].error == 0);
    assert_true(frequent[2].integer == 200 && frequent[2].count == 500 && frequent[2].error == 0);
    row = model_probe_value(model, 2);
    assert_int_equal(row->kind, probe_value_kind_REGISTER);
    assert_true(row->is_float && row->count == 3002 && row->distinct_count == 3);
    assert_true(row->minimum == -0.25 && row->maximum == 3);
    assert_true(is_near(row->mean, 1.375, 1e-12) && is_near(row->deviation, 1.625, 1e-9));
    row = model_probe_value(model, 3);
    assert_int_equal(row->kind, probe_value_kind_VARIABLE);
    assert_true(isnan(row->mean) && isnan(row->deviation) && row->distinct_count > 16);
    row = model_probe_value(model, 4);
    assert_int_equal(row->kind, probe_value_kind_ARGUMENT);
    assert_true(row->minimum == 0 && row->maximum == 99 && is_near(row->mean, 49.5, 1e-12));
    for (uint32_t i = 0; i < model->probe_frequent.count; i++)
        if (model_probe_frequent(model, i)->value == 4) /* each was seen 30 times */
            assert_in_range(30, model_probe_frequent(model, i)->count - model_probe_frequent(model, i)->error,
                            model_probe_frequent(model, i)->count);
    uint64_t counts[5] = {0};
    for (uint32_t i = 0; i < model->probe_histograms.count; i++) {
        const struct probe_histogram *bucket = model_probe_histogram(model, i);
        assert_int_equal(bucket->quantity, probe_quantity_VALUE);
        assert_true(bucket->low <= bucket->high);
        counts[bucket->subject] += bucket->count;
    }
    assert_int_equal(counts[1], 3000);
    assert_int_equal(counts[2], 3000);
    assert_int_equal(counts[3], 0);
    assert_int_equal(counts[4], 3000);
    assert_true(model_probe_histogram(model, 0)->low == -7 && model_probe_histogram(model, 0)->high == -7);
    tear_down(&fixture);
}

/* ---- addresses ---- */

static void addresses(void **state)
{
    (void)state;
    enum { ACCESSES = 50000 };
    struct fixture fixture;
    struct tape tape;
    struct tape_thread thread;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape_thread_init(&thread, &tape, 1);
    for (uint64_t i = 0; i < ACCESSES; i++) { /* the load follows a store 4096 bytes further by another way */
        tape_event(&thread, PROBE_TOUCH, STORE, STACK, 0x20001004 + 128 * i);
        tape_event(&thread, PROBE_TOUCH, LOAD, STACK, 0x10000004 + 128 * i);
    }
    tape_thread_end(&thread, true);
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct model *model = &fixture.model;
    assert_int_equal(model->probe_addresses.count, 2);
    const struct probe_address *row = model_probe_address(model, 0);
    assert_int_equal(row->instruction, 4);
    assert_int_equal(row->loop, 1);
    assert_false(row->is_store);
    assert_int_equal(row->bytes, 8);
    assert_int_equal(row->count, ACCESSES);
    assert_int_equal(row->minimum, 0x10000004);
    assert_int_equal(row->maximum, 0x10000004 + 128 * (ACCESSES - 1));
    assert_int_equal(row->stride, 128);
    assert_true(row->stride_share == 1);
    assert_int_equal(row->alignment, 4);
    assert_true(row->misaligned_share == 1);
    assert_true(is_near((double)row->lines, ACCESSES, 0.05));
    assert_true(is_near((double)row->pages, ACCESSES / 32.0, 0.05));
    assert_int_equal(row->line_splits, 0);
    assert_int_equal(row->aliases, ACCESSES);
    assert_int_equal(row->alias_instruction, 5);
    assert_int_equal(row->sets, 32);
    assert_true(is_near(row->set_share, 1 / 32.0, 0.01));
    assert_true(model_probe_address(model, 1)->is_store && !model_probe_address(model, 1)->aliases);
    tear_down(&fixture);
}

/* ---- placements ---- */

static void plan_windows(struct probe_plan *plan, struct probe_moved *moved)
{
    for (uint32_t i = 0; i < 6; i++) {
        moved[i] = (struct probe_moved){.first_point = i, .point_count = 1};
        *(struct probe_window *)array_add(&plan->windows.windows) =
            (struct probe_window){.program = 1,
                                  .way = i < 4 ? PROBE_BY_JUMP : PROBE_BY_TRAP,
                                  .refusal = i < 4 ? PROBE_NOT_REFUSED : PROBE_REFUSED_SMALL,
                                  .moved_count = 1,
                                  .moved = &moved[i]};
        *(struct probe_point *)array_add(&plan->windows.points) = (struct probe_point){.instruction = i + 1};
    }
    ARRAY_AT(struct probe_made_module, &plan->modules, 0)->window_count = 6;
    *(struct probe_refused *)array_push(&plan->refused) =
        (struct probe_refused){.instruction = 8, .subject = LOOP, .refusal = PROBE_REFUSED_EXCLUSIVE};
}

static void put_module(struct fixture *fixture, struct probe_module module, bool is_loaded)
{
    struct tape tape;
    tape_init(&tape, &fixture->plan);
    if (is_loaded) {
        struct probe_module *segment =
            tape_segment(&tape, PROBE_SEGMENT_MODULE, 0, sizeof module - sizeof module.segment);
        module.segment = segment->segment;
        *segment = module;
    } else {
        struct tape_thread thread;
        tape_thread_init(&thread, &tape, 1);
        tape_event(&thread, PROBE_SEEN, ARGUMENT, STACK, 1);
        tape_thread_end(&thread, false);
    }
    put_tape(fixture, &tape);
}

static uint64_t placed(const struct model *model, uint32_t run, enum probe_way way, enum probe_reason reason)
{
    for (uint32_t i = 0; i < model->probe_placements.count; i++) {
        const struct probe_placement *row = model_probe_placement(model, i);
        if (row->run == run && row->program == 1 && row->way == way && row->reason == reason)
            return row->count;
    }
    return 0;
}

static void placements(void **state)
{
    (void)state;
    struct fixture fixture;
    struct probe_moved moved[6];
    set_up(&fixture);
    struct probe_windows *windows = &fixture.plan.windows;
    windows->windows = ARRAY_OF(struct probe_window);
    windows->points = ARRAY_OF(struct probe_point);
    plan_windows(&fixture.plan, moved);
    put_module(&fixture, (struct probe_module){.placing = PROBE_PLACED, .jumps = 4, .traps = 2}, true);
    put_module(&fixture,
               (struct probe_module){.placing = PROBE_OTHER_BYTES, .jumps = 1, .traps = 1, .left_out = 4},
               true);
    put_module(&fixture, (struct probe_module){.placing = PROBE_PLACED, .jumps = 0, .traps = 6}, true);
    put_module(&fixture, (struct probe_module){.placing = PROBE_OTHER_BUILD}, true);
    put_module(&fixture, (struct probe_module){.placing = PROBE_NO_ROOM}, true);
    put_module(&fixture, (struct probe_module){0}, false);
    add(&fixture);
    const struct model *model = &fixture.model;
    assert_int_equal(model->probe_runs.count, 7);
    for (uint32_t run = 1; run <= 6; run++)
        assert_int_equal(placed(model, run, probe_way_NONE, probe_reason_EXCLUSIVE), 1);
    assert_int_equal(placed(model, 1, probe_way_JUMP, probe_reason_NONE), 4);
    assert_int_equal(placed(model, 1, probe_way_TRAP, probe_reason_SMALL), 2);
    assert_int_equal(placed(model, 2, probe_way_JUMP, probe_reason_NONE), 1);
    assert_int_equal(placed(model, 2, probe_way_TRAP, probe_reason_SMALL), 1);
    assert_int_equal(placed(model, 2, probe_way_NONE, probe_reason_OTHER_BYTES), 4);
    assert_int_equal(placed(model, 3, probe_way_JUMP, probe_reason_NONE), 0);
    assert_int_equal(placed(model, 3, probe_way_TRAP, probe_reason_FAR), 4);
    assert_int_equal(placed(model, 3, probe_way_TRAP, probe_reason_SMALL), 2);
    assert_int_equal(placed(model, 4, probe_way_NONE, probe_reason_OTHER_BUILD), 6);
    assert_int_equal(placed(model, 5, probe_way_NONE, probe_reason_NO_MEMORY), 6);
    assert_int_equal(placed(model, 6, probe_way_NONE, probe_reason_NOT_LOADED), 6);
    const struct probe_placement *row = model_probe_placement(model, 1);
    assert_int_equal(row->way, probe_way_TRAP);
    assert_int_equal(row->instruction, 5);
    tear_down(&fixture);
}

/* ---- individual events ---- */

static void events(void **state)
{
    (void)state;
    struct fixture fixture;
    struct tape tape;
    struct tape_thread thread;
    uint64_t now = 2000;
    set_up(&fixture);
    tape_init(&tape, &fixture.plan);
    tape.header.flags = PROBE_KEEP_ALL;
    tape_thread_init(&thread, &tape, 3);
    for (unsigned i = 0; i < 300; i++) { /* 1200 events: the last ones stay in the buffer */
        record_loop(&thread, &now, i, 10);
        if (i == 149)
            tape_event(&thread, PROBE_SEEN, SIGNED_VALUE, STACK, 77);
    }
    tape_thread_end(&thread, true);
    put_tape(&fixture, &tape);
    add(&fixture);
    const struct model *model = &fixture.model;
    assert_int_equal(model->probe_events.count, 1201);
    for (uint32_t i = 0; i < model->probe_events.count; i++) {
        const struct probe_event_row *row = model_probe_event_row(model, i);
        assert_true(row->run == 1 && row->thread == 3 && row->position == i + 1);
    }
    const struct probe_event_row *row = model_probe_event_row(model, 0);
    assert_int_equal(row->kind, probe_occurrence_ENTER);
    assert_true(row->ns == 1000 * TICK_NS && row->loop == 1 && row->function == 1);
    row = model_probe_event_row(model, 600);
    assert_int_equal(row->kind, probe_occurrence_SEEN);
    assert_true(row->value == 1 && row->number == 77 && isnan(row->ns) && row->instruction == 1);
    row = model_probe_event_row(model, 1199);
    assert_int_equal(row->kind, probe_occurrence_STOP);
    assert_int_equal(row->number, 100 + 299);
    assert_int_equal(model_probe_loop(model, 0)->entries, 300);
    tear_down(&fixture);
}

/* ---- processes ---- */

static void processes(void **state)
{
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    for (uint32_t i = 0; i < 3; i++) {
        struct tape tape;
        tape_init(&tape, &fixture.plan);
        tape.header.process = 100 + i;
        tape.header.end = i == 1 ? PROBE_END_SIGNAL : PROBE_END_UNKNOWN;
        tape.header.status = 11;
        tape.header.end_nanoseconds = 0;
        struct tape_thread thread;
        tape_thread_init(&thread, &tape, 1);
        if (i != 2) { /* the last one reached no probe */
            tape_event(&thread, PROBE_ENTER, OUTER, STACK, 2000);
            tape_event(&thread, PROBE_LEAVE, OUTER, STACK, 2100 + i);
        }
        tape_thread_end(&thread, i == 1);
        put_tape(&fixture, &tape);
    }
    put(&fixture, "nothing", 7);
    add(&fixture);
    const struct model *model = &fixture.model;
    assert_int_equal(model->probe_runs.count, 3);
    assert_int_equal(model_probe_run(model, 1)->exit_status, NO_NUMBER);
    assert_int_equal(model_probe_run(model, 1)->end_signal, NO_NUMBER);
    assert_true(isnan(model_probe_run(model, 1)->seconds));
    assert_int_equal(model_probe_run(model, 2)->end_signal, 11);
    recording_ended(&fixture.model, &(struct launch_run){.process = 100, .exit_status = -1, .end_signal = 9});
    recording_ended(&fixture.model, &(struct launch_run){.process = 101, .exit_status = 1});
    assert_int_equal(model_probe_run(model, 1)->end_signal, 9);
    assert_int_equal(model_probe_run(model, 1)->exit_status, NO_NUMBER);
    assert_int_equal(model_probe_run(model, 2)->end_signal, 11);
    assert_int_equal(model->probe_functions.count, 2);
    assert_true(model_probe_function(model, 0)->total_ns == 100 * TICK_NS);
    assert_true(model_probe_function(model, 1)->total_ns == 101 * TICK_NS);
    assert_int_equal(model_probe_function(model, 1)->run, 2);
    assert_int_equal(limit_of(model, 1, probe_limit_kind_UNREAD), 1);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run), cmocka_unit_test(functions), cmocka_unit_test(recursion),
        cmocka_unit_test(loops),   cmocka_unit_test(tallies),   cmocka_unit_test(setup_from_the_model),
        cmocka_unit_test(values),  cmocka_unit_test(addresses), cmocka_unit_test(placements),
        cmocka_unit_test(events),  cmocka_unit_test(processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
