/* Loads: a limited number per cycle. A load that is wider than the path from the cache takes one cycle for
   each piece (256 bits on Sandy Bridge and Ivy Bridge, whose paths have 128: Intel's optimisation guide).

   Pairs. On Neoverse V1 an `ldp x` or `ldp s` takes the place of three loads of a cycle, but not their pipes,
   which also take the addresses of stores (`load-turns`; measured: one alone 1 cycle, with two ldr 1.6, with
   two str 1.0).

   Banks. If the L1 cache has single-ported banks, two loads that need the same bank of different lines cannot
   go in one cycle (the same guide on Sandy Bridge: equal bits 2 to 5 of the addresses, different sets). That
   is certain only for addresses at a known distance, and it costs time only if a load finds no other partner.
   So it counts only if every load of the block conflicts with every other one.

   Lines. A load that crosses a cache line takes two turns (Intel's optimisation guide), or what the machine
   file says (`load-crossing`). The alignment of data is unknown, but loads at
   known distances cannot all be aligned: x and x + 8 are not both multiples of 64. The bound counts the
   crossings that remain at the best place of each group of such loads. Short loads are left out: data has the
   alignment of its elements.

   Late loads. A load whose address comes from another load cannot start when it is issued, and two such loads
   seldom start in the same cycle although there are two ports: Haswell takes 1.76 cycles for two loads
   through a pointer that a third one loads, not 1.5, and 3.6 for four (`late-loads`; docs/cycles.md has the
   table). Loads that need not wait go beside them.

   Stores beside loads. Both go to the same cache, which takes fewer of both together than its ports could
   send (`together`; measured on Golden Cove: a load and a store of 32 bytes take 0.56 cycles, not 0.5; two
   loads and a store take 0.82 of 32 bytes, not 0.67, and 1.12 of 64 bytes, not 1). */
#include "code/cost/core/core.h"

#include <math.h>

enum { BANK_BYTES = 8, SET_BYTES = 4096, MOST_LOADS = 16, LONG_LOAD = 32, MOST_LINE = 128, MOST_LONG = 64 };
enum { NARROW = 16, MIDDLE = 32 }; /* bytes of accesses, as `together` tells them apart */

/* Whether two loads need the same bank of different lines.  line: bytes of all banks. */
static bool meet(const struct cost_reference *one, const struct cost_reference *other, int64_t line)
{
    int64_t apart;
    if (!cost_is_apart(&one->place, &other->place, &apart))
        return false;
    bool is_other_line = apart >= line || apart <= -line;
    int64_t offset = ((apart % line) + line) % line;
    return is_other_line && apart % SET_BYTES && (offset < one->bytes || offset + other->bytes > line);
}

/* Whether no two loads of the block can go in one cycle. */
static bool all_meet(const struct cost_block *block, struct cost_scratch *scratch)
{
    const struct cost_reference *loads[MOST_LOADS];
    unsigned count = 0;
    int64_t line = (int64_t)block->machine->core.load_banks * BANK_BYTES;
    cost_find_dependences(block, scratch);
    const struct array *references = &scratch->addresses.references;
    for (size_t i = 0; i < references->count; i++) {
        const struct cost_reference *load = ARRAY_AT(struct cost_reference, references, i);
        if (!load->loads)
            continue;
        if (count == MOST_LOADS)
            return false;
        for (unsigned other = 0; other < count; other++)
            if (!meet(loads[other], load, line))
                return false;
        loads[count++] = load;
    }
    return true;
}

/* Long loads of the block, in groups of known distances. */
struct long_load {
    const struct cost_reference *reference;
    unsigned offset; /* from the first one of its group, modulo a line */
    unsigned group;
};

static unsigned list_long_loads(const struct cost_addresses *addresses, unsigned line,
                                struct long_load loads[MOST_LONG])
{
    unsigned count = 0;
    for (size_t i = 0; i < addresses->references.count && count < MOST_LONG; i++) {
        const struct cost_reference *load = ARRAY_AT(struct cost_reference, &addresses->references, i);
        int64_t apart = 0;
        unsigned group = 0;
        if (!load->loads || load->bytes < LONG_LOAD || load->bytes > line)
            continue;
        while (group < count && (loads[group].group != group ||
                                 !cost_is_apart(&loads[group].reference->place, &load->place, &apart)))
            group++;
        unsigned offset = group < count ? (unsigned)(((apart % line) + line) % line) : 0;
        loads[count++] = (struct long_load){.reference = load, .offset = offset, .group = group};
    }
    return count;
}

/* The cycles of a turn of a load: if the widest loads have fewer paths, a cycle with one of them takes no
   more. */
static double cost_load_turn(const struct machine *machine, unsigned bytes)
{
    const struct machine_core *core = &machine->core;
    bool is_wide = core->wide_load && bytes > core->wide_load && core->wide_loads;
    return 1 / (is_wide && core->wide_loads < machine->loads ? core->wide_loads : machine->loads);
}

double cost_load_crossing(const struct machine *machine, unsigned bytes)
{
    double crossing = machine->core.load_crossing;
    return crossing > 0 ? crossing : cost_load_turn(machine, bytes);
}

