/* Outputs of whole programs side by side: bytes, numbers within a tolerance, words. */
#include "change/optimise/replay/program_runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *original, const char *other, double tolerance, enum replay_verdict verdict,
                   const char *words)
{
    double largest;
    char *where;
    assert_int_equal(program_output_compare(original, other, tolerance, &largest, &where), verdict);
    if (words)
        assert_non_null(strstr(where, words));
    else
        assert_null(where);
    free(where);
}

static void test_compare(void **state)
{
    (void)state;
    expect("", "", 0, replay_SAME, NULL);
    expect("a 1.5\n", "a 1.5\n", 0, replay_SAME, NULL);
    expect("a 1.5\n", "a  1.5\n", 0, replay_SAME, NULL);
    expect("sum 1.0000\n", "sum 1.0001\n", 1e-3, replay_WITHIN, NULL);
    expect("x\nsum 1.0000\n", "x\nsum 1.0001\n", 1e-5, replay_DIFFERENT, "line 2 of the output has 1.0001");
    expect("sum 1\n", "sum nan\n", 1e300, replay_DIFFERENT, "nan");
    expect("nan\n", "-nan\n", 0, replay_SAME, NULL);
    expect("done\n", "gone\n", 1, replay_DIFFERENT, "gone");
    expect("1 2\n", "1\n", 1, replay_DIFFERENT, "nothing");
    expect("1\n", "1\n2\n", 1, replay_DIFFERENT, "line 2");
    expect("1\n", "", 1, replay_DIFFERENT, "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
