/* Counts of events that were made up: what they say about µops and ports, and which ports do not agree with
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/bench/counts.h"
#include "run/bench/file_parts.h"

static const char *const folders[] = {MACHINES};

static struct machine *load(const char *name)
{
    struct error error = {0};
    struct machine *machine = machine_load(name, folders, 1, &error);
    assert_non_null(machine);
    return machine;
}

/* "issued=1 p0=0.5 p1=0.5": events that are not named count 0; those of `without` are missing. */
static unsigned make_up(const char *const *events, const char *text, const char *without,
                        struct bench_count *counts)
{
    unsigned count = 0;
    for (unsigned i = 0; events[i]; i++) {
        char key[24];
        snprintf(key, sizeof key, "%s=", events[i]);
        const char *at = strstr(text, key);
        while (at && at != text && at[-1] != ' ')
            at = strstr(at + 1, key);
        if (without && !strcmp(without, events[i]))
            continue;
        snprintf(counts[count].what, sizeof counts[count].what, "%s", events[i]);
        counts[count].spread = 0.001;
        counts[count++].count = at ? atof(at + strlen(key)) : 0;
    }
    return count;
}

static const char *const skylake[] = {"issued", "executed", "p0", "p1", "p2", "p3",
                                      "p4",     "p5",       "p6", "p7", NULL};
static const char *const golden_cove[] = {"issued", "retired", "p0", "p1",  "p23A",
                                          "p49",    "p5B",     "p6", "p78", NULL};

/* The ports that counts alone give, "" for none. */
static void read_ports(const char *name, const char *const *events, const char *text, double cycles,
                       const char *expected)
{
    struct machine *machine = load(name);
    struct bench_count counts[BENCH_EVENTS];
    struct bench_counts read;
    struct bench_port_use uses[MOST_PORT_USES];
    unsigned use_count;
    char found[192] = "";
    bench_counts_read(counts, make_up(events, text, NULL, counts), machine, &read);
    assert_true(read.is_whole);
    if (bench_counts_ports(&read, cycles, uses, &use_count))
        assert_true(bench_uses_text(machine, uses, use_count, found));
    assert_string_equal(found, expected);
    machine_free(machine);
}

static void test_ports(void **state)
{
    (void)state;
    read_ports("skylake", skylake, "issued=1 executed=1 p0=0.5 p1=0.5", 0.5, "p01");
    read_ports("skylake", skylake, "issued=1 executed=2 p0=1 p2=0.49 p3=0.51", 1, "p0+p23");
    read_ports("skylake", skylake, "issued=1.01 executed=1 p0=0.25 p1=0.26 p5=0.24 p6=0.25 p7=0.001", 0.25,
               "p0156");
    read_ports("skylake", skylake, "issued=2 executed=2 p5=2.01", 2, "2*p5");
    /* Several answers: 2*p0156, p01+p56, p05+p16 … */
    read_ports("skylake", skylake, "issued=2 executed=2 p0=0.5 p1=0.5 p5=0.5 p6=0.5", 0.5, "");
    read_ports("skylake", skylake, "issued=2 executed=2 p0=0.67 p1=0.67 p5=0.66", 0.67, "");
    /* No whole number of µops. */
    read_ports("skylake", skylake, "issued=1.3 executed=1.3 p0=0.3 p1=1", 1, "");
    /* Events that count several ports. */
    read_ports("sapphire-rapids", golden_cove, "issued=1 p23A=1", 0.334, "p23A");
    read_ports("sapphire-rapids", golden_cove, "issued=1 p23A=1 p0=0.5 p5B=0.5", 0.334, "p05B+p23A");
    /* One a cycle: p5 or pB, not both. */
    read_ports("sapphire-rapids", golden_cove, "issued=1 p5B=1", 1, "");
    /* Nothing goes to a port. */
    read_ports("skylake", skylake, "issued=1", 0.25, "");
}

