#include "run/bench/bench.h"

#include "base/clock.h"
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_SECONDS = 10 };

enum isa bench_host_isa(void)
{
#if defined __aarch64__
    return isa_AARCH64;
#elif defined __x86_64__
    return isa_X86_64;
#else
    return isa_NONE;
#endif
}

void bench_session_begin(struct bench_session *bench, enum isa isa)
{
    *bench = (struct bench_session){.version = "unknown",
                                    .isa = isa,
                                    .forms = ARRAY_OF(struct bench_form),
                                    .planned = ARRAY_OF(struct bench_planned),
                                    .events = ARRAY_OF(struct bench_event)};
    bench_results_begin(&bench->results);
    bench_plan_partners(&bench->planned, isa, false);
    if (isa == isa_X86_64)
        bench_plan_partners(&bench->planned, isa, true);
}

void bench_session_end(struct bench_session *bench)
{
    bench_plan_free(&bench->planned);
    array_free(&bench->forms);
    array_free(&bench->events);
    bench_results_end(&bench->results);
}

void bench_session_add(struct bench_session *bench, const char *text)
{
    struct bench_form *form = array_push(&bench->forms);
    *form = (struct bench_form){.first = bench->planned.count};
    snprintf(form->text, sizeof form->text, "%s", text);
    form->refusal = bench_plan_form(&bench->planned, bench->isa, text);
    form->count = bench->planned.count - form->first;
}

struct form_text {
    char text[sizeof((struct bench_form *)NULL)->text];
};

static int by_text(const void *left, const void *right)
{
    return strcmp(((const struct form_text *)left)->text, ((const struct form_text *)right)->text);
}

static bool has_form(const struct bench_session *bench, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(ARRAY_AT(struct bench_form, &bench->forms, i)->text, text))
            return true;
    return false;
}

void bench_session_add_measured(struct bench_session *bench, const struct bench_results *results)
{
    size_t before = bench->forms.count;
    struct array texts = ARRAY_OF(struct form_text);
    for (size_t i = 0; i < results->rows.count; i++) {
        const char *name = ARRAY_AT(struct bench_row, &results->rows, i)->name;
        size_t length = strcspn(name, "|");
        if (name[length] && name[0] != '@' && length < sizeof(struct form_text))
            memcpy(((struct form_text *)array_add(&texts))->text, name, length);
    }
    if (texts.count)
        qsort(texts.data, texts.count, sizeof(struct form_text), by_text);
    for (size_t i = 0; i < texts.count; i++) {
        const char *text = ARRAY_AT(struct form_text, &texts, i)->text;
        struct bench_instruction sample;
        bool is_new = !i || strcmp(ARRAY_AT(struct form_text, &texts, i - 1)->text, text);
        if (is_new && bench_sample(&sample, bench->isa, text) && !has_form(bench, before, text))
            bench_session_add(bench, text);
    }
    array_free(&texts);
}

struct run {
    struct bench_session *bench;
    const struct bench_test *tests;
    size_t count;
    int file;
    unsigned pass;
    bool has_failed;
    double start; /* of the monotonic clock */
};

/* Tests take about the same time each. */
static void tell_progress(const struct run *run, size_t done)
{
    char what[64];
    double spent = clock_monotonic_seconds() - run->start;
    double left = spent / (double)done * (double)(run->count - done);
    if (run->bench->passes > 1)
        snprintf(what, sizeof what, "pass %u of %u, about %.0f s left in it,", run->pass, run->bench->passes,
                 ceil(left));
    else
        snprintf(what, sizeof what, "measuring, about %.0f s left,", ceil(left));
    progress_tell(what, done, run->count);
}

static int note_result(void *context, size_t test, const struct bench_result *result)
{
    struct run *run = context;
    bench_results_add(&run->bench->results, run->tests[test].name, result);
    if (run->file >= 0 && !bench_results_append(run->file, run->tests[test].name, result))
        run->has_failed = true;
    tell_progress(run, test + 1);
    return !run->has_failed;
}

