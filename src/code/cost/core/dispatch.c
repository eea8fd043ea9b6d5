/* What a cycle sends to the schedulers. Renaming hands µops on in order; a scheduler that takes only a few
   new ones per cycle stops it, and what comes after waits too. So a burst of µops for one scheduler costs
   time although its ports keep up on average: the next burst, for other ports, starts when it is over.

   Measured on Neoverse V1, whose pipes V0 and V2 have one scheduler and V1 and V3 another, each taking two
   µops per cycle: 16 fcvtl (V0, V2) and then 16 shl (V1, V3) take 14 cycles, 32 of each take 30; by turns
   they take 8 and 16. A µop for any of the four pipes goes to the scheduler that has room: 8 fcvtl and
   8 fadd take 5 cycles, 16 of each 11.5.

   A µop counts for each `dispatch` fact that has all of its ports; the data of stores do not count (32 str q
   and then 32 fcvtl take 24 cycles, as many as with str x). Whether an iteration starts in the cycle
   in which the one before ends depends on how the code is fetched; it does here, so this is a bound. */
#include "code/cost/core/core.h"
#include "code/cost/core/repetition.h"

struct dispatch {
    const struct machine_core *core;
    unsigned slots;              /* used in this cycle */
    unsigned taken[MOST_QUEUES]; /* by fact */
    uint64_t cycles;
};

static bool counts(const struct machine_queue *limit, uint32_t ports)
{
    return ports && !(ports & ~limit->ports);
}

static void next_cycle(struct dispatch *dispatch)
{
    dispatch->cycles++;
    dispatch->slots = 0;
    for (unsigned i = 0; i < dispatch->core->dispatch_count; i++)
        dispatch->taken[i] = 0;
}

static bool is_open(const struct dispatch *dispatch, uint32_t ports)
{
    for (unsigned i = 0; i < dispatch->core->dispatch_count; i++)
        if (counts(&dispatch->core->dispatches[i], ports) &&
            dispatch->taken[i] >= dispatch->core->dispatches[i].size)
            return false;
    return true;
}

static void send(struct dispatch *dispatch, uint32_t ports)
{
    if (!is_open(dispatch, ports))
        next_cycle(dispatch);
    for (unsigned i = 0; i < dispatch->core->dispatch_count; i++)
        dispatch->taken[i] += counts(&dispatch->core->dispatches[i], ports);
}

/* An instruction takes its slots in the cycle of its first µop. */
static void send_item(struct dispatch *dispatch, const struct cost_block *block, const struct cost_item *item)
{
    unsigned slots = cost_slots(block, item), width = dispatch->core->issue;
    if (slots && dispatch->slots + slots > width && dispatch->slots)
        next_cycle(dispatch);
    for (unsigned i = 0; i < item->port_count && !machine_cost_stores(item->cost); i++)
        for (float left = item->ports[i].times; left > 0; left -= 1)
            send(dispatch, item->ports[i].ports);
    for (dispatch->slots += slots; dispatch->slots > width;) {
        unsigned rest = dispatch->slots - width;
        next_cycle(dispatch);
        dispatch->slots = rest;
    }
}

static uint64_t state_of(const struct dispatch *dispatch)
{
    uint64_t state = dispatch->slots;
    for (unsigned i = 0; i < dispatch->core->dispatch_count; i++)
        state = state * 64 + dispatch->taken[i];
    return state;
}

double cost_dispatch(const struct cost_block *block, uint8_t *marks)
{
    struct dispatch dispatch = {.core = &block->machine->core};
    struct cost_repetition repetition = {0};
    double cycles = 0;
    if (!dispatch.core->dispatch_count || !dispatch.core->issue)
        return 0;
    while (!cost_repeats(&repetition, state_of(&dispatch), dispatch.cycles, &cycles))
        for (unsigned i = 0; i < block->count; i++)
            send_item(&dispatch, block, &block->items[i]);
    for (unsigned i = 0; marks && i < block->count; i++)
        for (unsigned u = 0; u < block->items[i].port_count && !machine_cost_stores(block->items[i].cost);
             u++)
            for (unsigned limit = 0; limit < dispatch.core->dispatch_count; limit++)
                marks[i] |= counts(&dispatch.core->dispatches[limit], block->items[i].ports[u].ports);
    return cycles;
}
