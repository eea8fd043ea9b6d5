/* Ports that are taken when they are needed: the core out of order, µop by µop.

   The bounds of ports and of latency are each exact for themselves; together they can take longer.  A µop
   gets its port when it is issued, by what waits for each port at that time, and then waits for that port
   although another may be free; a µop of the longest chain that waits for a port lengthens the chain.

   So iterations are run here one after the other, µop by µop in program order:
   - issue: so many fused µops a cycle, in order, while the reorder buffer and the scheduler have room;
   - port: by the number of µops that waited for each port when the cycle began.  Of the ports that can take a
     µop, those in even issue slots take the one with the fewest, those in odd slots the one with the second
     fewest, unless that has three more; ties go to the higher port.  Loads go to the emptier load port.
     (Abel and Reineke, uiCA, found by measurement on Intel's cores.)
   - start: not before its operands are there and the port is free.  On each port the oldest µop that is ready
     goes first; going through µops in order of age and giving each the first free cycle that it can use says
     the same;
   - retirement in order.
   The answer is the slope of the retirement times, once it repeats.

   What is left out: fetching and decoding, for which other parts have a say.  A block with an instruction of
   more than MOST_UOPS µops is not tried, nor one whose machine does not say which ports load and store. */
#include "cost/core.h"

#include <string.h>

enum {
    MOST_UOPS = 12,     /* of an instruction */
    MOST_TRIED = 64,    /* instructions of a block */
    ISSUE_TO_START = 5, /* cycles at least (uiCA) */
    HORIZON = 4096,     /* cycles that ports are booked ahead */
    WORDS = HORIZON / 64,
    MOST_ITERATIONS = 96,
    LEAST_ITERATIONS = 24,
    ENOUGH_UOPS = 360,
    LONGEST_PERIOD = 12,
};

enum role { role_LOAD, role_ADDRESS, role_DATA, role_COMPUTE };

struct uop {
    uint32_t ports;
    uint8_t role, slot; /* slot: issue slot within the instruction */
};

struct actor {
    const struct cost_item *item;
    struct uop uops[MOST_UOPS];
    unsigned uop_count, slots;
    int load_latency; /* from the start of the load to the start of what computes with it */
    bool loads, is_wide_load, is_wide_store;
    int store_of;     /* the item whose stored value it loads, -1 for none */
    unsigned forward; /* cycles that this takes */
    bool is_of_same_iteration;
};

struct core_state {
    const struct cost_block *block;
    struct actor *actors;
    int32_t *ready; /* by resource */
    int32_t *stored,
        *stored_before;      /* by item: when its stored value was there, this iteration and the last */
    uint64_t (*busy)[WORDS]; /* by port: cycles that are taken, modulo HORIZON */
    int waiting[MOST_PORTS], waiting_before[MOST_PORTS];
    int waiting_in_all;
    int32_t *retired; /* of the last µops, modulo the reorder buffer */
    uint64_t issued;  /* µops so far */
    int32_t clock, retire_clock, divider_free;
    unsigned slot, retire_slot;
    bool is_lost; /* beyond the horizon */
};

static void free_ports_until(struct core_state *core, int32_t clock)
{
    unsigned count = core->block->machine->port_count;
    while (core->clock < clock) {
        unsigned word = (unsigned)core->clock % HORIZON / 64;
        uint64_t bit = 1ULL << (core->clock % 64);
        for (unsigned port = 0; port < count; port++)
            if (core->busy[port][word] & bit) {
                core->busy[port][word] &= ~bit;
                core->waiting[port]--;
                core->waiting_in_all--;
            }
        core->clock++;
    }
}

static void begin_cycle(struct core_state *core, int32_t clock)
{
    free_ports_until(core, clock);
    memcpy(core->waiting_before, core->waiting, sizeof core->waiting);
    core->slot = 0;
}

/* The next free place of the issue stage, with room in the buffers behind it. */
static void find_issue_slot(struct core_state *core, unsigned slots)
{
    const struct machine_core *facts = &core->block->machine->core;
    if (core->slot && core->slot + slots > facts->issue)
        begin_cycle(core, core->clock + 1);
    if (core->slot)
        return;
    if (facts->reorder_buffer && core->issued + facts->issue > facts->reorder_buffer) {
        uint64_t oldest = core->issued + facts->issue - facts->reorder_buffer - 1;
        int32_t gone = core->retired[oldest % facts->reorder_buffer] + 1;
        if (gone > core->clock)
            begin_cycle(core, gone);
    }
    while (facts->scheduler && core->waiting_in_all + (int)facts->issue > (int)facts->scheduler)
        begin_cycle(core, core->clock + 1);
}

