/* Ports that are busy when a µop needs them: the out-of-order core, µop by µop.

   The bounds of ports and of latency are each exact alone; together they can take longer. A µop gets its port
   when it is issued, depending on how many µops wait for each port then. Later it waits for that port
   although another may be free. If it belongs to the longest chain, the wait lengthens the chain.

   So this file simulates one iteration after the other, µop by µop in program order:
   - issue: up to the issue width of fused µops per cycle, in order, while the reorder buffer and the
     scheduler have room;
   - port: chosen by the number of µops that waited for each port when the cycle began, with the policy that
     the machine file names (`port-choice`; Abel and Reineke, uiCA, measured them). Loads take their ports in
     turn, and so do stores;
   - start: when its operands are ready and the port is free. On each port the oldest ready µop goes first;
     going through µops in order of age and giving each its first usable free cycle is equivalent;
   - retirement in order.
   The result is the slope of the retirement times, once it repeats.

   A load is faster from a loaded pointer only if it starts as the pointer arrives; if older loads of that
   pointer go first, it loses that as well as the wait: `mov rax,[rax]` takes 4 cycles alone and 6 after two
   others on Haswell.

   An instruction often makes several values from the same inputs in the same time, such as a register and its
   flags. They count as one result here.

   µops arrive evenly, as fast as the front end delivers them; real ones come in bursts. If several µops of an
   instruction compute, it is unknown which one a value passes through, so the value is not delayed. This is
   therefore a model, not a proven bound; cost_predict uses it only for limiting chains on busy ports, and for loops
   that fill the schedulers. Blocks with an instruction of more than MOST_UOPS µops are skipped.

   Schedulers of some of the ports (`queue`) have room of their own in loops. In unrolled blocks all of it counts as one:
   with Skylake's two (58 and 39 places, measured) BHive's blocks are predicted worse, 4.57 instead of 4.50 %; why is
   not known. */
#include "code/cost/core/core.h"

#include <string.h>

enum {
    MOST_UOPS = 12,     /* of an instruction */
    MOST_TRIED = 64,    /* instructions of a block */
    ISSUE_TO_START = 5, /* cycles at least (uiCA) */
    HORIZON = 4096,     /* cycles that ports are booked ahead */
    WORDS = HORIZON / 64,
    MOST_ITERATIONS = 96,
    LEAST_ITERATIONS = 24,
    ENOUGH_UOPS = 300,
    LONGEST_PERIOD = 12,
    MOST_SETS = 32,
    LONGEST_SUPPLY = 500, /* cycles of an iteration */
    HISTORY = 4,          /* iterations whose results are kept */
};

enum role { role_LOAD, role_ADDRESS, role_DATA, role_COMPUTE };

struct uop {
    uint32_t ports;
    uint8_t role, slot; /* slot: issue slot within the instruction */
    bool is_in_turn;    /* takes its ports one after the other */
    bool is_wide;       /* holds its port for another cycle */
    int32_t divider;    /* cycles that it holds the divider */
};

/* A value on its way to a result. */
struct way {
    uint32_t from;    /* a result */
    uint8_t distance; /* iterations; HISTORY for everything further back */
    uint8_t enters;   /* enum cost_way */
    bool is_fast;     /* of a loaded pointer; only for a load that starts as the pointer arrives */
    int32_t latency;
};

struct actor {
    struct uop uops[MOST_UOPS];
    unsigned uop_count, computing, slots;
    double place;     /* in the iteration, from 0 to 1 */
    int load_latency; /* from the start of the load to the start of what computes with it */
    bool loads;
    uint32_t first_result, result_end, first_way, way_end;
};

