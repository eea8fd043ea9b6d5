/* Cycles under other circumstances.

   Cycles of a source iteration: from the loops of its family, if they show it.

   Without scalar integers: all instructions that only compute addresses, count or branch are removed, except
   one counter, the branch that closes the loop and the instructions that set its condition. Addresses still
   move. Integers that are the data of the loop stay; a loop that works on nothing else has no such figure.

   Without dependence: the largest bound of the parts that do not wait for values of an earlier iteration. An
   in-order core has no such bounds, so it has no such figure.

   Next bottleneck: from code/cost/core/next_limit.c, like the cycles themselves.

   Front end and back end are the largest bounds of their parts. Taken branches belong to the front end, which
   has to follow them. */
#include "code/quality/metrics/metrics.h"

#include "code/quality/altered.h"
#include "code/quality/values.h"
#include "code/quality/vector/vectorise.h"

#include <math.h>

#define PART(part) (UINT32_C(1) << core_part_##part)

static const uint32_t fetching = PART(PREDECODE) | PART(DECODE) | PART(FRONT_END);
static const uint32_t waiting = PART(LATENCY) | PART(FORWARDING) | PART(CONTENTION);

static double largest(const struct subject *subject, uint32_t parts)
{
    double most = 0;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        if (parts >> part & 1)
            most = fmax(most, subject_bound(subject, (enum core_part)part));
    return most;
}

static const struct machine_cost *cost_of(const struct subject *subject, uint32_t item)
{
    return ARRAY_AT(struct cost_item, &subject->work->items, item)->cost;
}

static void tell_parts(const struct subject *subject, struct loop_metric *metric)
{
    const uint32_t front =
        fetching | PART(UOP_CACHE) | PART(LOOP_BUFFER) | PART(MICROCODE) | PART(ISSUE) | PART(BRANCHES);
    const uint32_t back = PART(PORTS) | PART(DIVIDER) | PART(LOADS) | PART(STORES);
    metric->cycles_next_bottleneck = subject->path->next_cycles;
    metric->chain_cycles = subject_bound(subject, core_part_LATENCY);
    for (unsigned i = 0; i < subject->item_count; i++)
        metric->chain_count += subject_is_marked(subject, core_part_LATENCY, i);
    if (subject->machine->core.is_in_order || subject->path->limit == core_part_PAIRING)
        return;
    metric->front_end_cycles = largest(subject, front);
    metric->back_end_cycles = largest(subject, back);
    metric->cycles_without_dependence = largest(subject, ~waiting);
}

/* ---- Without scalar integers. ---- */

static bool is_scalar_integer(const struct subject *subject, uint32_t item)
{
    const struct subject_item *row = &subject->items[item];
    if (row->row->flow == flow_CALL || row->purpose == purpose_DATA || row->purpose == purpose_IDLE)
        return false;
    for (unsigned i = 0; i < row->use_count; i++) {
        unsigned kind = model_register(subject->model, row->uses[i].register_)->kind;
        if (kind == register_kind_VECTOR || kind == register_kind_X87 || kind == register_kind_MATRIX)
            return false;
    }
    return true;
}

static bool works_on_more(const struct subject *subject)
{
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *row = &subject->items[i];
        if (row->purpose == purpose_DATA && (row->is_fp || row->is_vectorised))
            return true;
    }
    return false;
}

/* The item and the source of its condition: one instruction, then a counter that steps. */
static void keep_closing(const struct values *values, uint32_t item, uint8_t *keeps, bool is_last)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    keeps[item] = 1;
    for (unsigned use = 0; use < row->use_count; use++) {
        uint32_t source =
            value_is_read(&row->uses[use]) ? values_source(values, item, use).item : VALUE_OUTSIDE;
        if (source == VALUE_OUTSIDE || keeps[source])
            continue;
        if (!is_last) {
            keep_closing(values, source, keeps, true);
        } else if (cost_of(subject, source)->step.to) {
            keeps[source] = 1;
            return;
        }
    }
}

static void find_closing(const struct values *values, uint8_t *keeps)
{
    const struct subject *subject = values->subject;
    uint32_t last = subject->item_count - 1, condition = last;
    keeps[last] = 1;
    while (condition && subject->items[condition].row->flow != flow_BRANCH)
        condition--;
    if (subject->items[condition].row->flow == flow_BRANCH)
        keep_closing(values, condition, keeps, false);
}

static double without_scalar_integer(const struct subject *subject)
{
    struct values values;
    struct altered altered;
    uint8_t *keeps = arena_get(subject->arena, subject->item_count + 1);
    const struct cost_item *items = subject->work->items.data;
    bool is_any = false;
    if (!works_on_more(subject))
        return NAN;
    values_find(&values, subject);
    find_closing(&values, keeps);
    altered_begin(&altered, subject, 1, items[0].address);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        if (keeps[i] || !is_scalar_integer(subject, i))
            altered_keep(&altered, i);
        else
            is_any = true;
    }
    if (!is_any)
        return subject->path->cycles;
    double cycles = altered_cycles(&altered);
    return cycles > subject->path->cycles ? subject->path->cycles : cycles;
}

void metric_what_if(struct subject *subject, struct loop_metric *metric)
{
    if (!subject_is_timed(subject))
        return;
    if (subject->role && subject->role->iterations > 0)
        metric->cycles_per_source_iteration = subject->path->cycles / subject->role->iterations;
    tell_parts(subject, metric);
    if (subject->work->is_bundled)
        return;
    metric->cycles_without_scalar_integer = without_scalar_integer(subject);
    struct vectorising *vectorising = arena_get(subject->arena, sizeof *vectorising);
    vectorising_find(vectorising, subject);
    metric->cycles_fp_vectorised = vectorising_cycles(vectorising, true);
    metric->cycles_vectorised = vectorising_cycles(vectorising, false);
    subject->vectorising = vectorising;
}
