/* Ports that are found without counters, on this computer or from a file of results of another.

     ports MACHINE RESULTS run                  measures here what is missing, round by round
     ports MACHINE RESULTS plan FOLDER SHARES   runners with the tests that are missing
     ports MACHINE RESULTS show                 the ports and the forms that were found
     ports MACHINE RESULTS judge [all]          predictions of random pairs

   MACHINE is a file of the folder machines: its forms are those that are measured, and judge sets its
   predictions beside those of the ports that were found.  RESULTS has the first round already, except for
   run. PAIRS is the number of random pairs that are drawn; a few of them cannot be made. SEED draws others.
   SHARE 3 takes every third form only, where time is short. */
#include "base/error.h"
#include "run/bench/ports/ports.h"
#include "code/machine/machine.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    struct machine *machine;
    struct bench_session bench;
    struct array pairs; /* of struct bench_pair */
    struct error error;
};

static void fail(const struct error *error)
{
    fprintf(stderr, "ports: %s\n", error->text);
    exit(2);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool has_results(struct work *work, const char *form)
{
    char name[BENCH_NAME], easy[BENCH_NAME];
    snprintf(name, sizeof name, "%s|throughput", form);
    snprintf(easy, sizeof easy, "%s|throughput easy", form);
    return bench_results_find(&work->bench.results, name) || bench_results_find(&work->bench.results, easy);
}

/* All forms of the machine; but where nothing is measured here, those that have results. */
static void add_forms(struct work *work, bool measures)
{
    size_t share = getenv("SHARE") ? (size_t)atoi(getenv("SHARE")) : 1;
    for (size_t i = 0; i < work->machine->forms.count; i += share ? share : 1) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &work->machine->forms, i);
        if (!form->is_missing && !strchr(form->text, '*') && (measures || has_results(work, form->text)))
            bench_session_add(&work->bench, form->text);
    }
}

/* Forms that take at most four cycles alone, one to four of each. */
static void add_pairs(struct work *work, unsigned count)
{
    enum { SLOWEST = 4, MOST_EACH = 4, TIMES = 3 };
    struct array figures = bench_session_figures(&work->bench, NULL);
    struct array usable = ARRAY_OF(unsigned);
    uint64_t state = getenv("SEED") ? (uint64_t)atoll(getenv("SEED")) : 20261116;
    for (size_t i = 0; i < figures.count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, &figures, i);
        if (figure->planned && figure->planned->kind == bench_THROUGHPUT && figure->has_result &&
            figure->status == bench_MEASURED && figure->cycles <= SLOWEST)
            *(unsigned *)array_push(&usable) =
                (unsigned)(figure->form - ARRAY_AT(struct bench_form, &work->bench.forms, 0));
    }
    for (unsigned turn = 0; usable.count && turn < count; turn++) {
        struct bench_pair *pair = array_push(&work->pairs);
        for (unsigned i = 0; i < 2; i++) {
            pair->forms[i] = *ARRAY_AT(unsigned, &usable, next_random(&state) % usable.count);
            pair->counts[i] = TIMES * (1 + (unsigned)(next_random(&state) % MOST_EACH));
        }
    }
    bench_plan_chosen_pairs(&work->bench, work->pairs.data, work->pairs.count);
    array_free(&usable);
    array_free(&figures);
}

/* The tests without a result, dealt out to so many folders. */
static void write_runners(struct work *work, const char *folder, unsigned shares)
{
    for (unsigned share = 0; share < shares; share++) {
        struct bench_session part = work->bench;
        size_t turn = 0;
        part.planned = ARRAY_OF(struct bench_planned);
        for (size_t i = 0; i < work->bench.planned.count; i++) {
            const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &work->bench.planned, i);
            if (!bench_results_find(&work->bench.results, planned->name) && turn++ % shares == share)
                *(struct bench_planned *)array_push(&part.planned) = *planned;
        }
        char *path = memory_format("%s%u", folder, share);
        printf("%s: %zu tests\n", path, part.planned.count);
        if (!bench_write_runner(&part, path, &work->error))
            fail(&work->error);
        free(path);
        array_free(&part.planned);
    }
}

