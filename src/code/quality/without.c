/* A changed path is a block like any other: the items that stay, with new costs if they changed.

   Removed items still make their values, so that nothing waits for an older value of the same register. The
   kept item before a removed one takes over its values (for removed items at the start, the last item of the
   block, which is before them in the iteration before): it writes their registers too, at no cost. Such a
   value comes from the registers as they are at that item; if the item itself makes one of them, the value
   comes from the sources of that register, and is ready no earlier.

   Memory that a removed item read is assumed to be ready at once. */
#include "code/quality/without.h"

#include "code/quality/rules/flags.h"

#include <math.h>
#include <string.h>

enum { MOST_WRITES = 64, MOST_FLOWS = 64, MOST_CHANGED = 4096 };

struct changed_item {
    const struct machine_cost *cost;
    bool is_gone, passes, is_idle; /* passes: its results come from its sources; is_idle: it has none */
};

/* A writable cost. */
struct own_cost {
    struct machine_cost cost;
    uint16_t writes[MOST_WRITES];
    struct cost_flow flows[MOST_FLOWS];
};

static const enum core_part fetching[] = {core_part_PREDECODE, core_part_DECODE, core_part_FRONT_END,
                                          core_part_UOP_CACHE, core_part_LOOP_BUFFER};

void without_begin(struct without *without, const struct subject *subject)
{
    const struct cost_item *items = subject->work->items.data;
    without->subject = subject;
    without->items = arena_get(subject->arena, (subject->item_count + 1) * sizeof *without->items);
    for (unsigned i = 0; i < subject->item_count; i++)
        without->items[i].cost = items[i].cost;
}

void without_item(struct without *without, unsigned item)
{
    without->items[item].is_gone = true;
    without->items[item].passes = without->items[item].is_idle = false;
}

void without_trace(struct without *without, unsigned item)
{
    without->items[item].is_gone = without->items[item].is_idle = true;
}

void without_work(struct without *without, unsigned item)
{
    without->items[item].is_gone = without->items[item].passes = true;
}

static struct machine_cost *copy(const struct without *without, unsigned item)
{
    struct machine_cost *cost = arena_get(without->subject->arena, sizeof *cost);
    *cost = *without->items[item].cost;
    without->items[item].cost = cost;
    return cost;
}

/* Whether all of these ports are for memory and no other µop of an instruction uses them. */
static bool are_for_memory(const struct machine_core *core, uint32_t ports)
{
    uint32_t memory = core->load_ports | core->address_ports | core->store_ports;
    return ports && !(ports & ~memory);
}

static void drop_memory_ports(const struct without *without, struct machine_cost *cost)
{
    const struct machine_core *core = &without->subject->machine->core;
    struct form_ports *ports = arena_get(without->subject->arena, (cost->port_count + 1) * sizeof *ports);
    unsigned kept = 0;
    for (unsigned i = 0; i < cost->port_count; i++)
        if (!are_for_memory(core, cost->ports[i].ports))
            ports[kept++] = cost->ports[i];
    cost->ports = ports;
    cost->port_count = kept;
}

void without_memory(struct without *without, unsigned item)
{
    const struct subject_item *row = &without->subject->items[item];
    unsigned class = row->row->class;
    if (class == class_LOAD || class == class_STORE || class == class_PUSH || class == class_POP) {
        without_item(without, item);
        return;
    }
    struct machine_cost *cost = copy(without, item);
    struct cost_flow *flows = arena_get(without->subject->arena, (cost->flow_count + 1) * sizeof *flows);
    unsigned kept = 0;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].way == way_REGISTER && cost->flows[i].to != RESOURCE_MEMORY)
            flows[kept++] = cost->flows[i];
    cost->flows = flows;
    cost->flow_count = kept;
    cost->access_count = 0;
    drop_memory_ports(without, cost);
    /* One fused µop stays for each executed µop; the load was fused with one of them or had its own. */
    double executed = 0;
    for (unsigned i = 0; i < cost->port_count; i++)
        executed += (double)cost->ports[i].times;
    if (executed >= 1 && executed < cost->fused)
        cost->fused = (uint16_t)executed;
    if (executed >= 1 && executed < cost->decoded)
        cost->decoded = (uint16_t)executed;
}

