/* What could be done about a branch that is guessed wrong (src/run/measure/gap_select.c): by the ways that it chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/tables.h"
#include "run/measure/gap.h"

static struct model model;
enum { LOOP = 1 };

static int begin(void **state)
{
    (void)state;
    model_init(&model);
    model_add(&model.loops);
    model_add(&model.encodings);
    *(struct function *)model_add(&model.functions) = (struct function){.first_block = 1, .block_count = 4};
    return 0;
}

static int end(void **state)
{
    (void)state;
    model_free(&model);
    return 0;
}

/* Block 1 with a branch, on to 2 or 3; 2 goes on to 3, and 3 back to 1 or out to 4. */
static void add_triangle(enum isa isa, enum element element, uint32_t instructions)
{
    static const uint32_t edges[][2] = {{1, 2}, {1, 3}, {2, 3}, {3, 1}, {3, 4}};
    for (unsigned i = 0; i < 5; i++) {
        struct edge *edge = model_add(&model.edges);
        edge->source = edges[i][0];
        edge->target = edges[i][1];
    }
    for (uint32_t id = 1; id <= 4; id++) {
        struct block *block = model_add(&model.blocks);
        block->function = 1;
        block->loop = id < 4 ? LOOP : 0;
        block->first_instruction = (uint32_t)model.code.count;
        block->instruction_count = id == 2 ? instructions : 1;
        for (uint32_t i = 0; i < block->instruction_count; i++)
            *(struct instruction *)model_add(&model.code) = (struct instruction){.block = id, .encoding = 1};
    }
    model_encoding(&model, 1)->isa = isa;
    model_encoding(&model, 1)->element = element;
}

/* Instruction 1 is the branch, those after it are what it jumps over. */
static void branch_cures(void **state)
{
    (void)state;
    add_triangle(isa_X86_64, element_INT32, 3);
    uint32_t last = model_block(&model, 3)->first_instruction;
    assert_int_equal(gap_branch_cure(&model, 1), branch_cure_SELECT);
    assert_int_equal(gap_branch_cure(&model, last), branch_cure_EXIT);
    assert_int_equal(gap_branch_cure(&model, 0), branch_cure_UNKNOWN);
    assert_int_equal(gap_branch_cure(&model, 2), branch_cure_UNKNOWN);
    model_encoding(&model, 1)->element = element_FP64;
    assert_int_equal(gap_branch_cure(&model, 1), branch_cure_NONE);
    model_encoding(&model, 1)->isa = isa_AARCH64; /* fcsel */
    assert_int_equal(gap_branch_cure(&model, 1), branch_cure_SELECT);
    model_encoding(&model, 1)->store_bytes = 8;
    assert_int_equal(gap_branch_cure(&model, 1), branch_cure_NONE);
    model_encoding(&model, 1)->store_bytes = 0;
    model_block(&model, 2)->instruction_count = 9;
    assert_int_equal(gap_branch_cure(&model, 1), branch_cure_NONE);
    model_block(&model, 2)->instruction_count = 2;
    struct edge *other = model_add(&model.edges); /* another block leads to the middle of it */
    other->source = 4;
    other->target = 2;
    assert_int_equal(gap_branch_cure(&model, 1), branch_cure_NONE);
    assert_string_not_equal(gap_branch_remedy(branch_cure_NONE), gap_branch_remedy(branch_cure_EXIT));
    assert_ptr_equal(gap_branch_remedy(branch_cure_SELECT), gap_text(gap_rule_BRANCHES)->remedy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(branch_cures, begin, end)};
    return cmocka_run_group_tests_name("gap select", tests, NULL, NULL);
}
