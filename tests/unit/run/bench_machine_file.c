/* Machine files from results: recorded ones, and such as a known machine would give, from which it must come
   out again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/bench/core/core.h"
#include "run/bench/file_parts.h"
#include "run/bench/ports/ports.h"
#include "code/machine/write.h"

static const char *const folders[] = {MACHINES};

/* As a Neoverse V1 measures it, in cycles of an instance; `fadd d,d,d` was disturbed, `eor` made missing,
   `mul` made slow. */
static const struct {
    const char *name;
    double cycles, spread;
} recorded[] = {{"add x,x,x|2>1", 0.9997, 0.0004},
                {"add x,x,x|3>1", 0.9997, 0.0002},
                {"add x,x,x|throughput", 0.2501, 0.0004},
                {"fmla 4s,4s,4s|1>1", 1.9999, 0.0004},
                {"fmla 4s,4s,4s|2>1", 3.9999, 0.0004},
                {"fmla 4s,4s,4s|3>1", 3.9999, 0.0004},
                {"fmla 4s,4s,4s|throughput", 0.25, 0.0004},
                {"fadd d,d,d|2>1", 2.03, 0.052},
                {"fadd d,d,d|3>1", 2.0001, 0.0004},
                {"fadd d,d,d|throughput", 0.25, 0.0004},
                {"mul x,x,x|2>1", 2.0001, 0.0004},
                {"mul x,x,x|3>1", 3.0001, 0.0004},
                {"mul x,x,x|throughput", 1.0002, 0.0004},
                {"sdiv x,x,x|2>1 easy", 5.0001, 0.0004},
                {"sdiv x,x,x|3>1 easy", 5.0001, 0.0004},
                {"sdiv x,x,x|throughput easy", 5.0001, 0.0004},
                {"sdiv x,x,x|2>1 hard", 20.0001, 0.0004},
                {"sdiv x,x,x|3>1 hard", 20.0001, 0.0004},
                {"sdiv x,x,x|throughput hard", 20.0001, 0.0004},
                {"eor 16b,16b,16b|2>1", NAN, 0},
                {"eor 16b,16b,16b|3>1", NAN, 0},
                {"eor 16b,16b,16b|throughput", NAN, 0}};

/* Results of units: of all their instances, and of partners, each of which takes a cycle. */
static void add_recorded(struct bench_session *bench)
{
    static const char head[] = "# assay bench results 1 aarch64\n# computer 411fd401 10afffff\n"
                               "# measured 2026-11-16 by assay 1.2.3\n";
    static const char later[] = "# assay bench results 1 aarch64\n# measured 2026-11-17 by assay 1.3\n";
    struct error error = {0};
    assert_true(bench_results_parse(&bench->results, "r", head, strlen(head), &error));
    for (size_t i = 0; i < bench->planned.count; i++) {
        const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &bench->planned, i);
        double partners = 0;
        for (unsigned p = 0; p < partner_COUNT; p++)
            partners += planned->partners[p];
        struct bench_result result = {bench_MEASURED, 0, partners, partners, 0.0001, 2.6};
        bool is_known = planned->kind == bench_PARTNER;
        for (unsigned k = 0; k < sizeof recorded / sizeof *recorded; k++) {
            if (strcmp(recorded[k].name, planned->name))
                continue;
            is_known = true;
            result.best = result.median = recorded[k].cycles * planned->instances + partners;
            result.spread = recorded[k].spread;
            if (isnan(recorded[k].cycles))
                result = (struct bench_result){.status = bench_MISSING};
        }
        /* Some came a day later, from a runner of another version. */
        if (is_known && !strncmp(planned->name, "mul ", 4))
            bench_results_parse(&bench->results, "r", later, strlen(later), &error);
        if (is_known)
            bench_results_add(&bench->results, planned->name, &result);
        bench->results.session = 1;
    }
}

struct written_file {
    struct bench_session bench;
    struct machine *nearest, *machine;
    struct array figures, findings, words, queues;
    struct bench_file_counts counts;
    char *text;
};

static void begin(struct written_file *file, enum isa isa)
{
    *file = (struct written_file){.findings = ARRAY_OF(struct bench_finding),
                                  .words = ARRAY_OF(struct bench_form_word),
                                  .queues = ARRAY_OF(struct bench_queue)};
    bench_session_begin(&file->bench, isa);
}

