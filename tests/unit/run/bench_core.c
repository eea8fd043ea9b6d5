/* Experiments about the core: steps in series that are made up, and findings from results that are made up.
 */
#include "run/bench/core/core.h"
#include "run/bench/core/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state;

/* Evenly from -1 to 1, the same each time. */
static double noise(void)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (double)(state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

enum { POINTS = 60 };

struct shape {
    double at, low, jump, slope, noise, ramp; /* ramp: x over which it rises */
    unsigned spikes;
};

static void draw(struct core_point points[POINTS], struct shape shape)
{
    for (unsigned i = 0; i < POINTS; i++) {
        double x = 4 + 4.0 * i;
        double share = x <= shape.at                                 ? 0
                       : shape.ramp > 0 && x < shape.at + shape.ramp ? (x - shape.at) / shape.ramp
                                                                     : 1;
        points[i] =
            (struct core_point){x, shape.low + shape.slope * x + shape.jump * share + shape.noise * noise()};
    }
    for (unsigned i = 0; i < shape.spikes; i++) {
        state = state * 6364136223846793005 + 1;
        points[(state >> 33) % POINTS].y += 3 * shape.low;
    }
}

static void test_steps_are_found(void **unused)
{
    (void)unused;
    struct core_point points[POINTS];
    for (unsigned seed = 0; seed < 500; seed++) {
        struct core_step step;
        state = seed;
        double at = 20 + 190 * (noise() + 1) / 2;
        draw(points, (struct shape){.at = at, .low = 350, .jump = 300, .slope = 0.2, .noise = 25});
        assert_true(core_find_step(points, POINTS, &step));
        assert_true(step.at > at - 4 && step.at < at + 8);
        assert_true(step.from <= step.at && step.to >= step.at && step.to - step.from <= 12);
        assert_true(step.low > 320 && step.low < 420 && step.high > 620 && step.high < 720);
    }
}

static void test_spikes_are_not_steps(void **unused)
{
    (void)unused;
    struct core_point points[POINTS];
    unsigned wrong = 0;
    for (unsigned seed = 0; seed < 500; seed++) {
        struct core_step step;
        state = seed;
        draw(points, (struct shape){.at = 122, .low = 350, .jump = 300, .noise = 15, .spikes = 2});
        wrong += !core_find_step(points, POINTS, &step) || step.at < 118 || step.at > 130;
    }
    assert_true(wrong <= 10); /* two spikes side by side */
}

static void test_no_step_where_there_is_none(void **unused)
{
    (void)unused;
    struct core_point points[POINTS];
    for (unsigned seed = 0; seed < 500; seed++) {
        struct core_step step;
        state = seed;
        draw(points, (struct shape){.low = 350, .noise = 60, .at = 1e9});
        assert_false(core_find_step(points, POINTS, &step));
        draw(points, (struct shape){.low = 350, .slope = 2, .noise = 20, .at = 1e9});
        assert_false(core_find_step(points, POINTS, &step));
        draw(points, (struct shape){.low = 350, .slope = 1, .noise = 10, .at = 1e9, .spikes = 1});
        assert_false(core_find_step(points, POINTS, &step));
        draw(points, (struct shape){.low = 700, .jump = -300, .noise = 10, .at = 120});
        assert_false(core_find_step(points, POINTS, &step));
    }
    struct core_step step;
    assert_false(core_find_step(points, 0, &step));
    assert_false(core_find_step(points, 5, &step));
}

static void test_ramps_are_wide(void **unused)
{
    (void)unused;
    struct core_point points[POINTS];
    struct core_step step;
    state = 1;
    draw(points, (struct shape){.at = 80, .low = 350, .jump = 300, .noise = 5, .ramp = 60});
    assert_true(core_find_step(points, POINTS, &step));
    assert_true(step.from >= 80 && step.from <= 104 && step.to >= 112 && step.to <= 144);
}

/* Results that a machine would give. */
static void add_result(struct bench_results *results, const char *what, unsigned number, double cycles)
{
    char name[BENCH_NAME];
    struct bench_result result = {
        .status = bench_MEASURED, .best = cycles, .median = cycles, .spread = 0.002, .ghz = 3};
    snprintf(name, sizeof name, "core|%s|%u", what, number);
    bench_results_add(results, name, &result);
}

/* Of all tests of the plan whose names start so. */
static void add_planned(struct bench_results *results, const struct array *plan, const char *what,
                        double (*cycles)(unsigned number))
{
    char start[BENCH_NAME];
    int length = snprintf(start, sizeof start, "core|%s|", what);
    unsigned count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct bench_planned *planned = ARRAY_AT(struct bench_planned, plan, i);
        unsigned number;
        if (strncmp(planned->name, start, (size_t)length) ||
            sscanf(planned->name + length, "%u", &number) != 1)
            continue;
        add_result(results, what, number, cycles(number));
        count++;
    }
    assert_true(count > 0);
}

