/* The next limit, and the cycles of an iteration if the limiting part cost nothing. Some parts measure the
   same thing in different ways, and removing a bottleneck removes it from all of them:
   - predecoder, decoders and both together (front end) are ways of fetching the same code;
   - µop cache, loop buffer, issue and retirement all count µops: fewer of them relieve all four;
   - loads and stores have ports of their own, so ports are computed again without them; if ports limit only
     because of loads (or stores), these are removed as well;
   - contention results from the others, and goes away with the limit.
   The divider and the ports are different things: a division occupies its port for a cycle, and the divider
   after it for many.

   An in-order core has no next limit: pairing covers everything. */
#include "code/cost/core/core.h"

#include <math.h>

static const uint32_t fetching =
    COST_PART(core_part_PREDECODE) | COST_PART(core_part_DECODE) | COST_PART(core_part_FRONT_END);
static const uint32_t counting = COST_PART(core_part_UOP_CACHE) | COST_PART(core_part_LOOP_BUFFER) |
                                 COST_PART(core_part_ISSUE) | COST_PART(core_part_RETIRE);

/* Each set of ports that plain loads (stores) of the block use, and the ports that the machine names for
   them. */
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

/* The bound of the ports without loads, or without stores. */
static double ports_without(const struct cost_block *from, struct cost_scratch *scratch, bool stores)
{
    const struct machine_core *core = &from->machine->core;
    struct memory_ports memory = {.named =
                                      stores ? core->store_ports | core->address_ports : core->load_ports};
    struct cost_block block = *from;
    struct cost_bound bound = {0};
    block.items = arena_get(&scratch->arena, (from->count + 1) * sizeof *block.items);
    for (unsigned i = 0; i < from->count; i++)
        if (stores ? from->items[i].cost->is_plain_store : from->items[i].cost->is_plain_load)
            note_ports(&memory, &from->items[i]);
    for (unsigned i = 0; i < from->count; i++) {
        struct cost_item *item = &block.items[i];
        *item = from->items[i];
        if (!(stores ? machine_cost_stores(item->cost) : machine_cost_loads(item->cost)))
            continue;
        struct form_ports *ports = arena_get(&scratch->arena, (item->port_count + 1) * sizeof *ports);
        unsigned kept = 0;
        for (unsigned k = 0; k < item->port_count; k++)
            if (!is_of_memory(&memory, item->ports[k].ports))
                ports[kept++] = item->ports[k];
        item->ports = ports;
        item->port_count = kept;
    }
    cost_ports(&block, scratch, &bound);
    return bound.cycles;
}

/* Loads or stores if the bound of the ports comes only from them. */
static uint32_t behind_ports(const struct cost_block *block, struct cost_scratch *scratch)
{
    struct cost_bound bound = {.marks = arena_get(&scratch->arena, block->count)};
    bool is_any = false, is_loads = true, is_stores = true;
    cost_ports(block, scratch, &bound);
    for (unsigned i = 0; i < block->count; i++) {
        if (!bound.marks[i])
            continue;
        is_any = true;
        is_loads = is_loads && machine_cost_loads(block->items[i].cost);
        is_stores = is_stores && machine_cost_stores(block->items[i].cost);
    }
    return is_any
               ? (is_loads ? COST_PART(core_part_LOADS) : 0) | (is_stores ? COST_PART(core_part_STORES) : 0)
               : 0;
}

void cost_find_next(const struct cost_block *block, struct cost_scratch *scratch,
                    struct cost_prediction *prediction)
{
    enum core_part limit = prediction->limit;
    uint32_t gone = COST_PART(limit) | COST_PART(core_part_CONTENTION);
    double cycles[core_part_COUNT];
    if (limit == core_part_NONE || limit == core_part_PAIRING || block->machine->core.is_in_order)
        return;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        cycles[part] = prediction->bounds[part].cycles;
    if (gone & fetching)
        gone |= fetching;
    else if (gone & counting)
        gone |= counting;
    else if (limit == core_part_LOADS || limit == core_part_STORES)
        cycles[core_part_PORTS] = ports_without(block, scratch, limit == core_part_STORES);
    else if (limit == core_part_PORTS)
        gone |= behind_ports(block, scratch);
    prediction->next = cost_largest(cycles, gone);
    if (prediction->next != core_part_NONE)
        prediction->next_cycles = cycles[prediction->next];
}
