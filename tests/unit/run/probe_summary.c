/* Events become slots: pairing, times, distributions, frequent values, addresses, and going on where another
   summary stopped. */
#include "runtime/probe/summary_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SUBJECTS = 8, FUNCTION = 0, INNER = 1, SITE = 2, LOOP = 3, SEEN = 4, LOAD = 5, STORE = 6, SUM = 7 };

static struct probe_plan_subject subjects[SUBJECTS];

struct fixture {
    struct probe_summary summary;
    struct probe_slot *slots[SUBJECTS];
    struct probe_group groups[2];
    struct probe_thread thread;
    struct probe_segment *segments[4096];
    size_t segment_count, most_segments;
    struct probe_event events[1 << 16];
    size_t event_count;
};

static struct probe_segment *more(struct probe_summary *summary, uint32_t kind, uint64_t bytes)
{
    struct fixture *fixture = summary->owner;
    size_t size = (sizeof(struct probe_segment) + bytes + 4095) / 4096 * 4096;
    if (fixture->segment_count == fixture->most_segments)
        return NULL;
    struct probe_segment *segment = aligned_alloc(4096, size);
    memset(segment, 0, size);
    segment->kind = kind;
    segment->size = size;
    fixture->segments[fixture->segment_count++] = segment;
    return segment;
}

static void reset(struct fixture *fixture)
{
    fixture->summary = (struct probe_summary){.subjects = subjects,
                                              .subject_count = SUBJECTS,
                                              .slots = fixture->slots,
                                              .groups = fixture->groups,
                                              .group_count = 2,
                                              .thread = &fixture->thread,
                                              .more = more,
                                              .owner = fixture};
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    memset(subjects, 0, sizeof subjects);
    subjects[FUNCTION].kind = subjects[INNER].kind = subjects[SITE].kind = PROBE_SPAN;
    subjects[SITE].flags = PROBE_IS_OUTSIDE | PROBE_IS_QUIET;
    subjects[LOOP].kind = PROBE_LOOP;
    subjects[LOOP].inverse = 1;
    subjects[SEEN].kind = PROBE_VALUE;
    subjects[LOAD].kind = subjects[STORE].kind = PROBE_ADDRESS;
    subjects[LOAD].width = subjects[STORE].width = 8;
    subjects[LOAD].group = subjects[STORE].group = 1;
    subjects[STORE].flags = PROBE_IS_STORE;
    subjects[SUM].kind = PROBE_COUNT_ONLY;
    fixture->most_segments = 4096;
    reset(fixture);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < fixture->segment_count; i++)
        free(fixture->segments[i]);
    free(fixture);
    return 0;
}

static void add(struct fixture *fixture, unsigned kind, uint32_t subject, uint64_t stack, uint64_t value)
{
    fixture->events[fixture->event_count++] = (struct probe_event){
        .identity = (subject + 1) << 4 | kind, .stack = (uint32_t)(stack >> 3), .value = value};
}

static void run(struct fixture *fixture)
{
    summary_run(&fixture->summary, fixture->events, fixture->event_count);
    for (size_t i = 0; i < fixture->event_count; i++)
        assert_int_equal(fixture->events[i].identity, 0);
    fixture->event_count = 0;
}

static struct probe_span_slot *span(struct fixture *fixture, uint32_t subject)
{
    assert_non_null(fixture->slots[subject]);
    return (struct probe_span_slot *)(void *)fixture->slots[subject];
}

static struct probe_loop_slot *loop(struct fixture *fixture)
{
    assert_non_null(fixture->slots[LOOP]);
    return (struct probe_loop_slot *)(void *)fixture->slots[LOOP];
}

static const uint64_t TOP = 0x7fff0000;

