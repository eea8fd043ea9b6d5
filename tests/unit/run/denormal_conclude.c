/* Extra time of sites (src/run/denormal/costs.c), the story (chains.c) and what is measured for both
   (measure.c), on hand-made tables: penalties are round numbers here, so that every sum can be done by
   head. */
#include "run/denormal/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **state)
{
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    model_add(&model->denormal_runs);
    *state = model;
    return 0;
}

static int end(void **state)
{
    model_free(*state);
    free(*state);
    return 0;
}

static struct denormal_penalty *add_penalty(struct model *model, uint32_t run,
                                            enum denormal_operation operation, enum denormal_type type,
                                            enum denormal_case which, double normal, double denormal)
{
    struct denormal_penalty *row = model_add(&model->denormal_penalties);
    *row = (struct denormal_penalty){.run = run,
                                     .operation = (uint8_t)operation,
                                     .type = (uint8_t)type,
                                     .denormal = (uint8_t)which,
                                     .normal_seconds = normal,
                                     .denormal_seconds = denormal};
    return row;
}

/* An instruction of its own for each kind. */
static uint32_t add_instruction(struct model *model, enum class class, enum element element, bool is_vector)
{
    *(struct encoding *)model_add(&model->encodings) =
        (struct encoding){.class = class, .element = element, .is_vector = is_vector};
    *(struct instruction *)model_add(&model->code) =
        (struct instruction){.encoding = model_last(&model->encodings)};
    return model_last(&model->code);
}

static uint32_t add_site(struct model *model, uint32_t run, uint32_t instruction, uint64_t operands,
                         uint64_t results, uint64_t births)
{
    *(struct denormal_site *)model_add(&model->denormal_sites) =
        (struct denormal_site){.run = run,
                               .instruction = instruction,
                               .operand_events = operands,
                               .underflow_events = results,
                               .births = births};
    return model_last(&model->denormal_sites);
}

static double seconds(const struct model *model, uint32_t site)
{
    return model_denormal_site(model, site)->seconds;
}

static void time_is_events_times_penalty(void **state)
{
    struct model *model = *state;
    add_penalty(model, 1, denormal_operation_MULTIPLY, denormal_type_FLOAT, denormal_case_OPERAND, 1,
                11); /* 10 more */
    add_penalty(model, 1, denormal_operation_MULTIPLY, denormal_type_FLOAT, denormal_case_RESULT, 1,
                101); /* 100 more */
    add_penalty(model, 1, denormal_operation_MULTIPLY, denormal_type_FLOAT, denormal_case_BOTH, 1,
                31); /* 30 more */
    uint32_t multiply = add_instruction(model, class_MULTIPLY, element_FP32, false);
    uint32_t operands = add_site(model, 1, multiply, 7, 0, 0),
             results = add_site(model, 1, multiply, 0, 7, 7);
    uint32_t both = add_site(model, 1, multiply, 7, 7, 0);
    uint32_t mixed = add_site(model, 1, multiply, 10, 8, 3);   /* 5 both, 5 operand alone, 3 born */
    uint32_t profiled = add_site(model, 1, multiply, 2, 5, 0); /* 2 both, 3 results */
    uint32_t nothing = add_site(model, 1, multiply, 0, 0, 0);
    denormal_conclude(model);
    assert_true(seconds(model, operands) == 70);
    assert_true(seconds(model, results) == 700);
    assert_true(seconds(model, both) == 210);
    assert_true(seconds(model, mixed) == 5 * 30 + 5 * 10 + 3 * 100);
    assert_true(seconds(model, profiled) == 2 * 30 + 3 * 100);
    assert_true(isnan(seconds(model, nothing)));
}

