/* Chains that wait for their ports, on real code. */
#include "core_bench.h"

#include <math.h>
#include <string.h>

static const struct cost_prediction *on(struct bench *bench, const char *machine, const char *hex)
{
    begin(bench, machine);
    return predict(bench, hex, cost_UNROLLED, 0, cost_MARKS);
}

/* add rax,1 alone: nothing else wants a port. */
static void a_chain_alone_waits_for_nothing(void **state)
{
    (void)state;
    static const char *const machines[] = {"ivy-bridge", "haswell", "skylake", "ice-lake"};
    for (unsigned i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct bench bench;
        const struct cost_prediction *answer = on(&bench, machines[i], "4883c001");
        assert_true(answer->cycles == 1);
        assert_int_equal(answer->limit, core_part_LATENCY);
        end(&bench);
    }
}

/* shr eax,2; cmp eax,ebp: the comparison sometimes has the port that the next shift needs; 1.25 to 1.31
   cycles were measured on Ivy Bridge, which has three ports for them. */
static void a_chain_waits_for_a_port(void **state)
{
    (void)state;
    struct bench bench;
    const struct cost_prediction *answer = on(&bench, "ivy-bridge", "c1e80239e8");
    assert_int_equal(answer->limit, core_part_CONTENTION);
    assert_true(answer->cycles > 1.05 && answer->cycles < 1.5);
    assert_true(answer->bounds[core_part_CONTENTION].marks[0] &&
                !answer->bounds[core_part_CONTENTION].marks[1]);
    end(&bench);
}

/* mov rax,[rax]; test al,6: the load ports have nothing else to do, and fast pointers stay fast. */
static void long_latencies_do_not_wait(void **state)
{
    (void)state;
    struct bench bench;
    const struct cost_prediction *answer = on(&bench, "skylake", "488b00a806");
    assert_true(answer->cycles == 4);
    end(&bench);
}

/* mov rbx,[rbx]; mov rdx,[rbx]; mov rax,[rbx+8]: two older loads of the pointer go first. The next of the
   chain waits a cycle for its port and comes too late for the fast way: 5.98 cycles were measured on Haswell
   and Ivy Bridge. One other load has a port of its own. */
static void a_pointer_that_comes_late_is_not_fast(void **state)
{
    (void)state;
    static const char *const machines[] = {"ivy-bridge", "haswell"};
    for (unsigned i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct bench bench;
        const struct cost_prediction *answer = on(&bench, machines[i], "488b1b488b13488b4308");
        assert_true(answer->cycles == 6);
        assert_int_equal(answer->limit, core_part_CONTENTION);
        end(&bench);
        answer = on(&bench, machines[i], "488b1b488b13");
        assert_true(answer->cycles == 4);
        end(&bench);
    }
}

/* xor esi,1; movzx eax,sil: what arrives when is part of the answer, whatever else is asked. */
static void answers_do_not_depend_on_the_detail(void **state)
{
    (void)state;
    struct bench bench;
    double cycles = on(&bench, "ivy-bridge", "83f601400fb6c6")->cycles;
    assert_true(predict(&bench, "83f601400fb6c6", cost_UNROLLED, 0, cost_ANSWER)->cycles == cycles);
    end(&bench);
}

static void machines_without_a_rule_are_not_asked(void **state)
{
    (void)state;
    struct bench bench;
    const struct cost_prediction *answer = on(&bench, "zen3", "c1e80239e8");
    assert_true(answer->bounds[core_part_CONTENTION].cycles == 0);
    end(&bench);
}

/* A load, then one multiplication after the other, none of which the next iteration needs: movsd xmm0,[rbx*8];
   mulsd xmm0,xmm14 …; add rbx,1; and rbx,255; dec rcx; jne.  Cycles of an iteration were measured on a Cascade Lake (2026-11-20). */
static void long_iterations_crowd_the_schedulers(void **state)
{
    (void)state;
    static const struct {
        unsigned chain;
        double measured;
    } loops[] = {{8, 4.6}, {12, 7.7}, {16, 12.4}, {20, 17.0}, {24, 21.7}, {32, 34.1}};
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct bench bench;
        char hex[1024] = "f20f1004dd00000000";
        for (unsigned k = 0; k < loops[i].chain; k++)
            strcat(hex, "f2410f59c6");
        strcat(hex, "4883c3014881e3ff00000048ffc975f0");
        begin(&bench, "skylake-x");
        double cycles = predict(&bench, hex, cost_LOOP, 0, cost_MARKS)->cycles;
        assert_true(fabs(cycles - loops[i].measured) < 0.1 * loops[i].measured);
        assert_true(predict(&bench, hex, cost_LOOP, 0, cost_ANSWER)->cycles == cycles);
        end(&bench);
    }
}

/* sqrtsd, and divsd by it, in each iteration: the divider works on a root while an older division waits for its operand.
   9.3 cycles were measured with random numbers. */
static void the_divider_does_not_wait_in_order(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake-x");
    const struct cost_prediction *answer =
        predict(&bench, "f20f1004dd00000000f20f51c066410f28cef20f5ec84883c3014881e3ff00000048ffc975f0",
                cost_LOOP, 0, cost_MARKS);
    assert_true(answer->cycles >= 8.5 && answer->cycles <= 10.5);
    end(&bench);
}

/* Whatever the code is, it says a number that is neither below the chain by more than what a run of whole
   cycles can resolve nor beyond all µops one after the other. */
static void random_blocks(void **state)
{
    (void)state;
    static const char *const pieces[] = {"4801d8",   "4829d9",   "480fafc1", "488b0418",
                                         "48890c24", "48c1e004", "480fb6c0", "488d0483",
                                         "4839c8",   "f20f58c1", "48f7f1",   "480f44c1"};
    static const char *const machines[] = {"sandy-bridge", "broadwell", "skylake-x", "rocket-lake"};
    uint32_t seed = 1;
    for (unsigned m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        struct bench bench;
        begin(&bench, machines[m]);
        for (unsigned n = 0; n < 300; n++) {
            char hex[256] = "";
            unsigned count = 1 + n % 12;
            for (unsigned i = 0; i < count; i++) {
                seed = seed * 1664525 + 1013904223;
                strcat(hex, pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])]);
            }
            const struct cost_prediction *answer =
                predict(&bench, hex, n & 1 ? cost_LOOP : cost_UNROLLED, 0, cost_ANSWER);
            double contention = answer->bounds[core_part_CONTENTION].cycles;
            double latency = answer->bounds[core_part_LATENCY].cycles;
            assert_true(contention == 0 || contention > 0.9 * latency - 0.1);
            assert_true(contention < 100.0 * count + latency);
        }
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_alone_waits_for_nothing),
        cmocka_unit_test(a_chain_waits_for_a_port),
        cmocka_unit_test(long_latencies_do_not_wait),
        cmocka_unit_test(a_pointer_that_comes_late_is_not_fast),
        cmocka_unit_test(answers_do_not_depend_on_the_detail),
        cmocka_unit_test(machines_without_a_rule_are_not_asked),
        cmocka_unit_test(long_iterations_crowd_the_schedulers),
        cmocka_unit_test(the_divider_does_not_wait_in_order),
        cmocka_unit_test(random_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