static void calls_nest(void **state)
{
    struct fixture *fixture = *state;
    add(fixture, PROBE_ENTER, FUNCTION, TOP, 100);
    add(fixture, PROBE_ENTER, INNER, TOP - 32, 110);
    add(fixture, PROBE_LEAVE, INNER, TOP - 32, 115);
    add(fixture, PROBE_ENTER, INNER, TOP - 32, 120);
    add(fixture, PROBE_LEAVE, INNER, TOP - 32, 140);
    add(fixture, PROBE_LEAVE, FUNCTION, TOP, 150);
    run(fixture);
    assert_int_equal(span(fixture, FUNCTION)->time.count, 1);
    assert_int_equal(span(fixture, FUNCTION)->total, 50 * 64);
    assert_int_equal(span(fixture, FUNCTION)->self, 25 * 64);
    assert_int_equal(span(fixture, INNER)->time.count, 2);
    assert_int_equal(span(fixture, INNER)->time.sum[0], 25 * 64);
    assert_int_equal(span(fixture, INNER)->time.minimum, 5 * 64);
    assert_int_equal(span(fixture, INNER)->time.maximum, 20 * 64);
    assert_int_equal(span(fixture, INNER)->time.square[0], (25 + 400) * 64 * 64);
    assert_int_equal(span(fixture, INNER)->open, 0);
    assert_int_equal(fixture->thread.unpaired, 0);
    assert_int_equal(fixture->thread.end_ticks, 150);
}

/* Costs: of the pair itself, of what is inside, and time away. */
static void costs_are_subtracted(void **state)
{
    struct fixture *fixture = *state;
    fixture->summary.inner_cost = 64;
    fixture->summary.pair_cost = 4 * 64;
    fixture->summary.value_cost = 64;
    add(fixture, PROBE_ENTER, FUNCTION, TOP, 100);
    add(fixture, PROBE_ENTER, INNER, TOP - 32, 110);
    add(fixture, PROBE_SEEN, SEEN, TOP - 32, 1);
    run(fixture);
    fixture->thread.away = 1000;
    add(fixture, PROBE_LEAVE, INNER, TOP - 32, 1120);
    add(fixture, PROBE_LEAVE, FUNCTION, TOP, 1150);
    run(fixture);
    assert_int_equal(span(fixture, INNER)->total, (10 - 1 - 1) * 64);
    assert_int_equal(span(fixture, FUNCTION)->total, (50 - 1 - 4 - 1) * 64);
    assert_int_equal(span(fixture, FUNCTION)->self, (50 - 1 - 4 - 1 - 8) * 64);
}

static void recursion_counts_once(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < 1000; i++)
        add(fixture, PROBE_ENTER, FUNCTION, TOP - 16 * i, i);
    for (unsigned i = 1000; i-- > 0;)
        add(fixture, PROBE_LEAVE, FUNCTION, TOP - 16 * i, 3000 - i);
    run(fixture);
    assert_int_equal(span(fixture, FUNCTION)->time.count, 1000);
    assert_int_equal(span(fixture, FUNCTION)->total, 3000 * 64);
    assert_int_equal(span(fixture, FUNCTION)->self, 3000 * 64);
}

static void jumps_abandon(void **state)
{
    struct fixture *fixture = *state;
    add(fixture, PROBE_ENTER, FUNCTION, TOP, 0);
    for (unsigned i = 0; i < 3; i++) { /* the inner one is left by longjmp, its caller by an exception */
        add(fixture, PROBE_ENTER, INNER, TOP - 64, 10);
        add(fixture, PROBE_ENTER, SITE, TOP - 96, 11);
        add(fixture, PROBE_ENTER, INNER, TOP - 128, 12);
    }
    add(fixture, PROBE_LEAVE, FUNCTION, TOP, 100);
    add(fixture, PROBE_LEAVE, SITE, TOP - 96, 101);  /* quiet */
    add(fixture, PROBE_LEAVE, INNER, TOP - 64, 102); /* not quiet */
    run(fixture);
    assert_int_equal(span(fixture, INNER)->abandoned, 6);
    assert_int_equal(span(fixture, SITE)->abandoned, 3);
    assert_int_equal(span(fixture, INNER)->open, 0);
    assert_int_equal(span(fixture, FUNCTION)->time.count, 1);
    assert_int_equal(fixture->thread.unpaired, 1);
}

/* A function with the stack pointer of another took its place; loops and call sites are around it. */
static void equal_stack_pointers(void **state)
{
    struct fixture *fixture = *state;
    add(fixture, PROBE_ENTER, SITE, TOP, 0);
    add(fixture, PROBE_ENTER, LOOP, TOP, 1);
    add(fixture, PROBE_ENTER, FUNCTION, TOP, 2);
    add(fixture, PROBE_ENTER, INNER, TOP, 3);
    add(fixture, PROBE_LEAVE, INNER, TOP, 4);
    add(fixture, PROBE_LEAVE, LOOP, TOP, 5);
    add(fixture, PROBE_LEAVE, SITE, TOP, 6);
    run(fixture);
    assert_int_equal(span(fixture, FUNCTION)->abandoned, 1);
    assert_int_equal(span(fixture, INNER)->time.count, 1);
    assert_int_equal(span(fixture, SITE)->time.count, 1);
    assert_int_equal(loop(fixture)->time.count, 1);
    assert_int_equal(fixture->thread.unpaired, 0);
}

