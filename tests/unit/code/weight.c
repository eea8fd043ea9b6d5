/* How often functions are entered: random call graphs, compared with all chains of calls tried one by one;
   and how actions are grouped. */
#include "code/quality/actions.h"
#include "code/quality/call_weights.h"
#include "code/quality/path_shares.h"
#include "code/quality/stubs.h"
#include "code/quality/trips.h"
#include "code/quality/weight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 7 };

static void find_weights(struct call_weights *weights, const struct model *model, const double *trips)
{
    uint32_t *meant = stubs_find(model);
    call_weights_find(weights, model, trips, meant);
    free(meant);
}

/* A program with functions 1 to count, each with `depth` loops in each other; a call is in so many of them.
 */
struct drawn {
    unsigned count;
    unsigned depth[MOST + 1];
    unsigned calls[MOST + 1][MOST + 1]; /* 0: none; else 1 + loops around it */
};

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % below;
}

static void draw_graph(struct drawn *drawn, unsigned *state)
{
    *drawn = (struct drawn){.count = 1 + draw(state, MOST)};
    for (unsigned i = 1; i <= drawn->count; i++)
        drawn->depth[i] = draw(state, 4);
    for (unsigned i = 1; i <= drawn->count; i++)
        for (unsigned k = 1; k <= drawn->count; k++)
            if (!draw(state, 4))
                drawn->calls[i][k] = 1 + draw(state, drawn->depth[i] + 1);
}

/* Every function has a block in each of its loops, and one outside, with an instruction for each callee. */
static void add_function(struct model *model, const struct drawn *drawn, unsigned id)
{
    struct function *function = model_add(&model->functions);
    *function = (struct function){.program = 1, .origin = origin_SYMBOL, .returns = 1};
    uint32_t loop = 0;
    for (unsigned depth = 0; depth <= drawn->depth[id]; depth++) {
        if (depth) {
            *(struct loop *)model_add(&model->loops) =
                (struct loop){.function = id, .parent = loop, .depth = depth};
            loop = model_last(&model->loops);
        }
        *(struct block *)model_add(&model->blocks) =
            (struct block){.function = id,
                           .loop = loop,
                           .first_instruction = (uint32_t)model->code.count,
                           .instruction_count = 1};
        for (unsigned callee = 1; callee <= drawn->count; callee++) {
            if (drawn->calls[id][callee] != depth + 1)
                continue;
            *(struct instruction *)model_add(&model->code) =
                (struct instruction){.block = model_last(&model->blocks)};
            *(struct call *)model_add(&model->calls) =
                (struct call){.caller = id, .instruction = model_last(&model->code), .callee = callee};
        }
    }
}

static void build(struct model *model, const struct drawn *drawn)
{
    model_init(model);
    *(struct program *)model_add(&model->programs) = (struct program){.format = format_EXECUTABLE};
    for (unsigned id = 1; id <= drawn->count; id++)
        add_function(model, drawn, id);
}

/* reaches[i][k]: some chain of calls leads from i to k. */
static void find_reached(const struct drawn *drawn, bool reaches[MOST + 1][MOST + 1])
{
    memset(reaches, 0, sizeof(bool[MOST + 1][MOST + 1]));
    for (unsigned i = 1; i <= drawn->count; i++)
        for (unsigned k = 1; k <= drawn->count; k++)
            reaches[i][k] = drawn->calls[i][k] != 0;
    for (unsigned by = 1; by <= drawn->count; by++)
        for (unsigned i = 1; i <= drawn->count; i++)
            for (unsigned k = 1; k <= drawn->count; k++)
                reaches[i][k] |= reaches[i][by] && reaches[by][k];
}

struct brute {
    const struct drawn *drawn;
    bool reaches[MOST + 1][MOST + 1];
};

/* The most loops around a function, over all chains of calls that lead to its circle from outside. */
static unsigned most_around(const struct brute *brute, unsigned id)
{
    unsigned most = 0;
    for (unsigned member = 1; member <= brute->drawn->count; member++) {
        bool is_member = member == id || (brute->reaches[member][id] && brute->reaches[id][member]);
        for (unsigned caller = 1; is_member && caller <= brute->drawn->count; caller++) {
            if (!brute->drawn->calls[caller][member] || brute->reaches[member][caller])
                continue;
            unsigned around = brute->drawn->calls[caller][member] - 1 + most_around(brute, caller);
            most = around > most ? around : most;
        }
    }
    return most + brute->reaches[id][id];
}