static void run(struct work *work, const char *results, unsigned pairs)
{
    int file = bench_results_open(results, work->bench.isa, &work->error);
    if (file < 0)
        fail(&work->error);
    for (unsigned round = 2;; round++) {
        if (!bench_session_run(&work->bench, file, &work->error))
            fail(&work->error);
        if (!work->pairs.count)
            add_pairs(work, pairs);
        size_t missing = bench_plan_pairs(&work->bench);
        fprintf(stderr, "round %u: %zu tests\n", round, missing);
        if (!missing)
            break;
    }
    close(file);
}

static void find(struct work *work, struct bench_ports *ports)
{
    if (!bench_ports_find(&work->bench, ports, &work->error))
        fail(&work->error);
    printf("%u ports, width %.2f, %zu forms, mean error of their mixes %.1f %%\n", ports->count, ports->width,
           ports->forms.count, 100 * ports->error);
}

static void show(struct work *work)
{
    struct bench_ports ports;
    char text[192];
    find(work, &ports);
    for (size_t i = 0; i < ports.probes.count; i++) {
        const struct bench_port_probe *probe = ARRAY_AT(struct bench_port_probe, &ports.probes, i);
        printf("probe %-28s p", probe->form->text);
        for (unsigned p = 0; p < ports.count; p++)
            if (probe->ports >> p & 1)
                putchar(ports.names[p]);
        putchar('\n');
    }
    for (size_t i = 0; i < ports.forms.count; i++) {
        const struct bench_port_form *form = ARRAY_AT(struct bench_port_form, &ports.forms, i);
        bench_ports_text(&ports, form, text);
        printf("%-36s %-24s issued %.2f alone %.3f by ports %.3f error %.1f %%\n", form->form->text, text,
               form->issued, form->throughput, form->by_ports, 100 * form->error);
    }
    bench_ports_free(&ports);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *who, double *errors, unsigned count)
{
    double sum = 0;
    unsigned within = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += errors[i];
        within += errors[i] <= 0.05;
    }
    qsort(errors, count, sizeof *errors, by_size);
    if (count)
        printf("%-16s %u pairs: mean error %.1f %%, median %.1f %%, within 5 %%: %.0f %%\n", who, count,
               100 * sum / count, 100 * errors[count / 2], 100. * within / count);
}

static const struct bench_planned *planned_named(const struct work *work, const char *name)
{
    for (size_t i = 0; i < work->bench.planned.count; i++) {
        const struct bench_planned *planned = ARRAY_AT(struct bench_planned, &work->bench.planned, i);
        if (!strcmp(planned->name, name))
            return planned;
    }
    return NULL;
}

/* Cycles of a pair by turns, and in its best order; NaN: not measured, or not steady. */
static double measured(struct work *work, const struct bench_pair *pair, unsigned orders)
{
    enum { UNSTEADY_PERCENT = 10 };
    double least = NAN;
    for (unsigned order = 0; order < orders; order++) {
        const struct bench_result *result =
            pair->names[order][0] ? bench_results_find(&work->bench.results, pair->names[order]) : NULL;
        if (result && result->status == bench_MEASURED && 100 * result->spread < UNSTEADY_PERCENT)
            least = fmin(least, result->best);
    }
    return least;
}

static double expected(const struct work *work, struct bench_expectation *expectation,
                       const struct bench_pair *pair)
{
    double least = NAN;
    for (unsigned order = 0; order < PAIR_ORDERS; order++) {
        const struct bench_planned *planned = planned_named(work, pair->names[order]);
        least = planned ? fmin(least, bench_expect(expectation, NULL, planned)) : least;
    }
    return least;
}

/* Of one pair: relative errors. */
struct judged {
    double found, by_turns, file;
    bool has_memory;
};

static bool has_memory(const struct work *work, const struct bench_pair *pair)
{
    bool has = false;
    for (unsigned k = 0; k < 2; k++) {
        const struct bench_form *form = ARRAY_AT(struct bench_form, &work->bench.forms, pair->forms[k]);
        struct bench_instruction sample;
        has |= bench_sample(&sample, work->bench.isa, form->text) &&
               (sample.description.encoding.load_bytes || sample.description.encoding.store_bytes);
    }
    return has;
}