static void make(struct written_file *file, const char *name, bool is_known)
{
    struct error error = {0};
    file->figures = bench_session_figures(&file->bench, file->nearest);
    struct bench_evidence evidence = {.bench = &file->bench,
                                      .figures = &file->figures,
                                      .findings = &file->findings,
                                      .words = &file->words,
                                      .queues = &file->queues,
                                      .nearest = file->nearest,
                                      .is_known = is_known,
                                      .name = name};
    file->text = bench_machine_file(&evidence, &file->counts, &error);
    if (!file->text)
        print_error("%s\n", error.text);
    assert_non_null(file->text);
    file->machine = machine_parse_in(name, file->text, strlen(file->text), folders, 1, &error);
    if (!file->machine)
        print_error("%s\n%s", error.text, file->text);
    assert_non_null(file->machine);
}

static void end(struct written_file *file)
{
    free(file->text);
    machine_free(file->machine);
    machine_free(file->nearest);
    array_free(&file->figures);
    array_free(&file->findings);
    array_free(&file->words);
    array_free(&file->queues);
    bench_session_end(&file->bench);
}

static double latency(const struct machine *machine, const char *text, unsigned from, unsigned to)
{
    const struct machine_form *form = machine_form(machine, text);
    assert_non_null(form);
    return form_latency(machine, form, from, to);
}

static unsigned port_count(const struct machine *machine, const char *text)
{
    const struct machine_form *form = machine_form(machine, text);
    assert_int_equal(form->ports.count, 1);
    return (unsigned)__builtin_popcount(
        ARRAY_AT(struct form_ports, &machine->form_ports, form->ports.first)->ports);
}

static bool is_from(const struct machine *machine, const char *word, const char *start)
{
    const struct machine_origin *origin = machine_origin(machine, word, NULL);
    const char *source = origin ? machine_source_text(machine, origin->source) : NULL;
    return source && !strncmp(source, start, strlen(start));
}

static void make_recorded(struct written_file *file)
{
    static const char *const forms[] = {"add x,x,x",  "fmla 4s,4s,4s", "fadd d,d,d",     "mul x,x,x",
                                        "sdiv x,x,x", "fsub d,d,d",    "eor 16b,16b,16b"};
    double distance;
    begin(file, isa_AARCH64);
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        bench_session_add(&file->bench, forms[i]);
    add_recorded(&file->bench);
    file->nearest = bench_nearest(&file->bench, folders, 1, &distance);
    assert_non_null(file->nearest);
    assert_string_equal(file->nearest->name, "neoverse-v1"); /* by its number */
    assert_true(isnan(distance));
    bench_finding_add(&file->findings, "issue", 0.002, "mixes", "%d", 7);
    bench_finding_add(&file->findings, "cache", NAN, "walks", "1 32K latency 4");
    bench_finding_add(&file->findings, "no-such-fact", NAN, "nothing", "5");
    bench_findings_mark(&file->findings, 0, 1);
    static const struct bench_form_word found[] = {{"fadd d,d,d", "usual", "2.5", 0},
                                                   {"fadd d,d,d", "chained", "2", 0}};
    for (unsigned i = 0; i < sizeof found / sizeof *found; i++)
        *(struct bench_form_word *)array_push(&file->words) = found[i];
    make(file, "mine", true);
}

