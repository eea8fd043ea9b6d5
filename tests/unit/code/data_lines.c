/* Lines that an iteration touches, against counting the lines of many iterations one by one; and the time
   that they take. */
#include "back_end.h"
#include "code/cost/data/data.h"

#include <stdlib.h>

enum { LINE = 64, ITERATIONS = 4096, ELEMENT = 8, MOST_ACCESSES_MADE = 6, ROOM = 1 << 26 };

/* One array: accesses at offsets from a register that moves by a constant. */
struct walked {
    unsigned count;
    int64_t offsets[MOST_ACCESSES_MADE], stride;
    bool stores[MOST_ACCESSES_MADE];
    uint16_t bytes[MOST_ACCESSES_MADE];
};

/* Every byte of every access of all iterations, at every alignment of elements. */
static struct line_counts count_by_hand(const struct walked *walked)
{
    struct line_counts counts = {0};
    uint64_t *stored = calloc(ROOM / LINE, sizeof *stored);
    uint8_t *loads = calloc(ROOM / LINE, 1);
    for (int64_t base = 0; base < LINE; base += ELEMENT) {
        memset(stored, 0, ROOM / LINE * sizeof *stored);
        memset(loads, 0, ROOM / LINE);
        for (int64_t i = 0; i < ITERATIONS; i++)
            for (unsigned k = 0; k < walked->count; k++)
                for (unsigned byte = 0; byte < walked->bytes[k]; byte++) {
                    int64_t at = ROOM / 2 + base + i * walked->stride + walked->offsets[k] + byte;
                    assert_true(at >= 0 && at < ROOM);
                    if (walked->stores[k])
                        stored[at / LINE] |= UINT64_C(1) << at % LINE;
                    else
                        loads[at / LINE] = 1;
                }
        for (size_t i = 0; i < ROOM / LINE; i++) {
            double *kind = stored[i] == UINT64_MAX && !loads[i] ? &counts.stored
                           : stored[i]                          ? &counts.updated
                           : loads[i]                           ? &counts.loaded
                                                                : NULL;
            if (kind)
                *kind += 1.0 / ITERATIONS / (LINE / ELEMENT);
        }
    }
    free(stored);
    free(loads);
    return counts;
}

static void assert_lines(const struct line_counts *found, const struct line_counts *right)
{
    /* The first and last lines of the walk are there in part only. */
    const double edges = 16.0 / ITERATIONS;
    assert_true(fabs(found->loaded - right->loaded) < edges);
    assert_true(fabs(found->updated - right->updated) < edges);
    assert_true(fabs(found->stored - right->stored) < edges);
}

static void test_random_walks(void **state)
{
    (void)state;
    static const int64_t strides[] = {8, 16, 24, 32, 64, 72, 128, 200, -8, -16, -40, -64, -512, 4096};
    uint32_t random = 7;
    for (unsigned round = 0; round < 60; round++) {
        struct fixture fixture;
        struct walked walked = {.stride = strides[draw(&random, sizeof strides / sizeof *strides)],
                                .count = 1 + draw(&random, MOST_ACCESSES_MADE)};
        begin(&fixture);
        for (unsigned i = 0; i < walked.count; i++) {
            walked.offsets[i] = ELEMENT * (int64_t)draw(&random, 40) - 160;
            walked.bytes[i] = (uint16_t)(ELEMENT << draw(&random, 4));
            walked.stores[i] = draw(&random, 2);
            if (walked.stores[i])
                store(&fixture, RB, RA, walked.offsets[i], walked.bytes[i]);
            else
                load(&fixture, RB, RA, walked.offsets[i], walked.bytes[i]);
        }
        add_constant(&fixture, RA, walked.stride);
        struct cost_lines lines;
        assert_true(cost_count_lines(&fixture.block, &fixture.scratch, &lines));
        struct line_counts right = count_by_hand(&walked);
        /* Accesses that are all aligned to more than an element never lie on as many lines. */
        bool is_coarse = walked.stride % 16 == 0;
        for (unsigned i = 0; i < walked.count; i++)
            is_coarse &= walked.bytes[i] % 16 == 0 && (walked.offsets[i] - walked.offsets[0]) % 16 == 0;
        if (!is_coarse)
            assert_lines(&lines.first, &right);
        assert_int_equal(lines.stride, walked.stride);
        assert_int_equal(lines.stream_count, 1);
        assert_true(lines.unknown == 0);
        end(&fixture);
    }
}

