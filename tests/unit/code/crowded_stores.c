/* Stores that lose cycles beside µops that compute, on real code (store_groups.c). */
#include "core_bench.h"

static double on(const char *machine, const char *hex)
{
    struct bench bench;
    begin(&bench, machine);
    double cycles = predict(&bench, hex, cost_UNROLLED, 0, cost_ANSWER)->cycles;
    end(&bench);
    return cycles;
}

static void stores_lose_a_cycle_of_four_uops(void **state)
{
    (void)state;
    /* test rax,rax; mov [r15],r12 */
    assert_true(on("ivy-bridge", "4885c04d8927") == 1.5);
    /* test rsi,rsi; mov [rdi],rsi; mov [rdi+8],edx: a group of three has two of both */
    assert_true(on("ivy-bridge", "4885f6488937895708") == 2.25);
    /* add rbx,16; mov [rax],edi; mov [rax+8],r8; cmp r12,rbx: 2.98 measured */
    assert_true(on("ivy-bridge", "4883c31089384c8940084939dc") == 3);
    /* The next core does not. */
    assert_true(on("haswell", "4885c04d8927") == 1);
}

static void others_do_not(void **state)
{
    (void)state;
    static const char *const blocks[] = {
        "4885c041c60700",       /* test rax,rax; mov byte [r15],0: a constant */
        "4883c0014d8927",       /* add rax,1; mov [r15],r12: two of a chain do not start together */
        "488d41084d8927",       /* lea rax,[rcx+8]; mov [r15],r12: not on port 0 */
        "4989c64885c04d8927",   /* mov r14,rax first: eliminated */
        "4885c0f30f1101",       /* test rax,rax; movss [rcx],xmm0: a vector register */
        "4983c5014d39ee4d8927", /* add r13,1; cmp r14,r13; mov [r15],r12: the front end is as slow */
        "4d8927",               /* nothing beside it */
    };
    for (unsigned i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        assert_true(on("ivy-bridge", blocks[i]) < 1.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_lose_a_cycle_of_four_uops),
        cmocka_unit_test(others_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
