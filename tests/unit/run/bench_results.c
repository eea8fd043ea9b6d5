/* Files of results, read, damaged and appended to; figures from results that were made up. */
#include "run/bench/bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define HEAD "# assay bench results 1 aarch64\n"

static bool parse(struct bench_results *results, const char *text, struct error *error)
{
    *error = (struct error){0};
    bench_results_begin(results);
    return bench_results_parse(results, "r", text, strlen(text), error);
}

static void test_read(void **state)
{
    (void)state;
    struct bench_results results;
    struct error error;
    assert_true(parse(&results,
                      HEAD "a|1>1\tmeasured\t2.5\t2.6\t0.01\t3\n# remark\nb\tmissing\nc\ttrapped\t4\n"
                           "a|1>1\tmeasured\t3.5\t3.6\t0.01\t3\nd\tmeasured\t1 # cut\ne\tmeas",
                      &error));
    assert_int_equal(results.isa, isa_AARCH64);
    assert_true(bench_results_find(&results, "a|1>1")->best == 2.5); /* as steady as the other */
    assert_int_equal(bench_results_find(&results, "b")->status, bench_MISSING);
    assert_int_equal(bench_results_find(&results, "c")->signal, 4);
    assert_null(bench_results_find(&results, "d"));
    assert_null(bench_results_find(&results, "e"));
    bench_results_end(&results);
}

/* Counts stand after the clock; older files have none.  The better pass keeps those of the other if it has
 * none. */
static void test_counts(void **state)
{
    (void)state;
    struct bench_results results;
    struct error error;
    assert_true(parse(&results,
                      HEAD "a\tmeasured\t2.5\t2.6\t0.001\t3\tissued=1.5~0.01\tp23A=0.25~0\n"
                           "a\tmeasured\t2.4\t2.6\t0.001\t3\nb\tmeasured\t1\t1\t0.001\t3\n",
                      &error));
    const struct bench_result *a = bench_results_find(&results, "a");
    assert_true(a->best == 2.4 && a->counted == 2);
    assert_string_equal(a->counts[1].what, "p23A");
    assert_true(a->counts[0].count == 1.5 && a->counts[0].spread == 0.01 && a->counts[1].count == 0.25);
    assert_int_equal(bench_results_find(&results, "b")->counted, 0);
    assert_int_equal(results.counters, bench_UNKNOWN_COUNTERS);
    /* What is printed is read again. */
    char line[512] = HEAD;
    FILE *out = fmemopen(line + strlen(HEAD), sizeof line - strlen(HEAD), "w");
    bench_print_result(out, "a", a);
    fputs("\n# counters issued p23A\n", out);
    fclose(out);
    struct bench_result before = *a;
    bench_results_end(&results);
    assert_true(parse(&results, line, &error));
    a = bench_results_find(&results, "a");
    assert_memory_equal(&a->counts, &before.counts, sizeof before.counts);
    assert_int_equal(results.counters, bench_COUNTED);
    bench_results_end(&results);
    assert_true(parse(&results, HEAD "# no counters 13\n", &error));
    assert_true(results.counters == bench_NOT_COUNTED && results.refusal == 13);
    bench_results_end(&results);
    static const char *const bad[] = {"issued",
                                      "=1~0",
                                      "issued=~0",
                                      "issued=1",
                                      "issued=-1~0",
                                      "issued=nan~0",
                                      "averylongnameofanevent=1~0",
                                      "issued=1~x",
                                      "issued=1~0 "};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, HEAD "a\tmeasured\t2.5\t2.6\t0.001\t3\t%s\n", bad[i]);
        assert_false(parse(&results, line, &error));
        bench_results_end(&results);
    }
}