static void unknown_cost_is_not_zero(void **state)
{
    struct model *model = *state;
    add_penalty(model, 1, denormal_operation_ADD, denormal_type_DOUBLE, denormal_case_OPERAND, 2,
                1); /* noise: it cannot be quicker */
    add_penalty(model, 1, denormal_operation_SQRT, denormal_type_FLOAT, denormal_case_OPERAND, 1, 5);
    uint32_t add = add_site(model, 1, add_instruction(model, class_ADD, element_FP64, false), 9, 0, 0);
    uint32_t shuffle =
        add_site(model, 1, add_instruction(model, class_SHUFFLE, element_FP64, false), 9, 0, 0);
    uint32_t integer = add_site(model, 1, add_instruction(model, class_ADD, element_INT32, false), 9, 0, 0);
    uint32_t divide = add_site(model, 1, add_instruction(model, class_DIVIDE, element_FP64, false), 9, 0, 0);
    uint32_t root = add_site(model, 1, add_instruction(model, class_SQRT, element_FP32, false), 2, 0, 0);
    uint32_t unread = add_site(model, 1, 0, 9, 0, 0);
    denormal_conclude(model);
    assert_true(seconds(model, add) == 0);
    assert_true(isnan(seconds(model, shuffle)));
    assert_true(isnan(seconds(model, integer)));
    assert_true(isnan(seconds(model, divide)));
    assert_true(seconds(model, root) == 8);
    assert_true(isnan(seconds(model, unread)));
}

static void vectors_pay_once_and_by_their_own_figures(void **state)
{
    struct model *model = *state;
    add_penalty(model, 1, denormal_operation_ADD, denormal_type_FLOAT, denormal_case_OPERAND, 1, 2);
    add_penalty(model, 1, denormal_operation_ADD, denormal_type_FLOAT, denormal_case_OPERAND, 1, 4)
        ->is_packed = true;
    add_penalty(model, 1, denormal_operation_MULTIPLY, denormal_type_FLOAT, denormal_case_OPERAND, 1, 6);
    uint32_t add = add_site(model, 1, add_instruction(model, class_ADD, element_FP32, true), 10, 0, 0);
    model_denormal_site(model, add)->operands = 40; /* lanes */
    uint32_t multiply =
        add_site(model, 1, add_instruction(model, class_MULTIPLY, element_FP32, true), 10, 0, 0);
    denormal_conclude(model);
    assert_true(seconds(model, add) == 30);
    assert_true(seconds(model, multiply) == 50); /* packed is told only where it differs */
}

/* Kernels are named by what they convert from, elements are those of the result. */
static void conversions_are_known_by_their_operand(void **state)
{
    struct model *model = *state;
    add_penalty(model, 1, denormal_operation_CONVERT, denormal_type_FLOAT, denormal_case_OPERAND, 0, 3);
    add_penalty(model, 1, denormal_operation_CONVERT, denormal_type_DOUBLE, denormal_case_RESULT, 0, 5);
    uint32_t widen = add_site(model, 1, add_instruction(model, class_CONVERT, element_FP64, false), 1, 0, 0);
    uint32_t narrow = add_site(model, 1, add_instruction(model, class_CONVERT, element_FP32, false), 0, 1, 1);
    denormal_conclude(model);
    assert_true(seconds(model, widen) == 3);
    assert_true(seconds(model, narrow) == 5);
}

static void runs_have_their_own_penalties(void **state)
{
    struct model *model = *state;
    model_add(&model->denormal_runs);
    add_penalty(model, 1, denormal_operation_ADD, denormal_type_FLOAT, denormal_case_OPERAND, 0, 1);
    add_penalty(model, 2, denormal_operation_ADD, denormal_type_FLOAT, denormal_case_OPERAND, 0, 2);
    uint32_t add = add_instruction(model, class_ADD, element_FP32, false);
    uint32_t first = add_site(model, 1, add, 1, 0, 0), second = add_site(model, 2, add, 1, 0, 0);
    denormal_conclude(model);
    assert_true(seconds(model, first) == 1);
    assert_true(seconds(model, second) == 2);
}

/* Every figure is positive, and what the report divides by is not 0. */
static void measured_penalties_make_sense(void **state)
{
    struct model *model = *state;
    denormal_measure(model);
    assert_int_equal(model->denormal_penalties.count, 1); /* nobody met a denormal */
    add_site(model, 1, 0, 1, 0, 0);
    denormal_measure(model);
    assert_true(model->denormal_penalties.count > 10);
    bool has_add = false;
    for (uint32_t id = 1; id < model->denormal_penalties.count; id++) {
        const struct denormal_penalty *row = model_denormal_penalty(model, id);
        assert_true(row->run == 1 && row->normal_seconds > 0 && row->denormal_seconds > 0);
        assert_true(row->normal_seconds < 1e-3 && row->denormal_seconds < 1e-3);
        has_add |= row->operation == denormal_operation_ADD && row->type == denormal_type_FLOAT &&
                   !row->is_packed && row->denormal == denormal_case_OPERAND;
    }
    assert_true(has_add);
}