static double window_of_224(unsigned filler)
{
    return filler + 2 <= 224 ? 300 + 0.1 * filler : 590 + 0.1 * filler;
}

static double window_of_64(unsigned filler)
{
    return filler <= 64 ? 300 : 600;
}

static double window_of_42(unsigned filler)
{
    return filler <= 41 ? 300 : 600;
}

static double window_of_22(unsigned filler)
{
    return filler <= 21 ? 300 : 600;
}

static double window_of_100(unsigned filler)
{
    return filler <= 98 ? 300 : 600;
}

static double no_window(unsigned filler)
{
    return 300 + filler * 0.5;
}

static const struct bench_finding *find(const struct array *findings, const char *word)
{
    for (size_t i = 0; i < findings->count; i++)
        if (!strcmp(ARRAY_AT(struct bench_finding, findings, i)->word, word))
            return ARRAY_AT(struct bench_finding, findings, i);
    return NULL;
}

static unsigned number_of(const struct array *findings, const char *word)
{
    unsigned number = 0;
    const struct bench_finding *finding = find(findings, word);
    return finding && sscanf(finding->values, "%u", &number) == 1 ? number : 0;
}

static unsigned queue_of(const struct array *queues, const char *form)
{
    for (size_t i = 0; i < queues->count; i++)
        if (!strcmp(ARRAY_AT(struct bench_queue, queues, i)->form, form))
            return ARRAY_AT(struct bench_queue, queues, i)->size;
    return 0;
}

/* What waits in a buffer in front of a scheduler is not in it: what passes tells. */
static void test_schedulers_behind_buffers(void **unused)
{
    (void)unused;
    struct array plan = ARRAY_OF(struct bench_planned), queues = ARRAY_OF(struct bench_queue);
    struct bench_results results;
    bench_results_begin(&results);
    bench_plan_core(&plan, isa_AARCH64);
    add_planned(&results, &plan, "waiting general", window_of_64);
    add_planned(&results, &plan, "passed general", window_of_64);
    add_planned(&results, &plan, "waiting vector", window_of_64);
    add_planned(&results, &plan, "passed vector", window_of_42);
    add_planned(&results, &plan, "waiting loads", window_of_64);
    add_planned(&results, &plan, "passed product", window_of_64);
    add_planned(&results, &plan, "passed vector product", window_of_22);
    bench_core_queues(&queues, &results, isa_AARCH64);
    assert_in_range(queue_of(&queues, "add x,x,x"), 62, 68);
    assert_in_range(queue_of(&queues, "add 4s,4s,4s"), 40, 44);
    assert_in_range(queue_of(&queues, "ldr x,[x]"), 62, 68);
    assert_in_range(queue_of(&queues, "mul 4s,4s,4s"), 20, 24);
    assert_int_equal(queue_of(&queues, "mul x,x,x"), 0);   /* as many as of all */
    assert_int_equal(queue_of(&queues, "shl 4s,4s,i"), 0); /* not measured */
    array_free(&queues);
    bench_results_end(&results);
    bench_plan_free(&plan);
}

static void test_window(void **unused)
{
    (void)unused;
    struct array plan = ARRAY_OF(struct bench_planned), findings = ARRAY_OF(struct bench_finding);
    struct array queues = ARRAY_OF(struct bench_queue);
    struct bench_results results;
    bench_results_begin(&results);
    bench_plan_core(&plan, isa_X86_64);
    add_planned(&results, &plan, "window mixed", window_of_224);
    add_planned(&results, &plan, "window both", window_of_224);
    add_planned(&results, &plan, "window loads", window_of_64);
    add_planned(&results, &plan, "window stores", no_window);
    add_planned(&results, &plan, "waiting general", window_of_64);
    add_planned(&results, &plan, "waiting vector", no_window);
    bench_core_findings(&findings, &results, isa_X86_64);
    bench_core_queues(&queues, &results, isa_X86_64);
    assert_in_range(number_of(&findings, "reorder-buffer"), 218, 230);
    assert_in_range(number_of(&findings, "load-queue"), 62, 70);
    assert_null(find(&findings, "store-queue"));
    assert_null(find(&findings, "scheduler"));
    assert_null(find(&findings, "issue"));
    assert_int_equal(queues.count, 1);
    const struct bench_queue *queue = ARRAY_AT(struct bench_queue, &queues, 0);
    assert_string_equal(queue->form, "lea r64,b+i");
    assert_in_range(queue->size, 60, 68);
    assert_true(find(&findings, "reorder-buffer")->spread < 0.1);
    array_free(&findings);
    array_free(&queues);
    bench_results_end(&results);
    bench_plan_free(&plan);
}