/* a[i] = b[i-1] + b[i] + b[i+1], with pointers and with an index; the counter on the stack is not new. */
static void test_stencil(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cost_lines lines;
    begin(&fixture);
    for (int i = -1; i <= 1; i++)
        load(&fixture, XA, RB, 8 * i, 8);
    store(&fixture, XA, RA, 0, 8);
    load(&fixture, RC, RS, 16, 8);
    add_constant(&fixture, RA, 8);
    add_constant(&fixture, RB, 8);
    assert_true(cost_count_lines(&fixture.block, &fixture.scratch, &lines));
    assert_true(lines.first.loaded == 0.125 && lines.first.stored == 0.125 && lines.first.updated == 0);
    assert_int_equal(lines.stream_count, 2);
    end(&fixture);
}

static void give_caches(struct fixture *fixture)
{
    struct machine *machine = &fixture->machine;
    machine->caches[0] = (struct machine_cache){.level = 1, .bytes = 32 << 10, .line = LINE, .latency = 5};
    machine->caches[1] = (struct machine_cache){.level = 2,
                                                .bytes = 1 << 20,
                                                .line = LINE,
                                                .bytes_per_cycle = 32,
                                                .stored_per_cycle = 16,
                                                .copied_per_cycle = 12.8,
                                                .updated_per_cycle = 20,
                                                .latency = 15};
    machine->cache_count = 2;
    machine->main_memory = (struct machine_cache){.bytes_per_cycle = 8, .overlap = 0.75, .latency = 305};
}

/* Rows 4 KB apart are still in the first cache when the next one comes; 64 KB apart in the second; 4 MB apart
   in none. The row in front comes first, upwards and downwards. */