static double misplaced(const char *name, const char *const *events, const char *text, double cycles,
                        const char *form)
{
    struct machine *machine = load(name);
    struct bench_count counts[BENCH_EVENTS];
    struct bench_counts read;
    struct bench_port_use uses[MOST_PORT_USES];
    unsigned use_count = 0;
    bench_counts_read(counts, make_up(events, text, NULL, counts), machine, &read);
    /* p01+2*p5 */
    for (const char *at = form; *at; at++) {
        uses[use_count] = (struct bench_port_use){.uops = 1};
        if (*at >= '1' && *at <= '9') {
            uses[use_count].uops = (unsigned)(*at - '0');
            at += 2;
        }
        for (at++; *at && *at != '+'; at++)
            for (unsigned port = 0; port < machine->port_count; port++)
                if (machine->ports[port][0] == *at)
                    uses[use_count].ports |= 1U << port;
        use_count++;
        if (!*at)
            break;
    }
    machine_free(machine);
    return bench_counts_misplaced(&read, uses, use_count, cycles);
}

static void test_misplaced(void **state)
{
    (void)state;
    const char *ones = "issued=1 executed=1 p0=0.5 p1=0.5";
    assert_true(misplaced("skylake", skylake, ones, 0.5, "p01") == 0);
    assert_float_equal(misplaced("skylake", skylake, ones, 0.5, "p05"), 0.5, 1e-6); /* the wrong port */
    assert_float_equal(misplaced("skylake", skylake, ones, 0.5, "p0"), 0.5, 1e-6);  /* too few */
    assert_float_equal(misplaced("skylake", skylake, ones, 0.5, "p015"), 1 / 3.0,
                       1e-6);                                                       /* too many: p5 is idle */
    assert_float_equal(misplaced("skylake", skylake, ones, 0.5, "2*p01"), 1, 1e-6); /* a µop too many */
    /* A µop in six cycles: the ports are not busy, and one of them is enough. */
    assert_true(misplaced("skylake", skylake, "issued=1 executed=1 p6=1", 6, "p0156") == 0);
    /* What no single answer follows from still agrees with all of them, and not with others. */
    const char *four = "issued=2 executed=2 p0=0.5 p1=0.5 p5=0.5 p6=0.5";
    assert_true(misplaced("skylake", skylake, four, 0.5, "2*p0156") == 0);
    assert_true(misplaced("skylake", skylake, four, 0.5, "p01+p56") == 0);
    assert_float_equal(misplaced("skylake", skylake, four, 0.5, "p0+p156"), 0.5, 1e-6);
    /* p5 is within p5B. */
    assert_true(misplaced("sapphire-rapids", golden_cove, "issued=1 p0=0.5 p5B=0.5", 0.5, "p05") == 0);
    assert_float_equal(misplaced("sapphire-rapids", golden_cove, "issued=1 p0=0.5 p5B=0.5", 0.5, "p01"), 0.5,
                       1e-6);
}

/* Events that are missing, or of ports that the machine does not have: µops are told, ports are not. */
static void test_missing_events(void **state)
{
    (void)state;
    struct machine *machine = load("skylake");
    struct bench_count counts[BENCH_EVENTS];
    struct bench_counts read;
    const char *text = "issued=2 executed=2 p0=1 p2=0.5 p3=0.5";
    bench_counts_read(counts, make_up(skylake, text, "p7", counts), machine, &read);
    assert_false(read.is_whole);
    assert_int_equal(bench_counts_issued(&read), 2);
    bench_counts_read(counts, make_up(skylake, "issued=2 executed=2 p0=1", NULL, counts), machine, &read);
    assert_false(read.is_whole); /* one of two executed µops is on no port */
    bench_counts_read(counts, make_up(golden_cove, text, "issued", counts), machine, &read);
    assert_false(read.is_whole);
    assert_int_equal(bench_counts_issued(&read), 0); /* retired: 0 */
    bench_counts_read(counts, make_up(golden_cove, "issued=1.4", NULL, counts), machine, &read);
    assert_int_equal(bench_counts_issued(&read), 0);
    bench_counts_read(counts, 0, machine, &read);
    assert_false(read.is_whole);
    assert_int_equal(bench_counts_issued(&read), 0);
    machine_free(machine);
}