void without_gathering(struct without *without, unsigned item)
{
    const struct machine_core *core = &without->subject->machine->core;
    struct machine_cost *cost = copy(without, item);
    struct form_ports *ports = arena_get(without->subject->arena, sizeof *ports);
    *ports = (struct form_ports){.ports = core->load_ports, .times = 1};
    cost->ports = ports;
    cost->port_count = core->load_ports != 0;
    cost->fused = cost->decoded = 1;
    cost->microcoded = 0;
    cost->needs_complex_decoder = false;
    cost->throughput = NAN;
    cost->access_count = cost->access_count ? 1 : 0;
}

/* The time from a store to the load of its value; 0 if the load reads no store of the loop. */
static double forwarding(const struct subject *subject, unsigned item)
{
    const struct machine_core *core = &subject->machine->core;
    subject_find_dependences(subject);
    const struct array *meetings = &subject->work->scratch.addresses.meetings;
    for (size_t i = 0; i < meetings->count; i++) {
        const struct cost_meeting *meeting = ARRAY_AT(struct cost_meeting, meetings, i);
        if (meeting->load != item)
            continue;
        if (!meeting->fits)
            return core->forward_failed;
        if (meeting->is_renamed && core->renames_memory)
            return 0;
        return meeting->is_vector ? core->forward_vector : core->forward;
    }
    return 0;
}

void without_waiting(struct without *without, unsigned item)
{
    struct machine_cost *cost = copy(without, item);
    double forward = forwarding(without->subject, item);
    struct cost_flow *flows = arena_get(without->subject->arena, (cost->flow_count + 1) * sizeof *flows);
    for (unsigned i = 0; i < cost->flow_count; i++) {
        flows[i] = cost->flows[i];
        if (flows[i].from == RESOURCE_MEMORY)
            flows[i].latency -= (float)forward;
    }
    cost->flows = flows;
}

void without_input(struct without *without, unsigned item, uint16_t resource)
{
    struct machine_cost *cost = copy(without, item);
    struct cost_flow *flows = arena_get(without->subject->arena, (cost->flow_count + 1) * sizeof *flows);
    unsigned kept = 0;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].from != resource || cost->flows[i].way != way_REGISTER)
            flows[kept++] = cost->flows[i];
    cost->flows = flows;
    cost->flow_count = kept;
}

void without_meeting(struct without *without, unsigned item)
{
    struct machine_cost *cost = copy(without, item);
    /* A place that no other access has. */
    for (unsigned i = 0; i < cost->access_count; i++)
        if (cost->accesses[i].loads)
            cost->accesses[i].is_relative = true;
}

static bool writes(const struct machine_cost *cost, uint16_t resource)
{
    for (unsigned i = 0; i < cost->write_count; i++)
        if (cost->writes[i] == resource)
            return true;
    return false;
}

/* Ports of a form with registers only, and the ports of a load beside it. */
static void take_ports(const struct without *without, struct machine_cost *cost,
                       const struct machine_form *form, const struct machine_cost *loading)
{
    const struct machine *machine = without->subject->machine;
    unsigned more = loading ? loading->port_count : 0;
    struct form_ports *ports =
        arena_get(without->subject->arena, (form->ports.count + more + 1) * sizeof *ports);
    unsigned count = form->ports.count;
    if (count)
        memcpy(ports, ARRAY_AT(struct form_ports, &machine->form_ports, form->ports.first),
               count * sizeof *ports);
    for (unsigned i = 0; i < more; i++)
        if (are_for_memory(&machine->core, loading->ports[i].ports))
            ports[count++] = loading->ports[i];
    cost->ports = ports;
    cost->port_count = count;
}

