/* Where the instructions of a way through a loop were, from their bytes in order of execution
 * (src/code/cost/way.c). */
#include "code/cost/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 40 };

/* o: an instruction; c: a branch; b: a jump without a condition; l: a call.  Each has four bytes. */
struct part {
    char kind;
    int64_t distance; /* from its start to its target */
};

struct bench {
    struct machine_cost costs[MOST];
    struct block_costs work;
};

static void take(struct bench *bench, const struct part *parts, unsigned count)
{
    *bench = (struct bench){.work.items = ARRAY_OF(struct cost_item)};
    for (unsigned i = 0; i < count; i++) {
        char kind = parts[i].kind;
        bench->costs[i] = (struct machine_cost){
            .size = 4, .is_branch = kind != 'o', .is_conditional = kind == 'c', .is_call = kind == 'l'};
        *(struct cost_item *)array_push(&bench->work.items) =
            (struct cost_item){.cost = &bench->costs[i],
                               .address = 4 * i,
                               .target = parts[i].distance ? 4 * i + (uint64_t)parts[i].distance : 0};
    }
    block_costs_close(&bench->work);
}

static void expect(const struct part *parts, unsigned count, const uint64_t *addresses)
{
    struct bench bench;
    take(&bench, parts, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(ARRAY_AT(struct cost_item, &bench.work.items, i)->address, addresses[i]);
    array_free(&bench.work.items);
}

#define EXPECT(parts, ...) expect(parts, sizeof(parts) / sizeof *(parts), (const uint64_t[]){__VA_ARGS__})

/* A branch forwards that is taken, and one that is not: the loop's end tells. */
static void test_branch_forwards(void **state)
{
    static const struct part taken[] = {{'o', 0}, {'c', 16}, {'o', 0}, {'c', -24}},
                             straight[] = {{'o', 0}, {'c', 16}, {'o', 0}, {'c', -12}};
    (void)state;
    EXPECT(taken, 0, 4, 20, 24);
    EXPECT(straight, 0, 4, 8, 12);
}

/* The way goes to code far after the loop and comes back. */
static void test_way_out_and_back(void **state)
{
    static const struct part parts[] = {{'o', 0}, {'c', 996}, {'o', 0}, {'b', -996}, {'o', 0}, {'c', -12}};
    (void)state;
    EXPECT(parts, 0, 4, 1000, 1004, 8, 12);
}

/* A way that begins in the middle of its loop ends by falling through to there. */
static void test_falls_through(void **state)
{
    static const struct part parts[] = {{'o', 0}, {'c', -16}, {'o', 0}, {'o', 0}, {'c', 40}};
    (void)state;
    EXPECT(parts, 0, 4, (uint64_t)-12, (uint64_t)-8, (uint64_t)-4);
}

/* Places of data that are relative to the instruction move with it; a call returns. */
static void test_data_and_calls(void **state)
{
    static const struct part parts[] = {{'c', 12}, {'o', 400}, {'l', 4000}, {'c', -20}};
    struct bench bench;
    (void)state;
    take(&bench, parts, 4);
    const struct cost_item *items = bench.work.items.data;
    assert_int_equal(items[1].address, 12);
    assert_int_equal(items[1].target, 412);
    assert_int_equal(items[2].address, 16);
    assert_int_equal(items[3].target, 0);
    array_free(&bench.work.items);
}

/* What cannot be closed stays as it is; so does a way with too many conditions. */
static void test_stays(void **state)
{
    static const struct part open[] = {{'o', 0}, {'c', 16}, {'o', 0}, {'c', -400}};
    (void)state;
    EXPECT(open, 0, 4, 8, 12);
    struct part many[MOST];
    uint64_t addresses[MOST];
    for (unsigned i = 0; i < MOST; i++) {
        many[i] = (struct part){'c', 8};
        addresses[i] = 4 * i;
    }
    many[MOST - 1].distance = -4 * MOST;
    expect(many, MOST, addresses);
    expect(many, 0, addresses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branch_forwards), cmocka_unit_test(test_way_out_and_back),
        cmocka_unit_test(test_falls_through),   cmocka_unit_test(test_data_and_calls),
        cmocka_unit_test(test_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
