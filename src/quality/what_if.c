/* Cycles under other circumstances.

   Of a source iteration: as many as the loops of its family tell.

   Without scalar integers: what only computes addresses, counts and branches is gone, but for one counter and
   the branch that closes the loop, with what sets its condition.  Addresses still move.  Integers that are
   the data of the loop stay; a loop that works on nothing else has no such figure.

   Without dependence: the largest bound of the parts that do not wait for values of an earlier iteration.
   What a core in order takes cannot be told apart like that, so it has no such figure, nor the next one.

   Next bottleneck: the largest bound when the part that limits costs nothing.  Some parts look at the same
   thing from different sides, and a user who removes a bottleneck removes it from all of them:
   - predecoder, decoders and both together (front end) are ways of fetching the same code;
   - µop cache, loop buffer, issue and retirement all count µops: fewer of them relieve all four;
   - loads and stores have ports of their own, so that ports are asked again without them; and where ports
     limit because of loads (or stores) alone, these are gone as well;
   - latency and contention are about the same chain.
   The divider and the ports are different things: a division occupies its port for a cycle, and the divider
   behind it for many.

   Front end and back end are the largest bounds of their parts.  Branches that are taken count to the front
   end, which has to follow them. */
#include "quality/metrics.h"

#include "quality/altered.h"
#include "quality/values.h"
#include "quality/vectorise.h"

#include <math.h>

#define PART(part) (UINT32_C(1) << core_part_##part)

static const uint32_t fetching = PART(PREDECODE) | PART(DECODE) | PART(FRONT_END);
static const uint32_t counting = PART(UOP_CACHE) | PART(LOOP_BUFFER) | PART(ISSUE) | PART(RETIRE);
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

static bool accesses(const struct machine_cost *cost, bool stores)
{
    for (unsigned i = 0; i < cost->access_count; i++)
        if (stores ? cost->accesses[i].stores : cost->accesses[i].loads)
            return true;
    return false;
}

/* Ports that plain loads (stores) of the path take, each set of them, and those that the machine names. */
struct memory_ports {
    uint32_t sets[8];
    unsigned count;
    uint32_t named;
};

static void note_ports(struct memory_ports *memory, const struct cost_item *item)
{
    for (unsigned i = 0; i < item->port_count; i++) {
        unsigned k = 0;
        while (k < memory->count && memory->sets[k] != item->ports[i].ports)
            k++;
        if (k == memory->count && k < sizeof memory->sets / sizeof *memory->sets)
            memory->sets[memory->count++] = item->ports[i].ports;
    }
}

static bool is_of_memory(const struct memory_ports *memory, uint32_t ports)
{
    for (unsigned i = 0; i < memory->count; i++)
        if (memory->sets[i] == ports)
            return true;
    return ports && !(ports & ~memory->named);
}

/* What the ports take without loads, or without stores. */
static double ports_without(const struct subject *subject, bool stores)
{
    const struct machine_core *core = &subject->machine->core;
    const struct cost_block *from = &subject->work->block;
    struct memory_ports memory = {.named =
                                      stores ? core->store_ports | core->address_ports : core->load_ports};
    struct cost_block block = *from;
    struct cost_bound bound = {0};
    unsigned plain = stores ? class_STORE : class_LOAD;
    block.items = arena_get(subject->arena, (from->count + 1) * sizeof *block.items);
    for (unsigned i = 0; i < from->count; i++)
        if (subject->items[i].row->class == plain)
            note_ports(&memory, &from->items[i]);
    for (unsigned i = 0; i < from->count; i++) {
        struct cost_item *item = &block.items[i];
        *item = from->items[i];
        if (!accesses(item->cost, stores))
            continue;
        struct form_ports *ports = arena_get(subject->arena, (item->port_count + 1) * sizeof *ports);
        unsigned kept = 0;
        for (unsigned k = 0; k < item->port_count; k++)
            if (!is_of_memory(&memory, item->ports[k].ports))
                ports[kept++] = item->ports[k];
        item->ports = ports;
        item->port_count = kept;
    }
    arena_empty(&subject->spare->arena);
    cost_ports(&block, subject->spare, &bound);
    return bound.cycles;
}

/* Whether only loads (stores) make the ports' bound what it is. */
static bool ports_are_for(const struct subject *subject, bool stores)
{
    bool is_any = false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (!subject_is_marked(subject, core_part_PORTS, i))
            continue;
        if (!accesses(cost_of(subject, i), stores))
            return false;
        is_any = true;
    }
    return is_any;
}

static double next_bottleneck(const struct subject *subject)
{
    enum core_part limit = subject->path->limit;
    uint32_t gone = UINT32_C(1) << limit;
    double ports = subject_bound(subject, core_part_PORTS);
    if (gone & fetching)
        gone = fetching;
    else if (gone & counting)
        gone = counting;
    else if (gone & (PART(LATENCY) | PART(CONTENTION)))
        gone |= PART(LATENCY) | PART(CONTENTION);
    else if (limit == core_part_LOADS || limit == core_part_STORES)
        ports = ports_without(subject, limit == core_part_STORES);
    else if (limit == core_part_PORTS)
        gone |= (ports_are_for(subject, false) ? PART(LOADS) : 0) |
                (ports_are_for(subject, true) ? PART(STORES) : 0) | PART(CONTENTION);
    double most = largest(subject, ~(gone | PART(PORTS)));
    return gone & PART(PORTS) ? most : fmax(most, ports);
}

static void tell_parts(const struct subject *subject, struct loop_metric *metric)
{
    const uint32_t front =
        fetching | PART(UOP_CACHE) | PART(LOOP_BUFFER) | PART(MICROCODE) | PART(ISSUE) | PART(BRANCHES);
    const uint32_t back = PART(PORTS) | PART(DIVIDER) | PART(LOADS) | PART(STORES);
    metric->chain_cycles = subject_bound(subject, core_part_LATENCY);
    for (unsigned i = 0; i < subject->item_count; i++)
        metric->chain_count += subject_is_marked(subject, core_part_LATENCY, i);
    if (subject->machine->core.is_in_order || subject->path->limit == core_part_PAIRING)
        return;
    metric->front_end_cycles = largest(subject, front);
    metric->back_end_cycles = largest(subject, back);
    metric->cycles_without_dependence = largest(subject, ~waiting);
    metric->cycles_next_bottleneck = next_bottleneck(subject);
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

/* The item and what its condition comes from, one step and then a counter that steps. */
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