/* Each run says when it was, and with which version: results have that of theirs. */
static void test_sessions(void **state)
{
    (void)state;
    struct bench_results results;
    struct error error;
    assert_true(parse(&results,
                      HEAD "z\tmissing\n# measured 2026-01-02\na\tmissing\n"
                           "# measured 2026-01-03 by assay 1.2\nb\tmeasured\t2\t2\t0.001\t3\n"
                           "# measured 2026-01-04 by assay 1.3\nb\tmeasured\t3\t3\t0.001\t3\nc\tmissing\n"
                           "# measured 2026-01-03 by assay 1.2\nd\tmissing\n# measured\n",
                      &error));
    static const struct {
        const char *name, *day, *version;
    } expected[] = {{"z", "", ""},
                    {"a", "2026-01-02", ""},
                    {"b", "2026-01-03", "1.2"}, /* the quicker one */
                    {"c", "2026-01-04", "1.3"},
                    {"d", "2026-01-03", "1.2"},
                    {"e", "", ""}};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bench_session_facts facts =
            bench_results_session(&results, bench_results_session_of(&results, expected[i].name));
        assert_string_equal(facts.day, expected[i].day);
        assert_string_equal(facts.version, expected[i].version);
    }
    assert_int_equal(results.sessions.count, 3);
    results.newest = 0;
    bench_results_find(&results, "a");
    assert_string_equal(bench_results_session(&results, results.newest).day, "2026-01-02");
    bench_results_today(&results, "1.4", NULL, 0);
    bench_results_add(&results, "f", &(struct bench_result){.status = bench_MISSING});
    assert_string_equal(bench_results_session(&results, bench_results_session_of(&results, "f")).version,
                        "1.4");
    bench_results_end(&results);
}

/* Of several passes the quickest steady result counts, unless another is much quicker, in any order of the
 * lines. */
static void test_passes(void **state)
{
    (void)state;
    static const char *const lines[] = {"a\tmeasured\t2\t2.1\t0.2\t3\n", "a\tmeasured\t3\t3\t0.001\t3\n",
                                        "a\tmeasured\t2.5\t2.5\t0.002\t3\n", "a\tfailed\n"};
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
    for (unsigned i = 0; i < 4; i++) {
        char text[400] = HEAD;
        struct bench_results results;
        struct error error;
        for (unsigned k = 0; k < 4; k++)
            strcat(text, lines[orders[i][k]]);
        strcat(text, "b\tmeasured\t2\t2.1\t0.2\t3\nb\tmeasured\t4\t4.1\t0.1\t3\n");
        strcat(text,
               "d\tmeasured\t8.8\t8.9\t0.007\t3\nd\tmeasured\t6\t6.2\t0.03\t3\nd\tmeasured\t5\t9\t0.8\t3\n");
        assert_true(parse(&results, text, &error));
        assert_true(bench_results_find(&results, "a")->best == 2.5);
        assert_int_equal(bench_results_times(&results, "a"), 4);
        assert_true(bench_results_find(&results, "b")->best == 2);
        assert_true(bench_results_find(&results, "d")->best == 6);
        assert_int_equal(bench_results_times(&results, "c"), 0);
        bench_results_end(&results);
    }
}

static void test_damage(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "x\n",
                                        "# assay bench results 2 aarch64\n",
                                        "# assay bench results 1 ia64\n",
                                        HEAD "a\n",
                                        HEAD "\tmeasured\t1\t1\t1\t1\n",
                                        HEAD "a\tmeasured\t1\t1\t1\n",
                                        HEAD "a\tmeasured\t1\t1\t1\t1\t1\n",
                                        HEAD "a\tmeasured\tinf\t1\t1\t1\n",
                                        HEAD "a\tquick\n",
                                        HEAD "a\ttrapped\n",
                                        HEAD "a\ttrapped\t-5\n"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bench_results results;
        struct error error;
        assert_false(parse(&results, texts[i], &error));
        assert_true(error.set);
        bench_results_end(&results);
    }
}

static void test_append(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-bench-XXXXXX";
    int made = mkstemp(path);
    struct error error = {0};
    struct bench_results results;
    assert_true(made >= 0);
    int file = bench_results_open(path, isa_X86_64, &error);
    assert_true(bench_results_append(file, "a", &(struct bench_result){.best = 1, .median = 1, .ghz = 2}));
    assert_int_equal(write(file, "b\tmea", 5), 5); /* killed */
    close(file);
    file = bench_results_open(path, isa_X86_64, &error);
    assert_true(bench_results_append_session(file, "7.8", NULL, 0));
    assert_true(bench_results_append(file, "b", &(struct bench_result){.status = bench_SLOW}));
    close(file);
    bench_results_begin(&results);
    assert_true(bench_results_read(&results, path, &error));
    assert_int_equal(results.isa, isa_X86_64);
    assert_int_equal(results.rows.count, 2);
    assert_int_equal(bench_results_find(&results, "b")->status, bench_SLOW);
    assert_string_equal(bench_results_session(&results, bench_results_session_of(&results, "b")).version,
                        "7.8");
    bench_results_end(&results);
    close(made);
    unlink(path);
}