/* All pairs, or those without memory operands, by one of the errors. */
static void tell_all(const struct array *judged, const char *who, size_t offset, bool with_memory)
{
    double *errors = memory_get((judged->count + 1) * sizeof *errors);
    unsigned count = 0;
    for (size_t i = 0; i < judged->count; i++) {
        const struct judged *row = ARRAY_AT(struct judged, judged, i);
        double error = *(const double *)((const char *)row + offset);
        if ((with_memory || !row->has_memory) && !isnan(error))
            errors[count++] = error;
    }
    tell(who, errors, count);
    free(errors);
}

static void judge(struct work *work, bool is_long)
{
    struct bench_ports ports;
    struct bench_expectation *expectation = bench_expectation_begin(work->machine, work->bench.isa);
    struct array rows = ARRAY_OF(struct judged);
    find(work, &ports);
    for (size_t i = 0; i < work->pairs.count; i++) {
        const struct bench_pair *pair = ARRAY_AT(struct bench_pair, &work->pairs, i);
        const struct bench_port_form *forms[2];
        for (unsigned k = 0; k < 2; k++)
            forms[k] =
                bench_ports_of(&ports, ARRAY_AT(struct bench_form, &work->bench.forms, pair->forms[k])->text);
        double best = measured(work, pair, PAIR_ORDERS), by_turns = measured(work, pair, 1);
        if (isnan(best) || !forms[0] || !forms[1])
            continue;
        double predicted = bench_ports_predict(&ports, forms, pair->counts, 2);
        double by_file = expected(work, expectation, pair);
        *(struct judged *)array_push(&rows) =
            (struct judged){fabs(predicted / best - 1), fabs(predicted / by_turns - 1),
                            isnan(by_file) ? 1 : fabs(by_file / best - 1), has_memory(work, pair)};
        if (is_long)
            printf("%-70s measured %.2f by turns %.2f found %.2f file %.2f\n", pair->names[0], best, by_turns,
                   predicted, by_file);
    }
    for (unsigned with_memory = 2; with_memory-- > 0;) {
        if (!with_memory)
            printf("without memory operands:\n");
        tell_all(&rows, "found here", offsetof(struct judged, found), with_memory);
        tell_all(&rows, "… by turns", offsetof(struct judged, by_turns), with_memory);
        tell_all(&rows, work->machine->name, offsetof(struct judged, file), with_memory);
    }
    bench_expectation_end(expectation);
    bench_ports_free(&ports);
    array_free(&rows);
}

int main(int count, char **words)
{
    struct work work = {.pairs = ARRAY_OF(struct bench_pair)};
    const char *folders[] = {"data/machines"};
    if (count < 4) {
        fprintf(stderr, "usage: ports MACHINE RESULTS run|plan|show|judge …\n");
        return 2;
    }
    work.machine = machine_load(words[1], folders, 1, &work.error);
    if (!work.machine)
        fail(&work.error);
    bench_session_begin(&work.bench, work.machine->isa);
    if (!bench_results_read(&work.bench.results, words[2], &work.error))
        fail(&work.error);
    add_forms(&work, !strcmp(words[3], "run"));
    unsigned pairs = getenv("PAIRS") ? (unsigned)atoi(getenv("PAIRS")) : 1100;
    add_pairs(&work, pairs);
    if (!strcmp(words[3], "run"))
        run(&work, words[2], pairs);
    if (!strcmp(words[3], "plan") && count == 6) {
        bench_plan_pairs(&work.bench);
        write_runners(&work, words[4], (unsigned)atoi(words[5]));
    }
    if (!strcmp(words[3], "show"))
        show(&work);
    if (!strcmp(words[3], "judge"))
        judge(&work, count > 4);
    array_free(&work.pairs);
    bench_session_end(&work.bench);
    machine_free(work.machine);
    return 0;
}