/* Latencies of the form, from the result of first and from the other sources. */
static void take_latencies(const struct without *without, struct machine_cost *cost,
                           const struct machine_cost *first, const struct machine_form *form, unsigned slot)
{
    const struct machine *machine = without->subject->machine;
    double usual = form->latency, other = form_latency(machine, form, slot, 1);
    struct cost_flow *flows = arena_get(without->subject->arena, (cost->flow_count + 1) * sizeof *flows);
    if (cost->flow_count)
        memcpy(flows, cost->flows, cost->flow_count * sizeof *flows);
    for (unsigned i = 0; i < cost->flow_count; i++) {
        double latency = writes(first, flows[i].from) ? usual : other;
        if (flows[i].way == way_REGISTER && flows[i].to != RESOURCE_MEMORY && !isnan(latency))
            flows[i].latency = (float)latency;
    }
    cost->flows = flows;
    cost->chained = form->chained;
}

void without_pair(struct without *without, unsigned first, unsigned second, const struct machine_form *form,
                  unsigned slot)
{
    struct machine_cost *cost = copy(without, second);
    const struct machine_cost *gone = without->items[first].cost;
    take_latencies(without, cost, gone, form, slot);
    if (gone->access_count && cost->access_count) {
        /* The load of first stays as a separate load. */
        struct machine_cost *load = copy(without, first);
        struct form_ports *ports = arena_get(without->subject->arena, (load->port_count + 1) * sizeof *ports);
        unsigned kept = 0;
        for (unsigned i = 0; i < load->port_count; i++)
            if (are_for_memory(&without->subject->machine->core, load->ports[i].ports))
                ports[kept++] = load->ports[i];
        load->ports = ports;
        load->port_count = kept;
        load->fused = load->decoded = 1;
        take_ports(without, cost, form, cost);
        return;
    }
    take_ports(without, cost, form, gone->access_count ? gone : cost);
    if (gone->access_count) {
        memcpy(cost->accesses, gone->accesses, sizeof cost->accesses);
        cost->access_count = gone->access_count;
        cost->fused = gone->fused;
        cost->decoded = gone->decoded;
    }
    without_work(without, first);
}

void without_form(struct without *without, unsigned item, const struct machine_form *form)
{
    struct machine_cost *cost = copy(without, item);
    struct cost_flow *flows = arena_get(without->subject->arena, (cost->flow_count + 1) * sizeof *flows);
    cost->form = form;
    take_ports(without, cost, form, NULL);
    for (unsigned i = 0; i < cost->flow_count; i++) {
        flows[i] = cost->flows[i];
        if (flows[i].way == way_REGISTER && flows[i].to != RESOURCE_MEMORY && !isnan(form->latency))
            flows[i].latency = fminf(flows[i].latency, form->latency);
    }
    cost->flows = flows;
    cost->fused = form->fused;
    cost->decoded = form->decoded;
    cost->microcoded = form->microcoded;
    cost->divider =
        (float)machine_division_busy(without->subject->machine, form->text, (double)form->divider);
    cost->easy = cost->hard = NULL;
    cost->throughput = form->throughput;
    cost->chained = form->chained;
}

static struct own_cost *own(const struct without *without, struct cost_item *item)
{
    const struct machine_cost *cost = item->cost;
    struct own_cost *own_cost = arena_get(without->subject->arena, sizeof *own_cost);
    own_cost->cost = *cost;
    if (cost->write_count)
        memcpy(own_cost->writes, cost->writes, cost->write_count * sizeof *cost->writes);
    if (cost->flow_count)
        memcpy(own_cost->flows, cost->flows, cost->flow_count * sizeof *cost->flows);
    own_cost->cost.writes = own_cost->writes;
    own_cost->cost.flows = own_cost->flows;
    item->cost = &own_cost->cost;
    return own_cost;
}

