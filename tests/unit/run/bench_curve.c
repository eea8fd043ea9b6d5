/* The finder of cache levels, on curves whose levels are known: sharp, blurred, with two levels only, noisy.
 */
#include "run/bench/memory/curve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 100 };
struct level {
    double bytes, time;
};
static const struct curve_rule RULE = {1.4, 1.3};

/* 4 points for each octave up to 128 MB. */
static unsigned sizes(struct curve_point *points)
{
    unsigned count = 0;
    for (double octave = 4096; octave <= 1 << 27; octave *= 2)
        for (int i = 0; i < 4; i++)
            points[count++].bytes = octave * (1 + i / 4.0);
    return count;
}

/* The levels in order; the last one holds everything. */
static double sharp(const struct level *levels, double bytes)
{
    while (bytes > levels->bytes)
        levels++;
    return levels->time;
}

/* Of a region that is larger than a cache its share hits. */
static double blurred(const struct level *levels, double bytes)
{
    double time = 0, held = 0;
    for (; held < bytes; levels++) {
        double holds = fmin(levels->bytes, bytes);
        time += (holds - held) / bytes * levels->time;
        held = holds;
    }
    return time;
}

static unsigned find(double (*curve)(const struct level *, double), const struct level *levels, double noise,
                     struct curve_step *steps)
{
    struct curve_point points[MOST];
    unsigned count = sizes(points);
    uint64_t state = 7;
    for (unsigned i = 0; i < count; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        points[i].time = curve(levels, points[i].bytes) * (1 + noise * (double)(state >> 40) / (1 << 24));
    }
    return curve_steps(points, count, RULE, steps, 8);
}

static const struct level server[] = {{48 << 10, 5}, {2 << 20, 16}, {60 << 20, 75}, {1e12, 300}};
static const struct level small[] = {{64 << 10, 4}, {1e12, 200}};

static void expect(const struct curve_step *steps, unsigned found, const struct level *levels,
                   double tolerance)
{
    unsigned count = 0;
    while (levels[count].bytes < 1e12)
        count++;
    assert_int_equal(found, count);
    for (unsigned i = 0; i < count; i++) {
        /* At most one point of the grid below the size, or, if blurred, further. */
        assert_true(steps[i].bytes <= levels[i].bytes && steps[i].bytes >= levels[i].bytes / tolerance);
        assert_true(steps[i].from < steps[i].to);
    }
}

static void sharp_curves(void **state)
{
    struct curve_step steps[8];
    (void)state;
    expect(steps, find(sharp, server, 0, steps), server, 1.25);
    expect(steps, find(sharp, small, 0, steps), small, 1.25);
    assert_true(fabs(steps[0].from - 4) < 0.01 && fabs(steps[0].to - 200) < 0.01);
}

static void blurred_curves(void **state)
{
    struct curve_step steps[8];
    (void)state;
    expect(steps, find(blurred, server, 0, steps), server, 1.25);
    expect(steps, find(blurred, small, 0, steps), small, 1.25);
}

static void noisy_curves(void **state)
{
    struct curve_step steps[8];
    (void)state;
    expect(steps, find(sharp, server, 0.1, steps), server, 1.5);
    expect(steps, find(blurred, server, 0.1, steps), server, 1.5);
    expect(steps, find(sharp, small, 0.1, steps), small, 1.5);
}

/* A point that was disturbed is not a level. */
static void outliers(void **state)
{
    struct curve_point points[MOST];
    struct curve_step steps[8];
    unsigned count = sizes(points);
    (void)state;
    for (unsigned i = 0; i < count; i++)
        points[i].time = sharp(small, points[i].bytes) * (i % 7 == 3 ? 3 : 1);
    expect(steps, curve_steps(points, count, RULE, steps, 8), small, 1.25);
}

/* Translation of addresses: twice the time over six octaves. */
static void slow_climbs(void **state)
{
    struct curve_point points[MOST];
    struct curve_step steps[8];
    unsigned count = sizes(points);
    (void)state;
    for (unsigned i = 0; i < count; i++)
        points[i].time = 10 * pow(points[i].bytes / 4096, 1 / 6.0);
    assert_int_equal(curve_steps(points, count, RULE, steps, 8), 0);
    assert_int_equal(curve_steps(points, 0, RULE, steps, 8), 0);
    assert_int_equal(curve_steps(points, 1, RULE, steps, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sharp_curves), cmocka_unit_test(blurred_curves),
                                       cmocka_unit_test(noisy_curves), cmocka_unit_test(outliers),
                                       cmocka_unit_test(slow_climbs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