/* Call sites and loops take no self time from functions, and functions inside them do. */
static void sites_pass_time_on(void **state)
{
    struct fixture *fixture = *state;
    add(fixture, PROBE_ENTER, FUNCTION, TOP, 0);
    add(fixture, PROBE_ENTER, SITE, TOP - 32, 10);
    add(fixture, PROBE_ENTER, INNER, TOP - 48, 20);
    add(fixture, PROBE_LEAVE, INNER, TOP - 48, 30);
    add(fixture, PROBE_LEAVE, SITE, TOP - 32, 40);
    add(fixture, PROBE_LEAVE, FUNCTION, TOP, 50);
    run(fixture);
    assert_int_equal(span(fixture, FUNCTION)->self, 40 * 64);
    assert_int_equal(span(fixture, SITE)->total, 30 * 64);
}

static void coroutines_take_turns(void **state)
{
    struct fixture *fixture = *state;
    enum { ROUTINES = 10, TURNS = 50 };
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned i = 0; i < ROUTINES; i++) {
            uint64_t stack = 0x10000000 + i * 0x1000000;
            if (turn == 0)
                add(fixture, PROBE_ENTER, FUNCTION, stack, turn * 100 + i);
            add(fixture, PROBE_ENTER, INNER, stack - 64, turn * 100 + i);
            add(fixture, PROBE_LEAVE, INNER, stack - 64, turn * 100 + i + 1);
            if (turn == TURNS - 1)
                add(fixture, PROBE_LEAVE, FUNCTION, stack, turn * 100 + i + 2);
        }
    run(fixture);
    assert_int_equal(span(fixture, FUNCTION)->time.count, ROUTINES);
    assert_int_equal(span(fixture, INNER)->time.count, ROUTINES * TURNS);
    assert_int_equal(span(fixture, FUNCTION)->abandoned + span(fixture, INNER)->abandoned, 0);
    assert_int_equal(fixture->thread.unpaired, 0);
}

/* Stacks of 64 KiB side by side: a switch looks like longjmp at first. */
static void neighbours_take_turns(void **state)
{
    struct fixture *fixture = *state;
    enum { ROUTINES = 10, TURNS = 50 };
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned i = 0; i < ROUTINES; i++) {
            uint64_t stack = 0x10000000 + i * 7 % 10 * 0x10000;
            if (turn == 0)
                add(fixture, PROBE_ENTER, FUNCTION, stack, turn * 100 + i);
            else
                add(fixture, PROBE_LEAVE, INNER, stack - 64, turn * 100 + i);
            add(fixture, PROBE_ENTER, INNER, stack - 64, turn * 100 + i + 1); /* switches in there */
            add(fixture, PROBE_ENTER, INNER, stack - 256, turn * 100 + i + 1);
            add(fixture, PROBE_LEAVE, INNER, stack - 256, turn * 100 + i + 2);
            if (turn == TURNS - 1)
                add(fixture, PROBE_LEAVE, INNER, stack - 64, turn * 100 + i + 3);
            if (turn == TURNS - 1)
                add(fixture, PROBE_LEAVE, FUNCTION, stack, turn * 100 + i + 2);
        }
    run(fixture);
    assert_true(span(fixture, FUNCTION)->abandoned + span(fixture, INNER)->abandoned <= 2 * ROUTINES);
    assert_true(fixture->thread.unpaired <= 2 * ROUTINES);
    assert_int_equal(span(fixture, INNER)->time.count + span(fixture, INNER)->abandoned +
                         span(fixture, INNER)->open,
                     2 * ROUTINES * TURNS);
}