static unsigned choose_port(const struct core_state *core, uint32_t ports, enum role role, unsigned slot)
{
    const int *waiting = role == role_LOAD ? core->waiting : core->waiting_before;
    int best = -1, second = -1;
    for (uint32_t left = ports; left;) {
        int port = 31 - __builtin_clz(left);
        left &= ~(1U << port);
        if (best < 0 || waiting[port] < waiting[best]) {
            second = best;
            best = port;
        } else if (second < 0 || waiting[port] < waiting[second]) {
            second = port;
        }
    }
    bool takes_second = role != role_LOAD && (slot & 1) && second >= 0 && waiting[second] < waiting[best] + 3;
    return (unsigned)(takes_second ? second : best);
}

/* The first cycle from this one on in which the port is free; it is taken then. */
static int32_t book(struct core_state *core, unsigned port, int32_t from, bool is_wide)
{
    if (from < core->clock)
        from = core->clock;
    if (from - core->clock > HORIZON - 128) {
        core->is_lost = true;
        return from;
    }
    for (;;) {
        unsigned word = (unsigned)from % HORIZON / 64, bit = (unsigned)from % 64;
        uint64_t open = ~core->busy[port][word] >> bit;
        if (open) {
            from += __builtin_ctzll(open);
            break;
        }
        from += (int)(64 - bit);
        if (from - core->clock > HORIZON - 128) {
            core->is_lost = true;
            return from;
        }
    }
    for (int32_t cycle = from; cycle <= from + is_wide; cycle++) {
        uint64_t bit = 1ULL << (cycle % 64);
        uint64_t *word = &core->busy[port][(unsigned)cycle % HORIZON / 64];
        if (*word & bit)
            continue;
        *word |= bit;
        core->waiting[port]++;
        core->waiting_in_all++;
    }
    return from;
}

static void retire(struct core_state *core, unsigned slots, int32_t done)
{
    const struct machine_core *facts = &core->block->machine->core;
    if (done > core->retire_clock) {
        core->retire_clock = done;
        core->retire_slot = 0;
    }
    for (unsigned i = 0; i < slots; i++) {
        if (facts->retire && core->retire_slot == facts->retire) {
            core->retire_clock++;
            core->retire_slot = 0;
        }
        core->retire_slot++;
        if (facts->reorder_buffer)
            core->retired[core->issued % facts->reorder_buffer] = core->retire_clock;
        core->issued++;
    }
}

/* When the registers are there that the address, and that the computation needs. */
static void find_operands(const struct core_state *core, const struct actor *actor, int32_t *address,
                          int32_t *operands)
{
    const struct machine_cost *cost = actor->item->cost;
    *address = *operands = 0;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        const struct cost_flow *flow = &cost->flows[i];
        if (flow->way == way_MEMORY)
            continue;
        int32_t *place = flow->way == way_REGISTER ? operands : address;
        if (core->ready[flow->from] > *place)
            *place = core->ready[flow->from];
    }
}

struct starts {
    int32_t load, compute, last,
        forwarded; /* forwarded: when a value from the store buffer is there, 0 for none */
};

static void start_uops(struct core_state *core, const struct actor *actor, struct starts *starts)
{
    int32_t address, operands, earliest = core->clock + ISSUE_TO_START;
    find_operands(core, actor, &address, &operands);
    *starts = (struct starts){.load = -1, .compute = -1};
    if (actor->store_of >= 0) {
        const int32_t *stored = actor->is_of_same_iteration ? core->stored : core->stored_before;
        starts->forwarded = stored[actor->store_of] ? stored[actor->store_of] + (int)actor->forward : 0;
    }
    int32_t data = operands;
    for (unsigned i = 0; i < actor->uop_count; i++) {
        const struct uop *uop = &actor->uops[i];
        unsigned port = choose_port(core, uop->ports, uop->role, core->slot + uop->slot);
        int32_t from = earliest, start;
        bool is_wide = false;
        if (uop->role == role_LOAD || uop->role == role_ADDRESS) {
            from = address > from ? address : from;
            is_wide = uop->role == role_LOAD && actor->is_wide_load;
        } else if (uop->role == role_DATA) {
            from = data > from ? data : from;
            is_wide = actor->is_wide_store;
        } else {
            int32_t loaded = starts->load < 0 ? 0 : starts->load + actor->load_latency;
            if (starts->forwarded > loaded)
                loaded = starts->forwarded;
            if (!actor->loads && address > operands)
                operands = address;
            from = operands > from ? operands : from;
            from = loaded > from ? loaded : from;
            if (actor->item->cost->divider > 0 && starts->compute < 0) {
                from = core->divider_free > from ? core->divider_free : from;
                core->divider_free = from + (int)(actor->item->cost->divider + 0.5f);
            }
        }
        start = book(core, port, from, is_wide);
        if (uop->role == role_LOAD && start > starts->load)
            starts->load = start;
        if (uop->role == role_COMPUTE) {
            starts->compute = starts->compute < 0 ? start : starts->compute;
            data = start + 1 > data ? start + 1 : data;
        }
        starts->last = start > starts->last ? start : starts->last;
        if (uop->role == role_DATA)
            core->stored[actor - core->actors] = start;
    }
}

