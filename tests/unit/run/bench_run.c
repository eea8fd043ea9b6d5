/* The runner: what tests do to their processes, and how the clock and the two sizes give cycles.  Nothing
   here depends on how fast the machine is: cycles are compared with cycles. */
#include "able.h"
#include "emulation.h"
#include "runtime/bench/bench_file.h"

#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef __aarch64__
enum { COUNTER = 30 };
static const uint8_t add[] = {0x00, 0x00, 0x01, 0x8b};      /* add x0, x0, x1 */
static const uint8_t undefined[] = {0, 0, 0, 0};            /* udf */
static const uint8_t load[] = {0x00, 0x00, 0x40, 0xf9};     /* ldr x0, [x0] */
static const uint8_t endless[] = {0, 0, 0, 0x14};           /* b . */
static const uint8_t no_stack[] = {0x1f, 0x00, 0x00, 0x91,  /* mov sp, x0: a stack that is nowhere */
                                   0x20, 0x00, 0x40, 0xf9}; /* ldr x0, [x1] */
#else
enum { COUNTER = 15 };
static const uint8_t add[] = {0x48, 0x01, 0xc8};      /* add rax, rcx */
static const uint8_t undefined[] = {0x0f, 0x0b};      /* ud2 */
static const uint8_t load[] = {0x48, 0x8b, 0x00};     /* mov rax, [rax] */
static const uint8_t endless[] = {0xeb, 0xfe};        /* jmp . */
static const uint8_t no_stack[] = {0x48, 0x89, 0xc4,  /* mov rsp, rax */
                                   0x48, 0x8b, 0x01}; /* mov rax, [rcx] */
#endif

#define TEST(name_, bytes, ...)                                                                              \
    {                                                                                                        \
        .name = name_, .unit = bytes, .unit_size = sizeof bytes, .copies = {48, 96}, .counter = COUNTER,     \
        __VA_ARGS__                                                                                          \
    }

struct seen {
    struct bench_result results[8];
    size_t count, limit;
};

static int note(void *context, size_t test, const struct bench_result *result)
{
    struct seen *seen = context;
    assert_int_equal(test, seen->count);
    seen->results[seen->count++] = *result;
    return seen->count < seen->limit;
}

static void test_ends(void **state)
{
    (void)state;
    static const struct bench_value pointer[] = {{.number = 0, .is_pointer = 1}};
    const struct bench_test tests[] = {
        TEST("undefined", undefined), TEST("wild", load), TEST("endless", endless), TEST("good", add),
        TEST("loaded once", load, .values = pointer, .value_count = 1, .memory = 0)};
    struct seen seen = {.limit = 8};
    assert_int_equal(
        bench_run(&(struct bench_batch){.tests = tests, .count = sizeof tests / sizeof *tests, .seconds = 3},
                  note, &seen),
        0);
    assert_int_equal(seen.count, 5);
    assert_int_equal(seen.results[0].status, bench_MISSING);
    assert_int_equal(seen.results[1].status, bench_TRAPPED);
    assert_int_equal(seen.results[1].signal, SIGSEGV);
    assert_int_equal(seen.results[2].status, bench_SLOW);
    assert_int_equal(seen.results[3].status, bench_MEASURED);
    assert_int_equal(seen.results[4].status, bench_TRAPPED); /* the zero that it loads is no address */
}

static void test_stops_when_told(void **state)
{
    (void)state;
    const struct bench_test tests[] = {TEST("one", add), TEST("two", add), TEST("three", add)};
    struct seen seen = {.limit = 2};
    assert_int_equal(bench_run(&(struct bench_batch){.tests = tests, .count = 3, .seconds = 10}, note, &seen),
                     0);
    assert_int_equal(seen.count, 2);
}

/* Pages appear wherever they are touched, even if the stack pointer is anywhere. */
static void test_pages(void **state)
{
    (void)state;
    const struct bench_test tests[] = {
        TEST("pages", load, .layout = bench_ON_DEMAND, .general = 0x12345600, .memory = 0x23456700),
        TEST("stack", no_stack, .layout = bench_ON_DEMAND, .general = 0x12345600, .memory = 0x12345600),
        TEST("null", load, .layout = bench_ON_DEMAND, .general = 0x12345600, .memory = 0)};
    struct seen seen = {.limit = 8};
    assert_int_equal(bench_run(&(struct bench_batch){.tests = tests, .count = 3, .seconds = 10}, note, &seen),
                     0);
    assert_int_equal(seen.results[0].status, bench_MEASURED);
    assert_int_equal(seen.results[1].status, bench_MEASURED);
    assert_int_equal(seen.results[2].status, bench_TRAPPED);
}

/* A unit of two instructions takes twice as long as one of one, whatever the clock, and loops with other
   numbers of copies give the same.  A busy machine may spoil an attempt. */
