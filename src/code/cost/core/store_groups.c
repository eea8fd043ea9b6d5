/* Stores that lose a cycle beside µops that compute (`crowded-stores`).

   On Ivy Bridge `test rax,rax; mov [r15],r12` takes 1.5 cycles, although the two share no port and a store
   takes one. The rule that blocks of BHive show: of the µops that are issued in a cycle, four, two stores of
   general registers and two µops that read registers take three cycles, not two. With S for such a store and
   c for such a µop, measured:

       Sc 1.46 to 1.5    SSc 2.24    SSSSS… none    SSSco 3.73    SScoo 2.75    SSco 2.7 to 3.0

   as the groups of four say: SSSco is SSSc oSSS coSS ScoS SSco, 15 cycles for four iterations. Nothing is
   lost with one eliminated move among them, with stores of constants or of vector registers, with `lea`
   (which cannot use port 0), nor with two µops of a chain, which do not start together. The stores must
   limit: if the front end is as slow, µops are not issued in fours.

   Why is not documented; perhaps operands share ways to the registers. So the bound is only for blocks of
   such stores and µops alone, as measured. */
#include "code/cost/core/core.h"

enum kind { kind_OTHER, kind_STORE, kind_COMPUTE, kind_CHAIN };

/* Whether registers go into a result; chain: into one of them, too. */
static bool reads_registers(const struct machine_cost *cost, bool *is_chain)
{
    bool reads = false;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        const struct cost_flow *flow = &cost->flows[i];
        reads |= flow->way == way_REGISTER;
        *is_chain |= flow->way == way_REGISTER && flow->from == flow->to;
    }
    return reads;
}

static bool stores_register(const struct machine_cost *cost)
{
    const struct cost_access *access = &cost->accesses[0];
    if (cost->access_count != 1 || access->loads || !access->stores || access->is_vector)
        return false;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].to == RESOURCE_MEMORY && cost->flows[i].way == way_REGISTER)
            return true;
    return false;
}

static enum kind kind_of(const struct cost_block *block, const struct cost_item *item)
{
    uint32_t crowded = block->machine->core.crowded_stores;
    bool is_chain = false;
    if (cost_slots(block, item) != 1 || item->is_fused || item->is_absorbed || item->is_eliminated ||
        item->merges || item->synchronises)
        return kind_OTHER;
    if (stores_register(item->cost))
        return kind_STORE;
    if (item->cost->access_count || item->port_count != 1 || item->ports[0].times > 1 ||
        (item->ports[0].ports & crowded) != crowded || !reads_registers(item->cost, &is_chain))
        return kind_OTHER;
    return is_chain ? kind_CHAIN : kind_COMPUTE;
}

double cost_store_groups(const struct cost_block *block, struct cost_scratch *scratch)
{
    unsigned width = block->machine->core.issue, stores = 0;
    uint8_t *kinds = arena_get(&scratch->arena, block->count);
    for (unsigned i = 0; i < block->count; i++) {
        kinds[i] = (uint8_t)kind_of(block, &block->items[i]);
        stores += kinds[i] == kind_STORE;
        if (kinds[i] == kind_OTHER)
            return 0;
    }
    double least = stores / block->machine->stores;
    if (!stores || !width || width % 2 || scratch->supply >= least)
        return 0;
    unsigned crowded = 0; /* groups, of the `width` iterations after which they repeat */
    for (unsigned group = 0; group < block->count; group++) {
        unsigned stored = 0, first = UINT32_MAX;
        bool is_chain = false;
        for (unsigned slot = 0; slot < width; slot++) {
            unsigned item = (group * width + slot) % block->count;
            stored += kinds[item] == kind_STORE;
            is_chain |= kinds[item] == kind_CHAIN && item == first;
            first = kinds[item] != kind_STORE ? item : first;
        }
        crowded += stored == width / 2 && !is_chain;
    }
    return crowded ? least + (double)crowded / width : 0;
}