struct core_state {
    const struct cost_block *block;
    const struct machine_core *facts;
    const struct cost_dependences *dependences;
    struct actor *actors; /* items that are issued */
    unsigned actor_count;
    struct way *ways;    /* by the results that they go to */
    uint32_t *ways_end;  /* by result: the way after its last one */
    uint32_t *result_of; /* by node of the dependences */
    uint32_t result_count;
    int32_t *ready;                   /* by result, HISTORY iterations of them, and a row of 0 */
    const int32_t *rows[HISTORY + 1]; /* rows of earlier iterations, by distance */
    uint64_t (*busy)[WORDS];          /* by port: busy cycles, modulo HORIZON */
    uint32_t *taken;                  /* by cycle, modulo HORIZON: ports */
    uint8_t waiting[MOST_PORTS];      /* µops, by port */
    uint8_t waiting_before[MOST_PORTS],
        waiting_earlier[MOST_PORTS]; /* when this cycle and the last one began */
    uint32_t sets[MOST_SETS];        /* of ports that µops of this cycle could choose from */
    unsigned set_count, last_of[role_COMPUTE + 1];
    int waiting_in_all;
    int32_t *retired;        /* of the last µops, as many as the reorder buffer has */
    unsigned next;           /* µop's place among them */
    uint64_t issued;         /* µops so far */
    uint64_t divider[WORDS]; /* cycles in which it works, modulo HORIZON */
    int32_t clock, retire_clock;
    unsigned slot, retire_slot, iteration;
    double supply; /* cycles of the front end per iteration */
    bool is_lost;  /* beyond the horizon */
};

static int32_t later(int32_t one, int32_t other)
{
    return one > other ? one : other;
}

static void free_ports_until(struct core_state *core, int32_t clock)
{
    for (; core->clock < clock; core->clock++) {
        uint32_t *taken = &core->taken[(unsigned)core->clock % HORIZON];
        unsigned word = (unsigned)core->clock % HORIZON / 64;
        for (uint32_t left = *taken; left; left &= left - 1) {
            unsigned port = (unsigned)__builtin_ctz(left);
            core->busy[port][word] &= ~(1ULL << (core->clock % 64));
            core->waiting[port]--;
            core->waiting_in_all--;
        }
        core->divider[word] &= ~(1ULL << (core->clock % 64));
        *taken = 0;
    }
}

static void begin_cycle(struct core_state *core, int32_t clock)
{
    free_ports_until(core, clock);
    memcpy(core->waiting_earlier, core->waiting_before, sizeof core->waiting);
    memcpy(core->waiting_before, core->waiting, sizeof core->waiting);
    core->slot = core->set_count = 0;
}

/* Whether a scheduler of some of the ports has no room for the µops of an instruction. */
static bool is_queue_full(const struct core_state *core, const struct actor *actor)
{
    const struct machine_core *facts = core->facts;
    for (unsigned q = 0; q < facts->queue_count; q++) {
        uint32_t ports = facts->queues[q].ports;
        unsigned waiting = 0, more = 0;
        for (unsigned i = 0; i < actor->uop_count; i++)
            more += !(actor->uops[i].ports & ~ports);
        for (uint32_t left = more ? ports : 0; left; left &= left - 1)
            waiting += core->waiting[__builtin_ctz(left)];
        if (more && waiting && waiting + more > facts->queues[q].size)
            return true;
    }
    return false;
}

/* The next free place of the issue stage, with room in the buffers after it. */
static void find_issue_slot(struct core_state *core, const struct actor *actor)
{
    const struct machine_core *facts = core->facts;
    unsigned slots = actor->slots;
    if (core->slot && core->slot + slots > facts->issue)
        begin_cycle(core, core->clock + 1);
    while (core->block->mode == cost_LOOP && is_queue_full(core, actor))
        begin_cycle(core, core->clock + 1);
    if (core->slot)
        return;
    if (core->issued + facts->issue > facts->reorder_buffer) {
        /* The last µop that must have left before a cycle's new µops fit. */
        unsigned oldest = core->next + facts->issue - 1;
        oldest -= oldest >= facts->reorder_buffer ? facts->reorder_buffer : 0;
        int32_t gone = core->retired[oldest] + 1;
        if (gone > core->clock)
            begin_cycle(core, gone);
    }
    while (core->waiting_in_all + (int)facts->issue > (int)facts->scheduler)
        begin_cycle(core, core->clock + 1);
}