/* Registers are full before the window is; flags that stop where general registers do are part of these. */
static void test_register_files(void **unused)
{
    (void)unused;
    for (unsigned have_own_flags = 0; have_own_flags < 2; have_own_flags++) {
        struct array plan = ARRAY_OF(struct bench_planned), findings = ARRAY_OF(struct bench_finding);
        struct bench_results results;
        bench_results_begin(&results);
        bench_plan_core(&plan, isa_AARCH64);
        add_planned(&results, &plan, "window mixed", window_of_224);
        add_planned(&results, &plan, "window vector", window_of_224);
        add_planned(&results, &plan, "window general", window_of_100);
        add_planned(&results, &plan, "window flags", have_own_flags ? window_of_64 : window_of_100);
        bench_core_findings(&findings, &results, isa_AARCH64);
        assert_in_range(number_of(&findings, "general-results"), 98, 106);
        assert_null(find(&findings, "vector-results")); /* the window may be what is full */
        if (have_own_flags)
            assert_in_range(number_of(&findings, "flag-results"), 60, 68);
        else
            assert_null(find(&findings, "flag-results"));
        array_free(&findings);
        bench_results_end(&results);
        bench_plan_free(&plan);
    }
}

/* Cycles of a unit of 16 instructions, and of one of 4. */
static double cached_code(unsigned instructions)
{
    return instructions <= 3072 ? 2 : instructions < 4000 ? 2 + (instructions - 3072) / 600.0 : 3.6;
}

static double looped_code(unsigned instructions)
{
    return instructions <= 64 ? 1 : 1.5;
}

static double decoded_code(unsigned instructions)
{
    return 2 + 8.0 / instructions;
}

static double code_of_2048(unsigned instructions)
{
    return instructions <= 2048 ? 2 : instructions < 2500 ? 2 + (instructions - 2048) / 300.0 : 3.5;
}

static double code_of_4096(unsigned instructions)
{
    return cached_code(instructions > 1024 ? instructions - 1024 : 1);
}

/* Half of the lines' places are empty: the windows that code_of_2048 has, with half as many instructions. */
static double thin_code(unsigned instructions)
{
    return code_of_2048(2 * instructions);
}

/* x86-64: a step counts if instructions of eight bytes have it, too, or would have it after the first cache
   of instructions. */
static void test_growing_code(void **unused)
{
    (void)unused;
    static const struct {
        enum isa isa;
        double (*code)(unsigned), (*small)(unsigned), (*sparse)(unsigned);
        unsigned cache; /* instructions; 0: no figure */
        bool has_buffer;
    } cases[] = {{isa_AARCH64, cached_code, decoded_code, NULL, 3120, false},
                 {isa_X86_64, decoded_code, looped_code, decoded_code, 0, true},
                 {isa_X86_64, cached_code, decoded_code, NULL, 0, false},
                 {isa_X86_64, code_of_2048, decoded_code, code_of_2048, 2096, false},
                 {isa_X86_64, code_of_2048, decoded_code, thin_code, 0, false},
                 {isa_X86_64, cached_code, decoded_code, decoded_code, 0, false},
                 {isa_X86_64, code_of_4096, decoded_code, decoded_code, 4160, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct array plan = ARRAY_OF(struct bench_planned), findings = ARRAY_OF(struct bench_finding);
        struct bench_results results;
        bench_results_begin(&results);
        bench_plan_core(&plan, cases[i].isa);
        for (size_t p = 0; p < plan.count; p++) { /* all of it fits the first cache of instructions */
            const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &plan, p);
            if (!strncmp(planned->name, "core|code", 9))
                assert_true(planned->code.count * planned->copies[1] <= 31 << 10);
        }
        add_planned(&results, &plan, "code", cases[i].code);
        add_planned(&results, &plan, "code small", cases[i].small);
        if (cases[i].sparse)
            add_planned(&results, &plan, "code sparse", cases[i].sparse);
        bench_core_findings(&findings, &results, cases[i].isa);
        assert_true(!find(&findings, "uop-cache-size") == !cases[i].cache);
        assert_true(!find(&findings, "loop-buffer") == !cases[i].has_buffer);
        if (cases[i].cache)
            assert_in_range(number_of(&findings, "uop-cache-size"), cases[i].cache - 140,
                            cases[i].cache + 140);
        if (cases[i].has_buffer)
            assert_in_range(number_of(&findings, "loop-buffer"), 62, 68);
        array_free(&findings);
        bench_results_end(&results);
        bench_plan_free(&plan);
    }
}