static void entries_are_those_of_the_chain_with_the_most_loops(void **unused)
{
    (void)unused;
    unsigned state = 7;
    for (unsigned round = 0; round < 2000; round++) {
        struct drawn drawn;
        struct model model;
        struct call_weights weights;
        draw_graph(&drawn, &state);
        build(&model, &drawn);
        double trips[MOST * 4 + 1];
        for (unsigned i = 0; i <= MOST * 4; i++)
            trips[i] = USUAL_TRIPS;
        find_weights(&weights, &model, trips);
        struct brute brute = {.drawn = &drawn};
        find_reached(&drawn, brute.reaches);
        for (unsigned id = 1; id <= drawn.count; id++) {
            unsigned around = most_around(&brute, id);
            assert_int_equal(weights.around[id], around);
            assert_true(weights.entries[id] == fmin(pow(10, around), MOST_ENTRIES));
            assert_int_equal(weights.reach[id], around ? call_reach_IN_LOOP : call_reach_UNKNOWN);
        }
        call_weights_free(&weights);
        model_free(&model);
    }
}

/* A chain of a hundred thousand calls, each in a loop: nothing overflows, neither numbers nor the stack. */
static void long_chains_stay_below_the_limit(void **unused)
{
    (void)unused;
    enum { LENGTH = 100000 };
    struct model model;
    struct call_weights weights;
    model_init(&model);
    model_add(&model.programs);
    double *trips = memory_get((LENGTH + 1) * sizeof *trips);
    for (uint32_t id = 1; id <= LENGTH; id++) {
        *(struct function *)model_add(&model.functions) = (struct function){.program = 1, .returns = 1};
        *(struct loop *)model_add(&model.loops) = (struct loop){.function = id, .depth = 1};
        *(struct block *)model_add(&model.blocks) =
            (struct block){.function = id, .loop = id, .first_instruction = id, .instruction_count = 1};
        *(struct instruction *)model_add(&model.code) = (struct instruction){.block = id};
        if (id < LENGTH)
            *(struct call *)model_add(&model.calls) =
                (struct call){.caller = id, .instruction = id, .callee = id + 1};
        trips[id] = USUAL_TRIPS;
    }
    find_weights(&weights, &model, trips);
    assert_int_equal(weights.around[LENGTH], LENGTH - 1);
    assert_true(weights.entries[LENGTH] == MOST_ENTRIES);
    assert_true(weights.entries[2] == 10);
    call_weights_free(&weights);
    model_free(&model);
    free(trips);
}

/* Loops in each other, as people write them and as machines of states are compiled. */
static void nests_have_limits(void **unused)
{
    (void)unused;
    struct drawn drawn = {.count = 2, .depth = {0, 6, 9}};
    struct model model;
    struct call_weights weights;
    double trips[16];
    for (unsigned i = 0; i < 16; i++)
        trips[i] = USUAL_TRIPS;
    build(&model, &drawn);
    find_weights(&weights, &model, trips);
    static const double times[] = {0,   1e1, 1e2, 1e3, 1e4, 1e5, 1e5, 1e1,
                                   1e2, 1e3, 1e4, 1e5, 1e5, 1e5, 1e3, 1e3};
    for (unsigned i = 1; i < 16; i++)
        assert_true(weights.times[i] == times[i]);
    call_weights_free(&weights);
    model_free(&model);
}

static void add_advice(struct model *model, uint32_t loop, enum advice_level level, double gain,
                       enum action first, enum action second)
{
    *(struct advice *)model_add(&model->advice) =
        (struct advice){.loop = loop, .path = 1, .level = (uint8_t)level, .gain = gain};
    uint32_t id = model_last(&model->advice);
    *(struct remedy_row *)model_add(&model->remedies) =
        (struct remedy_row){.advice = id, .position = 1, .action = (uint8_t)first};
    *(struct remedy_row *)model_add(&model->remedies) =
        (struct remedy_row){.advice = id, .position = 2, .action = (uint8_t)second};
}

