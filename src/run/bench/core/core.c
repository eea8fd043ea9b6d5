#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct experiment {
    void (*plan)(struct array *plan, enum isa isa);
    void (*find)(struct core_evidence *evidence);
};

static const struct experiment experiments[] = {
    {core_plan_window, core_find_window},     {core_plan_branches, core_find_branches},
    {core_plan_renaming, core_find_renaming}, {core_plan_fusion, core_find_fusion},
    {core_plan_accesses, core_find_accesses}, {core_plan_fetch, core_find_fetch},
    {core_plan_sums, core_find_sums},
};
const char core_USUAL[] = "usual";

void bench_plan_core(struct array *planned, enum isa isa)
{
    for (unsigned i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        if (i < core_ROUNDS)
            core_plan_width(planned, isa, i);
        experiments[i].plan(planned, isa);
    }
}

/* What an experiment finds is as new as the newest of the results that it looks at. */
static void find_by(void (*find)(struct core_evidence *evidence), struct core_evidence *evidence)
{
    size_t findings = evidence->findings->count, queues = evidence->queues->count;
    evidence->results->newest = 0;
    find(evidence);
    bench_findings_mark(evidence->findings, findings, evidence->results->newest);
    for (size_t i = queues; i < evidence->queues->count; i++)
        ARRAY_AT(struct bench_queue, evidence->queues, i)->session = evidence->results->newest;
}

static void find_all(struct core_evidence evidence)
{
    struct array none[3] = {ARRAY_OF(struct bench_finding), ARRAY_OF(struct bench_form_word),
                            ARRAY_OF(struct bench_queue)};
    struct array **wanted[3] = {&evidence.findings, &evidence.words, &evidence.queues};
    for (unsigned i = 0; i < 3; i++)
        if (!*wanted[i])
            *wanted[i] = &none[i];
    find_by(core_find_width, &evidence);
    for (unsigned i = 0; i < sizeof experiments / sizeof *experiments; i++)
        find_by(experiments[i].find, &evidence);
    for (unsigned i = 0; i < 3; i++)
        array_free(&none[i]);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The clock beside all tests of the core. */
static void find_clock(struct array *findings, struct bench_results *results)
{
    size_t first = findings->count;
    bench_session newest = 0;
    struct array clocks = ARRAY_OF(double);
    for (size_t i = 0; i < results->rows.count; i++) {
        const struct bench_row *row = ARRAY_AT(struct bench_row, &results->rows, i);
        if (!strncmp(row->name, "core|", 5) && row->result.status == bench_MEASURED && row->result.ghz > 0) {
            *(double *)array_push(&clocks) = row->result.ghz;
            newest = row->session > newest ? row->session : newest;
        }
    }
    if (clocks.count) {
        const double *sorted = clocks.data;
        qsort(clocks.data, clocks.count, sizeof(double), by_size);
        double median = sorted[clocks.count / 2];
        double low = sorted[clocks.count / 10], high = sorted[clocks.count - 1 - clocks.count / 10];
        bench_finding_add(findings, "clock", (high - low) / median,
                          "median beside all tests of the core, by a chain of multiplications", "%.2f",
                          median);
    }
    bench_findings_mark(findings, first, newest);
    array_free(&clocks);
}

void bench_core_findings(struct array *findings, struct bench_results *results, enum isa isa)
{
    find_all((struct core_evidence){.results = results, .isa = isa, .findings = findings});
    find_clock(findings, results);
}

void bench_core_form_words(struct array *words, struct bench_results *results, enum isa isa)
{
    find_all((struct core_evidence){.results = results, .isa = isa, .words = words});
}

void bench_core_queues(struct array *queues, struct bench_results *results, enum isa isa)
{
    find_all((struct core_evidence){.results = results, .isa = isa, .queues = queues});
}
