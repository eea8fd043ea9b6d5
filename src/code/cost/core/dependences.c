/* Nodes are values; edges are the flows of instructions from one value to another. A flow starts at the last
   value that the iteration has given to a resource so far, or else at the last one of the iteration before. A
   resource that the block never writes is always there and has no node.

   Special cases:
   - An eliminated move takes no time.
   - Pushes and pops move the stack pointer before renaming; only if another instruction reads it, a µop
     updates it, one cycle after its last real value (Agner Fog; Intel's optimisation guide).
   - A load that reads what a store wrote gets it from the store's buffer, in the machine's `forward` cycles
     from data to data; through the cache, where it does not fit into the store. The address of the store
   plays no part here: it is nearly always there long before.
   - A load whose base comes straight from a load is faster, with no index and a small displacement; renamed
     copies of the pointer do as well (Intel's optimisation guide on pointer chasing; uiCA).
   - Between vector operations of different domains values wait for a cycle (`domain`): on Neoverse V1 `fadd`
     and an addition of integers in a chain take 6 cycles, not 4.
   - A comparison and the selection right after it may be one operation (`fuses`): on Neoverse V1 `cmp w`
   with `cset w`, or with `csel w` of a compared register, take one cycle together (measured; not of 64 bits,
   not with an instruction between them, not with cinc, and not after tst or subs). They need one pipe.
   - Some instructions hand their result to another of their kind sooner than to others: the adders of Golden
     Cove, in 2 cycles instead of 3 (measured; uops.info has 2 for some of its relatives and 3 for others).
     Sums of products do so with the operand that is added to (`chained`): on Neoverse V1 an fmadd takes the
     sum 2 cycles before its result from an fmadd or fmul, 3 from an fadd; an mla 1 from an mla that ran on
     the same pipe (`own-pipe`), else 4. */
#include "code/cost/core/dependences.h"

#include "code/cost/core/core.h"

enum { NO_NODE = UINT32_MAX, MOST_COPIES = 8 };

struct building {
    const struct cost_block *block;
    const struct machine_core *core;
    struct cost_dependences *graph;
    struct cost_addresses *addresses;
    size_t meeting; /* the next one: they are in the order of the loads */
    uint16_t stack; /* the pointer that pushes and pops of the block move unseen */
};

struct source {
    uint32_t node;
    uint32_t distance;
};

/* The stack pointer of an instruction that moves it before renaming; RESOURCE_NONE for others. */
static uint16_t unseen_stack(const struct building *building, const struct machine_cost *cost)
{
    return building->core->has_stack_engine && cost->uses_stack_engine && cost->step.to == cost->step.from
               ? cost->step.to
               : (uint16_t)RESOURCE_NONE;
}

static void add_node(struct building *building, uint32_t item, uint16_t resource)
{
    struct cost_dependences *graph = building->graph;
    uint32_t number = (uint32_t)graph->nodes.count;
    struct dependence_node *node = array_push(&graph->nodes);
    *node = (struct dependence_node){.item = item, .resource = resource};
    *(uint32_t *)array_push(&graph->moved_from) = NO_NODE;
    if (resource != RESOURCE_MEMORY) {
        graph->last_stamps[resource] = graph->epoch;
        graph->last[resource] = number;
    }
}

static void add_nodes(struct building *building)
{
    const struct cost_block *block = building->block;
    for (uint32_t i = 0; i < block->count && !building->stack; i++)
        building->stack = unseen_stack(building, block->items[i].cost);
    for (uint32_t i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        uint16_t unseen = unseen_stack(building, cost);
        *(uint32_t *)array_push(&building->graph->first_nodes) = (uint32_t)building->graph->nodes.count;
        if (block->items[i].synchronises && building->stack)
            add_node(building, i, building->stack);
        for (unsigned w = 0; w < cost->write_count; w++)
            if (cost->writes[w] != unseen)
                add_node(building, i, cost->writes[w]);
        if (machine_cost_stores(cost))
            add_node(building, i, RESOURCE_MEMORY);
    }
    *(uint32_t *)array_push(&building->graph->first_nodes) = (uint32_t)building->graph->nodes.count;
}