/* Results are there when every value that goes into them has gone its way. */
static int32_t finish_results(struct core_state *core, const struct actor *actor, const struct starts *starts)
{
    const struct machine_cost *cost = actor->item->cost;
    int32_t results[MOST_UOPS * 4], done = starts->last + 1;
    unsigned count = cost->write_count < MOST_UOPS * 4 ? cost->write_count : MOST_UOPS * 4;
    for (unsigned w = 0; w < count; w++) {
        int32_t result = actor->item->is_eliminated ? 0 : starts->last + 1;
        for (unsigned i = 0; i < cost->flow_count; i++) {
            const struct cost_flow *flow = &cost->flows[i];
            if (flow->to != cost->writes[w])
                continue;
            int32_t begin = flow->way == way_MEMORY ? starts->forwarded : core->ready[flow->from];
            if (flow->way == way_MEMORY && !begin)
                continue;
            int32_t start = flow->way == way_REGISTER || starts->load < 0 ? starts->compute : starts->load;
            if (flow->way == way_REGISTER && starts->compute < 0)
                start = starts->load < 0 ? starts->last : -1;
            if (flow->way != way_MEMORY && start > begin)
                begin = start;
            int latency = actor->item->is_eliminated ? 0 : (int)(flow->latency + 0.5f);
            if (begin + latency > result)
                result = begin + latency;
        }
        results[w] = result;
        done = result > done ? result : done;
    }
    for (unsigned w = 0; w < count; w++)
        core->ready[cost->writes[w]] = results[w];
    return done;
}

static void run_iteration(struct core_state *core)
{
    const struct cost_block *block = core->block;
    memcpy(core->stored_before, core->stored, block->count * sizeof *core->stored);
    for (unsigned i = 0; i < block->count && !core->is_lost; i++) {
        const struct actor *actor = &core->actors[i];
        if (actor->item->is_absorbed)
            continue;
        find_issue_slot(core, actor->slots);
        struct starts starts;
        start_uops(core, actor, &starts);
        int32_t done = finish_results(core, actor, &starts);
        retire(core, actor->slots, actor->uop_count ? done : core->clock + 1);
        core->slot += actor->slots;
        while (core->slot >= block->machine->core.issue) {
            unsigned over = core->slot - block->machine->core.issue;
            begin_cycle(core, core->clock + 1);
            core->slot = over;
        }
    }
}

/* The machine file says which ports load and which take the data of stores.  A store whose address has no
   port of its own uses a load port for it. */
static bool list_uops(const struct cost_block *block, struct actor *actor)
{
    const struct machine_core *facts = &block->machine->core;
    const struct cost_item *item = actor->item;
    unsigned data = 0, address = 0, loads = 0;
    for (unsigned i = 0; i < item->port_count; i++) {
        const struct form_ports *use = &item->ports[i];
        for (unsigned n = 0; n < (unsigned)(use->times + 0.5f); n++) {
            if (actor->uop_count == MOST_UOPS)
                return false;
            enum role role = !(use->ports & ~facts->store_ports)     ? role_DATA
                             : !(use->ports & ~facts->load_ports)    ? role_LOAD
                             : !(use->ports & ~facts->address_ports) ? role_ADDRESS
                                                                     : role_COMPUTE;
            data += role == role_DATA;
            address += role == role_ADDRESS;
            loads += role == role_LOAD;
            actor->uops[actor->uop_count++] = (struct uop){.ports = use->ports, .role = (uint8_t)role};
        }
    }
    for (unsigned i = 0; i < actor->uop_count && data > address; i++)
        if (actor->uops[i].role == role_LOAD) {
            actor->uops[i].role = role_ADDRESS;
            address++;
            loads--;
        }
    actor->loads = loads > 0;
    return true;
}

/* Loads first, then what computes, then stores: in the order in which they need each other. */
static void order_uops(struct actor *actor)
{
    static const uint8_t order[] = {[role_LOAD] = 0, [role_ADDRESS] = 1, [role_COMPUTE] = 2, [role_DATA] = 3};
    for (unsigned i = 1; i < actor->uop_count; i++)
        for (unsigned j = i; j && order[actor->uops[j].role] < order[actor->uops[j - 1].role]; j--) {
            struct uop other = actor->uops[j];
            actor->uops[j] = actor->uops[j - 1];
            actor->uops[j - 1] = other;
        }
    for (unsigned i = 0; i < actor->uop_count; i++) {
        unsigned slot = actor->uop_count > actor->slots ? i * actor->slots / actor->uop_count : i;
        actor->uops[i].slot = (uint8_t)slot;
    }
}

