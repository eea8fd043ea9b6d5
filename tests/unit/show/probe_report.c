/* The report on runs with probes (src/show/report/probe): rows made by hand, so that every sentence is known
   beforehand. */
#include "show/report/probe/histogram.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sqlite3 *database;

static void run_sql(const char *sql)
{
    char *problem = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &problem) != SQLITE_OK)
        fail_msg("%s: %s", problem, sql);
}

/* A function f (a.c:10), a library function g without a line, loop 12 (solve.f90:40-44) in f; instructions
   1 (a load at a.c:12), 2 (a store at a.c:13) and 3 (a call of g at a.c:14). */
static int begin(void **state)
{
    (void)state;
    char *schema = store_schema();
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    run_sql(schema);
    free(schema);
    run_sql(
        "insert into programs (id, path, format) values (1, '/x/prog', 'executable'), (2, '/x/libg.so', "
        "'shared object');"
        "insert into files (id, path) values (1, '/x/a.c'), (2, '/x/solve.f90');"
        "insert into functions (id, program, name, file, line) values (1, 1, 'f', 1, 10), (2, 2, 'g', null, "
        "null), (3, 1, '<h>', null, null);"
        "insert into loops (id, function, file, first_line, last_line) values (12, 1, 2, 40, 44);"
        "insert into source_lines (id, file, line) values (1, 1, 12), (2, 1, 13), (3, 1, 14);"
        "insert into encodings (id, text) values (1, 'ldr d0, [x1]'), (2, 'str d0, [x2]'), (3, 'bl @');"
        "insert into blocks (id, function, address) values (1, 1, 4096);"
        "insert into code (id, block, encoding, offset, source_line) values (1, 1, 1, 0, 1), (2, 1, 2, 4, "
        "2), "
        "(3, 1, 3, 8, 3);"
        "insert into probe_runs (id, command, process, processor, exit_status, threads, reading_ns, "
        "inner_ns, "
        "pair_ns) values (1, './prog <3>', 4711, 'A Processor', 0, 1, 1.5, 4.25, 11.5);");
    return 0;
}

static int end(void **state)
{
    (void)state;
    sqlite3_close(database);
    return 0;
}

typedef bool printer(const struct probe_view *view, FILE *out, struct error *error);

static bool print_plain(const struct probe_view *view, FILE *out, struct error *error)
{
    struct report_style style = {.format = report_TABLE};
    return report_probe_text(view, &style, out, error);
}

static bool print_unicode(const struct probe_view *view, FILE *out, struct error *error)
{
    struct report_style style = {.format = report_TABLE, .unicode = true};
    return report_probe_text(view, &style, out, error);
}

/* What a report prints, to be freed; lines of paragraphs are joined. */
static char *printed(printer *print)
{
    struct probe_view view = {.connection = database, .path = "prog.db", .top = 3, .demangle = true};
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool is_done = print(&view, out, &error);
    fclose(out);
    if (!is_done)
        fail_msg("%s", error.text);
    return text;
}

static void join_lines(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        bool is_blank = *at == ' ' || *at == '\n';
        if (!is_blank || to == text || to[-1] != ' ')
            *to++ = is_blank ? ' ' : *at;
    }
    *to = 0;
}

static void expect(const char *wanted)
{
    char *text = printed(print_plain);
    join_lines(text);
    if (!strstr(text, wanted))
        fail_msg("\"%s\" is missing in: %s", wanted, text);
    free(text);
}

static void expect_not(const char *unwanted)
{
    char *text = printed(print_plain);
    join_lines(text);
    if (strstr(text, unwanted))
        fail_msg("\"%s\" is in: %s", unwanted, text);
    free(text);
}