static void recorded_results(void **state)
{
    (void)state;
    struct written_file file;
    make_recorded(&file);
    const struct machine *machine = file.machine;
    /* A chain of fmla shows what it takes from another one; from others it takes what is known. */
    assert_true(latency(machine, "fmla 4s,4s,4s", 1, 1) == 3);
    assert_true(machine_form(machine, "fmla 4s,4s,4s")->chained == 2);
    assert_true(latency(machine, "fmla 4s,4s,4s", 3, 1) == 4);
    assert_true(latency(machine, "mul x,x,x", 2, 1) == 2 && latency(machine, "mul x,x,x", 3, 1) == 3);
    /* What an experiment found beside that of others; no line has the name of that finding. */
    assert_true(latency(machine, "fadd d,d,d", 2, 1) == 2.5);
    assert_true(machine_form(machine, "fadd d,d,d")->chained == 2);
    assert_null(strstr(file.text, "usual"));
    assert_int_equal(port_count(machine, "add x,x,x"), 4);
    assert_int_equal(port_count(machine, "mul x,x,x"), 1); /* one a cycle, not two */
    const struct machine_form *divide = machine_form(machine, "sdiv x,x,x");
    assert_true(divide->latency > 5 && divide->latency < 10 && divide->divider > 5 && divide->divider < 10);
    assert_true(machine_slow_form(machine, "sdiv x,x,x") == 20);
    bool is_unmasked;
    assert_true(machine_form_nearest(machine, "eor 16b,16b,16b", &is_unmasked)->is_missing);
    assert_int_equal(machine->core.issue, 7);
    assert_true(machine->core.clock == 2.6);
    assert_int_equal(machine->caches[0].bytes, 32 << 10);
    assert_int_equal(machine->cache_count, file.nearest->cache_count); /* the others are assumed */
    assert_int_equal(machine->without, 1U << extension_SVE);
    assert_string_equal(machine->sibling, "neoverse-v1");
    assert_non_null(strstr(file.text, "\nmidr 41 d40\n"));
    assert_null(strstr(file.text, "no-such-fact"));
    assert_int_equal(file.counts.missing, 1);
    assert_int_equal(file.counts.unsteady, 1);
    assert_int_equal(file.counts.forms, 5);
    end(&file);
}

static void sources_and_spreads(void **state)
{
    (void)state;
    struct written_file file;
    make_recorded(&file);
    const struct machine *machine = file.machine;
    assert_true(is_from(machine, "issue", "measured 2026-11-16 on Arm Neoverse V1 by assay 1.2.3"));
    assert_true(fabsf(machine_origin(machine, "issue", NULL)->spread - 0.2F) < 0.001F);
    assert_true(is_from(machine, "mispredict", "assumed, as neoverse-v1"));
    const struct machine_form *disturbed = machine_form(machine, "fadd d,d,d");
    assert_true(fabsf(disturbed->spread - 5.2F) < 0.01F);
    assert_true(isnan(machine_form(machine, "add x,x,x")->spread));
    const char *source = machine_source_text(machine, machine_form(machine, "add x,x,x")->source);
    assert_string_equal(
        source,
        "measured 2026-11-16 on Arm Neoverse V1 by assay 1.2.3; µops and ports assumed, as neoverse-v1");
    source = machine_source_text(machine, machine_form(machine, "mul x,x,x")->source);
    assert_string_equal(
        source,
        "measured 2026-11-17 on Arm Neoverse V1 by assay 1.3; µops and ports assumed, as neoverse-v1");
    source = machine_source_text(machine, machine_form(machine, "fsub d,d,d")->source); /* no results */
    assert_string_equal(source, "assumed, as neoverse-v1");
    /* The same text when it is written again. */
    struct error error = {0};
    struct machine *alone = machine_parse("mine", file.text, strlen(file.text), &error);
    char *again = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&again, &size);
    machine_write(alone, out);
    fclose(out);
    assert_string_equal(strchr(file.text, '\n') + 1, again);
    assert_true(bench_file_is_ours(file.text));
    assert_false(bench_file_is_ours("name mine\nfigures by hand\n"));
    free(again);
    machine_free(alone);
    end(&file);
}

/* Ports that were found are not believed where they only tell in another way what the nearest core knows. */
static void ports_that_contradict(void **state)
{
    (void)state;
    struct error error = {0};
    struct machine *nearest = machine_load("neoverse-v1", folders, 1, &error);
    assert_non_null(nearest);
    uint32_t l = 0, k = 0, v0 = 0, v2 = 0, s = 0;
    const struct {
        const char *name;
        uint32_t *bit;
    } names[] = {{"l", &l}, {"k", &k}, {"0", &v0}, {"2", &v2}, {"s", &s}};
    for (unsigned i = 0; i < nearest->port_count; i++)
        for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
            if (!strcmp(nearest->ports[i], names[n].name))
                *names[n].bit = 1U << i;
    const struct {
        const char *form;
        struct bench_port_use use;
        double divider;
        bool is_believed;
    } cases[] = {
        {"fcvt d,s", {v0 | v2, 1}, 0, true},     {"fcvt d,s", {s, 1}, 0, false}, /* none of its ports */
        {"fdiv d,d,d", {v0 | v2, 3}, 0, false}, /* µops in place of the divider */
        {"fdiv d,d,d", {v0 | v2, 1}, 2.5, true}, {"str d,[x]", {l | k, 1}, 0, false}, /* without its data */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_form form = {0};
        snprintf(form.text, sizeof form.text, "%s", cases[i].form);
        struct bench_ports ports = {.count = nearest->port_count, .forms = ARRAY_OF(struct bench_port_form)};
        *(struct bench_port_form *)array_push(&ports.forms) =
            (struct bench_port_form){.form = &form,
                                     .issued = NAN,
                                     .uses = {cases[i].use},
                                     .use_count = 1,
                                     .divider = cases[i].divider};
        struct bench_evidence evidence = {.nearest = nearest, .ports = &ports};
        for (unsigned n = 0; n < 32; n++)
            evidence.port_names[n] = (uint8_t)n;
        assert_int_equal(bench_ports_for(&evidence, cases[i].form).is_found, cases[i].is_believed);
        array_free(&ports.forms);
    }
    machine_free(nearest);
}