static void test_pages(void **unused)
{
    (void)unused;
    struct array findings = ARRAY_OF(struct bench_finding);
    struct bench_results results;
    bench_results_begin(&results);
    add_result(&results, "load across", 0, 4);
    add_result(&results, "load across", 4096, 16);
    add_result(&results, "store across", 0, 6);
    bench_core_findings(&findings, &results, isa_AARCH64);
    assert_string_equal(find(&findings, "load-page-crossing")->values, "1");
    assert_null(find(&findings, "store-page-crossing"));
    add_result(&results, "store across", 4096, 132);
    findings.count = 0;
    bench_core_findings(&findings, &results, isa_AARCH64);
    assert_string_equal(find(&findings, "store-page-crossing")->values, "10.5");
    array_free(&findings);
    bench_results_end(&results);
}

static void test_chains_and_pairs(void **unused)
{
    (void)unused;
    struct array findings = ARRAY_OF(struct bench_finding), words = ARRAY_OF(struct bench_form_word);
    struct bench_results results;
    bench_results_begin(&results);
    add_result(&results, "add general", 1, 1);
    add_result(&results, "add vector", 1, 2);
    add_result(&results, "forward general", 1, 5);
    add_result(&results, "forward renamed", 1, 1.1);
    add_result(&results, "forward vector", 1, 9.5);
    add_result(&results, "forward failed", 1, 12);
    add_result(&results, "load across", 0, 4);
    add_result(&results, "load across", 16, 4);
    add_result(&results, "load across", 32, 8);
    add_result(&results, "mispredict", 0, 2);
    add_result(&results, "mispredict", 1, 9);
    add_result(&results, "load bytes 8", 1, 6);
    add_result(&results, "load bytes 16", 1, 6);
    add_result(&results, "load bytes 32", 1, 6);
    add_result(&results, "load bytes 64", 1, 9);
    add_result(&results, "store bytes 8", 1, 12);
    add_result(&results, "store bytes 16", 1, 12);
    add_result(&results, "store bytes 32", 1, 24);
    add_result(&results, "move mov r64,r64", 24, 4);
    add_result(&results, "move movaps xmm,xmm", 24, 24);
    add_result(&results, "fusion cmp r64,r64", 99, 8);
    add_result(&results, "fusion cmp r64,r64", 4, 12); /* je, taken */
    add_result(&results, "fusion cmp r64,r64", 5, 7);
    add_result(&results, "fusion cmp r64,r64", 8, 8);
    add_result(&results, "fusion cmp r64,r64", 9, 12);
    bench_core_findings(&findings, &results, isa_X86_64);
    bench_core_form_words(&words, &results, isa_X86_64);
    assert_string_equal(find(&findings, "forward")->values, "4 7.5");
    assert_string_equal(find(&findings, "renames-memory")->values, "");
    assert_string_equal(find(&findings, "forward-failed")->values, "11");
    assert_string_equal(find(&findings, "load-line")->values, "32");
    assert_string_equal(find(&findings, "mispredict")->values, "14");
    assert_string_equal(find(&findings, "wide-loads")->values, "32 2");
    assert_string_equal(find(&findings, "store-bytes")->values, "16");
    assert_null(find(&findings, "load-bytes"));
    assert_string_equal(find(&findings, "eliminates")->values, "general any");
    assert_string_equal(find(&findings, "clock")->values, "3.00");
    assert_int_equal(words.count, 2);
    const struct bench_form_word *move = ARRAY_AT(struct bench_form_word, &words, 0), *pair = move + 1;
    assert_string_equal(move->form, "mov r64,r64");
    assert_string_equal(move->word, "eliminated");
    assert_string_equal(pair->form, "cmp r64,r64");
    assert_string_equal(pair->word, "fuses");
    assert_string_equal(pair->value, "je,jne");
    array_free(&findings);
    array_free(&words);
    bench_results_end(&results);
}