/* More stacks than shadows: calls are counted all the same. */
static void many_stacks(void **state)
{
    struct fixture *fixture = *state;
    enum { ROUTINES = 100 };
    for (unsigned i = 0; i < ROUTINES; i++)
        add(fixture, PROBE_ENTER, FUNCTION, 0x10000000 + i * 0x1000000ull, i);
    for (unsigned i = 0; i < ROUTINES; i++)
        add(fixture, PROBE_LEAVE, FUNCTION, 0x10000000 + i * 0x1000000ull, 1000 + i);
    run(fixture);
    struct probe_span_slot *slot = span(fixture, FUNCTION);
    assert_int_equal(slot->time.count + slot->abandoned, ROUTINES);
    assert_int_equal(slot->time.count, PROBE_SHADOWS);
    assert_int_equal(fixture->thread.unpaired, ROUTINES - PROBE_SHADOWS);
}

static void iterations_are_counted(void **state)
{
    struct fixture *fixture = *state;
    subjects[LOOP].inverse = 0xaaaaaaaaaaaaaaab; /* steps of 24 */
    subjects[LOOP].shift = 3;
    for (unsigned i = 0; i < 20; i++) {
        add(fixture, PROBE_ENTER, LOOP, TOP, i * 100);
        add(fixture, PROBE_START, LOOP, TOP, 7);
        add(fixture, PROBE_STOP, LOOP, TOP, 7 + 24 * (i < 15 ? 5 : i));
        add(fixture, PROBE_LEAVE, LOOP, TOP, i * 100 + 10);
        add(fixture, PROBE_START, LOOP, TOP, 240); /* without clock, downwards: unusable */
        add(fixture, PROBE_STOP, LOOP, TOP - 4096, 240 + 24 * 9);
    }
    run(fixture);
    struct probe_loop_slot *slot = loop(fixture);
    assert_int_equal(slot->time.count, 20);
    assert_int_equal(slot->iterations.count, 40);
    assert_int_equal(slot->iterations.sum[0], 15 * 5 + 15 + 16 + 17 + 18 + 19 + 20 * 9);
    assert_int_equal(slot->cross[0], (15 * 5 + 15 + 16 + 17 + 18 + 19) * 640);
    assert_int_equal(slot->frequent[0].value, 9);
    assert_int_equal(slot->frequent[0].count, 20);
    assert_int_equal(slot->frequent[1].value, 5);
    assert_int_equal(slot->frequent[1].count, 15);
    assert_int_equal(slot->open, 0);
    assert_int_equal(fixture->thread.unpaired, 0);
}

/* The counter of a loop that calls itself goes on inside: 2 iterations, 3 inside the first, 1 inside that. */
static void inner_entries_are_subtracted(void **state)
{
    struct fixture *fixture = *state;
    subjects[LOOP].flags = PROBE_IS_CUMULATIVE;
    add(fixture, PROBE_START, LOOP, TOP, 10);
    add(fixture, PROBE_START, LOOP, TOP - 100, 11);
    add(fixture, PROBE_START, LOOP, TOP - 200, 11);
    add(fixture, PROBE_STOP, LOOP, TOP - 200, 12);
    add(fixture, PROBE_STOP, LOOP, TOP - 100, 15);
    add(fixture, PROBE_STOP, LOOP, TOP, 16);
    run(fixture);
    assert_int_equal(loop(fixture)->iterations.count, 3);
    assert_int_equal(loop(fixture)->iterations.buckets[2], 1);
    assert_int_equal(loop(fixture)->iterations.buckets[3], 1);
    assert_int_equal(loop(fixture)->iterations.buckets[1], 1);
}

static void buckets_follow_each_other(void **state)
{
    (void)state;
    for (unsigned bucket = 0; bucket < 252; bucket++) {
        uint64_t low = probe_bucket_low(bucket), next = probe_bucket_low(bucket + 1);
        assert_int_equal(probe_bucket(low), bucket);
        assert_int_equal(probe_bucket(bucket < 251 ? next - 1 : UINT64_MAX), bucket);
        assert_true(next > low);
    }
}

