/* Levels of memory from results: of made-up computers whose levels are known. */
#include "run/bench/memory/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct level {
    double bytes, latency, load, store, copy, update;
    bool is_shared;
};
static const struct level server[] = {{48 << 10, 5, 128, 64, 60, 50, false},
                                      {2 << 20, 16, 48, 24, 20, 18, false},
                                      {64 << 20, 75, 12, 6, 5, 4.5, true},
                                      {1e12, 300, 6, 3, 2.5, 2, true}};

static const struct level *level_of(const struct level *levels, double bytes, unsigned processors)
{
    while (bytes * (levels->is_shared ? processors : 1) > levels->bytes)
        levels++;
    return levels;
}

/* A computer of 8 processors with these levels, whose core works while lines come as far as `overlap` says;
 * x86-64: units of 512 bytes. */
static struct bench_results made_up(const struct level *levels, double overlap)
{
    struct array planned = ARRAY_OF(struct bench_planned);
    struct bench_results results;
    struct bench_memory_plan plan = {
        .isa = isa_X86_64, .largest = 256 << 20, .processors = 8, .widths = 32 | 64};
    bench_plan_levels(&planned, &plan);
    bench_results_begin(&results);
    for (size_t i = 0; i < planned.count; i++) {
        const struct bench_planned *test = ARRAY_AT(struct bench_planned, &planned, i);
        struct bench_result result = {.status = bench_MEASURED, .spread = 0.01, .ghz = 2};
        bool is_narrow = strstr(test->name, " 32|");
        unsigned processors = test->threads == BENCH_ALL ? 8 : test->threads ? test->threads : 1;
        const struct level *level = level_of(levels, (double)test->bytes, processors);
        double line = 512 / level->load, work = strstr(test->name, "|heavy") ? 64 : 8;
        const char *const words[] = {"|latency|", "|load ",   "|loads ", "|store ",
                                     "|copy ",    "|update ", "|stride "};
        const double cycles[] = {level->latency,
                                 line,
                                 1.5 * line,
                                 512 / level->store,
                                 512 / level->copy,
                                 512 / level->update,
                                 8 * 0.01 * level->latency};
        /* Light and heavy. */
        result.best = fmax(line, work) + (level == levels ? 0 : (1 - overlap) * fmin(line, work));
        for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
            if (strstr(test->name, words[k]))
                result.best = cycles[k];
        result.best *= (is_narrow ? 1.5 : 1) / processors;
        result.median = result.best * 1.01;
        if (!strcmp(test->name, "system|processors"))
            result.best = 8;
        if (test->layout != bench_SYSTEM || strstr(test->name, "processors"))
            bench_results_add(&results, test->name, &result);
    }
    bench_plan_free(&planned);
    return results;
}

static void add_answer(struct bench_results *results, unsigned index, const char *question, double value)
{
    char name[BENCH_NAME];
    struct bench_result result = {.status = bench_MEASURED, .best = value, .median = value};
    snprintf(name, sizeof name, "system|/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, question);
    bench_results_add(results, name, &result);
}

static void add_cache(struct bench_results *results, unsigned index, char type, unsigned level, double bytes,
                      unsigned shared)
{
    add_answer(results, index, "type", type);
    add_answer(results, index, "level", level);
    add_answer(results, index, "size", bytes);
    add_answer(results, index, "ways_of_associativity", 12);
    add_answer(results, index, "coherency_line_size", 64);
    add_answer(results, index, "shared_cpu_list", shared);
}

static void add_system(struct bench_results *results)
{
    add_cache(results, 0, 'D', 1, 48 << 10, 0);
    add_cache(results, 1, 'I', 1, 32 << 10, 0);
    add_cache(results, 2, 'U', 2, 2 << 20, 0);
    add_cache(results, 3, 'U', 3, 64 << 20, 8);
}

static void same(double figure, double wanted)
{
    if (!(fabs(figure - wanted) <= 0.02 * wanted))
        print_error("%g, not %g\n", figure, wanted);
    assert_true(fabs(figure - wanted) <= 0.02 * wanted);
}

static void expect_server(const struct bench_levels *levels)
{
    assert_int_equal(levels->count, 4);
    for (unsigned i = 0; i < 4; i++) {
        const struct machine_cache *cache = &levels->levels[i].cache;
        same(cache->latency, server[i].latency);
        same(levels->levels[i].nanoseconds, server[i].latency / 2);
        same(cache->bytes_per_cycle, 2 * server[i].load); /* three streams are twice as quick */
        same(cache->stored_per_cycle, server[i].store);
        same(cache->copied_per_cycle, server[i].copy);
        same(cache->updated_per_cycle, server[i].update);
        same(levels->levels[i].core[0], 2 * 2 * server[i].load);
        assert_int_equal(cache->level, i < 3 ? i + 1 : 0);
    }
}

static void with_a_system(void **state)
{
    struct bench_results results = made_up(server, 1);
    (void)state;
    add_system(&results);
    struct bench_levels levels = bench_find_levels(&results, isa_X86_64);
    expect_server(&levels);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(levels.levels[i].is_reported && levels.levels[i].step > 0);
        assert_true(levels.levels[i].cache.bytes == (uint64_t)server[i].bytes &&
                    levels.levels[i].cache.ways == 12);
    }
    assert_true(levels.levels[2].cache.is_shared && !levels.levels[1].cache.is_shared);
    assert_int_equal(levels.unexplained_count, 0);
    assert_int_equal(levels.processors, 8);
    same(levels.levels[0].all[0], 8 * 2 * server[0].load / 1.01);
    same(levels.levels[3].all[1], 8 * 2 * server[3].store / 1.01);
    same(levels.levels[3].cache.overlap, 1);
    bench_results_end(&results);
}