static void nothing_was_reached(void **state)
{
    (void)state;
    expect(
        "Probes: ./prog <3> process 4711, 1 thread, an unknown time, exit status 0; on A Processor No probe "
        "was reached. ");
    struct probe_view view = {.connection = database, .path = "prog.db", .run = 9};
    struct error error = {0};
    assert_false(report_probe_json(&view, stderr, &error));
    assert_string_equal(error.text, "prog.db: there is no such run; without --run all runs are shown");
    run_sql("delete from probe_runs");
    view.run = 0;
    error = (struct error){0};
    assert_false(report_probe_csv(&view, stderr, &error));
    assert_non_null(strstr(error.text, "contains no run with probes"));
}

static const char LOOP[] = "insert into probe_loops (run, loop, entries, iterations, min_iterations, "
                           "median_iterations, max_iterations, "
                           "usual_iterations, usual_share, total_ns, cycles_per_entry, cycles_per_iteration, "
                           "setup_cycles, setup) values "
                           "(1, 12, 1204331, 6021655, 5, 5, 5, 5, 1, 24e6, 61, 12.2, 24, 'model')";

static void loops(void **state)
{
    (void)state;
    run_sql(LOOP);
    expect(
        "- loop 12 (solve.f90:40-44): 1,204,331 entries, always 5 iterations, 61 cycles an entry of which 24 "
        "are set-up: peel it or give the compiler the constant ");
    run_sql("update probe_loops set cycles_per_iteration = 5000, cycles_per_entry = 25000");
    expect_not("peel it"); /* what is around an iteration does not matter */
    expect("always 5 iterations, 25,000 cycles an entry");
    run_sql("update probe_loops set cycles_per_iteration = 12.2, cycles_per_entry = 61");
    run_sql("update probe_loops set min_iterations = 110, max_iterations = 110, median_iterations = 110, "
            "setup_cycles = null");
    expect("always 110 iterations, 12.2 cycles an iteration: give the compiler the constant (a constant "
           "bound, ");
    run_sql("update probe_loops set min_iterations = 3, usual_iterations = 110, usual_share = 0.97");
    expect("1,204,331 entries, 110 iterations in 97 % of them (3 to 110), 12.2 cycles an iteration: make a "
           "version for that number and keep the loop for the others");
    run_sql("update probe_loops set usual_share = 0.5, iterations = 80 * entries, setup_cycles = 40");
    expect("3 to 110 iterations (median 110), 12.2 cycles an iteration; 40 cycles of each entry are set-up: "
           "move "
           "its set-up out of the loop around it");
    run_sql("update probe_loops set iterations = 4 * entries, median_iterations = 4, setup_cycles = null");
    expect("3 to 110 iterations (median 4), 61 cycles an entry: too short for its set-up:");
    run_sql("insert into probe_histograms (run, quantity, subject, low, high, count) values (1, "
            "'iterations', 12, "
            "5, 5, 600000), (1, 'iterations', 12, 96, 112, 600000)");
    expect("(median 4), most of them 5 or 96 to 111, 61 cycles an entry: make a version for each of the two");
    run_sql("update probe_loops set entries = 9, min_iterations = 5, max_iterations = 5, cycles_per_entry = "
            "null, "
            "median_ns = 31.4");
    expect("- loop 12 (solve.f90:40-44): 9 entries, always 5 iterations, 31.4 ns an entry loop 12");
    run_sql("update blocks set loop = 12; insert into calls (caller, instruction, callee) values (1, 3, 2);"
            "update probe_loops set entries = 12, cycles_per_entry = 61");
    expect("61 cycles an entry with the functions that it calls Loops"); /* no advice */
    run_sql("update probe_loops set entries = 9, cycles_per_entry = null; delete from calls");
    run_sql("update probe_runs set seconds = 0.048");
    expect("31.4 ns an entry, 50 % of the run");
    run_sql("update probe_runs set seconds = 0.1, probe_seconds = 0.07");
    expect("31.4 ns an entry, 80 % of the run"); /* probes are not part of the program */
    run_sql("update probe_runs set threads = 2, thread_seconds = 0.19");
    expect("31.4 ns an entry, 20 % of the threads' time");
}

