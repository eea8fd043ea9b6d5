/* The front end on real code with the machine files that come with Assay: blocks that Abel and Reineke, Fog
   or Intel say figures for, and the choice among all parts. */
#include "core_bench.h"

#include <math.h>

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-6))
        fail_msg("%.6f instead of %.6f", value, expected);
}

/* add ax,0x1234; dec r15: 3.44 unrolled, 1 as a loop (uiCA). */
static void length_changing_prefix(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake");
    const struct cost_prediction *answer = predict(&bench, "6605341249ffcf", cost_UNROLLED, 0, cost_MARKS);
    near(answer->cycles, 55 / 16.0);
    assert_int_equal(answer->limit, core_part_PREDECODE);
    assert_int_equal(answer->next, core_part_LATENCY); /* and not what has the predecoder in it */
    assert_true(answer->bounds[core_part_PREDECODE].marks[0] &&
                !answer->bounds[core_part_PREDECODE].marks[1]);
    answer = predict(&bench, "6605341249ffcf75f7", cost_LOOP, 0, cost_MARKS);
    near(answer->cycles, 1);
    assert_true(answer->comes_from_cache && !answer->comes_from_loop_buffer);
    near(answer->bounds[core_part_PREDECODE].cycles, 0);
    end(&bench);
}

/* cmp and its branch are one µop: add rax,1; cmp rax,rbx; jne in a cycle, replayed by the loop buffer. */
static void small_loop(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "haswell");
    const struct cost_prediction *answer = predict(&bench, "4883c0014839d875f7", cost_LOOP, 0, cost_MARKS);
    near(answer->cycles, 1);
    near(answer->bounds[core_part_ISSUE].cycles, 0.5);
    near(answer->bounds[core_part_LOOP_BUFFER].cycles, 0.5); /* two µops, eight copies */
    assert_true(answer->comes_from_loop_buffer);
    assert_int_equal(answer->known_count, 3);
    end(&bench);
}

/* The erratum on conditional jumps: the same loop at the end of 32 bytes comes from the decoders on Skylake.
 */
static void branch_at_a_border(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake");
    assert_true(predict(&bench, "4883c0014839d875f7", cost_LOOP, 0, cost_MARKS)->comes_from_cache);
    const struct cost_prediction *answer =
        predict(&bench, "4883c0014839d875f7", cost_LOOP, 32 - 9, cost_MARKS);
    assert_false(answer->comes_from_cache);
    assert_true(answer->bounds[core_part_DECODE].cycles > 0 &&
                answer->bounds[core_part_PREDECODE].cycles > 0);
    end(&bench);
}

/* pop rbx; pop rbp; pop r12: the last one has the complex decoder for itself on Haswell. */
static void pop_of_r12(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "haswell");
    near(predict(&bench, "5b5d415c", cost_UNROLLED, 0, cost_MARKS)->bounds[core_part_DECODE].cycles, 2);
    near(predict(&bench, "5b5d415d", cost_UNROLLED, 0, cost_MARKS)->bounds[core_part_DECODE].cycles, 0.75);
    end(&bench);
    begin(&bench, "skylake"); /* beside three simple ones */
    near(predict(&bench, "5b5d415c", cost_UNROLLED, 0, cost_MARKS)->bounds[core_part_DECODE].cycles, 1);
    end(&bench);
}

/* movzx edx,word [r15+18]; and dh,0x7f; cmp edx,32: measured in 2.0 cycles on Ivy Bridge (BHive). */
static void high_byte(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "ivy-bridge");
    const struct cost_prediction *answer =
        predict(&bench, "410fb7571280e67f83fa20", cost_UNROLLED, 15, cost_ANSWER);
    near(answer->cycles, 2);
    assert_int_equal(answer->limit, core_part_ISSUE);
    end(&bench);
}

/* push rax; mov rbx,[rsp+8]: three slots for two instructions, because a µop puts the stack pointer right. */
static void stack_pointer(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake");
    near(predict(&bench, "50488b5c2408", cost_UNROLLED, 0, cost_MARKS)->bounds[core_part_ISSUE].cycles, 0.75);
    near(predict(&bench, "90488b5c2408", cost_UNROLLED, 0, cost_MARKS)->bounds[core_part_ISSUE].cycles, 0.5);
    end(&bench);
}

/* Without explanations the answer is the same, whatever was left out. */
static void explained_or_not(void **state)
{
    (void)state;
    static const char *const blocks[] = {"4883c0044183ea014e8d14900f1f80000000004c39d0",
                                         "488b73284489f24889ef",
                                         "8b4c241485c9",
                                         "4c89e7488d5c2430",
                                         "807e1017490f46f04885f6410f94c1488b028078104f490f45c04839f5",
                                         "31d248f7f64885c0",
                                         "c5fa2a842480010000",
                                         "488b1b4885db",
                                         "0f1f40004889cf4c89c6",
                                         "66817b203101"};
    static const char *const machines[] = {"haswell", "skylake", "ivy-bridge", "ice-lake", "zen2"};
    for (unsigned m = 0; m < sizeof machines / sizeof *machines; m++) {
        struct bench bench;
        begin(&bench, machines[m]);
        for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            double told = predict(&bench, blocks[i], cost_UNROLLED, 15, cost_MARKS)->cycles;
            const struct cost_prediction *answer = predict(&bench, blocks[i], cost_UNROLLED, 15, cost_ANSWER);
            near(answer->cycles, told);
            assert_true(told > 0);
            assert_int_not_equal(answer->limit, core_part_NONE);
            assert_null(answer->bounds[answer->limit].marks);
            for (unsigned part = 0; part < core_part_COUNT; part++)
                assert_true(answer->bounds[part].cycles <= answer->cycles);
        }
        end(&bench);
    }
}

static void nothing(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake");
    struct cost_block block = {.machine = bench.machine};
    struct cost_prediction answer;
    cost_predict(&block, &bench.work.scratch, cost_MARKS, &answer);
    assert_true(isnan(answer.cycles));
    assert_int_equal(answer.limit, core_part_NONE);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(length_changing_prefix),
        cmocka_unit_test(small_loop),
        cmocka_unit_test(branch_at_a_border),
        cmocka_unit_test(pop_of_r12),
        cmocka_unit_test(high_byte),
        cmocka_unit_test(stack_pointer),
        cmocka_unit_test(explained_or_not),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