/* Cycles for the line crossings of one group at its best place. */
static double cycles_of_group(const struct cost_block *block, const struct long_load *loads, unsigned count,
                              unsigned group)
{
    unsigned line = block->machine->core.load_line;
    double best = INFINITY;
    for (unsigned place = 0; place < line && best > 0; place++) {
        double cycles = 0;
        for (unsigned i = group; i < count; i++) {
            unsigned bytes = loads[i].reference->bytes;
            if (loads[i].group == group && (place + loads[i].offset) % line + bytes > line)
                cycles += cost_load_crossing(block->machine, bytes);
        }
        best = fmin(best, cycles);
    }
    return best;
}

static double cycles_of_crossings(const struct cost_block *block, struct cost_scratch *scratch)
{
    struct long_load loads[MOST_LONG];
    double cycles = 0;
    cost_find_dependences(block, scratch);
    unsigned count = list_long_loads(&scratch->addresses, block->machine->core.load_line, loads);
    for (unsigned i = 0; i < count; i++)
        if (loads[i].group == i)
            cycles += cycles_of_group(block, loads, count, i);
    return cycles;
}

/* Cycles of loads and stores together; 0 where there is only one kind. */
static double cycles_together(const struct cost_block *block)
{
    const struct machine_core *core = &block->machine->core;
    bool loads = false, stores = false;
    double cycles = 0;
    if (!(core->narrow_together > 0 && core->middle_together > 0 && core->wide_together > 0))
        return 0;
    for (unsigned i = 0; i < block->count; i++)
        for (unsigned a = 0; a < block->items[i].cost->access_count; a++) {
            const struct cost_access *access = &block->items[i].cost->accesses[a];
            double rate = access->bytes <= NARROW   ? core->narrow_together
                          : access->bytes <= MIDDLE ? core->middle_together
                                                    : core->wide_together;
            loads |= access->loads;
            stores |= access->stores;
            cycles += (access->loads + access->stores) / rate;
        }
    return loads && stores ? cycles : 0;
}

/* Marks values that come from a load of this iteration, by node, and counts the loads whose address does;
   is_late: by item. */
static unsigned find_late_loads(const struct cost_block *block, struct cost_scratch *scratch,
                                uint8_t *is_late)
{
    cost_find_dependences(block, scratch);
    const struct cost_dependences *graph = &scratch->dependences;
    const struct ratio_edge *edges = graph->edges.data;
    uint8_t *is_loaded = arena_get(&scratch->arena, graph->nodes.count);
    size_t next = 0;
    unsigned count = 0;
    for (uint32_t node = 0; node < graph->nodes.count; node++) {
        const struct dependence_node *made = ARRAY_AT(struct dependence_node, &graph->nodes, node);
        const struct machine_cost *cost = block->items[made->item].cost;
        bool loads = machine_cost_loads(cost);
        is_loaded[node] = made->is_loaded;
        for (; next < graph->edges.count && edges[next].to == node; next++) {
            bool is_address = edges[next].way == way_BASE || edges[next].way == way_INDEX;
            bool comes_late = !edges[next].distance && is_loaded[edges[next].from];
            is_loaded[node] |= comes_late || (loads && edges[next].way != way_REGISTER);
            count += loads && is_address && comes_late && !is_late[made->item];
            is_late[made->item] |= loads && is_address && comes_late;
        }
    }
    return count;
}

static void bound_late_loads(const struct cost_block *block, struct cost_scratch *scratch,
                             struct cost_bound *bound)
{
    uint8_t *is_late = arena_get(&scratch->arena, block->count);
    double cycles = block->machine->core.late_loads * find_late_loads(block, scratch, is_late);
    if (cycles <= bound->cycles)
        return;
    bound->cycles = cycles;
    for (unsigned i = 0; bound->marks && i < block->count; i++)
        bound->marks[i] = is_late[i];
}

static void mark_stores(const struct cost_block *block, uint8_t *marks)
{
    for (unsigned i = 0; marks && i < block->count; i++)
        for (unsigned a = 0; a < block->items[i].cost->access_count; a++)
            marks[i] |= block->items[i].cost->accesses[a].stores;
}

void cost_loads(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine_core *core = &block->machine->core;
    double turns = 0, loads = 0;
    bool has_long = false;
    if (!(block->machine->loads > 0))
        return;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        for (unsigned a = 0; a < cost->access_count; a++) {
            unsigned bytes = cost->accesses[a].bytes;
            if (!cost->accesses[a].loads)
                continue;
            unsigned pieces = cost_pieces(core->load_bytes, bytes);
            pieces = pieces > cost->load_turns ? pieces : cost->load_turns;
            loads++;
            turns += pieces;
            bound->cycles += pieces * cost_load_turn(block->machine, bytes);
            has_long |= bytes >= LONG_LOAD;
            if (bound->marks)
                bound->marks[i] = 1;
        }
    }
    if (core->load_banks && loads > 1 && turns == loads && all_meet(block, scratch))
        bound->cycles = turns;
    double crossings =
        core->load_line && core->load_line <= MOST_LINE && has_long ? cycles_of_crossings(block, scratch) : 0;
    double together = cycles_together(block);
    bound->cycles += crossings;
    together += together > 0 ? crossings : 0;
    if (together > bound->cycles) {
        bound->cycles = together;
        mark_stores(block, bound->marks);
    }
    if (core->late_loads > 0 && loads > 1)
        bound_late_loads(block, scratch, bound);
}
