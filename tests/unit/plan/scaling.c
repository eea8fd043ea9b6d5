/* Scaling with processors: fits of points that are known, the thesis's table 3.3, declared curves and what
   is wrong with texts that are none. */
#include "plan/predict/scaling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double value, double expected, double most)
{
    if (!(fabs(value - expected) <= most))
        fail_msg("%g is not within %g of %g", value, most, expected);
}

static void fit_finds_known_figures(void **state)
{
    (void)state;
    struct scaling_point points[6];
    for (unsigned i = 0, n = 1; i < 6; i++, n *= 2)
        points[i] = (struct scaling_point){n, 10 + 200.0 / n + 0.5 * (n - 1)};
    struct scaling fit;
    scaling_fit(points, 6, &fit);
    assert_near(fit.serial, 10, 1e-6);
    assert_near(fit.parallel, 200, 1e-6);
    assert_near(fit.overhead, 0.5, 1e-6);
    assert_near(fit.worst, 0, 1e-9);
    /* 200 / n = 0.5 n at 20 processors: beyond it gets slower again. */
    assert_int_equal(scaling_best(&fit, 1, 64), 20);
    assert_int_equal(scaling_best(&fit, 1, 8), 8);
    assert_int_equal(scaling_best(&fit, 30, 64), 30);
}

/* The first strategy's seconds, and the second one's speed-ups of the same 58,320 s. */
static void fit_of_table_3_3(void **state)
{
    (void)state;
    const struct scaling_point first[] = {{1, 58320}, {2, 31895}, {4, 19340}, {8, 14045}, {16, 9625}};
    struct scaling fit;
    scaling_fit(first, 5, &fit);
    assert_true(fit.error < 0.06 && fit.worst < 0.12);
    assert_near(scaling_speedup(&fit, 16), 6.06, 0.7);
    static const double speedups[][2] = {{1, 1}, {2, 1.9}, {4, 3.7}, {8, 6.2}, {16, 10.8}, {24, 13.9}};
    struct scaling_point second[6];
    for (unsigned i = 0; i < 6; i++)
        second[i] = (struct scaling_point){(unsigned)speedups[i][0], 58320 / speedups[i][1]};
    scaling_fit(second, 6, &fit);
    assert_true(fit.error < 0.03 && fit.worst < 0.06);
    /* About 95 % of the time is in the part that the first strategy splits; the second splits more. */
    double serial = fit.serial / (fit.serial + fit.parallel);
    assert_true(serial > 0.01 && serial < 0.06);
    /* Fitted to 16 processors and fewer, it knows what 24 do. */
    scaling_fit(second, 5, &fit);
    assert_near(scaling_speedup(&fit, 24), 13.9, 1.2);
}

static void fit_of_few_and_odd_points(void **state)
{
    (void)state;
    struct scaling fit;
    scaling_fit(NULL, 0, &fit);
    assert_near(scaling_share(&fit, 4), 0.25, 1e-12);
    assert_true(isnan(fit.error));
    const struct scaling_point one[] = {{1, 7}, {0, 3}, {2, -1}, {4, NAN}, {8, INFINITY}, {2000000, 1}};
    scaling_fit(one, 6, &fit);
    assert_near(scaling_share(&fit, 1), 1, 1e-12);
    assert_near(scaling_share(&fit, 2), 0.5, 1e-12);
    assert_near(fit.parallel, 7, 1e-9);
    const struct scaling_point flat[] = {{1, 5}, {2, 5}, {4, 5}};
    scaling_fit(flat, 3, &fit);
    assert_near(scaling_share(&fit, 100), 1, 1e-6);
    const struct scaling_point rising[] = {{1, 5}, {2, 6}, {3, 7}};
    scaling_fit(rising, 3, &fit);
    assert_near(fit.overhead, 1, 1e-6);
    assert_int_equal(scaling_best(&fit, 1, 16), 1);
    const struct scaling_point repeated[] = {{1, 10}, {1, 10}, {2, 5}, {2, 5}, {2, 5}};
    scaling_fit(repeated, 5, &fit);
    assert_near(fit.parallel, 10, 1e-6);
    assert_near(fit.serial, 0, 1e-6);
    const struct scaling_point superlinear[] = {{1, 10}, {2, 4}, {4, 1.5}};
    scaling_fit(superlinear, 3, &fit);
    assert_true(fit.serial >= 0 && fit.parallel > 0 && fit.overhead >= 0 && fit.worst > 0.1);
}