/* What a form measures and counts, and the ports that mixes gave it, by their numbers; 0: none. */
static const struct {
    const char *form, *counts;
    double cycles;
    unsigned found_ports;
} made_up[] = {{"add r64,r64", "issued=1 executed=1 p0=0.25 p1=0.25 p5=0.25 p6=0.25", 0.25, 0x63},
               {"imul r64,r64", "issued=1 executed=1 p1=1", 1, 0x20},                       /* p5 */
               {"paddd xmm,xmm", "issued=1 executed=1 p0=0.5 p1=0.5", 0.5, 0x23},           /* p015 */
               {"adc r64,r64", "issued=2 executed=2 p0=0.5 p1=0.5 p5=0.5 p6=0.5", 1, 0x40}, /* p6 */
               {"movaps xmm,m128", NULL, 0.5, 0}};
enum { MADE_UP = sizeof made_up / sizeof *made_up };

static void add_results(struct bench_session *bench)
{
    static const char head[] = "# assay bench results 1 x86-64\n# measured 2026-11-16 by assay 1.2.3\n";
    struct error error = {0};
    assert_true(bench_results_parse(&bench->results, "r", head, strlen(head), &error));
    for (unsigned i = 0; i < MADE_UP; i++)
        bench_session_add(bench, made_up[i].form);
    for (size_t f = 0; f < bench->forms.count; f++) {
        const struct bench_form *form = ARRAY_AT(struct bench_form, &bench->forms, f);
        for (size_t i = form->first; i < form->first + form->count; i++) {
            const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &bench->planned, i);
            if (planned->kind != bench_THROUGHPUT || planned->is_variant)
                continue;
            double cycles = made_up[f].cycles * planned->instances;
            struct bench_result result = {bench_MEASURED, 0, cycles, cycles, 0.0001, 3};
            if (made_up[f].counts)
                result.counted = make_up(skylake, made_up[f].counts, NULL, result.counts);
            for (unsigned k = 0; k < result.counted; k++)
                result.counts[k].count *= planned->instances;
            bench_results_add(&bench->results, planned->name, &result);
        }
    }
}

static const char *source_of(const struct machine *machine, const char *form)
{
    const char *source = machine_source_text(machine, machine_form(machine, form)->source);
    const char *more = strchr(source, ';');
    return more ? more : "";
}

static uint32_t ports_of(const struct machine *machine, const char *form)
{
    const struct machine_form *known = machine_form(machine, form);
    assert_int_equal(known->ports.count, 1);
    return ARRAY_AT(struct form_ports, &machine->form_ports, known->ports.first)->ports;
}

/* Ports that mixes found have numbers; counted ones say which they are, against the nearest core. */
static void test_names(void **state)
{
    (void)state;
    struct bench_session bench;
    struct bench_ports ports = {.count = 4, .forms = ARRAY_OF(struct bench_port_form)};
    uint8_t names[32];
    bench_session_begin(&bench, isa_X86_64);
    add_results(&bench);
    static const unsigned found[] = {0xf, 1,
                                     3}; /* add on all four, imul on the first, paddd on two of them */
    for (unsigned i = 0; i < 3; i++)
        *(struct bench_port_form *)array_push(&ports.forms) = (struct bench_port_form){
            .form = ARRAY_AT(struct bench_form, &bench.forms, i), .uses = {{found[i], 1}}, .use_count = 1};
    struct machine *nearest = load("skylake");
    struct array figures = bench_session_figures(&bench, nearest);
    assert_true(bench_name_ports(&ports, nearest, &figures, names));
    assert_int_equal(names[0], 1);                         /* imul is counted on p1, */
    assert_int_equal(names[1], 0);                         /* paddd on p0 and p1, */
    assert_int_equal(1 << names[2] | 1 << names[3], 0x60); /* add on these and on p5 and p6 */
    array_free(&figures);
    array_free(&ports.forms);
    machine_free(nearest);
    bench_session_end(&bench);
}