static uint64_t random_number(void)
{
    static uint64_t seed = 88172645463325252u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static struct probe_value_slot *values(struct fixture *fixture)
{
    return (struct probe_value_slot *)(void *)fixture->slots[SEEN];
}

static void whole_numbers(void **state)
{
    struct fixture *fixture = *state;
    subjects[SEEN].flags = PROBE_IS_SIGNED;
    subjects[SEEN].width = 4;
    __int128 sum = 0, square = 0;
    int64_t least = INT32_MAX, most = INT32_MIN;
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t bits = random_number();
        int32_t value = (int32_t)bits;
        sum += value;
        square += (__int128)value * value;
        least = value < least ? value : least;
        most = value > most ? value : most;
        add(fixture, PROBE_SEEN, SEEN, TOP, bits);
    }
    run(fixture);
    struct probe_value_slot *slot = values(fixture);
    assert_int_equal((int64_t)slot->values.minimum, least);
    assert_int_equal((int64_t)slot->values.maximum, most);
    assert_true((__int128)((unsigned __int128)slot->values.sum[1] << 64 | slot->values.sum[0]) == sum);
    assert_true((__int128)((unsigned __int128)slot->values.square[1] << 64 | slot->values.square[0]) ==
                square);
    assert_int_equal(slot->distinct, PROBE_FREQUENT + 1);
    uint64_t counted = 0;
    for (unsigned i = 0; i < PROBE_BUCKETS; i++)
        counted += slot->values.buckets[i] + slot->negative[i];
    assert_int_equal(counted, 10000);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void real_numbers(void **state)
{
    struct fixture *fixture = *state;
    subjects[SEEN].flags = PROBE_IS_FLOAT;
    subjects[SEEN].width = 8;
    long double sum = 0, square = 0, magnitude = 0;
    for (unsigned i = 0; i < 10000; i++) {
        double value = ldexp((double)(int64_t)random_number(), (int)(random_number() % 40) - 80);
        sum += value;
        magnitude += fabs(value);
        square += (long double)value * value;
        add(fixture, PROBE_SEEN, SEEN, TOP, bits_of(value));
    }
    add(fixture, PROBE_SEEN, SEEN, TOP, bits_of(NAN));
    add(fixture, PROBE_SEEN, SEEN, TOP, bits_of(-INFINITY));
    run(fixture);
    struct probe_value_slot *slot = values(fixture);
    assert_int_equal(slot->odd, 2);
    assert_int_equal(slot->values.count, 10000);
    assert_true(fabsl(real_of(slot->values.sum[0]) - sum) < magnitude * 1e-11L);
    assert_true(fabsl(real_of(slot->values.square[0]) - square) < square * 1e-11L);
}

static void floats_become_doubles(void **state)
{
    struct fixture *fixture = *state;
    subjects[SEEN].flags = PROBE_IS_FLOAT;
    subjects[SEEN].width = 4;
    const float given[] = {1.5f, -0.25f, 1e-40f, 0.0f, 3e38f, -1e-44f};
    double sum = 0;
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {
        uint32_t bits;
        memcpy(&bits, &given[i], sizeof bits);
        add(fixture, PROBE_SEEN, SEEN, TOP, 0xdeadbeef00000000 | bits);
        sum += (double)given[i];
    }
    run(fixture);
    struct probe_value_slot *slot = values(fixture);
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++)
        assert_int_equal(slot->frequent[i].value, bits_of((double)given[i]));
    assert_true(real_of(slot->values.minimum) == -0.25);
    assert_true(real_of(slot->values.maximum) == (double)3e38f);
    assert_true(fabs(real_of(slot->values.sum[0]) - sum) < 1e24);
    assert_int_equal(slot->values.buckets[128], 1);
    assert_int_equal(slot->negative[126], 1);
    assert_int_equal(slot->values.buckets[0], 1);
}

/* A value that is more frequent than the least count of the table is in it, and counts are too large by their
   error at most. */
static void frequent_values(void **state)
{
    (void)state;
    enum { VALUES = 200, DRAWS = 20000 };
    struct probe_frequency table[PROBE_FREQUENT] = {{0}};
    uint64_t counts[VALUES] = {0}, least = UINT64_MAX;
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t a = random_number() % VALUES, b = random_number() % VALUES, value = a * b / VALUES / 4;
        counts[value]++;
        probe_count_frequent(table, PROBE_FREQUENT, value);
    }
    for (unsigned i = 0; i < PROBE_FREQUENT; i++) {
        assert_true(table[i].count - table[i].error <= counts[table[i].value]);
        assert_true(counts[table[i].value] <= table[i].count);
        least = table[i].count < least ? table[i].count : least;
    }
    for (unsigned value = 0; value < VALUES; value++) {
        bool is_there = false;
        for (unsigned i = 0; i < PROBE_FREQUENT; i++)
            is_there |= table[i].value == value;
        assert_true(is_there || counts[value] <= least);
    }
}