static void measured(struct bench_session *bench, const char *name, double cycles)
{
    bench_results_add(&bench->results, name,
                      &(struct bench_result){.best = cycles, .median = cycles, .ghz = 2});
}

static double figure(const struct array *figures, const char *name)
{
    for (size_t i = 0; i < figures->count; i++) {
        const struct bench_figure *row = ARRAY_AT(struct bench_figure, figures, i);
        if (row->planned && !strcmp(row->planned->name, name))
            return row->cycles;
    }
    return NAN;
}

/* Partners are taken off; a round trip is divided, the smaller half for the way out of vectors and flags. */
static void test_figures(void **state)
{
    (void)state;
    struct bench_session bench;
    bench_session_begin(&bench, isa_AARCH64);
    bench_session_add(&bench, "scvtf d,x");
    bench_session_add(&bench, "fmla 4s,4s,4s");
    bench_session_add(&bench, "adcs x,x,x");
    measured(&bench, "@v>g>v", 5);
    measured(&bench, "@f>g>f", 2);
    measured(&bench, "scvtf d,x|2>1", 7);            /* with fmov x,d, which takes 2 */
    measured(&bench, "fmla 4s,4s,4s|2>1", 16);       /* four in the unit */
    measured(&bench, "fmla 4s,4s,4s|throughput", 6); /* 24 */
    measured(&bench, "adcs x,x,x|f>1", 2);           /* with cmp, which takes 1 */
    measured(&bench, "adcs x,x,x|throughput", 12);   /* 12, one after the other by their flags */
    measured(&bench, "adcs x,x,x|throughput broken", 9);
    struct array figures = bench_session_figures(&bench, NULL);
    assert_true(figure(&figures, "scvtf d,x|2>1") == 5);
    assert_true(figure(&figures, "fmla 4s,4s,4s|2>1") == 4);
    assert_true(figure(&figures, "fmla 4s,4s,4s|throughput") == 0.25);
    assert_true(figure(&figures, "adcs x,x,x|f>1") == 1);
    assert_true(figure(&figures, "adcs x,x,x|throughput") == 0.75);
    assert_true(isnan(figure(&figures, "fmla 4s,4s,4s|1>1")));
    array_free(&figures);
    bench_session_end(&bench);
}

/* A spaced chain counts where the form's throughput, or its other µops, hold the bare one up; not where it is
   quicker by what the clock is known by. */
static void test_spaced(void **state)
{
    (void)state;
    struct bench_session bench;
    bench_session_begin(&bench, isa_X86_64);
    bench_session_add(&bench, "cmpxchg r64,r64");
    bench_session_add(&bench, "imul r64,r64");
    measured(&bench, "@step", 1);
    measured(&bench, "@space", 3);
    measured(&bench, "cmpxchg r64,r64|2>rax", 24);        /* four in the unit, each with a step */
    measured(&bench, "cmpxchg r64,r64|2>rax spaced", 64); /* … and 15 cycles of links: nothing is left */
    measured(&bench, "cmpxchg r64,r64|1>1", 6);
    measured(&bench, "cmpxchg r64,r64|1>1 spaced", 18);
    measured(&bench, "imul r64,r64|1>1", 3);
    measured(&bench, "imul r64,r64|1>1 spaced", 17.9);
    measured(&bench, "imul r64,r64|2>1 spaced", 72);
    struct array figures = bench_session_figures(&bench, NULL);
    assert_true(figure(&figures, "cmpxchg r64,r64|2>rax") == 0);
    assert_true(figure(&figures, "cmpxchg r64,r64|1>1") == 3);
    assert_true(figure(&figures, "imul r64,r64|1>1") == 3);
    assert_true(figure(&figures, "imul r64,r64|2>1") == 3); /* the other was not measured */
    assert_true(isnan(figure(&figures, "imul r64,r64|1>1 spaced")));
    for (size_t i = 0; i < figures.count; i++) {
        const struct bench_figure *row = ARRAY_AT(struct bench_figure, &figures, i);
        if (!strcmp(row->planned->name, "imul r64,r64|1>1"))
            assert_true(fabs(row->spaced - 2.9) < 1e-9);
    }
    array_free(&figures);
    bench_session_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read),     cmocka_unit_test(test_passes),
                                       cmocka_unit_test(test_sessions), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_append),   cmocka_unit_test(test_figures),
                                       cmocka_unit_test(test_spaced),   cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