static void without_a_system(void **state)
{
    struct bench_results results = made_up(server, 1);
    (void)state;
    struct bench_levels levels = bench_find_levels(&results, isa_X86_64);
    expect_server(&levels);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(!levels.levels[i].is_reported);
        assert_true((double)levels.levels[i].cache.bytes <= server[i].bytes &&
                    (double)levels.levels[i].cache.bytes > server[i].bytes / 1.3);
    }
    bench_results_end(&results);
}

/* A cache that the curves do not show, a step that no cache explains. */
static void disagreements(void **state)
{
    struct bench_results results = made_up(server, 0);
    (void)state;
    add_cache(&results, 0, 'D', 1, 48 << 10, 0);
    add_cache(&results, 1, 'U', 2, 256 << 10, 0);
    struct bench_levels levels = bench_find_levels(&results, isa_X86_64);
    assert_int_equal(levels.count, 3);
    assert_true(levels.levels[0].step > 0 && !levels.levels[1].step);
    assert_int_equal(levels.unexplained_count, 2);
    same(levels.levels[2].cache.overlap, 0.01);
    bench_results_end(&results);
}

static void findings(void **state)
{
    struct bench_results results = made_up(server, 0.5);
    struct array found = ARRAY_OF(struct bench_finding);
    (void)state;
    add_system(&results);
    bench_level_findings(&found, &results, isa_X86_64);
    assert_int_equal(found.count, 4);
    assert_string_equal(ARRAY_AT(struct bench_finding, &found, 0)->word, "cache");
    assert_string_equal(ARRAY_AT(struct bench_finding, &found, 0)->values,
                        "1 48K ways 12 line 64 bandwidth 256 store 64 copy 60 update 50 latency 5");
    assert_string_equal(
        ARRAY_AT(struct bench_finding, &found, 2)->values,
        "3 64M ways 12 line 64 bandwidth 24 store 6 copy 5 update 4.5 overlap 0.5 latency 75 shared");
    assert_string_equal(ARRAY_AT(struct bench_finding, &found, 3)->word, "main-memory");
    assert_string_equal(ARRAY_AT(struct bench_finding, &found, 3)->values,
                        "bandwidth 12 store 3 copy 2.5 update 2 overlap 0.5 latency 300");
    /* Lines of a machine file. */
    char *text = memory_format("name x\ntitle x\nisa x86-64\nfigures x\nwidth 4\nfloating 2\nmemory 2\nloads "
                               "2\nstores 1\nbranches 1\n");
    for (size_t i = 0; i < found.count; i++) {
        const struct bench_finding *finding = ARRAY_AT(struct bench_finding, &found, i);
        char *longer = memory_format("%s%s %s\n", text, finding->word, finding->values);
        free(text);
        text = longer;
    }
    struct error error = {0};
    struct machine *machine = machine_parse("x", text, strlen(text), &error);
    if (!machine)
        print_error("%s\n%s", error.text, text);
    assert_non_null(machine);
    assert_int_equal(machine->cache_count, 3);
    assert_true(machine->main_memory.overlap == 0.5 && machine->caches[2].updated_per_cycle == 4.5);
    machine_free(machine);
    free(text);
    array_free(&found);
    bench_results_end(&results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_a_system), cmocka_unit_test(without_a_system),
                                       cmocka_unit_test(disagreements), cmocka_unit_test(findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