static void addresses(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < 1000; i++) {
        add(fixture, PROBE_TOUCH, STORE, TOP, 0x100000 + 8 * i);
        add(fixture, PROBE_TOUCH, LOAD, TOP, 0x201000 + 8 * i); /* the same low 12 bits */
    }
    add(fixture, PROBE_TOUCH, LOAD, TOP, 0x20203c);
    run(fixture);
    struct probe_address_slot *load = (struct probe_address_slot *)(void *)fixture->slots[LOAD],
                              *store = (struct probe_address_slot *)(void *)fixture->slots[STORE];
    assert_int_equal(load->aliases, 1000);
    assert_int_equal(load->alias_subject, STORE);
    assert_int_equal(store->aliases, 0);
    assert_int_equal(store->strides[0].value, 8);
    assert_int_equal(store->strides[0].count, 999);
    assert_int_equal(load->line_splits, 1);
    assert_int_equal(load->page_splits, 0);
    assert_int_equal(load->alignment[2], 1);
    unsigned lines = 0;
    for (unsigned i = 0; i < PROBE_LINE_WORDS; i++)
        lines += (unsigned)__builtin_popcountll(store->lines[i]);
    assert_in_range(lines, 120, 125);
}

static void tallies(void **state)
{
    struct fixture *fixture = *state;
    add(fixture, PROBE_TALLIED, SUM, 0, 300);
    add(fixture, PROBE_TALLIED, SUM, 0, 5000);
    run(fixture);
    struct probe_loop_slot *slot = (struct probe_loop_slot *)(void *)fixture->slots[SUM];
    assert_int_equal(slot->iterations.count, 2);
    assert_int_equal(slot->iterations.sum[0], 5300);
}

/* Random calls and returns of a program with longjmp; half of them summarised by another summary, which takes
   the segments of the first. */
static void random_calls(struct fixture *fixture, unsigned count, unsigned *depth)
{
    for (unsigned i = 0; i < count; i++) {
        static uint64_t now;
        uint64_t choice = random_number();
        if (choice % 100 == 0 && *depth > 5)
            *depth -= choice / 100 % 5; /* longjmp */
        uint64_t stack = TOP - 64 * *depth;
        if (choice % 2 && *depth) {
            add(fixture, PROBE_LEAVE, *depth % 2 ? FUNCTION : INNER, stack, now += 3);
            --*depth;
        } else {
            ++*depth;
            add(fixture, PROBE_ENTER, *depth % 2 ? FUNCTION : INNER, stack - 64, now += 5);
        }
    }
}

static void another_goes_on(void **state)
{
    struct fixture *fixture = *state;
    unsigned depth = 0;
    struct fixture *other = calloc(1, sizeof *other);
    other->most_segments = 4096;
    reset(other);
    random_calls(fixture, 30000, &depth);
    memcpy(other->events, fixture->events, sizeof other->events);
    other->event_count = fixture->event_count;
    size_t half = other->event_count / 2, count = other->event_count;
    run(fixture);
    summary_run(&other->summary, other->events, half);
    struct probe_slot *none[SUBJECTS] = {0};
    memcpy(other->slots, none, sizeof none);
    reset(other);
    for (size_t i = 0; i < other->segment_count; i++)
        summary_take(&other->summary, other->segments[i]);
    summary_run(&other->summary, other->events, count);
    for (uint32_t subject = FUNCTION; subject <= INNER; subject++)
        assert_memory_equal(span(other, subject), span(fixture, subject), sizeof(struct probe_span_slot));
    summary_close(&fixture->summary, fixture->thread.end_ticks);
    assert_int_equal(span(fixture, FUNCTION)->open, 0);
    for (size_t i = 0; i < other->segment_count; i++)
        free(other->segments[i]);
    free(other);
}