static const char FUNCTIONS[] = "insert into probe_functions (run, function, calls, bursts, total_ns, "
                                "self_ns, min_ns, median_ns, mean_ns, "
                                "max_ns, deviation_ns) values (1, 1, 2000000, 0, 62e6, 62e6, 28, 31, 31, "
                                "1200, 9), (1, 2, 1, 0, 1e8, 38e6, "
                                "1e8, 1e8, 1e8, 1e8, 0), (1, 3, 5, 0, 1e3, 1e3, 200, 200, 200, 200, 0)";

static void functions(void **state)
{
    (void)state;
    run_sql(FUNCTIONS);
    expect("- f (a.c:10): 2,000,000 calls, 31 ns each (28 ns to 1.2 µs), 62 % of the measured time - g "
           "(libg.so): 1 call, 100 ms, of which 38 ms in its own code (38 % of the measured time) Functions");
    expect(" g (libg.so) 1 100 38 38 <h> 5 0.001 "); /* of one call the total says all */
    expect_not("- <h>");                             /* a thousandth of the hottest */
    run_sql("update probe_functions set deviation_ns = 500 where function = 1;"
            "insert into probe_histograms (run, quantity, subject, low, high, count) values (1, 'function "
            "time', 1, "
            "28, 32, 1980000), (1, 'function time', 1, 896, 1024, 20000)");
    expect(
        "of the measured time; the slow ones (1 % of the calls) take 24 % of its time: look at what the slow "
        "calls do differently");
    run_sql("update probe_histograms set count = 2000 where low = 896");
    expect_not("slow"); /* 3 % of the time do not matter */
    run_sql("update probe_histograms set low = 1e6, high = 1.2e6 where low = 896");
    expect("the slow ones (0.1 % of the calls) take 97 % of its time: so rare, they may be interruptions by "
           "the system: repeat the run on a quiet machine");
    run_sql("update probe_functions set mean_ns = 4, median_ns = 4 where function = 1");
    expect(": let the compiler inline it (same file, a header, or -flto)");
    run_sql("update probe_functions set bursts = 1500000 where function = 1");
    expect("- f (a.c:10): 2,000,000 calls, 4 ns each on average, most of them less than 1.5 ns, 62 % of");
    expect(" f a.c:10 2,000,000 62 62 62 1,200 500 "); /* neither shortest nor median */
    run_sql("update functions set name = '_start' where id = 3");
    expect_not("_start"); /* it is in every program */
}

static void values(void **state)
{
    (void)state;
    run_sql(
        "insert into probe_values (id, run, kind, function, instruction, position, name, is_float, count, "
        "distinct_count, minimum, maximum, mean, deviation) values (1, 1, 'parameter', 1, 1, 1, 'n', 0, "
        "1000, "
        "1, 5, 5, 5, 0);"
        "insert into probe_frequent (value, position, integer, number, count, share) values (1, 1, 5, 5, "
        "1000, "
        "1)");
    expect_not("Times are"); /* there are none */
    expect(
        "- parameter n of f is always 5 (1,000 cases): make a version of the function for it, or a constant");
    run_sql("update probe_values set distinct_count = 7; update probe_frequent set share = 0.93");
    expect("- parameter n of f is 5 in 93 % of 1,000 cases: make a version");
    run_sql("update probe_values set distinct_count = 2; update probe_frequent set share = 0.5;"
            "insert into probe_frequent (value, position, integer, number, count, share) values (1, 2, -7, "
            "-7, 500, "
            "0.5)");
    expect("- parameter n of f takes 2 values: 5, -7 (1,000 cases): versions");
    expect("5 (50 %), -7 (50 %)");
    run_sql("update probe_values set kind = 'register', name = 'x3', is_float = 1; update probe_frequent set "
            "number = number / 10");
    expect("- register x3 at a.c:12 takes 2 values: 0.5, -0.7");
    run_sql("update probe_values set kind = 'argument', name = null, instruction = 3;"
            "insert into probe_calls (run, instruction, caller, callee, calls, total_ns, min_ns, median_ns, "
            "mean_ns, max_ns, deviation_ns) values (1, 3, 1, 2, 1000, 5e6, 4000, 5000, 5000, 9000, 100)");
    expect("- g (libg.so), called at a.c:14: 1,000 calls, 5 µs each (4 µs to 9 µs), 5 ms together - argument "
           "1 of "
           "g (libg.so) at a.c:14 takes 2 values");
    run_sql("update probe_values set mean = null");
    expect_not("- argument"); /* addresses: no version is made for one */
    run_sql("update probe_values set mean = 5, distinct_count = 100");
    expect_not("- argument");
}