/* Births with stacks of one frame, in a program of one function whose blocks are 16 bytes; loops as given. */
static void add_blocks(struct model *model, const uint32_t *loops, size_t count)
{
    model_add(&model->programs);
    model_add(&model->functions);
    *(struct section *)model_add(&model->sections) = (struct section){.program = 1};
    for (size_t i = 0; i < count; i++)
        *(struct block *)model_add(&model->blocks) = (struct block){
            .function = 1, .section = 1, .address = 0x100 + i * 16, .size = 16, .loop = loops[i]};
}

static uint32_t add_birth(struct model *model, uint64_t address, uint32_t line, uint32_t array,
                          uint64_t values, uint64_t descendants, uint64_t removable)
{
    uint32_t stack = 0;
    if (line) {
        stack = (uint32_t)model->denormal_frames.count + 1;
        *(struct denormal_frame *)model_add(&model->denormal_frames) =
            (struct denormal_frame){.stack = stack,
                                    .position = 1,
                                    .program = 1,
                                    .function = 1,
                                    .address = address,
                                    .file = 1,
                                    .line = line};
    }
    *(struct denormal_birth *)model_add(&model->denormal_births) =
        (struct denormal_birth){.run = 1,
                                .program = 1,
                                .address = address,
                                .function = 1,
                                .stack = stack,
                                .array = array,
                                .values = values,
                                .descendants = descendants,
                                .removable = removable};
    return model_last(&model->denormal_births);
}

static void add_arrays(struct model *model, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        *(struct denormal_array *)model_add(&model->denormal_arrays) = (struct denormal_array){.run = 1};
}

static void add_origin(struct model *model, uint32_t destination, uint32_t source, uint64_t count)
{
    *(struct denormal_origin *)model_add(&model->denormal_origins) =
        (struct denormal_origin){.run = 1, .destination = destination, .source = source, .count = count};
}

static void assert_step(const struct model *model, uint32_t index, uint32_t chain, uint32_t array,
                        uint32_t source, uint64_t count)
{
    assert_true(index < model->denormal_chain_steps.count);
    const struct denormal_chain_step *step = model_denormal_chain_step(model, index);
    assert_int_equal(step->chain, chain);
    assert_int_equal(step->array, array);
    assert_int_equal(step->source, source);
    assert_int_equal(step->count, count);
}

/* The thesis's story: kernel, then fctemp, ftemp, ctemp; a trickle elsewhere is not told. */
static void story_follows_the_largest_flows(void **state)
{
    struct model *model = *state;
    add_blocks(model, (uint32_t[]){0}, 1);
    add_arrays(model, 5);
    add_site(model, 1, 0, 1000, 0, 0);
    add_birth(model, 0x100, 199, 4, 15100, 1000, 1000);
    add_origin(model, 4, 0, 15100);
    add_origin(model, 3, 4, 60000); /* fctemp ← kernel */
    add_origin(model, 2, 3, 50000);
    add_origin(model, 3, 2, 49000); /* back again: each array once */
    add_origin(model, 1, 2, 40000);
    add_origin(model, 5, 1, 500);
    denormal_conclude(model);
    assert_int_equal(model->denormal_chains.count, 2);
    assert_true(model_denormal_chain(model, 1)->share == 1);
    assert_int_equal(model_denormal_chain(model, 1)->values, 15100);
    assert_int_equal(model->denormal_chain_steps.count, 4);
    assert_step(model, 0, 1, 4, 0, 15100);
    assert_step(model, 1, 1, 3, 4, 60000);
    assert_step(model, 2, 1, 2, 3, 50000);
    assert_step(model, 3, 1, 1, 2, 40000);
}

