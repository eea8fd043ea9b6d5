/* What builds with other options showed, beside what was promised (src/run/units/trials.c): rows made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "run/units/trials.h"

static struct model model;

static int begin(void **state)
{
    (void)state;
    model_init(&model);
    *(struct sampled_run *)model_add(&model.runs) =
        (struct sampled_run){.sampled_seconds = 1, .samples = 1000};
    return 0;
}

static int end(void **state)
{
    (void)state;
    model_free(&model);
    return 0;
}

static void add_trial(const char *options, enum trial_result result, double saving, double error)
{
    *(struct run_trial *)model_add(&model.run_trials) =
        (struct run_trial){.run = 1,
                           .options = model_string(&model, options),
                           .result = (uint8_t)result,
                           .saving = saving,
                           .error = error,
                           .seconds = 1 - saving,
                           .rounds = result == trial_result_SAME || result == trial_result_UNKNOWN ? 5 : 0};
}

static void add_option(enum option_rule rule, const char *option, double share, double saving)
{
    uint32_t position = (uint32_t)model.run_options.count + 1;
    *(struct run_option *)model_add(&model.run_options) =
        (struct run_option){.run = 1,
                            .position = position,
                            .rule = (uint8_t)rule,
                            .option = model_string(&model, option),
                            .share = share,
                            .cost = saving / share,
                            .saving = saving};
}

/* Advice for a loop of its own, whose remedy is an option. */
static void add_advice(enum action action, double saving, double native)
{
    *(struct loop *)model_add(&model.loops) = (struct loop){.is_innermost = 1};
    uint32_t loop = (uint32_t)model.loops.count - 1, advice = (uint32_t)model.advice.count;
    *(struct advice *)model_add(&model.advice) =
        (struct advice){.loop = loop, .level = advice_level_GAIN, .gain = 2};
    *(struct remedy_row *)model_add(&model.remedies) =
        (struct remedy_row){.advice = advice, .position = 1, .action = (uint8_t)action};
    *(struct run_saving *)model_add(&model.run_savings) =
        (struct run_saving){.run = 1,
                            .position = (uint32_t)model.run_savings.count + 1,
                            .loop = loop,
                            .advice = advice,
                            .share = 0.4,
                            .gain = 2,
                            .saving = saving,
                            .native_saving = native};
}

static bool is_near(double one, double other)
{
    return fabs(one - other) < 1e-12;
}

static void a_promise_gives_way_to_what_was_measured(void **state)
{
    (void)state;
    add_option(option_rule_SEPARATE, "-flto", 0.12, 0.1);
    add_option(option_rule_FLOAT_STORE, "-ffloat-store", 0.6, 0.3);
    add_option(option_rule_ASSERTIONS, "-DNDEBUG", 0.5, 0.05);
    add_trial("-flto", trial_result_SAME, 0.04, 0.005);
    add_trial("without -ffloat-store", trial_result_UNKNOWN, 0.45, 0.01);
    units_take_trials(&model);
    assert_int_equal(model.run_options.count, 3);
    const struct run_option *option = model_run_option(&model, 0);
    assert_true(option->is_tried && is_near(option->saving, 0.04) && is_near(option->cost, 0.04 / 0.12));
    option = model_run_option(&model, 1);
    assert_true(option->is_tried && is_near(option->saving, 0.45));
    option = model_run_option(&model, 2); /* nobody tried it */
    assert_true(!option->is_tried && is_near(option->saving, 0.05));
}

static void what_saves_nothing_is_no_advice(void **state)
{
    (void)state;
    add_option(option_rule_SEPARATE, "-flto", 0.12, 0.1);
    add_option(option_rule_OLD_TARGET, "-march=native", 0.5, NAN);
    add_option(option_rule_LOWER, "-O1", 0.5, NAN);
    add_trial("-flto", trial_result_SAME, 0.004, 0.001);
    add_trial("-O3", trial_result_SAME, -0.02, 0.001);
    units_take_trials(&model);
#if defined __aarch64__
    assert_int_equal(model.run_options.count, 1);
#else
    add_trial("-march=native", trial_result_SAME, -0.06, 0.01);
    assert_int_equal(model.run_options.count, 1);
    assert_int_equal(model_run_option(&model, 0)->rule, option_rule_OLD_TARGET);
    units_take_trials(&model);
    assert_int_equal(model.run_options.count, 0);
#endif
}

