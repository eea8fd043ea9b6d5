/* The language of models: units and their mistakes with places, values, chance, walkers. */
#include "plan/modelling/language/language.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct language_model *read_model(const char *text, struct error *error)
{
    struct language_model *model = language_parse("m", text, strlen(text));
    language_prepare(model, error);
    return model;
}

/* Values of expressions, in seconds: what one rank computes. */
static void test_values(void **unused)
{
    (void)unused;
    static const struct {
        const char *value;
        double seconds;
    } cases[] = {
        {"2 s + 3 ms * 2", 2.006},
        {"600 cycles / 2 GHz", 3e-7},
        {"1 GB / (2 GB/s)", 0.5},
        {"7 % 4 * 1 s", 3},
        {"(0 - 1) % 4 * 1 s", 3},
        {"1 < 2 && 3 >= 3 ? 1 s : 2 s", 1},
        {"1 > 2 || !(1 == 1) ? 1 s : 2 s", 2},
        {"(0 && 1 / 0) * 1 s + 1 s", 1},
        {"max(1 s, 3 s, 2 s) - min(1 s, 2 s)", 2},
        {"sqrt(power(3 s, 2))", 3},
        {"floor(7 / 2) * 1 s", 3},
        {"grid_columns(12) * 10 s + grid_rows(12) * 1 s", 43},
        {"grid_columns(7) * 10 s + grid_rows(7) * 1 s", 71},
        {"triangle(10) * 1 s", 55},
        {"path[5, 5] * 1 s", 252},
        {"chain[65535] * 1 s", 65535},
        {"k * 1 s", 12},
        {"3 us + clc(ADD, 2*MUL) + hardware.clock / hardware.clock * 0 s", 3e-6 + 5e-6},
        {"200 cycles + 0", 1e-7},
        {"4 Gflops", 2},
        {"to_seconds(400 cycles) + 1 s", 1 + 2e-7},
        {"work(3)", 3 * 7},
        {"pairs(2)", 2 * 2 + 1 + 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = memory_format(
            "parameter k = 3 * 4; hardware h { clock = 2 GHz; flops = 2 Gflops/s; clc { ADD = 1 us; MUL = 2 "
            "us; } }\n"
            "function triangle(n) = n <= 0 ? 0 : n + triangle(n - 1);\n"
            "vector path[i = 0 .. 5, j = 0 .. 5] = i == 0 || j == 0 ? 1 : path[i - 1, j] + path[i, j - 1];\n"
            "vector chain[i = 0 .. 65535] = i == 0 ? 0 : chain[i - 1] + 1;\n"
            "flow work(n) { repeat (n) { compute 1 s; repeat (2) compute 3 s; } }\n"
            "flow pairs(n) { for (i = 1 .. n) { compute i * 1 s; compute 1 s; if (i == 2) compute 1 s; if (i "
            "> 5) compute 9 s; else compute 0.5 s; } }\n"
            "application a { hardware h; run { compute %s; } }",
            cases[i].value);
        struct error error = {0};
        struct language_model *model = read_model(text, &error);
        if (error.set)
            fail_msg("%s: %s", cases[i].value, error.text);
        struct walker *walker = walker_begin(model, 0, 1, 0);
        struct activity activity;
        double sum = 0;
        do {
            if (!walker_next(walker, &activity, &error))
                fail_msg("%s: %s", cases[i].value, error.text);
            sum += activity.kind == activity_COMPUTE ? activity.seconds : 0;
        } while (activity.kind != activity_END);
        if (fabs(sum - cases[i].seconds) > 1e-12 * cases[i].seconds)
            fail_msg("%s is %.17g s instead of %.17g s", cases[i].value, sum, cases[i].seconds);
        walker_end(walker);
        language_free(model);
        free(text);
    }
}

static void test_mistakes(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"let a = 1 s + 1 bytes;", "m:1:13: cannot add seconds and bytes"},
        {"let a in bytes = 3;", "m:1:18: a is in bytes: a plain number does not fit"},
        {"let s = 3;", "m:1:5: s is a unit; choose another name"},
        {"let send = 3;", "m:1:5: send is a word of the language; choose another name"},
        {"let a = 1; let a = 2;", "m:1:16: a is declared already, in line 1 of m"},
        {"function f(x) = x + 1 s; let a = f(2 bytes);", "m:1:19: cannot add bytes and seconds"},
        {"function f(x) = x; let a = f(1 s); let b = f(1 bytes);",
         "m:1:46: x of f must be seconds, not bytes"},
        {"let a = sqrt(3 s);", "the square root of seconds has no unit"},
        {"let a = log(3 s);", "m:1:13: log takes a plain number, not seconds"},
        {"subtask t() { send 3 bytes; }",
         "m:1:27: expected to: send BYTES to RANK [tag NUMBER] [with NUMBER];"},
        {"flow f() { barrier; }", "m:1:12: a flow only computes"},
        {"subtask t() { x = 3; }", "m:1:15: x is not known here"},
        {"function f(i) = rank;", "m:1:17: rank is known in subtasks"},
        {"application a { }", "the application has no run { }"},
        {"application a { run { } } application b { run { } }", "m:1:39: a second application"},
        {"let a = \"text\";", "m:1:9: expected a value, not text"},
        {"/* no end", "m:1:1: a comment without its end"},
        {"let a = 3 @ 4;", "this letter is not part of a model"},
        {"include \"x\";", "outside of the folders"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        language_free(read_model(cases[i].text, &error));
        if (!error.set || !strstr(error.text, cases[i].says))
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].text, error.text, cases[i].says);
    }
}

