/* Everything that depends on the neighbours of an instruction: fusion with a branch, elimination of moves,
   the stack engine, and high bytes.

   Fusion: a comparison (or another instruction whose form allows it) and the conditional branch right after
   it are one µop from the decoders on, and execute on the ports of branches. A load of the comparison stays.
   A comparison and the selection by its flags behind it may be one, too (`fuses`), on the ports of the
   selection: if both read a common register, or the selection reads none (`cset`).

   Elimination: an eliminated move keeps its issue slot and needs no port. All such moves count as eliminated
   here, which is the least they can cost; elimination.c finds those without a slot.

   Stack engine (Intel; Fog, "Stack engine"): pushes, pops, calls and returns move the stack pointer in the
   decoders, beside the register. The next instruction that reads the register otherwise needs a µop before it
   that brings the register up to date. The block repeats, so its end shows whether it begins with such an
   update pending.

   High bytes (such as ah) that are renamed separately from their registers: after a write to one, a read of
   more than a byte of the register needs a µop before it that merges the two (Fog, "Partial register access";
   uiCA). */
#include "code/cost/core/core.h"

#include "base/expect.h"

static bool shares_register(const struct machine_cost *one, const struct machine_cost *other)
{
    bool reads = false;
    for (unsigned i = 0; i < one->flow_count; i++)
        for (unsigned k = 0; k < other->flow_count; k++)
            if (one->flows[i].from == other->flows[k].from)
                return true;
    for (unsigned i = 0; i < other->flow_count && one->write_count; i++)
        reads |= other->flows[i].from != one->writes[0];
    return !reads;
}

static bool fuses_with_next(const struct cost_block *block, unsigned i)
{
    const struct cost_item *item = &block->items[i], *next = item + 1;
    if (i + 1 >= block->count || !item->cost->form || !item->cost->form->fuses.count)
        return false;
    return item->address + item->cost->size == next->address &&
           form_fuses(block->machine, item->cost->form, next->cost->name) &&
           (next->cost->is_branch || shares_register(item->cost, next->cost));
}

/* The branch executes for both. The first instruction loses its arithmetic µop: the one that could use the
   ports of the branch, or its only one where branches have ports of their own. Runs of ports are shared, so a
   µop can only be removed at an end. */
static void fuse_ports(struct cost_item *item, const struct cost_item *branch)
{
    uint32_t branch_ports = 0;
    for (unsigned i = 0; i < branch->port_count; i++)
        branch_ports |= branch->ports[i].ports;
    if (!item->port_count)
        return;
    const struct form_ports *first = item->ports, *last = item->ports + item->port_count - 1;
    bool is_alone = item->port_count == 1 && branch_ports;
    if ((first->ports & branch_ports || is_alone) && first->times <= 1) {
        item->ports++;
        item->port_count--;
    } else if (last->ports & branch_ports && last->times <= 1) {
        item->port_count--;
    }
}

/* The selection executes for both. */
static void fuse_selection(struct cost_item *item, struct cost_item *selection)
{
    item->ports = selection->ports;
    item->port_count = selection->port_count;
    selection->port_count = 0;
}

static void eliminate_moves(struct cost_block *block)
{
    const struct machine_core *core = &block->machine->core;
    for (unsigned i = 0; i < block->count; i++) {
        struct cost_item *item = &block->items[i];
        unsigned slots = item->cost->is_vector_move ? core->eliminates_vector : core->eliminates_general;
        item->is_eliminated = item->cost->is_eliminated && slots;
        if (item->is_eliminated)
            item->port_count = 0;
    }
}

/* One walk through the block; returns whether an update of the stack pointer is pending afterwards. */
static bool walk_stack(struct cost_block *block, bool owes)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct cost_item *item = &block->items[i];
        item->synchronises = item->cost->reads_stack_pointer && owes;
        if (item->cost->reads_stack_pointer)
            owes = false;
        if (item->cost->uses_stack_engine)
            owes = true;
    }
    return owes;
}

/* High bytes that were written separately and not yet merged into their registers. */
struct high_bytes {
    uint16_t resources[8];
    unsigned count;
};

static bool take_out(struct high_bytes *high, uint16_t resource)
{
    for (unsigned i = 0; i < high->count; i++) {
        if (high->resources[i] != resource)
            continue;
        high->resources[i] = high->resources[--high->count];
        return true;
    }
    return false;
}

static void walk_high_bytes(struct cost_block *block, struct high_bytes *high)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct cost_item *item = &block->items[i];
        const struct machine_cost *cost = item->cost;
        item->merges = 0;
        for (unsigned k = 0; k < MOST_MERGES && cost->merges[k]; k++)
            item->merges += take_out(high, cost->merges[k]);
        for (unsigned k = 0; k < cost->write_count && high->count; k++)
            take_out(high, cost->writes[k]);
        if (cost->splits && high->count < sizeof high->resources / sizeof *high->resources)
            high->resources[high->count++] = cost->splits;
    }
}

static bool splits_any(const struct cost_block *block)
{
    for (unsigned i = 0; i < block->count; i++)
        if (block->items[i].cost->splits)
            return true;
    return false;
}

/* Every µop that is left has a port that the machine has (a machine of a test may have none). */
static bool has_real_ports(const struct machine *machine, const struct cost_item *item)
{
    uint32_t all = machine->port_count < 32 ? (UINT32_C(1) << machine->port_count) - 1 : UINT32_MAX;
    for (unsigned i = 0; i < item->port_count && machine->port_count; i++)
        if (!item->ports[i].ports || (item->ports[i].ports & ~all) || !(item->ports[i].times >= 0))
            return false;
    return true;
}

void cost_prepare(struct cost_block *block)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct cost_item *item = &block->items[i];
        item->is_fused = item->is_absorbed = false;
        item->synchronises = item->merges = 0;
        item->ports = item->cost->ports;
        item->port_count = item->cost->port_count;
    }
    for (unsigned i = 0; i + 1 < block->count; i++) {
        if (!fuses_with_next(block, i))
            continue;
        block->items[i].is_fused = true;
        block->items[i + 1].is_absorbed = true;
        if (block->items[i + 1].cost->is_branch)
            fuse_ports(&block->items[i], &block->items[i + 1]);
        else
            fuse_selection(&block->items[i], &block->items[i + 1]);
        i++;
    }
    eliminate_moves(block);
    if (block->machine->core.has_stack_engine)
        walk_stack(block, walk_stack(block, false));
    if (splits_any(block)) {
        struct high_bytes high = {0};
        walk_high_bytes(block, &high);
        walk_high_bytes(block, &high);
    }
    block->issued = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        block->issued += item->synchronises + item->merges + cost_slots(block, item);
        expect(has_real_ports(block->machine, item));
        expect(!item->is_absorbed || (i && block->items[i - 1].is_fused));
    }
}