static void test_rows(void **state)
{
    (void)state;
    static const struct {
        int64_t row, stride;
        double first, second;
    } cases[] = {{4096, 8, 0.125, 0},
                 {65536, 8, 0.125, 0.25},
                 {65536, -8, 0.125, 0.25},
                 {4 << 20, 8, 0.375, 0},
                 {4 << 20, -16, 0.75, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        struct cost_lines lines;
        begin(&fixture);
        give_caches(&fixture);
        for (int row = -1; row <= 1; row++)
            load(&fixture, XA, RB, row * cases[i].row, 8);
        add_constant(&fixture, RB, cases[i].stride);
        assert_true(cost_count_lines(&fixture.block, &fixture.scratch, &lines));
        assert_true(lines.first.loaded == cases[i].first);
        assert_true(lines.again[1].loaded == cases[i].second);
        end(&fixture);
    }
}

static struct cost_data data_of(struct fixture *fixture, double core)
{
    struct cost_prediction prediction = {.cycles = core};
    struct cost_data data;
    cost_find_dependences(&fixture->block, &fixture->scratch);
    cost_data(&fixture->block, &fixture->scratch, &prediction, &data);
    return data;
}

/* a[i] = b[i] + c[i]; d[i] += …: a quarter of a line each. A store, an update and two loads beside them in
   the second cache: 16 × (1/16 + 1/20 + 2/64) cycles. Memory has its loads alone: copies take three times as
   long, stores and updates twice. */
static void test_times(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    give_caches(&fixture);
    load(&fixture, XA, RB, 0, 16);
    load(&fixture, XB, RC, 0, 16);
    store(&fixture, XA, RA, 0, 16);
    load(&fixture, XA, RD, 0, 16);
    store(&fixture, XA, RD, 0, 16);
    for (uint16_t base = RA; base <= RD; base++)
        add_constant(&fixture, base, 16);
    struct cost_data data = data_of(&fixture, 1.5);
    assert_true(data.at[0].cycles == 1.5 && data.at[0].limit == data_limit_CORE);
    assert_true(fabs(data.at[1].lines - 2.3) < 1e-12 && data.at[1].cycles == data.at[1].lines);
    assert_true(data.at[1].limit == data_limit_LINES);
    assert_true(fabs(data.at[2].lines - 12) < 1e-12 && fabs(data.at[2].cycles - 12.375) < 1e-12);
    assert_true(data.at[3].lack == data_lack_LEVEL && isnan(data.at[3].cycles));
    /* The core takes longer. */
    data = data_of(&fixture, 20);
    assert_true(data.at[1].cycles == 20 && data.at[1].limit == data_limit_CORE);
    assert_true(data.at[2].cycles == 23);
    /* A store past the caches: the time of a store to memory, less that of reading its line. Of what is left,
       the three lines that come in take longest. */
    fixture.instructions[2].cost.is_non_temporal = true;
    data = data_of(&fixture, 1);
    assert_true(data.lines.first.streamed == 0.25 && data.lines.first.stored == 0);
    assert_true(fabs(data.at[1].lines - 16 * (3.0 / 32 + 1.0 / 8)) < 1e-12);
    fixture.machine.caches[1].bytes_per_cycle = 0;
    data = data_of(&fixture, 1);
    assert_true(data.at[1].lack == data_lack_BANDWIDTH && isnan(data.at[1].cycles));
    end(&fixture);
}

/* A list: each load gives the address of the next. An index from memory: nobody waits for a chain, but only
   so many loads are in flight. */
static void test_unknown_places(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    give_caches(&fixture);
    load(&fixture, RA, RA, 8, 8);
    struct cost_data data = data_of(&fixture, 5);
    assert_true(data.lines.unknown == 1 && data.lines.first.loaded == 1 && data.lines.stream_count == 0);
    assert_true(data.at[1].cycles == 15 && data.at[1].limit == data_limit_CHAIN);
    assert_true(data.at[2].cycles == 305 && data.at[2].limit == data_limit_CHAIN);
    end(&fixture);

    begin(&fixture);
    give_caches(&fixture);
    fixture.machine.core.reorder_buffer = 30;
    load(&fixture, RB, RA, 0, 8);
    load(&fixture, RC, RB, 0, 8);
    add_constant(&fixture, RA, 8);
    data = data_of(&fixture, 1);
    assert_true(data.lines.unknown == 1 && data.lines.first.loaded == 1.125);
    assert_true(data.at[2].cycles == 30.5 && data.at[2].limit == data_limit_MISSES);
    assert_true(data.at[1].limit == data_limit_LINES);
    end(&fixture);
}

/* Eight places of a gather, whatever its registers do. */
static void test_gather(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cost_lines lines;
    begin(&fixture);
    load(&fixture, XA, RA, 0, 64)->cost.accesses[0].lanes = 8;
    add_constant(&fixture, RA, 64);
    assert_true(cost_count_lines(&fixture.block, &fixture.scratch, &lines));
    assert_true(lines.unknown == 8 && lines.first.loaded == 8);
    end(&fixture);
}

/* SVE: the step is in a register. Vectors of 256 bits fill half a line, and a gather has twice as many
 * places.
 */
static void test_scalable(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cost_lines lines;
    begin(&fixture);
    fixture.machine.core.vector_bits = 256;
    load(&fixture, XA, RA, 0, 16)->cost.is_scalable = true;
    store(&fixture, XA, RB, 0, 16)->cost.is_scalable = true;
    struct made *gather = load(&fixture, XB, RC, 0, 16);
    gather->cost.is_scalable = true;
    gather->cost.accesses[0].lanes = 4;
    compute(&fixture, RA, RA, 1);
    compute(&fixture, RB, RB, 1);
    assert_true(cost_count_lines(&fixture.block, &fixture.scratch, &lines));
    assert_true(lines.first.loaded == 0.5 + 8 && lines.first.stored == 0.5 && lines.unknown == 8);
    assert_int_equal(lines.stride, 32);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_walks),   cmocka_unit_test(test_stencil),
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_times),
        cmocka_unit_test(test_unknown_places), cmocka_unit_test(test_gather),
        cmocka_unit_test(test_scalable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