static void accesses(void **state)
{
    (void)state;
    run_sql(
        "insert into probe_addresses (run, instruction, loop, is_store, bytes, count, minimum, maximum, "
        "stride, "
        "stride_share, alignment, lines, pages, line_splits, aliases, alias_instruction, sets) values (1, 1, "
        "12, 0, 16, 1000, 4096, 28080, 24, 0.9, 8, 375, 6, 120, 0, 2, 64)");
    expect("- the load at a.c:12 (ldr d0, [x1]) moves by 24 bytes, crosses lines in 12 % of accesses: align");
    run_sql("update probe_addresses set aliases = 400");
    expect_not("follows a store with"); /* Arm compares whole addresses */
    run_sql("update encodings set isa_code = 1");
    expect("moves by 24 bytes, follows a store with the same low 12 address bits in 40 % of accesses (the "
           "store at "
           "a.c:13): shift");
    run_sql(
        "update probe_addresses set aliases = 0, line_splits = 0, stride = -4096, lines = 1000, sets = 2");
    expect("moves by -4,096 bytes, its 1,000 lines share 2 of the 64 sets of the cache: pad");
    run_sql("update probe_addresses set sets = 64");
    expect("moves by -4,096 bytes and uses 16 of each 64 bytes of a line: keep");
    run_sql("update probe_addresses set stride = 48, is_store = 1");
    expect("- the store at a.c:12 (ldr d0, [x1]) moves by 48 bytes and uses 16 of each 48: keep");
    run_sql("update probe_addresses set maximum = minimum");
    expect("uses the same address in all 1,000 accesses: keep it in a local variable");
    run_sql("update probe_addresses set maximum = 28080, stride_share = 0.1");
    expect_not("- the store");
    run_sql("update probe_addresses set line_splits = 100");
    expect("has no usual stride, crosses lines in 10 % of accesses");
}

static void measured(void **state)
{
    (void)state;
    run_sql(LOOP);
    run_sql(
        "insert into probe_placements (run, program, way, reason, count) values (1, 1, 'jump', 'none', "
        "2300), "
        "(1, 1, 'trap', 'small', 30), (1, 2, 'trap', 'unknown jumps', 8), (1, 1, 'none', 'not movable', 2);"
        "insert into probe_limits (run, position, kind, count) values (1, 1, 'unpaired', 3), (1, 2, "
        "'abandoned', "
        "1), (1, 3, 'burst', 1200);"
        "update probe_runs set traps = 77");
    expect(
        "How it was measured 2,340 probes: 2,300 placed by a jump, 38 placed by a trap (small: 30, unknown "
        "jumps: 8), 2 not placed (not movable: 2). Times are without the cost of the probes, 11.5 ns for "
        "entry "
        "and exit together; the clock cannot tell times below 1.5 ns. Traps were taken 77 times, each for a "
        "microsecond or more. 3 exits had no entry. 1 entry had no exit (longjmp, an exception, or the end "
        "of the run): it "
        "has "
        "no time. 1,200 calls or loop entries were shorter than the clock can tell: their times are right "
        "only on "
        "average.");
    run_sql("delete from probe_placements where way <> 'jump'");
    expect("2,300 probes, all placed by a jump. ");
    run_sql("insert into probe_functions (run, function, calls, abandoned) values (1, 3, 1, 1); update "
            "functions set name = '_start' where id = 3");
    expect_not("had no exit"); /* nor does it in any program */
    run_sql("update probe_placements set count = 1");
    expect("1 probe, placed by a jump. ");
}