static struct source source_of(const struct cost_dependences *graph, uint16_t resource)
{
    if (graph->current_stamps[resource] == graph->epoch)
        return (struct source){graph->current[resource], 0};
    if (graph->last_stamps[resource] == graph->epoch)
        return (struct source){graph->last[resource], 1};
    return (struct source){NO_NODE, 0};
}

static struct dependence_node *node_at(const struct cost_dependences *graph, uint32_t node)
{
    return ARRAY_AT(struct dependence_node, &graph->nodes, node);
}

static void add_edge(struct building *building, struct source source, uint32_t to, double latency,
                     enum cost_way way)
{
    struct ratio_edge *edge = array_push(&building->graph->edges);
    *edge = (struct ratio_edge){.from = source.node,
                                .to = to,
                                .distance = source.distance,
                                .latency = (float)latency,
                                .way = (uint8_t)way};
}

/* The original value if this is a renamed copy. */
static const struct dependence_node *original(const struct cost_dependences *graph, uint32_t node)
{
    const uint32_t *moved_from = graph->moved_from.data;
    for (unsigned i = 0; i < MOST_COPIES && moved_from[node] != NO_NODE; i++)
        node = moved_from[node];
    return node_at(graph, node);
}

static bool may_be_fast(const struct building *building, const struct machine_cost *cost)
{
    if (building->core->pointer_bonus <= 0)
        return false;
    for (unsigned i = 0; i < cost->access_count; i++) {
        const struct cost_access *access = &cost->accesses[i];
        if (access->loads && access->base && !access->index && access->displacement >= 0 &&
            access->displacement < (int64_t)building->core->pointer_reach)
            return true;
    }
    return false;
}

/* Loads of the block before an item. */
static uint32_t loads_before(const struct building *building, uint32_t item)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < item; i++)
        for (unsigned a = 0; a < building->block->items[i].cost->access_count; a++)
            count += building->block->items[i].cost->accesses[a].loads;
    return count;
}

/* Whether another load waits for the same store on the same port and goes first. Loads take their ports in
   turn. */
static bool is_behind(const struct building *building, const struct cost_meeting *meeting)
{
    const struct array *meetings = &building->addresses->meetings;
    uint32_t ports = (uint32_t)__builtin_popcount(building->core->load_ports);
    uint32_t all = loads_before(building, building->block->count);
    uint32_t number = loads_before(building, meeting->load) + meeting->distance * all;
    for (size_t i = 0; i < meetings->count && ports; i++) {
        const struct cost_meeting *other = ARRAY_AT(struct cost_meeting, meetings, i);
        uint32_t others = loads_before(building, other->load) + other->distance * all;
        if (other->store == meeting->store && other->fits && others < number &&
            (number - others) % ports == 0)
            return true;
    }
    return false;
}

/* The values that the loads of an item read from stores of the block. */
static void add_forwarded(struct building *building, uint32_t item, const struct cost_flow *flow, uint32_t to)
{
    const struct array *meetings = &building->addresses->meetings;
    for (size_t i = building->meeting; i < meetings->count; i++) {
        const struct cost_meeting *meeting = ARRAY_AT(struct cost_meeting, meetings, i);
        if (meeting->load != item)
            break;
        const struct machine_core *core = building->core;
        double forward = !meeting->fits                                ? core->forward_failed
                         : meeting->is_renamed && core->renames_memory ? 0
                         : meeting->is_vector                          ? core->forward_vector
                                                                       : core->forward;
        if (meeting->fits && core->forward_again > 0 && is_behind(building, meeting))
            forward += core->forward_again;
        uint32_t end = *ARRAY_AT(uint32_t, &building->graph->first_nodes, meeting->store + 1);
        /* One of a machine's two figures is 0 if it renames memory; both are 0 if they are unknown. */
        bool is_known = meeting->fits ? core->forward > 0 || core->forward_vector > 0 : forward > 0;
        if (is_known)
            add_edge(building, (struct source){end - 1, meeting->distance}, to,
                     forward + (double)flow->latency, way_MEMORY);
    }
}