static void declared_curves(void **state)
{
    (void)state;
    struct scaling curve;
    struct error error = {0};
    unsigned column = 0;
    assert_true(scaling_declare("amdahl 0.05", &curve, &column, &error));
    assert_near(scaling_speedup(&curve, 16), 1 / (0.05 + 0.95 / 16), 1e-12);
    assert_true(scaling_declare(" amdahl 0.1 0.01 ", &curve, &column, &error));
    assert_near(scaling_share(&curve, 10), 0.1 + 0.09 + 0.09, 1e-12);
    assert_true(scaling_declare("perfect", &curve, &column, &error));
    assert_near(scaling_speedup(&curve, 12), 12, 1e-12);
    assert_true(scaling_declare("1: 1, 2: 1.9, 4: 3.7", &curve, &column, &error));
    assert_near(scaling_speedup(&curve, 1), 1, 1e-12);
    assert_near(scaling_speedup(&curve, 2), 1.9, 1e-12);
    assert_near(scaling_speedup(&curve, 3), 1.9 * pow(3.7 / 1.9, log(1.5) / log(2)), 1e-12);
    assert_near(scaling_speedup(&curve, 4), 3.7, 1e-12);
    assert_near(scaling_speedup(&curve, 64), 3.7, 1e-12);
    assert_near(scaling_speedup(&curve, 0), 1, 1e-12);
    assert_int_equal(scaling_best(&curve, 1, 64), 4);
    scaling_free(&curve);
    assert_true(scaling_declare("8:4", &curve, &column, &error)); /* one processor is understood */
    assert_near(scaling_speedup(&curve, 1), 1, 1e-12);
    assert_near(scaling_speedup(&curve, 2), pow(4, 1 / 3.0), 1e-12);
    scaling_free(&curve);
}

static void what_is_wrong_with_a_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned column;
        const char *says;
    } texts[] = {
        {"", 1, "empty"},
        {"linear", 1, "not a scaling"},
        {"amdahl", 7, "serial share"},
        {"amdahl 1.5", 8, "serial share"},
        {"amdahl -1", 8, "serial share"},
        {"amdahl 0.1 2", 12, "overhead"},
        {"amdahl 0.1 0.1 0.1", 16, "at most two"},
        {"perfect 3", 9, "nothing may follow"},
        {"1: 1, 2: 0", 10, "above 0"},
        {"1: 1, 2: nan", 10, "above 0"},
        {"1: 2", 4, "is 1"},
        {"1: 1, 1: 2", 7, "must rise"},
        {"4: 3, 2: 1.9", 7, "must rise"},
        {"1.5: 1", 1, "whole number"},
        {"0: 1", 1, "whole number"},
        {"1 1", 3, "colon"},
        {"1: 1 2: 2", 6, "comma"},
        {"1: 1,", 6, "missing"},
        {"99999999999: 2", 1, "whole number"},
        {"2: 1e999", 4, "above 0"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scaling curve;
        struct error error = {0};
        unsigned column = 0;
        assert_false(scaling_declare(texts[i].text, &curve, &column, &error));
        if (!strstr(error.text, texts[i].says) || column != texts[i].column)
            fail_msg("%s: column %u, %s", texts[i].text, column, error.text);
        assert_null(curve.curve);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_finds_known_figures),   cmocka_unit_test(fit_of_table_3_3),
        cmocka_unit_test(fit_of_few_and_odd_points), cmocka_unit_test(declared_curves),
        cmocka_unit_test(what_is_wrong_with_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