/* Flows by which a result of a removed item comes from the inputs or results of the item before it. */
static unsigned pass(const struct machine_cost *to, const struct machine_cost *gone, uint16_t resource,
                     struct cost_flow *flows, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; i < gone->flow_count; i++) {
        const struct cost_flow *flow = &gone->flows[i];
        if (flow->to != resource || flow->way != way_REGISTER)
            continue;
        if (!writes(to, flow->from)) {
            if (count < most)
                flows[count++] = (struct cost_flow){.from = flow->from, .to = resource, .way = way_REGISTER};
            continue;
        }
        for (unsigned k = 0; k < to->flow_count; k++) {
            if (to->flows[k].to != flow->from || count >= most)
                continue;
            flows[count] = to->flows[k];
            flows[count++].to = resource;
        }
    }
    return count;
}

static void put_flows(struct own_cost *own_cost, uint16_t resource, const struct cost_flow *flows,
                      unsigned count)
{
    struct machine_cost *cost = &own_cost->cost;
    unsigned kept = 0;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (own_cost->flows[i].to != resource)
            own_cost->flows[kept++] = own_cost->flows[i];
    for (unsigned i = 0; i < count && kept < MOST_FLOWS; i++)
        own_cost->flows[kept++] = flows[i];
    cost->flow_count = kept;
    if (!writes(cost, resource))
        own_cost->writes[cost->write_count++] = resource;
    if (cost->step.to == resource)
        cost->step = (struct cost_step){0};
}

/* The results of a removed item become results of the item before it. Results are replaced one by one, from
   flows that were looked up before the first of them was. */
static void attach(const struct without *without, struct cost_item *to, struct own_cost **own_cost,
                   const struct changed_item *gone)
{
    struct cost_flow flows[MOST_FLOWS];
    unsigned firsts[MOST_WRITES + 1] = {0}, count = 0;
    const struct machine_cost *cost = gone->cost;
    if (!cost->write_count || gone->is_idle)
        return;
    if (to->cost->write_count + cost->write_count > MOST_WRITES || to->cost->flow_count > MOST_FLOWS)
        return;
    if (!*own_cost)
        *own_cost = own(without, to);
    for (unsigned i = 0; i < cost->write_count; i++) {
        if (gone->passes)
            count += pass(to->cost, cost, cost->writes[i], flows + count, MOST_FLOWS - count);
        firsts[i + 1] = count;
    }
    for (unsigned i = 0; i < cost->write_count; i++)
        put_flows(*own_cost, cost->writes[i], flows + firsts[i], firsts[i + 1] - firsts[i]);
}

/* Items that stay. Two are adjacent if only removed items were between them. */
static unsigned lay_out(const struct without *without, struct cost_item *items, uint32_t *size)
{
    const struct subject *subject = without->subject;
    const struct cost_item *before = subject->work->items.data;
    unsigned count = 0, first = 0;
    struct own_cost *own_cost = NULL;
    uint64_t address = 0, follows = 0;
    *size = 0;
    while (first < subject->item_count && without->items[first].is_gone)
        first++;
    if (first == subject->item_count)
        return 0;
    for (unsigned n = 0; n < subject->item_count; n++) {
        unsigned i = first + n < subject->item_count ? first + n : first + n - subject->item_count;
        const struct changed_item *changed = &without->items[i];
        if (n && before[i].address != follows)
            address = before[i].address;
        if (!n)
            address = before[0].address;
        follows = before[i].address + before[i].cost->size;
        if (changed->is_gone) {
            attach(without, &items[count - 1], &own_cost, changed);
            continue;
        }
        items[count++] = (struct cost_item){.cost = changed->cost, .id = before[i].id, .address = address};
        address += changed->cost->size;
        *size += changed->cost->size;
        own_cost = NULL;
    }
    return count;
}

static double most_of(const double *bounds, const struct cost_bound *new_bounds)
{
    double most = 0;
    for (size_t i = 0; i < sizeof fetching / sizeof *fetching; i++)
        most = fmax(most, bounds ? bounds[fetching[i]] : new_bounds[fetching[i]].cycles);
    return most;
}

static bool is_fetching(unsigned part)
{
    for (size_t i = 0; i < sizeof fetching / sizeof *fetching; i++)
        if (fetching[i] == part)
            return true;
    return false;
}