/* Expected without a seed; with one it is drawn: the same for the same seed, apart for ranks, together for
   messages. */
static void test_chance(void **unused)
{
    (void)unused;
    static const char text[] =
        "application a { ranks 2; run { repeat (1000) if (probability 0.3) compute 1 ms; "
        "repeat (100) if (probability 0.5) barrier; } }";
    struct error error = {0};
    struct language_model *model = read_model(text, &error);
    assert_false(error.set);
    double seconds[3];
    unsigned barriers[3] = {0};
    for (int32_t i = 0; i < 3; i++) {
        struct walker *walker = walker_begin(model, i % 2, 2, 7);
        struct activity activity;
        seconds[i] = 0;
        do {
            assert_true(walker_next(walker, &activity, &error));
            seconds[i] += activity.seconds;
            barriers[i] += activity.kind == activity_BARRIER;
        } while (activity.kind != activity_END);
        walker_end(walker);
        assert_true(seconds[i] > 0.24 && seconds[i] < 0.36);
        assert_in_range(barriers[i], 30, 70);
    }
    assert_true(seconds[0] != seconds[1] && seconds[0] == seconds[2]);
    assert_int_equal(barriers[0], barriers[1]);
    struct walker *walker = walker_begin(model, 0, 2, 0);
    struct activity activity;
    assert_true(walker_next(walker, &activity, &error));
    assert_true(fabs(activity.seconds - 0.3) < 1e-12);
    assert_false(walker_next(walker, &activity, &error));
    walker_end(walker);
    language_free(model);
}

static void test_parameters(void **unused)
{
    (void)unused;
    struct error error = {0};
    const char *text = "parameter n = 4 \"a count\", w in seconds; free parameter g = 2 * n; application a { "
                       "run { compute w * g; } }";
    struct language_model *model = language_parse("m", text, strlen(text));
    assert_true(language_set(model, "w=3ms,n=max(1,5)", &error));
    assert_true(language_prepare(model, &error));
    struct array parameters = language_parameters(model);
    assert_int_equal(parameters.count, 3);
    const struct language_parameter *first = parameters.data;
    assert_true(first[0].value == 5 && first[0].is_set && !strcmp(first[0].says, "a count"));
    assert_true(fabs(first[1].value - 3e-3) < 1e-15 && !strcmp(first[1].unit, "s"));
    assert_true(first[2].value == 10 && first[2].is_free && !first[2].is_set);
    array_free(&parameters);
    assert_true(language_change(model, "n", 7));
    parameters = language_parameters(model);
    assert_true(ARRAY_AT(struct language_parameter, &parameters, 2)->value == 14);
    array_free(&parameters);
    assert_false(language_change(model, "nn", 7));
    assert_false(language_set(model, "w=3", &error));
    assert_non_null(strstr(error.text, "w is in seconds"));
    assert_true(walkers_are_alike(model));
    language_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_chance), cmocka_unit_test(test_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