static void other_processes(void **state)
{
    (void)state;
    run_sql(LOOP);
    run_sql("insert into probe_runs (id, command, process, end_signal) values (2, 'sh', 4712, 11), (3, "
            "'./prog 4', "
            "4713, null)");
    expect("Other processes - sh: no probe was reached (run 2, process 4712) - ./prog 4: no probe was "
           "reached (run "
           "3, process 4713) --run N shows one of them.");
    run_sql(
        "insert into probe_functions (run, function, calls, total_ns, self_ns) values (3, 1, 2, 9e6, 9e6)");
    expect("Probes: ./prog 4 process 4713");
}

static void histograms(void **state)
{
    (void)state;
    run_sql(FUNCTIONS);
    run_sql(
        "insert into probe_histograms (run, quantity, subject, low, high, count) values (1, 'function time', "
        "1, "
        "28, 32, 1500000), (1, 'function time', 1, 32, 40, 375000), (1, 'function time', 1, 1024, 1280, 20)");
    char *text = printed(print_plain);
    assert_non_null(strstr(text,
                           "\nf (a.c:10): time of a call\n"
                           "      28 ns to 32 ns  ########################################  80 %\n"
                           "      32 ns to 40 ns  ##########                                20 %\n"
                           "  1.02 µs to 1.28 µs  #                                         under 0.1 %\n"));
    assert_non_null(strstr(text, "#..\n"));
    free(text);
    text = printed(print_unicode);
    assert_non_null(strstr(text, "      32 ns to 40 ns  ██████████                                20 %\n"
                                 "  1.02 µs to 1.28 µs  ▏ "));
    free(text);
    run_sql("insert into probe_histograms (run, quantity, subject, low, high, count) values (1, 'function "
            "time', 1, 4e6, 5e6, 7), (1, 'function time', 1, 1e9, 1.25e9, 3)");
    expect(" 32 ns to 40 ns ########## 20 % 1.02 µs to 1.25 s # under 0.1 % Functions"); /* one bar for what
                                                                                            is rare */
    run_sql("update probe_histograms set count = 1 where low >= 32");
    expect_not("time of a call"); /* one bar is not a picture */
}

static void long_names(void **state)
{
    (void)state;
    run_sql(FUNCTIONS);
    run_sql("update functions set name = 'std::_Rb_tree<std::string, std::pair<std::string const, int>, "
            "std::less<std::string> >::find(std::string const&) const' where id = 1");
    expect("- std::_Rb_tree<…>::find(…) const (a.c:10): 2,000,000 calls, ");
    expect(" std::_Rb_tree<…>::find(…) const a.c:10 2,000,000 ");
    run_sql("update functions set name = 'std::basic_ostream<char, std::char_traits<char> >& operator<< "
            "<std::char_traits<char> >' where id = 1");
    expect("- std::basic_ostream<char, std::char_traits<char> >& operator…");
}

static size_t bars_of(const char *values, size_t most, struct histogram *histogram)
{
    struct asked asked = {database, "prog.db"};
    struct error error = {0};
    char *sql =
        memory_format("delete from probe_histograms; insert into probe_histograms (run, quantity, subject, "
                      "low, high, count) select 1, 'value', 1, value, value, 2 from json_each('%s')",
                      values);
    run_sql(sql);
    free(sql);
    assert_true(histogram_load(&asked, 1, "value", 1, most, histogram, &error));
    size_t count = histogram->bars.count;
    histogram_free(histogram);
    return count;
}