/* The port with the fewest waiting µops, or the second fewest. */
static unsigned choose_second(const struct core_state *core, uint32_t ports, unsigned slot)
{
    const uint8_t *waiting = core->waiting_before;
    unsigned first = MOST_PORTS, second = MOST_PORTS;
    while (ports) {
        unsigned port = 31 - (unsigned)__builtin_clz(ports);
        ports &= ~(1U << port);
        if (first == MOST_PORTS || waiting[port] < waiting[first]) {
            second = first;
            first = port;
        } else if (second == MOST_PORTS || waiting[port] < waiting[second]) {
            second = port;
        }
    }
    return slot & 1 && second < MOST_PORTS && waiting[second] < waiting[first] + 3 ? second : first;
}

static unsigned choose_in_turn(const struct core_state *core, uint32_t ports, unsigned slot)
{
    const uint8_t *waiting = core->waiting_before;
    unsigned fewest = (unsigned)__builtin_ctz(ports), most = fewest, count = 0;
    for (uint32_t left = ports; left; left &= left - 1, count++) {
        unsigned port = (unsigned)__builtin_ctz(left);
        fewest = waiting[port] < waiting[fewest] ? port : fewest;
        most = waiting[port] >= waiting[most] ? port : most;
    }
    if (waiting[most] >= waiting[fewest] + 3)
        return fewest;
    if (count != 3)
        return slot & 1 ? most : fewest;
    /* the fewest, then the others from the highest down, then again */
    uint32_t others = ports & ~(1U << fewest);
    unsigned highest = 31 - (unsigned)__builtin_clz(others);
    return slot % 3 == 0 ? fewest : slot % 3 == 1 ? highest : (unsigned)__builtin_ctz(others);
}

/* Ports of a set by the µops that waited for them, fewest first; of equal ones the higher first. */
static unsigned sort_ports(const uint8_t *waiting, uint32_t ports, uint8_t sorted[MOST_PORTS])
{
    unsigned count = 0;
    while (ports) {
        unsigned port = 31 - (unsigned)__builtin_clz(ports);
        ports &= ~(1U << port);
        unsigned place = count++;
        for (; place && waiting[sorted[place - 1]] > waiting[port]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = (uint8_t)port;
    }
    return count;
}

static unsigned choose_spread(struct core_state *core, uint32_t ports, unsigned slot)
{
    const uint8_t *waiting = core->waiting_earlier;
    uint8_t sorted[MOST_PORTS];
    unsigned count = sort_ports(waiting, ports, sorted), near = 1, before = 0;
    while (near < count && waiting[sorted[near]] < waiting[sorted[0]] + 5)
        near++;
    for (unsigned i = 0; i < core->set_count; i++)
        before += core->sets[i] == ports;
    if (core->set_count < MOST_SETS)
        core->sets[core->set_count++] = ports;
    if (slot == 4)
        return sorted[0];
    if (slot == 3 && !before && near > 1)
        return sorted[1];
    return sorted[before % near];
}

static bool is_in_turn(const struct machine_core *facts, uint32_t ports, enum role role)
{
    return role != role_COMPUTE && (ports == facts->load_ports || ports == facts->store_ports ||
                                    (ports == facts->address_ports && __builtin_popcount(ports) == 2));
}

static unsigned choose_port(struct core_state *core, const struct uop *uop)
{
    uint32_t ports = uop->ports;
    unsigned slot = core->slot + uop->slot;
    if (!(ports & (ports - 1)))
        return (unsigned)__builtin_ctz(ports);
    if (uop->is_in_turn) {
        unsigned last = core->last_of[uop->role];
        uint32_t later_ports = ports & ~((2U << last) - 1);
        core->last_of[uop->role] = (unsigned)__builtin_ctz(later_ports ? later_ports : ports);
        return core->last_of[uop->role];
    }
    switch (core->facts->port_choice) {
    case port_choice_IN_TURN:
        return choose_in_turn(core, ports, slot);
    case port_choice_SPREAD:
        return choose_spread(core, ports, slot);
    default:
        return choose_second(core, ports, slot);
    }
}

/* Books the port in its first free cycle from this one on. */
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
        core->taken[(unsigned)cycle % HORIZON] |= 1U << port;
        core->waiting[port]++;
        core->waiting_in_all++;
    }
    return from;
}