static void units_share_what_was_measured(void **state)
{
    (void)state;
    add_option(option_rule_OVERRIDDEN, "-O2", 0.6, NAN);
    add_option(option_rule_OVERRIDDEN, "-O2", 0.2, NAN);
    add_option(option_rule_ASSERTIONS, "-DNDEBUG", 0.6, 0.03);
    add_option(option_rule_ASSERTIONS, "-DNDEBUG", 0.2, 0.01);
    add_trial("-O3", trial_result_SAME, 0.16, 0.001);
    add_trial("-DNDEBUG", trial_result_SAME, 0.08, 0.001);
    units_take_trials(&model);
    static const double savings[] = {0.12, 0.04, 0.06, 0.02};
    assert_int_equal(model.run_options.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(is_near(model_run_option(&model, i)->saving, savings[i]) &&
                    model_run_option(&model, i)->position == i + 1);
}

static void one_build_saves_once(void **state)
{
    (void)state;
#if defined __aarch64__
    static const enum option_rule rules[] = {option_rule_LOWER, option_rule_OVERRIDDEN};
    static const char trial[] = "-O3";
#else
    static const enum option_rule rules[] = {option_rule_OLD_TARGET, option_rule_EMULATED};
    static const char trial[] = "-march=native";
#endif
    add_option(rules[0], "-x", 0.6, NAN);
    add_option(rules[1], "-x", 0.2, 0.1);
    add_trial(trial, trial_result_SAME, 0.4, 0.001);
    units_take_trials(&model);
    assert_int_equal(model.run_options.count, 2);
    assert_true(is_near(model_run_option(&model, 0)->saving, 0.3) &&
                is_near(model_run_option(&model, 1)->saving, 0.1));
    model.run_options.count = 0;
    add_option(option_rule_SEPARATE, "-flto", 0.2, 0.1);
    add_trial("-flto", trial_result_SAME, 0.3, 0.001); /* more than the share of what it is about */
    units_take_trials(&model);
    assert_true(is_near(model_run_option(&model, 0)->cost, 1));
}

static void the_same_code_saves_nothing(void **state)
{
    (void)state;
    add_option(option_rule_SEPARATE, "-flto", 0.12, 0.1);
    add_option(option_rule_ASSERTIONS, "-DNDEBUG", 0.5, 0.05);
    add_trial("-flto", trial_result_SAME, 0, NAN);
    add_trial("-DNDEBUG", trial_result_SAME, -3, NAN); /* one run told it */
    for (uint32_t i = 0; i < 2; i++)
        model_run_trial(&model, i)->rounds = 0;
    units_take_trials(&model);
    assert_int_equal(model.run_options.count, 0);
}

static void loops_save_no_more_than_the_build(void **state)
{
    (void)state;
    add_advice(action_OPTIMISE, 0.2, NAN);
    add_advice(action_OPTIMISE, 0.1, NAN);
    add_advice(action_RESTRICT, 0.1, NAN);
    add_trial("-O3", trial_result_SAME, 0.14, 0.005);
    units_take_trials(&model);
    assert_int_equal(model.run_savings.count, 3);
    assert_true(is_near(model_run_saving(&model, 0)->saving, 0.1)); /* 0.15 for 0.3: two errors more */
    assert_true(is_near(model_run_saving(&model, 1)->saving, 0.05));
    assert_true(is_near(model_run_saving(&model, 2)->saving, 0.1));
    model.run_trials.count = 0;
    add_trial("-O3", trial_result_SAME, 0.002, 0.005);
    units_take_trials(&model);
    assert_int_equal(model.run_savings.count, 1);
    assert_true(model_run_saving(&model, 0)->position == 1 &&
                is_near(model_run_saving(&model, 0)->saving, 0.1));
}

static void both_together_may_save_what_one_does_not(void **state)
{
    (void)state;
#if defined __aarch64__
    const char *both = "-O3 -mcpu=native", *native = "-mcpu=native";
#else
    const char *both = "-O3 -march=native", *native = "-march=native";
#endif
    add_advice(action_OPTIMISE, 0.1, 0.2);
    add_advice(action_TARGET, 0.1, NAN);
    add_trial("-O3", trial_result_SAME, 0, 0.001);
    add_trial(native, trial_result_SAME, 0.01, 0);
    add_trial(both, trial_result_SAME, 0.15, 0);
    units_take_trials(&model);
    assert_int_equal(model.run_savings.count, 2);
    const struct run_saving *row = model_run_saving(&model, 0);
    assert_true(is_near(row->saving, 0) && is_near(row->native_saving, 0.15));
    assert_true(is_near(model_run_saving(&model, 1)->saving, 0.1)); /* the build with both saved more */
}

static void what_was_refused_is_no_measure(void **state)
{
    (void)state;
    add_option(option_rule_SEPARATE, "-flto", 0.12, 0.1);
    add_trial("-flto", trial_result_OTHER, 0.5, NAN);
    add_trial("-O3", trial_result_FAILED, NAN, NAN);
    add_trial("-funroll-loops", trial_result_SAME, 0.01, 0.001);
    add_trial("-O3 -flto", trial_result_SAME, 0.03, 0.001);
    model_run_trial(&model, 3)->is_answer = 1;
    units_take_trials(&model);
    assert_true(is_near(model_run_option(&model, 0)->saving, 0.1) && !model_run_option(&model, 0)->is_tried);
    static const char *const order[] = {"-O3 -flto", "-funroll-loops", "-flto", "-O3"};
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(model_text(&model, model_run_trial(&model, i)->options), order[i]);
    assert_null(units_trial_of(&model, "-flto"));
    assert_non_null(units_trial_of(&model, "-O3 -flto"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_promise_gives_way_to_what_was_measured),
        TEST(what_saves_nothing_is_no_advice),
        TEST(units_share_what_was_measured),
        TEST(one_build_saves_once),
        TEST(the_same_code_saves_nothing),
        TEST(loops_save_no_more_than_the_build),
        TEST(both_together_may_save_what_one_does_not),
        TEST(what_was_refused_is_no_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