/* What a load takes of the latency from the address to the result: all but what the computation takes from a
   register; where no register goes in, a plain load's latency. */
static int find_load_latency(const struct machine *machine, const struct machine_cost *cost)
{
    double address = 0, compute = 0;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        const struct cost_flow *flow = &cost->flows[i];
        if (flow->way == way_REGISTER && flow->latency > compute)
            compute = flow->latency;
        if ((flow->way == way_BASE || flow->way == way_INDEX) && flow->latency > address)
            address = flow->latency;
    }
    double usual = machine->latency[class_LOAD][element_INT64][0];
    if (!compute || address <= compute)
        return (int)usual;
    return (int)(address - compute + 0.5);
}

static bool prepare_actors(struct core_state *core, struct cost_scratch *scratch)
{
    const struct cost_block *block = core->block;
    for (unsigned i = 0; i < block->count; i++) {
        struct cost_item *item = &block->items[i];
        struct actor *actor = &core->actors[i];
        *actor =
            (struct actor){.item = item, .slots = item->cost->fused + item->synchronises, .store_of = -1};
        if (item->is_absorbed)
            continue;
        if (!list_uops(block, actor))
            return false;
        order_uops(actor);
        actor->load_latency = find_load_latency(block->machine, item->cost);
        for (unsigned a = 0; a < item->cost->access_count; a++) {
            const struct cost_access *access = &item->cost->accesses[a];
            const struct machine_core *facts = &block->machine->core;
            actor->is_wide_load |= access->loads && facts->load_bytes && access->bytes > facts->load_bytes;
            actor->is_wide_store |=
                access->stores && facts->store_bytes && access->bytes > facts->store_bytes;
        }
    }
    for (size_t i = 0; i < scratch->addresses.meetings.count; i++) {
        const struct cost_meeting *meeting = ARRAY_AT(struct cost_meeting, &scratch->addresses.meetings, i);
        if (!meeting->fits || meeting->distance > 1)
            continue;
        const struct machine_core *facts = &block->machine->core;
        struct actor *load = &core->actors[meeting->load];
        load->store_of = (int)meeting->store;
        load->is_of_same_iteration = !meeting->distance;
        load->forward = (unsigned)(meeting->is_vector ? facts->forward_vector : facts->forward);
    }
    return true;
}

/* The slope, where the times of the last iterations repeat with some period; else their average. */
static double slope(const int32_t *times, unsigned count)
{
    for (unsigned period = 1; period <= LONGEST_PERIOD && 3 * period < count; period++) {
        int32_t step = times[count - 1] - times[count - 1 - period];
        unsigned last = count - 1, seen = 0;
        while (seen < 2 * period && times[last - seen] - times[last - seen - period] == step)
            seen++;
        if (seen == 2 * period)
            return (double)step / period;
    }
    unsigned from = count / 3;
    return (double)(times[count - 1] - times[from]) / (count - 1 - from);
}

void cost_contention(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine_core *facts = &block->machine->core;
    if (!facts->load_ports || !facts->store_ports || !facts->issue || facts->is_in_order ||
        block->count > MOST_TRIED || !block->issued)
        return;
    struct core_state core = {.block = block};
    core.actors = arena_get(&scratch->arena, block->count * sizeof *core.actors);
    if (!prepare_actors(&core, scratch))
        return;
    unsigned iterations = ENOUGH_UOPS / block->issued;
    iterations = iterations < LEAST_ITERATIONS ? LEAST_ITERATIONS : iterations;
    iterations = iterations > MOST_ITERATIONS ? MOST_ITERATIONS : iterations;
    size_t resources = MOST_RESOURCES * sizeof *core.ready, stores = block->count * sizeof *core.stored;
    size_t ports = block->machine->port_count * sizeof *core.busy;
    core.ready = arena_get(&scratch->arena, resources);
    core.stored = arena_get(&scratch->arena, stores);
    core.stored_before = arena_get(&scratch->arena, stores);
    core.busy = arena_get(&scratch->arena, ports);
    core.retired = arena_get(&scratch->arena, (facts->reorder_buffer + 1) * sizeof *core.retired);
    memset(core.ready, 0, resources);
    memset(core.stored, 0, stores);
    memset(core.busy, 0, ports);
    int32_t times[MOST_ITERATIONS];
    for (unsigned i = 0; i < iterations; i++) {
        run_iteration(&core);
        if (core.is_lost)
            return;
        times[i] = core.retire_clock;
    }
    bound->cycles = slope(times, iterations);
}