/* A division that waits for its operands leaves the divider to later ones that do not: the first gap is taken. */
static int32_t book_divider(struct core_state *core, int32_t from, int32_t cycles)
{
    int32_t free = 0, at = later(from, core->clock);
    for (; free < cycles; at++) {
        if (at - core->clock > HORIZON - 128) {
            core->is_lost = true;
            return from;
        }
        bool is_busy = core->divider[(unsigned)at % HORIZON / 64] >> (at % 64) & 1;
        free = is_busy ? 0 : free + 1;
    }
    for (int32_t cycle = at - cycles; cycle < at; cycle++)
        core->divider[(unsigned)cycle % HORIZON / 64] |= 1ULL << (cycle % 64);
    return at - cycles;
}

static void retire(struct core_state *core, unsigned slots, int32_t done)
{
    const struct machine_core *facts = core->facts;
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
        core->retired[core->next] = core->retire_clock;
        core->next = core->next + 1 < facts->reorder_buffer ? core->next + 1 : 0;
    }
    core->issued += slots;
}

static int32_t source_time(const struct core_state *core, const struct way *way)
{
    return core->rows[way->distance][way->from];
}

/* When the operands of an instruction are ready, when its µops start, and how long they waited only for
   ports. */
struct starts {
    int32_t address, operands;
    int32_t load, last; /* -1 for none */
    int32_t load_wait, compute_wait;
};

static void find_operands(const struct core_state *core, const struct actor *actor, struct starts *starts)
{
    for (uint32_t i = actor->first_way; i < actor->way_end; i++) {
        const struct way *way = &core->ways[i];
        int32_t time = source_time(core, way);
        if (way->enters == way_REGISTER)
            starts->operands = later(starts->operands, time);
        else if (way->enters != way_MEMORY)
            starts->address = later(starts->address, time);
    }
}

/* A µop whose last operand arrives just when it could start loses a cycle (uiCA). */
static int32_t wake(const struct machine_core *facts, int32_t earliest, int32_t operands)
{
    if (operands < earliest)
        return earliest;
    return operands < earliest + (int32_t)facts->late_operands ? operands + 1 : operands;
}

static void start_uops(struct core_state *core, const struct actor *actor, struct starts *starts)
{
    const struct machine_core *facts = core->facts;
    int32_t earliest = core->clock + ISSUE_TO_START;
    *starts = (struct starts){.load = -1, .last = -1};
    find_operands(core, actor, starts);
    int32_t data = starts->operands;
    for (unsigned i = 0; i < actor->uop_count; i++) {
        const struct uop *uop = &actor->uops[i];
        unsigned port = choose_port(core, uop);
        int32_t start;
        if (uop->role == role_COMPUTE) {
            int32_t loaded = actor->loads ? starts->load + actor->load_latency : starts->address;
            int32_t operands = later(starts->operands, loaded), from = wake(facts, earliest, operands);
            if (uop->divider)
                from = book_divider(core, from, uop->divider);
            start = book(core, port, from, false);
            starts->compute_wait = start - later(earliest, operands);
            data = later(data, start + 1);
        } else if (uop->role == role_DATA) {
            start = book(core, port, wake(facts, earliest, data), uop->is_wide);
        } else {
            start = book(core, port, wake(facts, earliest, starts->address), uop->is_wide);
            if (uop->role == role_LOAD) {
                starts->load = later(starts->load, start);
                starts->load_wait = later(starts->load_wait, start - later(earliest, starts->address));
            }
        }
        starts->last = later(starts->last, start);
    }
}

/* Results are ready when all their inputs have passed. If several µops compute, it is unknown which one a
   value passes through, so it waits for none. */