static const char *word_of(const struct array *words, const char *form, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        const struct bench_form_word *one = ARRAY_AT(struct bench_form_word, words, i);
        if (!strcmp(one->form, form) && !strcmp(one->word, word))
            return one->value;
    }
    return NULL;
}

/* Loops end in branches with a condition: these count, whatever jumps without one do. */
static void test_taken(void **unused)
{
    (void)unused;
    struct array findings = ARRAY_OF(struct bench_finding);
    struct bench_results results;
    bench_results_begin(&results);
    add_result(&results, "branches taken", 16, 8.4);
    bench_core_findings(&findings, &results, isa_AARCH64);
    assert_int_equal(number_of(&findings, "taken"), 2);
    assert_null(find(&findings, "jumps-pair"));
    add_result(&results, "loop condition", 8, 1.58);
    add_result(&results, "loop condition", 16, 1.55);
    add_result(&results, "loop jump", 8, 1.5);
    add_result(&results, "loop jump", 16, 1.01);
    findings.count = 0;
    bench_core_findings(&findings, &results, isa_AARCH64);
    assert_int_equal(number_of(&findings, "taken"), 1);
    assert_string_equal(find(&findings, "jumps-pair")->values, "");
    array_free(&findings);
    bench_results_end(&results);
}

/* A product takes its sum early from another product alone; an addition takes it as early from anybody. */
static void test_company(void **unused)
{
    (void)unused;
    struct array words = ARRAY_OF(struct bench_form_word), plan = ARRAY_OF(struct bench_planned);
    struct bench_results results;
    bench_results_begin(&results);
    add_result(&results, "sum fmla 4s,4s,4s", 1, 24);
    add_result(&results, "sum fmla 4s,4s,4s", 2, 70.8); /* a slower mode */
    add_result(&results, "sum fmla 4s,4s,4s", 3, 84);
    add_result(&results, "sum fadd 4s,4s,4s", 1, 24);
    add_result(&results, "sum fadd 4s,4s,4s", 2, 60);
    add_result(&results, "sum fmul 4s,4s,4s", 1, 36);
    add_result(&results, "sum fmls 4s,4s,4s", 2, 61.2); /* its own chain is not there */
    add_result(&results, "selection cmp w,w", 0, 6);
    add_result(&results, "selection cmp w,w", 1, 6);
    add_result(&results, "fusion cmp w,w", 99, 12);
    add_result(&results, "fusion cmp w,w", 0, 9);
    add_result(&results, "fusion cmp w,w", 1, 12);
    add_result(&results, "selection cmp x,x", 0, 12);
    add_result(&results, "fusion cmp x,x", 99, 12);
    bench_core_form_words(&words, &results, isa_AARCH64);
    assert_string_equal(word_of(&words, "fmla 4s,4s,4s", "chained"), "2");
    assert_string_equal(word_of(&words, "fmla 4s,4s,4s", core_USUAL), "3");
    assert_null(word_of(&words, "fadd 4s,4s,4s", core_USUAL));
    assert_null(word_of(&words, "fmls 4s,4s,4s", core_USUAL));
    assert_string_equal(word_of(&words, "cmp w,w", "fuses"), "b.eq,b.ne,csel,cset");
    assert_null(word_of(&words, "cmp x,x", "fuses"));
    /* Each chain is planned once. */
    bench_plan_core(&plan, isa_AARCH64);
    unsigned chains = 0;
    for (size_t i = 0; i < plan.count; i++)
        chains += !strcmp(ARRAY_AT(struct bench_planned, &plan, i)->name, "core|sum fadd d,d,d|1");
    assert_int_equal(chains, 1);
    bench_plan_free(&plan);
    array_free(&words);
    bench_results_end(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_found),
        cmocka_unit_test(test_spikes_are_not_steps),
        cmocka_unit_test(test_no_step_where_there_is_none),
        cmocka_unit_test(test_ramps_are_wide),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_schedulers_behind_buffers),
        cmocka_unit_test(test_register_files),
        cmocka_unit_test(test_growing_code),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_chains_and_pairs),
        cmocka_unit_test(test_company),
        cmocka_unit_test(test_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