/* The places of jumps cost time as well; as long as no jump is removed, that cost stays the same. */
static bool loses_branch(const struct without *without)
{
    for (unsigned i = 0; i < without->subject->item_count; i++)
        if (without->items[i].is_gone && without->items[i].cost->is_branch)
            return true;
    return false;
}

/* false if there is no result. */
static bool predict(const struct without *without, struct cost_block *block,
                    struct cost_prediction *prediction)
{
    const struct subject *subject = without->subject;
    *block = (struct cost_block){.machine = subject->machine, .mode = cost_LOOP};
    if (!subject_is_timed(subject) || subject->work->is_bundled || subject->item_count > MOST_CHANGED)
        return false;
    block->items = arena_get(subject->arena, (subject->item_count + 1) * sizeof *block->items);
    block->count = lay_out(without, block->items, &block->size);
    if (block->count)
        cost_predict(block, subject->spare, cost_ANSWER, prediction);
    return block->count;
}

double without_chain(const struct without *without)
{
    struct cost_block block;
    struct cost_prediction prediction;
    return predict(without, &block, &prediction) ? prediction.bounds[core_part_LATENCY].cycles : NAN;
}

double without_memory_chain(const struct subject *subject)
{
    double sum = 1;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct machine_cost *cost = subject->work->block.items[i].cost;
        enum class class = subject->items[i].row->class;
        double latency = 0;
        if (!subject_is_marked(subject, core_part_LATENCY, i) || class == class_LOAD || class == class_STORE)
            continue;
        for (unsigned k = 0; k < cost->flow_count; k++)
            if (cost->flows[k].way == way_REGISTER && cost->flows[k].to != RESOURCE_MEMORY)
                latency = fmax(latency, cost->flows[k].latency);
        sum += latency;
    }
    return sum;
}

double without_cycles(const struct without *without)
{
    const struct subject *subject = without->subject;
    struct cost_block block;
    struct cost_prediction prediction;
    if (!predict(without, &block, &prediction))
        return NAN;
    double left = subject->work->block.issued ? (double)block.issued / subject->work->block.issued : 1;
    double fetched = most_of(subject->path->bounds, NULL), now = most_of(NULL, prediction.bounds);
    double cycles = fmin(fmax(now, fetched * left), fetched);
    for (unsigned part = 0; part < core_part_COUNT; part++)
        if (!is_fetching(part) && part != core_part_BRANCHES)
            cycles = fmax(cycles, prediction.bounds[part].cycles);
    cycles = fmax(cycles, loses_branch(without) ? prediction.bounds[core_part_BRANCHES].cycles
                                                : subject_bound(subject, core_part_BRANCHES));
    return cycles > 0 ? cycles : NAN;
}

double without_cycles_in_place(const struct without *without)
{
    struct cost_block block;
    struct cost_prediction prediction;
    return predict(without, &block, &prediction) ? prediction.cycles : NAN;
}

double without_cycles_moved(const struct subject *subject, unsigned bytes)
{
    struct cost_block block = {.machine = subject->machine, .mode = cost_LOOP, .count = subject->item_count};
    struct cost_prediction prediction;
    if (!subject_is_timed(subject) || subject->work->is_bundled || subject->item_count > MOST_CHANGED)
        return NAN;
    block.size = subject->work->block.size;
    block.items = arena_get(subject->arena, (subject->item_count + 1) * sizeof *block.items);
    memcpy(block.items, subject->work->items.data, subject->item_count * sizeof *block.items);
    for (unsigned i = 0; i < block.count; i++)
        block.items[i].address += bytes;
    cost_predict(&block, subject->spare, cost_ANSWER, &prediction);
    return prediction.cycles;
}

bool without_gains(const struct subject *subject, double cycles)
{
    return cycles > 0 && subject->path->cycles >= LEAST_GAIN * cycles;
}

bool without_matters(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return subject_is_timed(subject) && !subject->path->call_count && !subject_is_aside(subject) &&
           !subject->work->is_bundled &&
           !(compiler->flags ? !compiler->optimisation : flags_look_unoptimised(subject));
}