static void advice_counts_for_its_first_action(void **unused)
{
    (void)unused;
    struct model model;
    model_init(&model);
    model_add(&model.programs);
    for (uint32_t id = 1; id <= 2; id++)
        *(struct function *)model_add(&model.functions) = (struct function){.program = 1};
    static const double shares[] = {0.5, 0.25, 0.125, 0.125};
    for (uint32_t id = 1; id <= 4; id++) {
        *(struct loop *)model_add(&model.loops) = (struct loop){.function = id < 4 ? 1 : 2, .depth = 1};
        *(struct loop_weight *)model_add(&model.loop_weights) =
            (struct loop_weight){.loop = id, .share = shares[id - 1]};
    }
    add_advice(&model, 1, advice_level_POTENTIAL, 2, action_OPTIMISE, action_RESTRICT);
    add_advice(&model, 2, advice_level_GAIN, 4, action_RESTRICT, action_OPTIMISE);
    add_advice(&model, 2, advice_level_HINT, 8, action_OPTIMISE, action_OTHER);
    add_advice(&model, 2, advice_level_GAIN, 8, action_OPTIMISE, action_OTHER); /* restrict comes first */
    add_advice(&model, 3, advice_level_GAIN, NAN, action_OPTIMISE, action_WHY);
    add_advice(&model, 4, advice_level_POTENTIAL, 4, action_OPTIMISE, action_WHY);
    add_advice(&model, 4, advice_level_POTENTIAL, 2, action_OPTIMISE, action_WHY);
    add_advice(&model, 4, advice_level_GAIN, 3, action_OTHER, action_UNROLL);
    add_advice(&model, 4, advice_level_GAIN, 3, action_WHY, action_UNROLL);
    actions_build(&model);
    assert_int_equal(model.program_actions.count, 2);
    const struct program_action *first = model_program_action(&model, 0),
                                *second = model_program_action(&model, 1);
    assert_int_equal(first->action, action_OPTIMISE);
    assert_int_equal(first->position, 1);
    assert_int_equal(first->loop_count, 3);
    assert_int_equal(first->function_count, 2);
    assert_int_equal(first->level, advice_level_GAIN);
    assert_int_equal(first->loop, 1);
    assert_true(first->gain == 3); /* of 2 and 4 */
    assert_true(fabs(first->saving - (0.5 * 0.5 + 0.125 * 0.75)) < 1e-12);
    assert_int_equal(second->action, action_RESTRICT);
    assert_int_equal(second->position, 2);
    assert_int_equal(second->loop_count, 1);
    assert_true(fabs(second->saving - 0.25 * 0.75) < 1e-12);
    actions_build(&model);
    assert_int_equal(model.program_actions.count, 2);
    model_free(&model);
}

static void samples_replace_weights(void **unused)
{
    (void)unused;
    struct model model;
    model_init(&model);
    for (uint32_t id = 1; id <= 3; id++)
        *(struct loop_weight *)model_add(&model.loop_weights) =
            (struct loop_weight){.loop = id, .share = 0.25};
    model_loop_weight(&model, 2)->share = NAN;
    assert_true(weight_share(&model, 1) == 0.25);
    assert_true(weight_share(&model, 3) == 0);
    assert_true(weight_share(&model, 9) == 0);
    assert_false(weight_is_sampled(&model));
    for (uint32_t run = 1; run <= 2; run++) {
        model_add(&model.runs);
        for (uint32_t loop = 1; loop <= 3; loop += 2)
            *(struct run_loop *)model_add(&model.run_loops) =
                (struct run_loop){.run = run, .loop = loop, .self_share = run * 0.1 + loop * 0.01};
    }
    assert_true(weight_is_sampled(&model));
    assert_true(weight_share(&model, 1) == 2 * 0.1 + 0.01);
    assert_true(weight_share(&model, 2) == 0);
    assert_true(weight_share(&model, 3) == 2 * 0.1 + 3 * 0.01);
    model_free(&model);
}

/* Compared with a loop that really runs: what is compared starts at `first` and moves by `step`. */
static int64_t count_trips(int64_t first, int64_t step, int64_t end, enum condition condition, bool is_last)
{
    int64_t at = first, trips = 0;
    for (;; at += step) {
        trips += is_last;
        bool holds = condition == condition_NOT_EQUAL     ? at != end
                     : condition == condition_EQUAL       ? at == end
                     : condition == condition_LESS        ? at < end
                     : condition == condition_NOT_GREATER ? at <= end
                     : condition == condition_GREATER     ? at > end
                                                          : at >= end;
        if (holds != is_last)
            return trips;
        trips += !is_last;
    }
}

