/* Loops of Neoverse V1 whose µops wait for pipes that were chosen at dispatch. The cycles were measured on
 * it. */
#include "core_bench.h"

#include <math.h>

struct measured {
    const char *hex;
    double cycles, tolerance;
};

static void check(const struct measured *loops, size_t count)
{
    struct bench bench;
    begin(&bench, "neoverse-v1");
    for (size_t i = 0; i < count; i++) {
        double cycles = predict(&bench, loops[i].hex, cost_LOOP, 0, cost_ANSWER)->cycles;
        if (fabs(cycles / loops[i].cycles - 1) > loops[i].tolerance)
            fail_msg("%s: %f for %f", loops[i].hex, cycles, loops[i].cycles);
    }
    end(&bench);
}

/* ldr x3,[x22,x0,lsl 3]; 4 or 8 of add x3,x3,x9; str x3,[x23,x0,lsl 3]; add x0,x0,1; cmp x0,x1; b.ne */
static void chains_of_integers_within_an_iteration(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"c37a60f86300098b6300098b6300098b6300098be37a20f8000400911f0001eb01ffff54", 2.016, 0.1},
        {"c37a60f86300098b6300098b6300098b6300098b6300098b6300098b6300098b6300098be37a20f8000400911f0001eb"
         "81feff54",
         3.140, 0.1},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* The same with 1, 5 and 8 of fadd d1,d1,d9, and 5 of fmadd d1,d1,d9,d1. */
static void chains_of_vectors_within_an_iteration(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"c17a60fc2128691ee17a20fc000400911f0001eb61ffff54", 1.013, 0.05},
        {"c17a60fc2128691e2128691e2128691e2128691e2128691ee17a20fc000400911f0001ebe1feff54", 2.151, 0.07},
        {"c17a60fc2128691e2128691e2128691e2128691e2128691e2128691e2128691e2128691ee17a20fc000400911f0001eb"
         "81feff54",
         3.610, 0.08},
        {"c17a60fc2104491f2104491f2104491f2104491f2104491fe17a20fc000400911f0001ebe1feff54", 2.674, 0.09},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* Nine independent additions, the counter's and a comparison: the branch takes the comparison with it. */
static void fused_comparisons_need_no_pipe_for_integers(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"8202158b8302158b8402158b8502158b8602158b8702158b8802158b8902158b"
         "8a02158b000400911f0001eba1feff54",
         2.499, 0.01}};
    check(loops, sizeof loops / sizeof *loops);
}

/* cmp w3,w4; csel w3,w3,w4,lt and the counter: one cycle together, and so is cset. Not with an instruction
   between them, other registers, 64 bits or cinc. */
static void comparisons_and_selections_of_32_bits(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"7f00046b63b0841a000400d1a0ffffb5", 1.015, 0.03},
        {"7f00046be3a79f1a000400d1a0ffffb5", 0.998, 0.03},
        {"7f00046b6a010c8b63b0841a000400d180ffffb5", 2.001, 0.01},
        {"7f00076ba3b0841a000400d1a0ffffb5", 2.000, 0.01},
        {"7f0004eb63b0849a000400d1a0ffffb5", 1.999, 0.01},
        {"7f00046b63a4831a000400d1a0ffffb5", 2.001, 0.01},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* A sum that is added to comes late only from its like: fadd d1,d1,d9; fmadd d1,d9,d10,d1, then fmul for
   fadd. An mla that waits for itself; eight of them in a row, whose pipes differ (the model takes 28.6, all
   on one pipe would take 9). */
static void sums_of_products(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"2128691e21054a1f000400913f0000eb81ffff54", 4.97, 0.02},
        {"2108691e21054a1f000400913f0000eb81ffff54", 4.96, 0.02},
        {"2195aa4e000400913f0000eba1ffff54", 0.99, 0.25},
        {"2195aa4e2195aa4e2195aa4e2195aa4e2195aa4e2195aa4e2195aa4e2195aa4e000400913f0000ebc1feff54", 24.63,
         0.2},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* Two loads and three or five sums by mla, which have two pipes: they change places from iteration to
   iteration, and a sum from the other pipe comes late. */
static void sums_that_change_pipes(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"de06c13cff06c13cc097bf4ec197bf4ec297bf4e9c0700f141ffff54", 2.55, 0.1},
        {"de06c13cff06c13cc097bf4ec197bf4ec297bf4ec397bf4ec497bf4e9c0700f101ffff54", 3.02, 0.1},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* ldr x10,[x2,x0,lsl 3]; add x10,x10,1; add x11,x10,1; the counter: the additions that wait for the load get
   into the way of the counter's, which are younger. */