/* Calls, entries of loops with and without clock, and now and then a jump out of them. */
static void random_loops(struct fixture *fixture, unsigned count)
{
    uint64_t now = 0, depth = 1;
    for (unsigned i = 0; i < count; i++) {
        uint64_t choice = random_number(), stack = TOP - 64 * depth;
        bool has_clock = choice >> 8 & 1, jumps_out = (choice >> 16) % 50 == 0;
        if (choice % 3 == 0 && depth < 100) {
            add(fixture, PROBE_ENTER, depth % 2 ? FUNCTION : INNER, stack - 64, now += 5);
            depth++;
        } else if (choice % 3 == 1 && depth > 1) {
            add(fixture, PROBE_LEAVE, depth % 2 ? INNER : FUNCTION, stack, now += 3);
            depth--;
        } else {
            if (has_clock)
                add(fixture, PROBE_ENTER, LOOP, stack, now += choice % 7);
            add(fixture, PROBE_START, LOOP, stack, choice % 11);
            if (choice % 5 == 0)
                add(fixture, PROBE_SEEN, SEEN, stack, choice % 20);
            if (jumps_out)
                continue;
            add(fixture, PROBE_STOP, LOOP, stack, choice % 11 + choice % 13);
            if (has_clock)
                add(fixture, PROBE_LEAVE, LOOP, stack, now += choice % 100);
        }
    }
}

/* Events that come together may be done together: the result is the same as one by one. */
static void pieces_give_the_same(void **state)
{
    struct fixture *fixture = *state;
    struct fixture *other = calloc(1, sizeof *other);
    other->most_segments = 4096;
    reset(other);
    fixture->summary.inner_cost = other->summary.inner_cost = 70;
    fixture->summary.pair_cost = other->summary.pair_cost = 200;
    fixture->summary.value_cost = other->summary.value_cost = 33;
    fixture->summary.reading_cost = other->summary.reading_cost = 64;
    random_loops(fixture, 20000);
    memcpy(other->events, fixture->events, sizeof other->events);
    for (size_t i = 0; i < fixture->event_count; i++)
        summary_run(&other->summary, other->events + i, 1);
    run(fixture);
    assert_int_equal(fixture->thread.cost, other->thread.cost);
    assert_int_equal(fixture->thread.unpaired, other->thread.unpaired);
    assert_int_equal(fixture->thread.events, other->thread.events);
    for (uint32_t subject = 0; subject < SUBJECTS; subject++)
        if (fixture->slots[subject] || other->slots[subject])
            assert_memory_equal(fixture->slots[subject], other->slots[subject],
                                fixture->slots[subject]->words * 8u);
    assert_true(loop(fixture)->iterations.count > 1000);
    for (size_t i = 0; i < other->segment_count; i++)
        free(other->segments[i]);
    free(other);
}

static void children_leave_what_parents_entered(void **state)
{
    struct fixture *fixture = *state;
    struct fixture *child = calloc(1, sizeof *child);
    child->most_segments = 4096;
    reset(child);
    add(fixture, PROBE_ENTER, FUNCTION, TOP, 1);
    run(fixture);
    summary_inherit(&child->summary, fixture->summary.current);
    add(child, PROBE_ENTER, INNER, TOP - 64, 2);
    summary_run_inherited(&child->summary, child->events, child->event_count);
    child->event_count = 0;
    add(child, PROBE_LEAVE, INNER, TOP - 64, 3);
    add(child, PROBE_ENTER, INNER, TOP - 64, 4);
    add(child, PROBE_LEAVE, INNER, TOP - 64, 6);
    add(child, PROBE_LEAVE, FUNCTION, TOP, 7);
    run(child);
    assert_int_equal(span(child, INNER)->time.count, 1);
    assert_null(child->slots[FUNCTION]);
    assert_int_equal(child->thread.unpaired, 0);
    for (size_t i = 0; i < child->segment_count; i++)
        free(child->segments[i]);
    free(child);
}

static void memory_runs_out(void **state)
{
    struct fixture *fixture = *state;
    fixture->most_segments = 2;
    for (unsigned i = 0; i < 1000; i++)
        add(fixture, PROBE_ENTER, FUNCTION, TOP - 16 * i, i);
    run(fixture);
    assert_true(fixture->thread.lost > 0);
    assert_int_equal(fixture->thread.lost + span(fixture, FUNCTION)->open, 1000);
}