/* The cycles that a vector waits between operations of two domains (`domain`): floats stay in a form of their
   own, which only products and conversions take at once; these hand on to each other a cycle early. */
static double crossing(unsigned from, unsigned to)
{
    enum { NONE, SINGLE, DOUBLE, INTEGER, MOVE, PRODUCT };
    if (from == NONE || to == NONE || from == to || from == MOVE)
        return 0;
    if (from == PRODUCT)
        return 1;
    return from == INTEGER ? to == SINGLE || to == DOUBLE : to != PRODUCT;
}

/* Whether the item selects by the flags of the comparison right before it, in one operation with it. */
static bool selects_at_once(const struct building *building, uint32_t item, struct source source)
{
    const struct cost_item *user = &building->block->items[item];
    return item && user->is_absorbed && !user->cost->is_branch && !source.distance &&
           node_at(building->graph, source.node)->item == item - 1;
}

/* Whether no register takes less time to the result: of a sum of products, the operand that is added to. */
static bool is_shortest(const struct machine_cost *cost, const struct cost_flow *flow)
{
    if (flow->way != way_REGISTER || flow->to == RESOURCE_MEMORY)
        return false;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].way == way_REGISTER && cost->flows[i].to == flow->to &&
            cost->flows[i].from != RESOURCE_MEMORY && cost->flows[i].latency < flow->latency)
            return false;
    return true;
}

static void add_flow(struct building *building, uint32_t item, const struct cost_flow *flow, uint32_t to)
{
    const struct cost_item *user = &building->block->items[item];
    struct cost_dependences *graph = building->graph;
    bool is_address = flow->way == way_BASE || flow->way == way_INDEX;
    if (flow->from == RESOURCE_MEMORY) {
        add_forwarded(building, item, flow, to);
        node_at(graph, to)->is_loaded |= flow->to != RESOURCE_MEMORY && flow->latency <= 0;
        return;
    }
    struct source source = source_of(graph, flow->from);
    if (is_address && flow->to == RESOURCE_MEMORY)
        return;
    double latency = user->is_eliminated ? 0 : (double)flow->latency;
    struct dependence_node *result = node_at(graph, to);
    result->latency = (double)result->latency < latency ? (float)latency : result->latency;
    if (source.node == NO_NODE)
        return;
    if (selects_at_once(building, item, source))
        latency = 0;
    else if (flow->way == way_REGISTER && flow->to != RESOURCE_MEMORY)
        latency += crossing(building->block->items[node_at(graph, source.node)->item].cost->domain,
                            user->cost->domain);
    uint32_t *moved_from = ARRAY_AT(uint32_t, &graph->moved_from, to);
    if (user->is_eliminated && *moved_from == NO_NODE)
        *moved_from = source.node;
    if (flow->way == way_BASE && may_be_fast(building, user->cost))
        *(uint32_t *)array_push(&graph->fast) = (uint32_t)graph->edges.count;
    if (user->cost->chained > 0 && is_shortest(user->cost, flow))
        *(uint32_t *)array_push(&graph->chained) = (uint32_t)graph->edges.count;
    add_edge(building, source, to, latency, flow->way);
}