static int32_t finish_results(struct core_state *core, const struct actor *actor, const struct starts *starts)
{
    int32_t *ready = core->ready + (size_t)(core->iteration % HISTORY) * core->result_count;
    int32_t done = starts->last + 1, earliest = core->clock + ISSUE_TO_START;
    int32_t wait = actor->computing == 1 ? starts->compute_wait : 0;
    uint32_t next = actor->first_way;
    for (uint32_t result = actor->first_result; result < actor->result_end; result++) {
        int32_t time = -1;
        for (; next < core->ways_end[result]; next++) {
            const struct way *way = &core->ways[next];
            int32_t begin = source_time(core, way);
            bool is_address = way->enters != way_REGISTER && way->enters != way_MEMORY;
            int32_t load_wait = is_address ? starts->load_wait : 0;
            if (load_wait && way->is_fast)
                load_wait += (int32_t)(core->facts->pointer_bonus + 0.5);
            if (way->latency)
                begin = later(begin, earliest) + way->latency + wait + load_wait;
            time = later(time, begin);
        }
        if (time < 0)
            time = actor->uop_count ? starts->last + 1 : core->clock;
        ready[result] = time;
        done = later(done, time);
    }
    return done;
}

static void run_iteration(struct core_state *core)
{
    unsigned width = core->facts->issue;
    for (unsigned i = 0; i < HISTORY; i++)
        core->rows[i] = core->ready + (size_t)((core->iteration - i) % HISTORY) * core->result_count;
    for (unsigned i = 0; i < core->actor_count && !core->is_lost; i++) {
        const struct actor *actor = &core->actors[i];
        int32_t arrival = (int32_t)(core->supply * (core->iteration + actor->place));
        if (arrival > core->clock)
            begin_cycle(core, arrival);
        find_issue_slot(core, actor);
        struct starts starts;
        start_uops(core, actor, &starts);
        int32_t done = finish_results(core, actor, &starts);
        retire(core, actor->slots, actor->uop_count ? done : core->clock + 1);
        core->slot += actor->slots;
        while (core->slot >= width) {
            unsigned over = core->slot - width;
            begin_cycle(core, core->clock + 1);
            core->slot = over;
        }
    }
}

/* The machine file says which ports load and which take the data of stores.  A store whose address has no
   port of its own uses a load port for it. */