static void trips_are_those_of_a_loop_that_runs(void **unused)
{
    (void)unused;
    static const enum condition up_on[] = {condition_LESS, condition_NOT_GREATER},
                                up_out[] = {condition_NOT_LESS, condition_GREATER};
    for (int64_t first = -3; first <= 3; first++)
        for (int64_t step = 1; step <= 4; step++)
            for (int64_t end = first; end <= 12; end++)
                for (unsigned i = 0; i < 2; i++) {
                    assert_int_equal(trips_between(end - first, step, up_on[i], true),
                                     count_trips(first, step, end, up_on[i], true));
                    assert_int_equal(trips_between(end - first, step, up_out[i], false),
                                     count_trips(first, step, end, up_out[i], false));
                }
    assert_int_equal(trips_between(12, 4, condition_NOT_EQUAL, true),
                     count_trips(0, 4, 12, condition_NOT_EQUAL, true));
    assert_int_equal(trips_between(-12, -4, condition_EQUAL, false),
                     count_trips(12, -4, 0, condition_EQUAL, false));
    assert_int_equal(trips_between(-1, 1, condition_NOT_EQUAL, true), 0); /* wraps around */
    assert_int_equal(trips_between(INT64_MIN, 1, condition_LESS, true), 0);
    assert_int_equal(trips_between(1, 0, condition_LESS, true), 0);
}

static void add_path(struct model *model, uint32_t path, double cycles, uint32_t middle)
{
    const uint32_t blocks[] = {1, middle, 4};
    *(struct loop_cycle *)model_add(&model->loop_cycles) =
        (struct loop_cycle){.loop = 1, .path = path, .cycles = cycles};
    for (uint32_t i = 0; i < 3; i++)
        if (blocks[i])
            *(struct path_block *)model_add(&model->path_blocks) =
                (struct path_block){.loop = 1, .path = path, .position = i + 1, .block = blocks[i]};
}

static void sample(struct model *model, uint32_t block, uint64_t count)
{
    *(struct sample_row *)model_add(&model->samples) =
        (struct sample_row){.instruction = block, .count = count};
}

static double share_of(const struct model *model, uint32_t row)
{
    return model_loop_cycle(model, row)->share;
}

/* Blocks 1 and 4 are on all paths; between them block 2, block 3 or none. */
static void paths_take_their_part_of_the_time(void **unused)
{
    (void)unused;
    struct model model;
    model_init(&model);
    model_add(&model.loops);
    for (uint32_t block = 1; block <= 4; block++) {
        *(struct block *)model_add(&model.blocks) = (struct block){.loop = 1};
        *(struct instruction *)model_add(&model.code) = (struct instruction){.block = block};
        *(struct loop_block *)model_add(&model.loop_blocks) = (struct loop_block){.loop = 1, .block = block};
    }
    add_path(&model, 1, 2, 2);
    add_path(&model, 2, 6, 3);
    add_path(&model, 4, NAN, 0);
    path_shares_find(&model);
    assert_true(share_of(&model, 0) == 0.25 && share_of(&model, 1) == 0.75 && share_of(&model, 2) == 0);

    *(struct advice *)model_add(&model.advice) = (struct advice){.loop = 1, .path = 1, .gain = 2};
    *(struct advice_evidence_row *)model_add(&model.advice_evidence) =
        (struct advice_evidence_row){.advice = 1, .instruction = 1};
    assert_true(weight_saved(&model, 1) == 0.125);
    model_advice(&model, 1)->is_shared = true; /* every path goes through block 1 */
    assert_true(weight_saved(&model, 1) == 0.5);

    sample(&model, 1, 12);
    path_shares_find(&model);
    assert_true(share_of(&model, 0) == 0.25); /* too few samples */
    sample(&model, 2, 8);
    sample(&model, 4, 20);
    path_shares_find(&model); /* nothing ran in block 3 */
    assert_true(fabs(share_of(&model, 0) - (16.0 + 8) / 40) < 1e-12);
    assert_true(share_of(&model, 1) == 0);
    assert_true(fabs(share_of(&model, 2) - 16.0 / 40) < 1e-12);

    *(struct run_path *)model_add(&model.run_paths) = (struct run_path){.loop = 1, .path = 1, .share = 0.25};
    *(struct run_path *)model_add(&model.run_paths) = (struct run_path){.loop = 1, .path = 2, .share = 0.75};
    path_shares_find(&model);
    assert_true(share_of(&model, 0) == 0.5 / 5 && share_of(&model, 1) == 4.5 / 5);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_those_of_the_chain_with_the_most_loops),
        cmocka_unit_test(trips_are_those_of_a_loop_that_runs),
        cmocka_unit_test(paths_take_their_part_of_the_time),
        cmocka_unit_test(long_chains_stay_below_the_limit),
        cmocka_unit_test(nests_have_limits),
        cmocka_unit_test(advice_counts_for_its_first_action),
        cmocka_unit_test(samples_replace_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