static void add_edges(struct building *building)
{
    struct cost_dependences *graph = building->graph;
    const struct array *meetings = &building->addresses->meetings;
    for (uint32_t i = 0; i < building->block->count; i++) {
        const struct cost_item *item = &building->block->items[i];
        uint32_t first = *ARRAY_AT(uint32_t, &graph->first_nodes, i);
        uint32_t end = *ARRAY_AT(uint32_t, &graph->first_nodes, i + 1);
        if (item->synchronises && building->stack) {
            uint16_t stack = building->stack;
            struct source source = source_of(graph, stack);
            if (source.node != NO_NODE)
                add_edge(building, source, first, 1, way_REGISTER);
            graph->current_stamps[stack] = graph->epoch;
            graph->current[stack] = first++;
        }
        for (uint32_t to = first; to < end; to++)
            for (unsigned f = 0; f < item->cost->flow_count; f++)
                if (item->cost->flows[f].to == node_at(graph, to)->resource)
                    add_flow(building, i, &item->cost->flows[f], to);
        for (uint32_t node = first; node < end; node++) {
            uint16_t resource = node_at(graph, node)->resource;
            if (resource == RESOURCE_MEMORY)
                continue;
            graph->current_stamps[resource] = graph->epoch;
            graph->current[resource] = node;
        }
        while (building->meeting < meetings->count &&
               ARRAY_AT(struct cost_meeting, meetings, building->meeting)->load == i)
            building->meeting++;
    }
}

/* The origin of a pointer from the iteration before is known only when all edges exist. Edges that are not of
   a loaded pointer are taken off the list. */
static void chase_pointers(struct building *building)
{
    struct cost_dependences *graph = building->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->fast.count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, &graph->fast, i);
        struct ratio_edge *edge = ARRAY_AT(struct ratio_edge, &graph->edges, number);
        float bonus = (float)building->core->pointer_bonus;
        if (!original(graph, edge->from)->is_loaded)
            continue;
        edge->latency = edge->latency > bonus ? edge->latency - bonus : 0;
        *ARRAY_AT(uint32_t, &graph->fast, kept++) = number;
    }
    graph->fast.count = kept;
}

/* An instruction that waits for itself alone, an iteration before, runs on the same pipe as then, unless
   there are others of its kind: three sums on two pipes change places from iteration to iteration. */
static void shorten_chains(struct building *building)
{
    struct cost_dependences *graph = building->graph;
    const struct cost_item *items = building->block->items;
    unsigned sums = 0;
    for (uint32_t i = 0; i < building->block->count; i++)
        sums += items[i].cost->is_own_pipe;
    for (size_t i = 0; i < graph->chained.count; i++) {
        uint32_t number = *ARRAY_AT(uint32_t, &graph->chained, i);
        struct ratio_edge *edge = ARRAY_AT(struct ratio_edge, &graph->edges, number);
        uint32_t item = node_at(graph, edge->to)->item, source = original(graph, edge->from)->item;
        const struct machine_cost *user = items[item].cost;
        if (items[source].cost->chained <= 0 || edge->latency <= user->chained)
            continue;
        edge->apart = user->is_own_pipe && (item != source || sums > 1) ? edge->latency : 0;
        edge->latency = user->chained;
    }
}

void cost_find_dependences(const struct cost_block *block, struct cost_scratch *scratch)
{
    struct cost_dependences *graph = &scratch->dependences;
    if (scratch->block_number && scratch->block_number == scratch->depended_block)
        return;
    scratch->depended_block = scratch->block_number;
    graph->nodes.width = sizeof(struct dependence_node);
    graph->first_nodes.width = graph->moved_from.width = sizeof(uint32_t);
    graph->fast.width = graph->chained.width = sizeof(uint32_t);
    graph->edges.width = sizeof(struct ratio_edge);
    graph->nodes.count = graph->first_nodes.count = graph->moved_from.count = graph->edges.count = 0;
    graph->fast.count = graph->chained.count = 0;
    graph->epoch++;
    cost_find_meetings(block, &scratch->addresses);
    struct building building = {
        .block = block, .core = &block->machine->core, .graph = graph, .addresses = &scratch->addresses};
    add_nodes(&building);
    add_edges(&building);
    chase_pointers(&building);
    shorten_chains(&building);
}

void cost_dependences_free(struct cost_dependences *dependences)
{
    array_free(&dependences->nodes);
    array_free(&dependences->first_nodes);
    array_free(&dependences->moved_from);
    array_free(&dependences->edges);
    array_free(&dependences->carried);
    array_free(&dependences->fast);
    array_free(&dependences->chained);
    cost_ratio_free(&dependences->ratio);
}