size_t bench_session_missing(struct bench_session *bench)
{
    size_t count = 0;
    for (size_t i = 0; i < bench->planned.count; i++)
        count +=
            !bench_results_find(&bench->results, ARRAY_AT(struct bench_planned, &bench->planned, i)->name);
    return count;
}

/* The tests that have fewer results than that. */
static bool run_pass(struct bench_session *bench, unsigned pass, int file, struct error *error)
{
    struct bench_test *tests = memory_get((bench->planned.count + 1) * sizeof *tests);
    size_t count = 0;
    for (size_t i = 0; i < bench->planned.count; i++) {
        const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &bench->planned, i);
        if (bench_results_times(&bench->results, planned->name) < pass)
            tests[count++] = bench_test_of(planned, bench->isa);
    }
    struct run run = {.bench = bench, .tests = tests, .count = count, .file = file, .pass = pass};
    if (count)
        bench_results_today(&bench->results, bench->version, bench->events.data, bench->events.count);
    if (count && file >= 0 &&
        !bench_results_append_session(file, bench->version, bench->events.data, bench->events.count))
        run.has_failed = true;
    run.start = clock_monotonic_seconds();
    struct bench_batch batch = {tests, count, bench->events.data, bench->events.count, TEST_SECONDS};
    int failed = run.has_failed ? 0 : bench_run(&batch, note_result, &run);
    progress_clear();
    free(tests);
    if (failed)
        return error_set(error, NULL, "cannot measure: %s", strerror(failed));
    return !run.has_failed ||
           error_set(error, NULL, "cannot keep the results: the file could not be written");
}

bool bench_session_run(struct bench_session *bench, int file, struct error *error)
{
    for (unsigned pass = 1; pass == 1 || pass <= bench->passes; pass++)
        if (!run_pass(bench, pass, file, error))
            return false;
    return true;
}

/* Cycles of partners, for legacy and AVX encodings. */
struct partner_cycles {
    double of[2][partner_COUNT];
};

/* Of partners as they were measured, or as a machine file expects them.  One way of a round trip gets half of
   it, rounded down. */
static void find_partners(struct bench_session *bench, struct bench_expectation *expectation,
                          struct partner_cycles *cycles)
{
    for (unsigned i = 0; i < partner_COUNT; i++)
        cycles->of[0][i] = cycles->of[1][i] = NAN;
    for (size_t i = 0; i < bench->planned.count; i++) {
        const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &bench->planned, i);
        if (planned->kind != bench_PARTNER)
            continue;
        const struct bench_result *result = bench_results_find(&bench->results, planned->name);
        double whole = expectation                                  ? bench_expect(expectation, NULL, planned)
                       : result && result->status == bench_MEASURED ? result->best
                                                                    : NAN;
        bool is_trip = planned->partners[partner_V_TO_G] || planned->partners[partner_F_TO_G] ||
                       planned->partners[partner_K_TO_G] || planned->partners[partner_M_TO_G];
        double out = is_trip ? floor(round(whole) / 2) : whole;
        for (unsigned p = 0; p < partner_COUNT; p++)
            if (planned->partners[p])
                cycles->of[planned->is_avx][p] =
                    p == partner_G_TO_V || p == partner_G_TO_F || p == partner_G_TO_K || p == partner_G_TO_M
                        ? whole - out
                        : out;
    }
}

/* Of one instance, from those of the unit. */
static double without_partners(const struct bench_planned *planned, const struct partner_cycles *partners,
                               double cycles)
{
    for (unsigned p = 0; p < partner_COUNT; p++)
        if (planned->partners[p])
            cycles -= planned->partners[p] * partners->of[planned->is_avx][p];
    return cycles / planned->instances;
}

static void conclude(const struct bench_planned *planned, const struct bench_result *result,
                     const struct partner_cycles *partners, struct bench_figure *figure)
{
    figure->status = result->status;
    figure->signal = result->signal;
    figure->has_result = true;
    figure->cycles = without_partners(planned, partners, result->best);
    figure->median = without_partners(planned, partners, result->median);
    figure->chain = result->best / planned->instances;
    figure->spread = result->spread;
    figure->ghz = result->ghz;
    for (unsigned i = 0; planned->kind == bench_THROUGHPUT && i < result->counted; i++) {
        figure->counts[figure->counted] = result->counts[i];
        figure->counts[figure->counted++].count /= planned->instances;
    }
    /* Partners may overlap with what does not wait at all, by a cycle. */
    if (planned->kind == bench_LATENCY && figure->cycles < 0 && figure->cycles > -1.5)
        figure->median = figure->cycles = 0;
    if (figure->status == bench_MEASURED && !isfinite(figure->cycles))
        figure->status = bench_FAILED;
}

