/* The static route on runs of a program whose loops are known: n², n³ and a start that does not grow. */
#include "plan/predict/static_route.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double value, double expected, double share)
{
    if (!(fabs(value / expected - 1) <= share))
        fail_msg("%g is not %g", value, expected);
}

static void add_loop(struct static_run *run, uint64_t key, double iterations, double measured, double cycles,
                     double there)
{
    *(struct static_loop *)array_push(&run->loops) =
        (struct static_loop){.key = key,
                             .label = memory_format("loop %d", (int)key),
                             .seconds = iterations * measured / run->clock,
                             .iterations = iterations,
                             .measured = measured,
                             .cycles = cycles,
                             .there = there};
}

/* 1 s of start, n² iterations of 4 cycles, n³ of 2, at 2 GHz; predicted 4 and 2 here, 8 and 1 there. */
static struct static_run run_of(double n)
{
    struct static_run run = {.size = n, .clock = 2e9, .loops = ARRAY_OF(struct static_loop)};
    add_loop(&run, 7, n * n, 4, 4, 8);
    add_loop(&run, 9, n * n * n, 2, 2, 1);
    run.seconds = 1 + (4 * n * n + 2 * n * n * n) / 2e9;
    return run;
}

static void exponents_are_found(void **state)
{
    (void)state;
    struct static_run runs[] = {run_of(500), run_of(1000), run_of(2000)};
    struct static_answer answer;
    assert_true(static_predict(runs, 3, 4000, 2e9, &answer));
    const struct static_part *parts = answer.parts.data;
    assert_int_equal(answer.parts.count, 3);
    assert_string_equal(parts[0].label, "loop 9");
    assert_near(parts[0].exponent, 3, 1e-9);
    assert_near(parts[0].iterations, 64e9, 1e-9);
    assert_near(parts[0].there, 32, 1e-9);
    assert_near(parts[1].exponent, 2, 1e-9);
    assert_near(parts[1].there, 0.064, 1e-9);
    assert_null(parts[2].label);
    assert_true(fabs(parts[2].exponent) < 1e-6);
    assert_near(answer.here, 1 + 0.032 + 64, 1e-9);
    /* The rest goes with the loops: about half. */
    assert_near(answer.there, 32.064 + 32.064 / 64.032, 1e-6);
    assert_true(answer.lower < answer.there && answer.there < answer.upper);
    assert_near(answer.known, 64.032 / 65.032, 1e-9);
    static_answer_free(&answer);
    static_runs_free(runs, 3);
}

/* What is left beside the loops is mostly rounding: it must not be taken for a law. */
static void a_rest_of_nothing_does_not_grow(void **state)
{
    (void)state;
    struct static_run runs[] = {run_of(500), run_of(1000), run_of(2000)};
    static const double rests[] = {1e-17, 1e-4, 0.01};
    for (unsigned i = 0; i < 3; i++)
        runs[i].seconds += rests[i] - 1;
    struct static_answer answer;
    assert_true(static_predict(runs, 3, 4000, 2e9, &answer));
    assert_near(answer.here, 64.032, 0.01);
    static_answer_free(&answer);
    static_runs_free(runs, 3);
}

static void another_clock_and_one_run(void **state)
{
    (void)state;
    struct static_run run = run_of(1000);
    struct static_answer answer;
    assert_true(static_predict(&run, 1, NAN, 4e9, &answer));
    const struct static_part *parts = answer.parts.data;
    assert_near(parts[0].there, 0.25, 1e-9);
    assert_near(parts[1].there, 0.002, 1e-9);
    assert_true(isnan(parts[0].exponent));
    static_answer_free(&answer);
    assert_true(static_predict(&run, 1, 1000, NAN, &answer)); /* the same size, the same clock */
    assert_near(((struct static_part *)answer.parts.data)[0].there, 0.5, 1e-9);
    static_answer_free(&answer);
    assert_false(static_predict(&run, 1, 2000, NAN, &answer)); /* one run says nothing about sizes */
    static_answer_free(&answer);
    static_runs_free(&run, 1);
}

/* The worse the model was about the run, the wider the interval. */
static void intervals_know_the_model(void **state)
{
    (void)state;
    double widths[2];
    for (unsigned i = 0; i < 2; i++) {
        struct static_run run = {.size = NAN, .clock = 1e9, .loops = ARRAY_OF(struct static_loop)};
        add_loop(&run, 1, 1e9, i ? 9 : 3, 3, 2);
        run.seconds = ((struct static_loop *)run.loops.data)->seconds;
        struct static_answer answer;
        assert_true(static_predict(&run, 1, NAN, NAN, &answer));
        widths[i] = log(answer.upper / answer.lower);
        static_answer_free(&answer);
        static_runs_free(&run, 1);
    }
    assert_true(widths[1] > 2 * widths[0]);
}

static void loops_without_figures(void **state)
{
    (void)state;
    struct static_run runs[2];
    for (unsigned i = 0; i < 2; i++) {
        double n = 100 << i;
        runs[i] = (struct static_run){.size = n, .seconds = 2 * n, .clock = NAN};
        runs[i].loops = ARRAY_OF(struct static_loop);
        /* Not counted: its seconds are fitted.  Not known there: it goes with the others, here none. */
        *(struct static_loop *)array_push(&runs[i].loops) =
            (struct static_loop){1, memory_format("uncounted"), n, NAN, NAN, NAN, NAN};
        if (i) /* seen in one of the runs only */
            *(struct static_loop *)array_push(&runs[i].loops) =
                (struct static_loop){2, memory_format("once"), 1, 1e6, NAN, 2, NAN};
    }
    struct static_answer answer;
    assert_true(static_predict(runs, 2, 400, 3e9, &answer));
    assert_int_equal(answer.parts.count, 3);
    assert_near(((struct static_part *)answer.parts.data)[0].there, 400, 1e-9);
    assert_true(answer.known == 0 && isnan(answer.model_error) && isfinite(answer.upper));
    static_answer_free(&answer);
    assert_false(static_predict(runs, 0, NAN, NAN, &answer));
    static_answer_free(&answer);
    static_runs_free(runs, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponents_are_found),       cmocka_unit_test(a_rest_of_nothing_does_not_grow),
        cmocka_unit_test(another_clock_and_one_run), cmocka_unit_test(intervals_know_the_model),
        cmocka_unit_test(loops_without_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