static void additions_that_wait_for_a_load(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"4a7860f84a0500914b050091000400913f0000eb61ffff54", 1.57, 0.1},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* ldr x1,[x22,x0]; 3 of mul x2,x1,x21, or a chain of them, or of add x2,x1,x21,lsr 3; the counters: where
   half of the pipes is full, additions go to the other half and wait for nothing. */
static void counters_beside_products(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"c16a60f8227c159b237c159b247c159b002000917b0700f141ffff54", 1.503, 0.02},
        {"c16a60f8217c159b217c159b217c159b002000917b0700f141ffff54", 1.505, 0.02},
        {"c16a60f8220c558b230c558b240c558b002000917b0700f141ffff54", 1.501, 0.02},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* str q1 twice and fcvtl twice, by turns; then shl for fcvtl; the stores first; one of both: stores go to the
   scheduler that got fewer operations, and there to the one pipe that takes them. A pair of quads is one. */
static void stores_beside_vectors_of_one_scheduler(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"6100803dd47b610e6104803dd57b610e63800091004000917b0700f121ffff54", 2.020, 0.02},
        {"6100803dd457214f6104803dd557214f63800091004000917b0700f121ffff54", 2.021, 0.02},
        {"6100803d6104803dd47b610ed57b610e63800091004000917b0700f121ffff54", 2.018, 0.02},
        {"6100803dd47b610e6104803dd557214f63800091004000917b0700f121ffff54", 1.148, 0.1},
        {"617800ad617801add47b610ed57b610ed67b610ed77b610e63000191004000917b0700f1e1feff54", 1.925, 0.05},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* ldr x1,[x22,x0]; cmp w1,w21; csel w1,w1,w21,gt, once or twice; str x1,[x23,x0]; the counters. */
static void comparisons_and_selections_are_one_operation(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"c16a60f83f00156b21c0951ae16a20f8002000917b0700f141ffff54", 1.270, 0.1},
        {"c16a60f83f00156b21c0951a3f00156b21c0951ae16a20f8002000917b0700f101ffff54", 1.539, 0.1},
    };
    check(loops, sizeof loops / sizeof *loops);
}

/* Chains of fadd 4s, add 4s, zip1, fadd 2d and mul 4s: fadd and add; fadd and zip1; fadd of both sizes; fadd
   and mul; add and zip1; add and mul; then three: a cycle more between some domains. */
static void vectors_between_domains(void **state)
{
    (void)state;
    static const struct measured loops[] = {
        {"01d43e4e2084be4e9c0700f1a1ffff54", 6.00, 0.01},
        {"01d43e4e20389e4e9c0700f1a1ffff54", 5.00, 0.01},
        {"01d43e4e20d47e4e9c0700f1a1ffff54", 6.00, 0.01},
        {"01d43e4e209cbe4e9c0700f1a1ffff54", 7.00, 0.01},
        {"0184be4e20389e4e9c0700f1a1ffff54", 4.00, 0.01},
        {"0184be4e209cbe4e9c0700f1a1ffff54", 7.00, 0.01},
        {"01d43e4e22389e4e4084be4e9c0700f181ffff54", 8.00, 0.01},
        {"01d43e4e2284be4e40389e4e9c0700f181ffff54", 7.00, 0.01},
        {"01d43e4e22389e4e409cbe4e9c0700f181ffff54", 10.00, 0.01},
        {"01d43e4e229cbe4e4084be4e9c0700f181ffff54", 10.00, 0.01},
    };
    check(loops, sizeof loops / sizeof *loops);
}

static void the_limit_is_named(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "neoverse-v1");
    const struct cost_prediction *answer =
        predict(&bench, "c17a60fc2128691e2128691e2128691e2128691e2128691ee17a20fc000400911f0001ebe1feff54",
                cost_LOOP, 0, cost_MARKS);
    assert_int_equal(answer->limit, core_part_CONTENTION);
    assert_true(answer->next_cycles < answer->cycles);
    assert_true(answer->bounds[core_part_CONTENTION].marks[1] &&
                !answer->bounds[core_part_CONTENTION].marks[7]);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_integers_within_an_iteration),
        cmocka_unit_test(chains_of_vectors_within_an_iteration),
        cmocka_unit_test(fused_comparisons_need_no_pipe_for_integers),
        cmocka_unit_test(comparisons_and_selections_of_32_bits),
        cmocka_unit_test(sums_of_products),
        cmocka_unit_test(sums_that_change_pipes),
        cmocka_unit_test(additions_that_wait_for_a_load),
        cmocka_unit_test(counters_beside_products),
        cmocka_unit_test(stores_beside_vectors_of_one_scheduler),
        cmocka_unit_test(comparisons_and_selections_are_one_operation),
        cmocka_unit_test(vectors_between_domains),
        cmocka_unit_test(the_limit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