static void bars(void **state)
{
    (void)state;
    struct histogram histogram;
    struct asked asked = {database, "prog.db"};
    struct error error = {0};
    assert_true(histogram_load(&asked, 1, "value", 1, 8, &histogram, &error));
    assert_int_equal(histogram.bars.count, 0);
    assert_int_equal(histogram.total, 0);
    run_sql("insert into probe_histograms (run, quantity, subject, low, high, count) values (1, 'value', 1, "
            "3, 3, "
            "2), (1, 'value', 1, 7, 7, 5)");
    assert_true(histogram_load(&asked, 1, "value", 1, 8, &histogram, &error));
    assert_int_equal(histogram.bars.count, 5); /* few whole numbers: each has its place */
    assert_int_equal(ARRAY_AT(struct bar, &histogram.bars, 4)->count, 5);
    assert_int_equal(ARRAY_AT(struct bar, &histogram.bars, 1)->count, 0);
    assert_int_equal(histogram.total, 7);
    assert_int_equal(histogram.largest, 5);
    histogram_free(&histogram);
    static const char *const cases[] = {"[0, 1, 1000000]", "[-5, 0, 1e300]", "[0.001, 1e18]", "[0]", "[-3]",
                                        "[1e-300, 1e300]", "[5, 5000]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t most = 2; most < 20; most++) {
            size_t count = bars_of(cases[i], most, &histogram);
            assert_in_range(count, 1, most);
        }
}

static void json_and_csv(void **state)
{
    (void)state;
    run_sql(LOOP);
    run_sql(FUNCTIONS);
    char *text = printed(report_probe_json);
    assert_non_null(strstr(text, "\"kind\":\"short constant loop\""));
    assert_non_null(
        strstr(text, "\"advice\":\"peel it or give the compiler the constant\",\"function\":1,\"loop\":12"));
    assert_non_null(strstr(text, "\"loop\":12,\"function\":1,\"name\":\"f\",\"file\":\"/x/solve.f90\""));
    assert_non_null(strstr(text, "\"mean_iterations\":5"));
    free(text);
    text = printed(report_probe_csv);
    size_t commas[2] = {0}, line = 0;
    for (const char *at = text; *at && line < 2; at++) {
        line += *at == '\n';
        commas[line < 2 ? line : 1] += *at == ',';
    }
    assert_int_equal(commas[0], commas[1]);
    assert_non_null(strstr(text, "\n1,loop,1,f,12,,/x/solve.f90,40,1204331,"));
    free(text);
}

static void page(void **state)
{
    (void)state;
    run_sql(LOOP);
    run_sql(FUNCTIONS);
    run_sql("update probe_functions set self_ns = 1e8 where function = 3;"
            "insert into probe_histograms (run, quantity, subject, low, high, count) values (1, 'function "
            "time', 1, "
            "28, 32, 1500000), (1, 'function time', 1, 32, 40, 375000)");
    char *text = printed(report_probe_html);
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_non_null(strstr(text, "<li>&lt;h&gt;: 5 calls"));
    assert_null(strstr(text, "<h>"));
    assert_non_null(strstr(text, "<title>28 ns to 32 ns: 1,500,000 (80 %)</title>"));
    assert_non_null(strstr(text, ": <b>peel it or give the compiler the constant</b></li>"));
    assert_non_null(strstr(text, "</html>"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_was_reached, begin, end),
        cmocka_unit_test_setup_teardown(loops, begin, end),
        cmocka_unit_test_setup_teardown(functions, begin, end),
        cmocka_unit_test_setup_teardown(values, begin, end),
        cmocka_unit_test_setup_teardown(accesses, begin, end),
        cmocka_unit_test_setup_teardown(measured, begin, end),
        cmocka_unit_test_setup_teardown(other_processes, begin, end),
        cmocka_unit_test_setup_teardown(histograms, begin, end),
        cmocka_unit_test_setup_teardown(long_names, begin, end),
        cmocka_unit_test_setup_teardown(bars, begin, end),
        cmocka_unit_test_setup_teardown(json_and_csv, begin, end),
        cmocka_unit_test_setup_teardown(page, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