/* A machine file of such counts: ports that agree stay, others give way where the counts are clear. */
static void test_file(void **state)
{
    (void)state;
    struct bench_session bench;
    struct bench_file_counts file_counts;
    struct error error = {0};
    struct array none = ARRAY_OF(struct bench_finding), differences = ARRAY_OF(struct bench_port_difference);
    struct bench_ports ports = {.count = 8, .forms = ARRAY_OF(struct bench_port_form)};
    bench_session_begin(&bench, isa_X86_64);
    add_results(&bench);
    for (unsigned i = 0; i < MADE_UP; i++)
        if (made_up[i].found_ports)
            *(struct bench_port_form *)array_push(&ports.forms) =
                (struct bench_port_form){.form = ARRAY_AT(struct bench_form, &bench.forms, i),
                                         .issued = 1,
                                         .uses = {{made_up[i].found_ports, 1}},
                                         .use_count = 1};
    struct machine *nearest = load("skylake");
    struct array figures = bench_session_figures(&bench, nearest);
    struct bench_evidence evidence = {.bench = &bench,
                                      .figures = &figures,
                                      .findings = &none,
                                      .ports = &ports,
                                      .nearest = nearest,
                                      .is_known = true,
                                      .name = "mine"};
    for (unsigned i = 0; i < 32; i++)
        evidence.port_names[i] = (uint8_t)i;
    assert_int_equal(bench_compare_ports(&evidence, &differences), 4);
    assert_int_equal(differences.count, 3);
    const struct bench_port_difference *worst = ARRAY_AT(struct bench_port_difference, &differences, 0);
    const struct bench_port_difference *second = ARRAY_AT(struct bench_port_difference, &differences, 1);
    const struct bench_port_difference *third = ARRAY_AT(struct bench_port_difference, &differences, 2);
    assert_string_equal(worst->form->text, "adc r64,r64");
    assert_string_equal(worst->counted, "0.50 p0, 0.50 p1, 0.50 p5, 0.50 p6");
    assert_false(worst->is_settled);
    assert_string_equal(second->form->text, "imul r64,r64");
    assert_string_equal(second->found, "p5");
    assert_string_equal(second->counted, "p1");
    assert_true(second->is_settled);
    assert_string_equal(third->counted, "p01");
    char *text = bench_machine_file(&evidence, &file_counts, &error);
    assert_non_null(text);
    struct machine *machine = machine_parse_in("mine", text, strlen(text), folders, 1, &error);
    assert_non_null(machine);
    assert_int_equal(ports_of(machine, "add r64,r64"), 0x63);
    assert_int_equal(ports_of(machine, "imul r64,r64"), 2);
    assert_int_equal(ports_of(machine, "paddd xmm,xmm"), 3);
    assert_int_equal(ports_of(machine, "adc r64,r64"), 0x40);
    assert_int_equal(machine_form(machine, "adc r64,r64")->fused, 2);
    assert_string_equal(source_of(machine, "add r64,r64"), "; µops and ports counted");
    assert_string_equal(source_of(machine, "paddd xmm,xmm"), "; µops and ports counted");
    assert_string_equal(source_of(machine, "adc r64,r64"), "; µops counted");
    assert_string_equal(source_of(machine, "movaps xmm,m128"), "; µops and ports assumed, as skylake");
    assert_true(file_counts.counted == 4 && file_counts.counted_ports == 3);
    free(text);
    machine_free(machine);
    machine_free(nearest);
    array_free(&figures);
    array_free(&differences);
    array_free(&ports.forms);
    bench_session_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ports), cmocka_unit_test(test_misplaced),
                                       cmocka_unit_test(test_missing_events), cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