/* Whether another way to measure a figure is the quicker one.  A spaced chain is the difference of two
   larger figures, each of which is known to a part of a per cent: it must be quicker by more than that. */
static bool is_quicker(const struct bench_figure *figure, const struct bench_figure *variant)
{
    static const double KNOWN = 0.05, KNOWN_SHARE = 0.01;
    if (!variant->has_result || variant->status != bench_MEASURED)
        return false;
    if (!figure->has_result || figure->status != bench_MEASURED)
        return true;
    double room = variant->planned->is_spaced ? fmax(KNOWN, KNOWN_SHARE * variant->chain) : 0;
    return variant->cycles < figure->cycles - room;
}

/* Of the ways to measure one figure the quickest counts, in the measurement and in what is expected. */
static void take_quicker(struct bench_figure *figure, const struct bench_figure *variant)
{
    const struct bench_planned *planned = figure->planned;
    double expected = variant->expected < figure->expected ? variant->expected : figure->expected;
    struct bench_figure plain = *figure;
    double spaced = variant->planned->is_spaced && variant->has_result && variant->status == bench_MEASURED
                        ? variant->cycles
                        : figure->spaced;
    if (is_quicker(figure, variant))
        *figure = *variant;
    figure->planned = planned;
    figure->expected = expected;
    figure->spaced = spaced;
    figure->counted = plain.counted; /* in a variant are other instructions, too */
    memcpy(figure->counts, plain.counts, sizeof figure->counts);
}

struct array bench_session_figures(struct bench_session *bench, const struct machine *machine)
{
    struct array figures = ARRAY_OF(struct bench_figure);
    struct partner_cycles partners, expected;
    struct bench_expectation *expectation = machine ? bench_expectation_begin(machine, bench->isa) : NULL;
    find_partners(bench, NULL, &partners);
    if (expectation)
        find_partners(bench, expectation, &expected);
    for (size_t f = 0; f < bench->forms.count; f++) {
        const struct bench_form *form = ARRAY_AT(struct bench_form, &bench->forms, f);
        if (!form->count)
            *(struct bench_figure *)array_push(&figures) =
                (struct bench_figure){.form = form, .expected = NAN, .cycles = NAN, .spaced = NAN};
        for (size_t i = form->first; i < form->first + form->count; i++) {
            const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &bench->planned, i);
            const struct bench_result *result = bench_results_find(&bench->results, planned->name);
            struct bench_figure figure = {.form = form,
                                          .planned = planned,
                                          .cycles = NAN,
                                          .median = NAN,
                                          .expected = NAN,
                                          .spaced = NAN};
            if (result)
                conclude(planned, result, &partners, &figure);
            figure.session = bench_results_session_of(&bench->results, planned->name);
            struct bench_figure *before =
                planned->is_variant ? ARRAY_AT(struct bench_figure, &figures, figures.count - 1) : NULL;
            /* A prediction of a spaced chain takes time, and few count. */
            if (expectation && (!planned->is_spaced || is_quicker(before, &figure)))
                figure.expected =
                    without_partners(planned, &expected, bench_expect(expectation, form->text, planned));
            if (before) {
                take_quicker(before, &figure);
                continue;
            }
            *(struct bench_figure *)array_push(&figures) = figure;
        }
    }
    bench_expectation_end(expectation);
    return figures;
}

double bench_figure_ratio(const struct bench_figure *figure)
{
    if (!figure->has_result || figure->status != bench_MEASURED || !(figure->expected > 0) ||
        !(figure->cycles > 0))
        return NAN;
    double ratio = figure->cycles / figure->expected;
    return ratio < 1 ? 1 / ratio : ratio;
}
