/* Blocks that no compiler makes, and addresses that no program has: the parts of the core must stay within
   what they can prove, and within their time. */
#include "core_bench.h"

static double bound(struct bench *bench, const char *hex, enum cost_mode mode, enum core_part part)
{
    return predict(bench, hex, mode, 0, cost_MARKS)->bounds[part].cycles;
}

/* A call moves the stack pointer unseen, as a push does; a µop puts it right for whoever reads it next, which
   says nothing about what that instruction computes. */
static void test_stack_pointer_after_a_call(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake");
    /* call; mov rax, [rsp]: no chain.  call; imul rax, [rsp]: the product's own. */
    assert_true(bound(&bench, "e800000000488b0424", cost_LOOP, core_part_LATENCY) == 0);
    assert_true(bound(&bench, "e800000000480faf0424", cost_LOOP, core_part_LATENCY) == 3);
    /* push rax; imul rax, [rsp]: from the store of it. */
    assert_true(bound(&bench, "50480faf0424", cost_LOOP, core_part_LATENCY) == 4 + 3);
    end(&bench);
}

/* pop [rsp] loads before it stores: its own value is not what it waits for. */
static void test_load_and_store_of_one_instruction(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "skylake");
    const struct cost_prediction *found = predict(&bench, "8f0424480fafc0", cost_UNROLLED, 0, cost_MARKS);
    assert_true(found->bounds[core_part_LATENCY].cycles == 3); /* imul rax, rax */
    end(&bench);
}

/* Constants at both ends of the address space, as bases, distances and steps. */
static void test_ends_of_the_address_space(void **state)
{
    (void)state;
    static const char *const names[] = {"alder-lake-p", "ice-lake", "skylake", "sandy-bridge", "zen4"};
    static const char *const blocks[] = {
        /* movabs rax, INT64_MAX; mov [rax], rbx; movabs rcx, INT64_MIN; mov [rcx], rbx; mov rdx,
           [rax+rcx*8+0x7fffffff]; mov [rax], rdx */
        "48b8ffffffffffffff7f48891848b90000000000000080488919488b94c8ffffff7f488910",
        /* movabs rax, INT64_MIN; mov ecx, 0; mov [rcx], rbx; mov [rax], rbx; mov rcx, rax; mov rdx,
           [rax-0x80000000] */
        "48b80000000000000080b9000000004889194889184889c1488b9000000080",
        /* add rax, 0x7fffffff; mov [rax], rbx; mov rcx, [rax]; sub rax, -0x80000000 */
        "4805ffffff7f488918488b08482d00000080",
        /* vmovups ymm0, [rax-0x80000000]; vmovups ymm1, [rax+0x7fffffff] */
        "c5fc108000000080c5fc1088ffffff7f",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bench bench;
        begin(&bench, names[i]);
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
            for (int mode = cost_UNROLLED; mode <= cost_LOOP; mode++) {
                double cycles = predict(&bench, blocks[k], (enum cost_mode)mode, 0, cost_MARKS)->cycles;
                assert_true(cycles > 0.25 && cycles < 20);
                cycles = predict(&bench, blocks[k], (enum cost_mode)mode, UINT64_MAX - 7, cost_MARKS)->cycles;
                assert_true(cycles > 0.25 && cycles < 20);
            }
        end(&bench);
    }
}

/* Instructions of hundreds of thousands of µops, beside one that renaming splits: counted, not walked. */
static void test_very_long_microcode(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench, "sandy-bridge");
    char hex[2 * 250 + 1] = "";
    for (unsigned i = 0; i < 120; i++)
        strcat(hex, "0f09"); /* wbinvd */
    double without = bound(&bench, hex, cost_LOOP, core_part_ISSUE);
    strcat(hex, "4803044b"); /* add rax, [rbx+rcx*2] */
    double with = bound(&bench, hex, cost_LOOP, core_part_ISSUE);
    assert_true(without > 120 * 1000 && with > without && with < without + 2);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_pointer_after_a_call),
        cmocka_unit_test(test_load_and_store_of_one_instruction),
        cmocka_unit_test(test_ends_of_the_address_space),
        cmocka_unit_test(test_very_long_microcode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