static void rounding(void **state)
{
    (void)state;
    assert_true(bench_round_cycles(3.96, 0.001) == 4);
    assert_true(bench_round_cycles(2.52, 0.001) == 2.5);
    assert_true(bench_round_cycles(4.33, 0.001) == 4.33);
    assert_true(bench_round_cycles(4.33, 0.1) == 4);
    assert_true(bench_round_cycles(-0.05, 0) == 0);
    assert_true(bench_round_cycles(38.7, 0) == 39);
}

/* What a machine would measure: its own expectation of each test. */
static void pretend(struct written_file *file, enum isa isa, const char *name, unsigned forms)
{
    struct error error = {0};
    char form[96];
    begin(file, isa);
    file->bench.results.isa = isa;
    for (unsigned i = 0; i < forms && bench_common_form(isa, i, form); i++)
        bench_session_add(&file->bench, form);
    struct machine *machine = machine_load(name, folders, 1, &error);
    assert_non_null(machine);
    struct bench_expectation *expectation = bench_expectation_begin(machine, isa);
    size_t form_number = 0;
    for (size_t i = 0; i < file->bench.planned.count; i++) {
        const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &file->bench.planned, i);
        while (form_number < file->bench.forms.count &&
               i >= ARRAY_AT(struct bench_form, &file->bench.forms, form_number)->first +
                        ARRAY_AT(struct bench_form, &file->bench.forms, form_number)->count)
            form_number++;
        const char *text = planned->kind == bench_PARTNER
                               ? NULL
                               : ARRAY_AT(struct bench_form, &file->bench.forms, form_number)->text;
        double cycles = bench_expect(expectation, text, planned);
        struct bench_result result = {bench_MEASURED, 0, cycles, cycles, 0.001, 3};
        if (isnan(cycles))
            result = (struct bench_result){.status = bench_MISSING};
        bench_results_add(&file->bench.results, planned->name, &result);
    }
    bench_expectation_end(expectation);
    machine_free(machine);
}

/* The share of figures that the written machine expects as they were measured. */
static double share_of_agreement(struct written_file *file)
{
    struct array figures = bench_session_figures(&file->bench, file->machine);
    size_t count = 0, near = 0;
    for (size_t i = 0; i < figures.count; i++) {
        double ratio = bench_figure_ratio(ARRAY_AT(struct bench_figure, &figures, i));
        count += !isnan(ratio);
        near += ratio < 1.05;
    }
    array_free(&figures);
    return (double)near / (double)count;
}

static void known_machines_come_out_again(void **state)
{
    (void)state;
    static const struct {
        enum isa isa;
        const char *name;
    } machines[] = {{isa_AARCH64, "neoverse-n1"},
                    {isa_AARCH64, "neoverse-v1"},
                    {isa_X86_64, "alder-lake-p"},
                    {isa_X86_64, "zen3"}};
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct written_file file;
        double distance;
        pretend(&file, machines[i].isa, machines[i].name, 60);
        file.nearest = bench_nearest(&file.bench, folders, 1, &distance);
        assert_non_null(file.nearest);
        assert_true(distance < 0.02);
        make(&file, "again", false);
        double share = share_of_agreement(&file);
        if (!(share > 0.95))
            print_error("%s (as %s): %g agree\n", machines[i].name, file.nearest->name, share);
        assert_true(share > 0.95);
        end(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_results), cmocka_unit_test(sources_and_spreads), cmocka_unit_test(rounding),
        cmocka_unit_test(ports_that_contradict), cmocka_unit_test(known_machines_come_out_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