static void story_is_a_tree(void **state)
{
    struct model *model = *state;
    add_blocks(model, (uint32_t[]){0}, 1);
    add_arrays(model, 20);
    add_site(model, 1, 0, 10, 0, 0);
    add_birth(model, 0x100, 5, 1, 100, 10, 10);
    add_origin(model, 2, 1, 100);
    add_origin(model, 3, 1, 90);
    for (uint32_t i = 4; i <= 20; i++)
        add_origin(model, i, i - 1, 80);
    add_origin(model, 3, 2, 50);
    denormal_conclude(model);
    assert_int_equal(model->denormal_chain_steps.count, 8); /* no list of twenty */
    assert_step(model, 1, 1, 2, 1, 100);
    assert_step(model, 2, 1, 3, 1, 90);
    assert_step(model, 3, 1, 4, 3, 80);
}

/* Two instructions of a loop, a third one outside it; and an operation that needs both of the loop's. */
static void births_of_a_loop_are_told_together(void **state)
{
    struct model *model = *state;
    add_blocks(model, (uint32_t[]){7, 7, 0}, 3);
    add_arrays(model, 2);
    add_site(model, 1, 0, 100, 0, 0);
    uint32_t first = add_birth(model, 0x100, 10, 1, 40, 70, 10),
             second = add_birth(model, 0x110, 11, 1, 60, 80, 20);
    uint32_t other = add_birth(model, 0x120, 30, 2, 50, 15, 0);
    denormal_conclude(model);
    assert_int_equal(model->denormal_chains.count, 3);
    const struct denormal_chain *chain = model_denormal_chain(model, 1);
    assert_int_equal(chain->birth, second);
    assert_int_equal(chain->values, 100);
    /* 30 go with single births; all but 15 descend from these two alone. */
    assert_true(fabs(chain->share - 0.85) < 1e-12);
    assert_int_equal(model_denormal_birth(model, first)->chain, 1);
    assert_int_equal(model_denormal_birth(model, second)->chain, 1);
    assert_int_equal(model_denormal_birth(model, other)->chain, 2);
    assert_int_equal(model_denormal_chain(model, 2)->birth, other);
    assert_true(model_denormal_chain(model, 2)->share == 0);
}

/* Nothing is promised beyond what is known to descend from the births. */
static void shares_are_bounded(void **state)
{
    struct model *model = *state;
    add_blocks(model, (uint32_t[]){0}, 1);
    add_site(model, 1, 0, 1000, 0, 0); /* 600 of them of nobody knows what */
    add_birth(model, 0x100, 10, 0, 40, 400, 400);
    denormal_conclude(model);
    assert_true(model_denormal_chain(model, 1)->share == 0.4);
    assert_int_equal(model->denormal_chain_steps.count, 0);
}

static void births_without_lines_stand_alone(void **state)
{
    struct model *model = *state;
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t birth = add_birth(model, 0x1000 + i, 0, 0, 1000 - i, 10, 10);
        model_denormal_birth(model, birth)->function = 0;
    }
    denormal_conclude(model);
    assert_int_equal(model->denormal_chains.count, 11);        /* the ten largest */
    assert_true(isnan(model_denormal_chain(model, 1)->share)); /* of no operations */
    assert_int_equal(model_denormal_chain(model, 1)->birth, 1);
    assert_int_equal(model_denormal_chain(model, 10)->birth, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_is_events_times_penalty, begin, end),
        cmocka_unit_test_setup_teardown(unknown_cost_is_not_zero, begin, end),
        cmocka_unit_test_setup_teardown(vectors_pay_once_and_by_their_own_figures, begin, end),
        cmocka_unit_test_setup_teardown(conversions_are_known_by_their_operand, begin, end),
        cmocka_unit_test_setup_teardown(runs_have_their_own_penalties, begin, end),
        cmocka_unit_test_setup_teardown(measured_penalties_make_sense, begin, end),
        cmocka_unit_test_setup_teardown(story_follows_the_largest_flows, begin, end),
        cmocka_unit_test_setup_teardown(story_is_a_tree, begin, end),
        cmocka_unit_test_setup_teardown(births_of_a_loop_are_told_together, begin, end),
        cmocka_unit_test_setup_teardown(shares_are_bounded, begin, end),
        cmocka_unit_test_setup_teardown(births_without_lines_stand_alone, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
