/* The machine files that MACS bounds need: those that come with Assay, and errors in files. */
#include "code/machine/host.h"
#include "code/machine/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct machine *load(const char *name)
{
    const char *directories[] = {MACHINES};
    struct error error = {0};
    struct machine *machine = machine_load(name, directories, 1, &error);
    if (!machine)
        fail_msg("%s", error.text);
    return machine;
}

static void assert_close(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.12g is not %.12g", a, b);
}

static const char *const shipped[] = {
    "alder-lake-p", "broadwell",   "cascade-lake",    "haswell",       "ice-lake", "itanium2",
    "neoverse-n1",  "neoverse-n2", "neoverse-v1",     "rocket-lake",   "skylake",  "skylake-x",
    "tiger-lake",   "zen",         "zen-plus",        "zen2",          "zen3",     "zen4",
    "golden-cove",  "raptor-lake", "sapphire-rapids", "granite-rapids"};

static void test_machine_files(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        struct machine *machine = load(shipped[i]);
        assert_true(machine->width >= 4 && machine->floating >= 2);
        assert_true(machine->latency[class_FMA][element_FP64][0] >= 4);
        assert_true(machine->latency[class_FMA][element_FP64][1] >= 4);
        assert_close(machine->latency[class_LOGIC][element_INT64][0], 1);
        machine_free(machine);
    }
    struct machine *machine = load("skylake");
    assert_close(machine->latency[class_MULTIPLY][element_INT32][0], 3);
    assert_close(machine->latency[class_MULTIPLY][element_INT32][1], 10);
    assert_close(machine->latency[class_DIVIDE][element_FP64][0], 14);
    assert_close(machine->busy[class_DIVIDE][element_FP64][1], 8);
    assert_true(machine_runs(machine, isa_I386) && !machine_runs(machine, isa_AARCH64));
    machine_free(machine);
    const char *directories[] = {MACHINES};
    struct machine_identity host = machine_host();
    struct error error = {0};
    bool is_host;
    for (unsigned isa = isa_X86_64; isa <= isa_IA64; isa++) {
        machine = machine_load_usual((enum isa)isa, &host, directories, 1, &is_host, &error);
        assert_non_null(machine);
        assert_true(machine_runs(machine, (enum isa)isa));
        machine_free(machine);
    }
    assert_null(machine_load_usual(isa_NONE, &host, directories, 1, &is_host, &error));
}

static void test_wrong_machine_files(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "without the fact 'name'"},
        {"name x\nspeed 4\n", "wrong:2: a machine has no fact called 'speed'"},
        {"name x\nwidth none\n", "number"},
        {"name x\nwidth 0\n", "above 0"},
        {"name x\nwidth 1 2\n", "too few or too many"},
        {"isa vax\n", "no isa is called 'vax'"},
        {"latency lode 4\n", "no class is called 'lode'"},
        {"latency load fp65 4\n", "no element is called 'fp65'"},
        {"on M9 ld8\n", "no port 'M9'"},
        {"second mii mmi\npair mii Y\n", "one sign for each"},
        {"second mii\npair mii Q\n", "not 'Q'"},
        {"pair mii Y\n", "no template 'mii'"},
        {"bundles 7\n", "1 or 2"},
        {"cpuid 6 zz\n", "hexadecimal"},
        {"ports ABCD\n", "at most 3 letters"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        struct machine *machine = machine_parse("wrong", cases[i].text, strlen(cases[i].text), &error);
        assert_null(machine);
        if (!strstr(error.text, cases[i].says))
            fail_msg("'%s' instead of '%s'", error.text, cases[i].says);
    }
    struct error error = {0};
    const char *directories[] = {MACHINES};
    assert_null(machine_load("../machines/skylake", directories, 1, &error));
    assert_non_null(strstr(error.text, "did you mean skylake"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_files),
        cmocka_unit_test(test_wrong_machine_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