static bool list_uops(const struct machine_core *facts, const struct cost_item *item, struct actor *actor)
{
    unsigned data = 0, address = 0, loads = 0;
    for (unsigned i = 0; i < item->port_count; i++) {
        const struct form_ports *use = &item->ports[i];
        if (!use->ports)
            continue;
        for (unsigned n = 0; n < (unsigned)(use->times + 0.5f); n++) {
            if (actor->uop_count == MOST_UOPS)
                return false;
            enum role role = !(use->ports & ~facts->store_ports)     ? role_DATA
                             : !(use->ports & ~facts->load_ports)    ? role_LOAD
                             : !(use->ports & ~facts->address_ports) ? role_ADDRESS
                                                                     : role_COMPUTE;
            data += role == role_DATA;
            actor->computing += role == role_COMPUTE;
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

/* Loads first, then computation, then stores: the order in which they depend on each other. */
static void order_uops(struct actor *actor)
{
    static const uint8_t order[] = {[role_LOAD] = 0, [role_ADDRESS] = 1, [role_COMPUTE] = 2, [role_DATA] = 3};
    for (unsigned i = 1; i < actor->uop_count; i++)
        for (unsigned j = i; j && order[actor->uops[j].role] < order[actor->uops[j - 1].role]; j--) {
            struct uop other = actor->uops[j];
            actor->uops[j] = actor->uops[j - 1];
            actor->uops[j - 1] = other;
        }
}

static bool is_wide(const struct machine_core *facts, const struct machine_cost *cost, enum role role)
{
    for (unsigned i = 0; i < cost->access_count; i++) {
        const struct cost_access *access = &cost->accesses[i];
        if (role == role_LOAD && access->loads && facts->load_bytes && access->bytes > facts->load_bytes)
            return true;
        if (role == role_DATA && access->stores && facts->store_bytes && access->bytes > facts->store_bytes)
            return true;
    }
    return false;
}

/* The first computing µop of a division occupies the divider. */
static void complete_uops(const struct machine_core *facts, const struct machine_cost *cost,
                          struct actor *actor)
{
    bool divides = cost->divider > 0;
    for (unsigned i = 0; i < actor->uop_count; i++) {
        struct uop *uop = &actor->uops[i];
        uop->slot = (uint8_t)(actor->uop_count > actor->slots ? i * actor->slots / actor->uop_count : i);
        uop->is_in_turn = is_in_turn(facts, uop->ports, uop->role);
        uop->is_wide = is_wide(facts, cost, uop->role);
        if (uop->role == role_COMPUTE && divides) {
            uop->divider = (int32_t)(cost->divider + 0.5f);
            divides = false;
        }
    }
}

/* The load's share of the latency from the address to the result: all but the latency of the computation from
   a register; without a register operand, the latency of a plain load. */
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

static bool are_same_ways(const struct core_state *core, uint32_t one, uint32_t one_end, uint32_t other,
                          uint32_t other_end)
{
    if (one_end - one != other_end - other)
        return false;
    for (; one < one_end; one++, other++) {
        const struct way *a = &core->ways[one], *b = &core->ways[other];
        if (a->from != b->from || a->distance != b->distance || a->enters != b->enters ||
            a->latency != b->latency)
            return false;
    }
    return true;
}

/* A result for a node, unless one of the same instruction has the same inputs.  Its ways come last. */
static void settle_result(struct core_state *core, struct actor *actor, uint32_t node, uint32_t first_way)
{
    for (uint32_t result = actor->first_result; result < actor->result_end; result++) {
        uint32_t from = result > actor->first_result ? core->ways_end[result - 1] : actor->first_way;
        if (!are_same_ways(core, from, core->ways_end[result], first_way, actor->way_end))
            continue;
        actor->way_end = first_way;
        core->result_of[node] = result;
        return;
    }
    core->ways_end[actor->result_end] = actor->way_end;
    core->result_of[node] = actor->result_end++;
}

/* Nodes and edges become results and ways; absorbed branches make results too, but do not act. Sources in
   earlier iterations may be nodes without a result yet, so ways name nodes until all nodes have one. */
static void find_results(struct core_state *core)
{
    const struct ratio_edge *edges = core->dependences->edges.data;
    const uint32_t *first_nodes = core->dependences->first_nodes.data;
    const struct array *fast = &core->dependences->fast;
    size_t next_fast = 0;
    uint32_t edge = 0, edge_count = (uint32_t)core->dependences->edges.count;
    uint32_t results = 0, ways = 0;
    for (unsigned i = 0; i < core->block->count; i++) {
        struct actor *actor = &core->actors[i];
        actor->first_result = actor->result_end = results;
        actor->first_way = actor->way_end = ways;
        for (uint32_t node = first_nodes[i]; node < first_nodes[i + 1]; node++) {
            uint32_t first_way = actor->way_end;
            for (; edge < edge_count && edges[edge].to == node; edge++) {
                while (next_fast < fast->count && *ARRAY_AT(uint32_t, fast, next_fast) < edge)
                    next_fast++;
                bool is_fast = next_fast < fast->count && *ARRAY_AT(uint32_t, fast, next_fast) == edge;
                core->ways[actor->way_end++] = (struct way){
                    .is_fast = is_fast,
                    .from = edges[edge].from,
                    .distance = (uint8_t)(edges[edge].distance < HISTORY ? edges[edge].distance : HISTORY),
                    .enters = edges[edge].way,
                    .latency = (int32_t)(edges[edge].latency + 0.5f)};
            }
            settle_result(core, actor, node, first_way);
        }
        results = actor->result_end;
        ways = actor->way_end;
        if (!core->block->items[i].is_absorbed)
            core->actors[core->actor_count++] = *actor;
    }
    for (uint32_t i = 0; i < ways; i++)
        core->ways[i].from = core->result_of[core->ways[i].from];
    core->result_count = results;
}

static bool prepare_actors(struct core_state *core)
{
    const struct cost_block *block = core->block;
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        struct actor *actor = &core->actors[i];
        *actor = (struct actor){.slots = item->cost->fused + item->synchronises,
                                .place = (double)i / block->count};
        if (item->is_absorbed)
            continue;
        if (actor->slots > MOST_UOPS || !list_uops(core->facts, item, actor))
            return false;
        order_uops(actor);
        complete_uops(core->facts, item->cost, actor);
        actor->load_latency = find_load_latency(block->machine, item->cost);
    }
    return true;
}

/* Whether the times of the last iterations repeat with this period, for at least this many iterations. */
static bool repeats(const int32_t *times, unsigned count, unsigned least, double *cycles)
{
    for (unsigned period = 1; period <= LONGEST_PERIOD && 3 * period < count; period++) {
        int32_t step = times[count - 1] - times[count - 1 - period];
        unsigned last = count - 1, seen = 0;
        while (seen + period < last && times[last - seen] - times[last - seen - period] == step)
            seen++;
        if (seen < 2 * period || seen < least)
            continue;
        *cycles = (double)step / period;
        return true;
    }
    return false;
}

/* The average of the second half. */
static double slope(const int32_t *times, unsigned count)
{
    unsigned from = count / 2;
    return (double)(times[count - 1] - times[from] - 1) / (count - 1 - from);
}

static bool can_be_tried(const struct cost_block *block, const struct cost_scratch *scratch)
{
    const struct machine_core *facts = &block->machine->core;
    return facts->port_choice && facts->load_ports && facts->store_ports && facts->issue &&
           facts->scheduler > 2 * facts->issue && facts->scheduler < UINT8_MAX &&
           facts->reorder_buffer > facts->scheduler && block->count <= MOST_TRIED && block->issued &&
           scratch->supply < LONGEST_SUPPLY;
}

void cost_contention(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine_core *facts = &block->machine->core;
    bound->cycles = 0;
    if (!can_be_tried(block, scratch))
        return;
    cost_find_dependences(block, scratch);
    struct core_state core = {
        .block = block, .facts = facts, .dependences = &scratch->dependences, .supply = scratch->supply};
    core.actors = arena_get(&scratch->arena, block->count * sizeof *core.actors);
    if (!prepare_actors(&core))
        return;
    unsigned iterations = ENOUGH_UOPS / block->issued;
    iterations = iterations < LEAST_ITERATIONS ? LEAST_ITERATIONS : iterations;
    bool is_longest = iterations > MOST_ITERATIONS || block->mode == cost_LOOP;
    iterations = is_longest ? MOST_ITERATIONS : iterations;
    struct arena *arena = &scratch->arena;
    size_t nodes = scratch->dependences.nodes.count, edges = scratch->dependences.edges.count;
    core.ways = arena_get(arena, edges * sizeof *core.ways);
    core.ways_end = arena_get(arena, nodes * sizeof *core.ways_end);
    core.result_of = arena_get(arena, nodes * sizeof *core.result_of);
    find_results(&core);
    core.ready = arena_get(arena, (HISTORY + 1) * core.result_count * sizeof *core.ready);
    core.rows[HISTORY] = core.ready + (size_t)HISTORY * core.result_count;
    core.busy = arena_get(arena, block->machine->port_count * sizeof *core.busy);
    core.taken = arena_get(arena, HORIZON * sizeof *core.taken);
    core.retired = arena_get(arena, facts->reorder_buffer * sizeof *core.retired);
    int32_t times[MOST_ITERATIONS];
    for (unsigned i = 0; i < iterations; i++) {
        core.iteration = i;
        run_iteration(&core);
        if (core.is_lost)
            return;
        times[i] = core.retire_clock;
        /* In the second half, a period that held for half of the time counts as permanent. */
        unsigned count = i + 1;
        if (count * 2 >= iterations && count % 4 == 0 && repeats(times, count, count / 2, &bound->cycles))
            return;
    }
    if (!repeats(times, iterations, iterations / 3, &bound->cycles))
        bound->cycles = slope(times, iterations);
}