/* Places of trampolines that a handler interrupted are no events, and stay. */
static void unwritten_places_stay(void **state)
{
    struct fixture *fixture = *state;
    static const unsigned kinds[] = {PROBE_ENTER, 0, PROBE_LEAVE, 0, PROBE_ENTER, PROBE_LEAVE};
    for (unsigned i = 0; i < 6; i++) {
        add(fixture, kinds[i], FUNCTION, TOP, 10 * i);
        if (!kinds[i])
            fixture->events[i].identity = PROBE_UNWRITTEN;
    }
    summary_run(&fixture->summary, fixture->events, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(fixture->events[i].identity, kinds[i] ? 0 : PROBE_UNWRITTEN);
    assert_int_equal(span(fixture, FUNCTION)->time.count, 2);
    assert_int_equal(fixture->thread.events, 4);
    assert_int_equal(fixture->thread.lost + fixture->thread.unpaired, 0);
}

/* A program that calls, returns and jumps, and sometimes changes its stack. */
static size_t random_events(struct probe_event *events, size_t count)
{
    struct probe_event open[64];
    uint64_t time = 1000;
    size_t made = 0, depth = 0;
    while (made < count) {
        uint64_t dice = random_number() % 100;
        time += random_number() % 50;
        if (depth && (dice < 50 || depth == 64)) {
            events[made] = open[--depth];
            events[made].identity++;
            depth -= depth && dice < 3;
        } else {
            uint64_t stack = (TOP >> 3) - depth * 4 - random_number() % 4 + (dice > 97 ? 1 << 24 : 0);
            uint32_t subject = (uint32_t)(random_number() % 4);
            events[made] =
                (struct probe_event){.identity = (subject + 1) << 4 | PROBE_ENTER, .stack = (uint32_t)stack};
            open[depth++] = events[made];
        }
        events[made++].value = time;
    }
    return made;
}

/* One event at a time, so that no span is seen as a whole, or all of them: the result is the same. */
static void quick_ways_agree(void **state)
{
    struct fixture *fixture = *state, *other = NULL;
    set_up((void **)&other);
    static struct probe_event events[2000];
    fixture->summary.inner_cost = other->summary.inner_cost = 64;
    fixture->summary.pair_cost = other->summary.pair_cost = 200;
    for (unsigned round = 0; round < 50; round++) {
        size_t count = random_events(events, 2000);
        for (size_t i = 0; i < count; i++) {
            struct probe_event copy = events[i];
            summary_run(&other->summary, &copy, 1);
        }
        summary_run(&fixture->summary, events, count);
        if (round % 7 == 6) {
            summary_close(&fixture->summary, events[count - 1].value);
            summary_close(&other->summary, events[count - 1].value);
        }
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_memory_equal(fixture->slots[i], other->slots[i], fixture->slots[i]->words * 8);
    assert_memory_equal(&fixture->thread, &other->thread, sizeof fixture->thread);
    assert_true(span(fixture, FUNCTION)->time.count > 1000);
    assert_true(span(fixture, FUNCTION)->abandoned > 10);
    tear_down((void **)&other);
}

static void nonsense_is_survived(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 2000; i++)
            fixture->events[i] = (struct probe_event){
                .identity = (uint32_t)(random_number() % 200),
                .stack = (uint32_t)(random_number() % 3 * 1000000 + random_number() % 300),
                .value = random_number()};
        summary_run(&fixture->summary, fixture->events, 2000);
        /* Frames and slots of a damaged recording. */
        for (size_t i = 0; i < fixture->segment_count; i++)
            for (unsigned k = 0; k < 20; k++) {
                struct probe_segment *segment = fixture->segments[i];
                size_t at = sizeof *segment + random_number() % (segment->size - sizeof *segment);
                ((uint8_t *)segment)[at] = (uint8_t)random_number();
            }
        memset(fixture->slots, 0, sizeof fixture->slots);
        reset(fixture);
        for (size_t i = 0; i < fixture->segment_count; i++)
            summary_take(&fixture->summary, fixture->segments[i]);
        if (round % 10 == 9)
            summary_close(&fixture->summary, random_number());
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(calls_nest),
        CASE(costs_are_subtracted),
        CASE(recursion_counts_once),
        CASE(jumps_abandon),
        CASE(equal_stack_pointers),
        CASE(sites_pass_time_on),
        CASE(coroutines_take_turns),
        CASE(neighbours_take_turns),
        CASE(many_stacks),
        CASE(iterations_are_counted),
        CASE(inner_entries_are_subtracted),
        CASE(buckets_follow_each_other),
        CASE(whole_numbers),
        CASE(real_numbers),
        CASE(floats_become_doubles),
        CASE(frequent_values),
        CASE(addresses),
        CASE(tallies),
        CASE(another_goes_on),
        CASE(pieces_give_the_same),
        CASE(children_leave_what_parents_entered),
        CASE(memory_runs_out),
        CASE(unwritten_places_stay),
        CASE(quick_ways_agree),
        CASE(nonsense_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
