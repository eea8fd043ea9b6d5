/* Asks every rule about every loop of a run, and puts what they found in order.

   Cycles that causes explain are cycles of the gap: a cause explains no more than is left of it after the
   surer and larger ones.  What nobody explains is a cause of its own, the last, so that the answer never
   sounds complete where it is not. */
#include "code/machine/host.h"
#include "run/measure/gap_subject.h"

#include <math.h>
#include <stdlib.h>

static const double LEAST_REST = 0.1; /* of what was measured */

struct found {
    enum gap_rule rule;
    struct gap_evidence evidence;
};

static gap_rule_function *const rules[] = {
#define RULE(symbol, name, title, meaning, remedy) [gap_rule_##symbol] = gap_##name,
#include "run/measure/gaps.def"
};

const struct gap_text *gap_text(enum gap_rule rule)
{
    static const struct gap_text texts[] = {
#define RULE(symbol, name, title, meaning, remedy) [gap_rule_##symbol] = {title, meaning, remedy},
#include "run/measure/gaps.def"
    };
    return &texts[rule];
}

struct gap_machine gap_machine_of(const struct machine *machine)
{
    struct gap_machine result = {.machine = machine};
    for (unsigned i = 0; machine && i < machine->cache_count; i++)
        result.caches[result.cache_count++] = machine->caches[i];
    return result;
}

struct gap_machine gap_host(const struct machine *machine)
{
    struct gap_machine file = gap_machine_of(machine), host = {.machine = machine};
    host.cache_count = host_caches(host.caches, MOST_CACHES);
    if (!host.cache_count)
        return file;
    for (unsigned i = 0; i < host.cache_count; i++)
        for (unsigned k = 0; k < file.cache_count; k++)
            if (file.caches[k].level == host.caches[i].level) {
                host.caches[i].bytes_per_cycle = file.caches[k].bytes_per_cycle;
                host.caches[i].stored_per_cycle = file.caches[k].stored_per_cycle;
                host.caches[i].copied_per_cycle = file.caches[k].copied_per_cycle;
                host.caches[i].updated_per_cycle = file.caches[k].updated_per_cycle;
                host.caches[i].overlap = file.caches[k].overlap;
                host.caches[i].latency = file.caches[k].latency;
                host.caches[i].ways = host.caches[i].ways ? host.caches[i].ways : file.caches[k].ways;
                host.caches[i].line = host.caches[i].line ? host.caches[i].line : file.caches[k].line;
            }
    return host;
}

/* Less than predicted: the model is wrong, unless it is the path that is unknown or estimated, entries overlap,
   or calls do: samples then stand in the called function while the loop goes on. */
bool gap_faster(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    struct gap_evidence overlap;
    uint8_t by = subject->row->predicted_by;
    bool is_drawn = by == run_prediction_SAMPLES || by == run_prediction_COUNTS;
    if (!gap_is_faster(subject) || is_drawn || (subject->path_count > 1 && !subject->has_shares) ||
        gap_overlap(subject, &overlap) || subject->calls > 0.05 * subject->measured)
        return false;
    *evidence = (struct gap_evidence){.certainty = subject->has_guessed_figures ? gap_certainty_LIKELY
                                                                                : gap_certainty_SHOWN,
                                      .cycles = subject->measured - subject->predicted,
                                      .value = subject->measured,
                                      .reference = subject->predicted};
    return true;
}

/* Asked last, with what is left of the gap. */
bool gap_unexplained(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    if (subject->gap <= LEAST_REST * subject->measured || subject->gap <= subject->least)
        return false;
    *evidence = (struct gap_evidence){.certainty = gap_certainty_SHOWN,
                                      .cycles = subject->gap,
                                      .value = subject->measured,
                                      .reference = subject->predicted};
    return true;
}

/* The surest first, then those that explain most; unknown sizes last. */
static int by_weight(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    double x = isnan(a->evidence.cycles) ? -1 : a->evidence.cycles;
    double y = isnan(b->evidence.cycles) ? -1 : b->evidence.cycles;
    if (a->evidence.certainty != b->evidence.certainty)
        return a->evidence.certainty < b->evidence.certainty ? -1 : 1;
    return x > y ? -1 : x < y ? 1 : (int)a->rule - (int)b->rule;
}

static int by_cycles(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    double x = isnan(a->evidence.cycles) ? -1 : fabs(a->evidence.cycles);
    double y = isnan(b->evidence.cycles) ? -1 : fabs(b->evidence.cycles);
    return x > y ? -1 : x < y ? 1 : by_weight(left, right);
}

/* Whether a cause was measured by itself, and is no part of what the loop's own code took. */
static bool is_apart(enum gap_rule rule)
{
    return rule == gap_rule_CALLS || rule == gap_rule_PAGE_FAULTS || rule == gap_rule_WAITING ||
           rule == gap_rule_OVERLAP || rule == gap_rule_FASTER;
}

/* Each cause gets what it can explain of what the ones before it left. */
static double share_out(struct array *found, double gap)
{
    if (found->count)
        qsort(found->data, found->count, sizeof(struct found), by_weight);
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct found *one = ARRAY_AT(struct found, found, i);
        if (!is_apart(one->rule) && one->evidence.cycles > gap)
            one->evidence.cycles = gap > 0 ? gap : 0;
        if (!is_apart(one->rule) && !isnan(one->evidence.cycles))
            gap -= one->evidence.cycles;
        /* Nothing left for it: surer causes explain all. */
        if (one->evidence.cycles != 0)
            *ARRAY_AT(struct found, found, kept++) = *one;
    }
    found->count = kept;
    return gap;
}

/* A likely cause that may explain all that is left. */
static bool has_unknown_size(const struct array *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct gap_evidence *evidence = &ARRAY_AT(struct found, found, i)->evidence;
        if (isnan(evidence->cycles) && evidence->certainty == gap_certainty_LIKELY)
            return true;
    }
    return false;
}

static void explain(struct model *model, const struct gap_machine *machine, const struct run_loop *row)
{
    struct gap_subject subject;
    struct array found = ARRAY_OF(struct found);
    if (gap_subject_make(&subject, model, machine, row)) {
        for (unsigned rule = 0; rule < gap_rule_UNEXPLAINED; rule++) {
            struct found one = {.rule = (enum gap_rule)rule};
            if (rules[rule](&subject, &one.evidence))
                *(struct found *)array_add(&found) = one;
        }
        subject.gap = share_out(&found, subject.gap);
        if (found.count)
            qsort(found.data, found.count, sizeof(struct found), by_cycles);
        struct found rest = {.rule = gap_rule_UNEXPLAINED};
        if (!has_unknown_size(&found) && gap_unexplained(&subject, &rest.evidence))
            *(struct found *)array_add(&found) = rest;
    }
    gap_subject_free(&subject);
    for (size_t i = 0; i < found.count; i++) {
        const struct found *one = ARRAY_AT(struct found, &found, i);
        struct run_gap *gap = model_add(&model->run_gaps);
        *gap = (struct run_gap){.run = row->run,
                                .loop = row->loop,
                                .position = (uint32_t)i + 1,
                                .rule = (uint8_t)one->rule,
                                .certainty = (uint8_t)one->evidence.certainty,
                                .cycles = one->evidence.cycles,
                                .value = one->evidence.value,
                                .reference = one->evidence.reference,
                                .instruction = one->evidence.instruction};
    }
    array_free(&found);
}

void gap_explain(struct model *model, const struct gap_machine *machine)
{
    model->run_gaps.count = 0;
    for (uint32_t i = 0; i < model->run_loops.count; i++)
        explain(model, machine, model_run_loop(model, i));
}
