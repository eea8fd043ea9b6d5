/* Peaks of the machines that Assay comes with, beside what is publicly known of them: vendors' optimisation
   guides and data sheets, Fog's manuals, and for Arm's cores the guides and announcements of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "code/quality/metrics/metrics.h"

static const char *const folders[] = {MACHINES};

/* Operations of single and double precision, bytes loaded and stored, all of a cycle. */
static const struct {
    const char *name;
    double fp32, fp64, loaded, stored;
} known[] = {
    /* One adder and one multiplier of 128 bits; a load and a store of 16 bytes. */
    {"core2-conroe", 8, 4, 16, 16},
    {"core2-wolfdale", 8, 4, 16, 16},
    {"nehalem", 8, 4, 16, 16},
    {"westmere", 8, 4, 16, 16},
    /* Both of 256 bits, but ways to the cache of 16 bytes, two of them for loads. */
    {"sandy-bridge", 16, 8, 32, 16},
    {"ivy-bridge", 16, 8, 32, 16},
    /* Two units for multiply-adds of 256 bits. */
    {"haswell", 32, 16, 64, 32},
    {"broadwell", 32, 16, 64, 32},
    {"skylake", 32, 16, 64, 32},
    /* Two of 512 bits; one on processors for clients, which then is as good as two of 256. */
    {"skylake-x", 64, 32, 128, 64},
    {"cascade-lake", 64, 32, 128, 64},
    {"ice-lake", 32, 16, 128, 64},
    {"tiger-lake", 32, 16, 128, 64},
    {"rocket-lake", 32, 16, 128, 64},
    {"alder-lake-p", 32, 16, 128, 64},
    {"sapphire-rapids", 64, 32, 128, 64},
    {"granite-rapids", 64, 32, 128, 64},
    /* Two of 128 bits, then of 256; Zen 4 takes two turns for 512. */
    {"zen", 16, 8, 32, 16},
    {"zen-plus", 16, 8, 32, 16},
    {"zen2", 32, 16, 64, 32},
    {"zen3", 32, 16, 64, 32},
    {"zen4", 32, 16, 64, 32},
    /* Two or four of 128 bits; V1 has two of 256 in place of four (its stores of 32 bytes take a cycle each,
       as measured with pairs of 16); A64FX two of 512. */
    {"neoverse-n1", 16, 8, 32, 16},
    {"neoverse-n2", 16, 8, 48, 32},
    {"neoverse-v1", 32, 16, 64, 32},
    {"neoverse-v2", 32, 16, 48, 32},
    {"a64fx", 64, 32, 128, 64},
    /* A thread issues in every second cycle: half of what the core can do.  Its two pipes both store. */
    {"knights-corner", 16, 8, 32, 64},
    /* Two multiply-adds, of two numbers each in single precision. */
    {"itanium2", 8, 4, 0, 0},
};

static struct machine *load(const char *name)
{
    struct error error = {0};
    struct machine *machine = machine_load(name, folders, 1, &error);
    assert_non_null(machine);
    return machine;
}

static void test_published(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct machine *machine = load(known[i].name);
        struct machine_peak single, twice;
        machine_peak_find(&single, machine, element_FP32);
        machine_peak_find(&twice, machine, element_FP64);
        if (single.flops != known[i].fp32 || twice.flops != known[i].fp64 ||
            single.loaded != known[i].loaded || single.stored != known[i].stored)
            fail_msg("%s: %g and %g operations, %g bytes loaded, %g stored", known[i].name, single.flops,
                     twice.flops, single.loaded, single.stored);
        assert_true(twice.loaded == single.loaded && twice.stored == single.stored);
        machine_free(machine);
    }
}

/* No machine file is without a line above. */
static void test_all_machines(void **state)
{
    (void)state;
    struct array names = machine_names(folders, 1);
    assert_int_equal(names.count, sizeof known / sizeof known[0]);
    for (size_t i = 0; i < names.count; i++) {
        char *name = *ARRAY_AT(char *, &names, i);
        bool is_known = false;
        for (unsigned k = 0; k < sizeof known / sizeof known[0]; k++)
            is_known |= !strcmp(known[k].name, name);
        if (!is_known)
            fail_msg("%s has no peaks in this test", name);
        free(name);
    }
    array_free(&names);
}

static double flops(const char *name, enum element element)
{
    struct machine *machine = load(name);
    struct machine_peak peak;
    machine_peak_find(&peak, machine, element);
    machine_free(machine);
    return peak.flops;
}

/* Half precision, bfloat16 and the x87 stack; integers have no such operations. */
static void test_other_formats(void **state)
{
    (void)state;
    assert_true(flops("neoverse-v1", element_FP16) == 64);
    assert_true(flops("neoverse-v1", element_BF16) == 64);
    assert_true(flops("a64fx", element_FP16) == 128);
    assert_true(flops("a64fx", element_BF16) == 0);
    assert_true(flops("skylake", element_FP16) == 0);
    assert_true(flops("haswell", element_X87) == 2);
    assert_true(flops("zen2", element_X87) == 1);
    assert_true(flops("haswell", element_INT32) == 0);
    assert_true(flops("haswell", element_NONE) == 0);
}

/* A machine file that says nothing of forms or ways to the cache has no peaks, not wrong ones. */
static void test_silent_file(void **state)
{
    (void)state;
    static const char text[] =
        "name bare\ntitle Bare\nisa x86-64\nfigures none\nwidth 2\nfloating 1\nmemory 1\n"
        "branches 1\nports 0 1\nform add * : uops 1 ports p01 latency 1\n";
    struct error error = {0};
    struct machine *machine = machine_parse("bare", text, sizeof text - 1, &error);
    struct machine_peak peak;
    assert_non_null(machine);
    machine_peak_find(&peak, machine, element_FP64);
    assert_true(peak.flops == 0 && peak.loaded == 0 && peak.stored == 0);
    assert_int_equal(machine->core.vector_bits, 0);
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_all_machines),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_silent_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