static void test_cycles(void **state)
{
    (void)state;
    uint8_t two[2 * sizeof add];
    memcpy(two, add, sizeof add);
    memcpy(two + sizeof add, add, sizeof add);
    const struct bench_test tests[] = {
        TEST("one", add),
        TEST("two", two),
        {.name = "more", .unit = add, .unit_size = sizeof add, .copies = {100, 300}, .counter = COUNTER}};
    bool is_right = false;
    for (int i = 0; i < 10 && !is_right; i++) {
        struct seen seen = {.limit = 8};
        assert_int_equal(
            bench_run(&(struct bench_batch){.tests = tests, .count = 3, .seconds = 10}, note, &seen), 0);
        assert_int_equal(seen.count, 3);
        double one = seen.results[0].best, both = seen.results[1].best, more = seen.results[2].best;
        is_right = one > 0 && both > 1.9 * one && both < 2.1 * one && more > 0.9 * one && more < 1.1 * one;
        assert_true(seen.results[0].spread >= 0 && seen.results[0].ghz > 0);
    }
    assert_true(is_right);
}

/* The kernel's clock of the process, counted as an event: nanoseconds of a unit are its cycles over the
   clock.  Events of other processors are passed over, and so is a second one that tells the same. */
static void test_events(void **state)
{
    (void)state;
    static const struct bench_event events[] = {
        {"p1", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0xfff, {0xfff}, 1},
        {"issued", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {"issued", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"p0", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"p2", PERF_TYPE_RAW + 1000, 1}};
    const struct bench_test tests[] = {TEST("counted", add, .is_counted = 1), TEST("timed", add)};
    char said[80] = "";
    FILE *out = fmemopen(said, sizeof said, "w");
    bench_print_events(out, events, sizeof events / sizeof *events);
    fclose(out);
    if (strncmp(said, "# counters", strlen("# counters"))) {
        print_message("%s", said);
        unable("the kernel does not let this user count events");
    }
    assert_string_equal(said, "# counters issued p0\n");
    bool is_right = false;
    for (int i = 0; i < 10 && !is_right; i++) {
        struct seen seen = {.limit = 8};
        struct bench_batch batch = {tests, 2, events, sizeof events / sizeof *events, 10};
        assert_int_equal(bench_run(&batch, note, &seen), 0);
        const struct bench_result *result = &seen.results[0];
        assert_int_equal(result->counted, 2);
        assert_string_equal(result->counts[0].what, "issued");
        assert_int_equal(seen.results[1].counted, 0);
        double ratio = result->counts[0].count * result->ghz / result->best;
        is_right = fabs(ratio - 1) < 0.1 && result->counts[1].count < 1e-3;
    }
    assert_true(is_right);
}

/* Other processes on the processor: a figure is right, or its spread says that it may not be. */
static void test_noise(void **state)
{
    (void)state;
    enum { OTHERS = 2, ROUNDS = 3 };
    if (is_emulated())
        unable("times of an emulated processor mean nothing");
    cpu_set_t before, here;
    pid_t others[OTHERS];
    int processor = sched_getcpu();
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&here);
    CPU_SET((unsigned)(processor < 0 ? 0 : processor), &here);
    sched_setaffinity(0, sizeof here, &here); /* children are pinned to where they start */
    for (int i = 0; i < OTHERS; i++) {
        others[i] = fork();
        assert_true(others[i] >= 0);
        volatile unsigned spin = 0;
        while (!others[i])
            spin++;
    }
    uint8_t two[2 * sizeof add];
    memcpy(two, add, sizeof add);
    memcpy(two + sizeof add, add, sizeof add);
    const struct bench_test tests[] = {TEST("one", add), TEST("two", two)};
    bool is_silent = false;
    for (int i = 0; i < ROUNDS; i++) {
        struct seen seen = {.limit = 8};
        bench_run(&(struct bench_batch){.tests = tests, .count = 2, .seconds = 60}, note, &seen);
        for (size_t k = 0; k < seen.count; k++) {
            const struct bench_result *result = &seen.results[k];
            double ratio = result->best / (double)(k + 1);
            is_silent |=
                result->status == bench_MEASURED && (ratio < 0.97 || ratio > 1.03) && result->spread <= 0.01;
        }
    }
    for (int i = 0; i < OTHERS; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof before, &before);
    assert_false(is_silent);
}

/* Lines of results. */
static void test_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bench_print_result(out, "add x,x,x|2>1",
                       &(struct bench_result){.best = 1, .median = 1.5, .spread = 0.25, .ghz = 2.6});
    putc('\n', out);
    bench_print_result(out, "b", &(struct bench_result){.status = bench_TRAPPED, .signal = 11});
    putc('\n', out);
    bench_print_result(out, "c", &(struct bench_result){.status = bench_MISSING});
    fclose(out);
    assert_string_equal(
        text, "add x,x,x|2>1\tmeasured\t1.0000\t1.5000\t0.2500\t2.6000\nb\ttrapped\t11\nc\tmissing");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends),  cmocka_unit_test(test_stops_when_told),
                                       cmocka_unit_test(test_pages), cmocka_unit_test(test_cycles),
                                       cmocka_unit_test(test_noise), cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
