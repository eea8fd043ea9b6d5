/* Pipes that are chosen at dispatch: the core, cycle by cycle.

   On Neoverse V1 a µop gets its pipe when it enters its scheduler, the one for which the fewest µops wait,
   and keeps it. Later it waits for that pipe although another may be free. If it belongs to a chain from
   iteration to iteration, the wait lengthens the chain; within a chain of one iteration it keeps a place of
   the scheduler for longer, so that fewer iterations overlap. No bound of a single part shows either.

   Measured with loops of a load, n dependent additions and a store: 1.0, 1.0, 1.8, 2.2, 2.6, 3.2, 3.6 and 4.6
   cycles for fadd with n = 1, 2, 4, 5, 6, 7, 8 and 10, where pipes that are chosen late would give 1.0
   to 3.4; 1.2, 1.5, 1.8, 2.0, 2.4, 2.6, 2.8 and 3.1 cycles for integers with n = 1 to 8. Most of these are
   simulated within 5 %.

   Iterations are simulated:
   - dispatch in order, up to the issue width and one taken branch per cycle, while the reorder buffer and the
     queues have room (`queue`) and the schedulers take new µops (`dispatch`). Loads choose their pipe late:
     they were never seen to wait for one while another is free;
   - on each pipe the oldest µop whose operands are ready starts;
   - a value is ready its longest latency after the start. The operand that a product is added to may come
     later. Latencies are whole cycles here;
   - retirement in order.
   The result is the slope of the retirement times. µops that only prepare a result of their instruction wait
   for the same operands; the addresses of stores wait for nothing. Blocks with divisions are left out: the
   divider is slower than all this.

   This is a model and not a bound. It misses that some loops lock into a worse state: four dependent vector
   operations in a loop (a multiplication, a fused one, an addition and the store of the sum) take 2.0 cycles,
   five 1.8. */
#include "cost/core/core.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 64,  /* iterations whose values are kept */
    AHEAD = 48, /* iterations in flight at most */
    MOST_WAITING = 512,
    MOST_ITEMS = 160, /* of a block */
    MOST_UOPS = 12,   /* of an instruction */
    LEAST_ITERATIONS = 24,
    MOST_ITERATIONS = 240,
    ENOUGH_SLOTS = 1200,
    SETTLED = 84,    /* iterations after which times that repeat go on repeating */
    PERIOD = 12,     /* iterations after which times may repeat: a multiple of 2, 3, 4 and 6 */
    LONGEST = 50000, /* cycles of a simulation */
};

static const int32_t NOT_YET = INT32_MAX / 2;

struct pipe_uop {
    uint32_t ports;
    uint32_t queues;               /* that it waits in, a bit each */
    uint32_t first_node, node_end; /* whose operands it waits for */
    bool makes;                    /* it makes these values */
    bool is_dispatched;            /* counts for `dispatch` */
};

struct pipe_item {
    struct pipe_uop uops[MOST_UOPS];
    unsigned uop_count, slots;
    uint8_t queued[MOST_QUEUES], sent[MOST_QUEUES]; /* µops by queue, and by limit of dispatch */
};

/* Most µops wait for many cycles.  One whose operand is not made yet is parked with that value, and comes
   back when it is made; only the others are looked at in each cycle. */
struct waiting {
    const struct pipe_uop *uop;
    uint32_t item, iteration, age;
    uint32_t open; /* pipes that it may start on */
    int32_t from;  /* the first cycle in which it may start, as far as known */
    uint16_t next; /* in the list, among those parked with the same value, or free */
    uint8_t pipe;
};

struct pipes {
    const struct cost_block *block;
    const struct machine_core *core;
    const struct cost_dependences *graph;
    const uint32_t *first_edges; /* by node, and one more */
    struct pipe_item *items;
    int32_t *ready;          /* by row and node */
    int32_t *latency;        /* by node */
    int32_t *unmade;         /* by node: the row of an iteration that begins */
    struct waiting *waiting; /* a list in order of age, from place 0 on, which is not in it */
    uint16_t youngest, free; /* the end of the list; places that are free, linked */
    uint16_t *parked;        /* by row and node: the first that waits for it */
    unsigned waiting_count, age;
    uint32_t ports; /* that any µop uses */
    unsigned on_pipe[MOST_PORTS], in_queue[MOST_QUEUES], taken[MOST_QUEUES];
    uint32_t iteration, item;      /* the next to dispatch */
    uint32_t gone_iteration, gone; /* the next to retire */
    uint64_t in_flight;            /* slots */
    uint8_t *left;                 /* by row and item: µops that have not started */
    int32_t *done;                 /* by row and item */
    int32_t clock;
};

static bool is_within(uint32_t ports, uint32_t set)
{
    return ports && !(ports & ~set);
}

static int32_t whole(float latency)
{
    return (int32_t)floorf(latency + 0.49F);
}

static bool accesses(const struct machine_cost *cost, bool stores)
{
    for (unsigned i = 0; i < cost->access_count; i++)
        if (stores ? cost->accesses[i].stores : cost->accesses[i].loads)
            return true;
    return false;
}

/* Of a store, the µop of the data makes the stored value, which is the last node; others, but for the
   address, move the base. */
static void give_nodes_of_store(const struct pipes *pipes, struct pipe_item *item, uint32_t first,
                                uint32_t end)
{
    for (unsigned i = 0; i < item->uop_count; i++) {
        struct pipe_uop *uop = &item->uops[i];
        bool is_data = is_within(uop->ports, pipes->core->store_ports);
        bool is_address = is_within(uop->ports, pipes->core->load_ports);
        uop->first_node = is_data ? end - 1 : first;
        uop->node_end = is_data ? end : is_address ? first : end - 1;
        uop->makes = true;
    }
}

/* Of a load that moves its base, the base is the value that is there first. */
static void give_nodes_of_moving_load(const struct pipes *pipes, struct pipe_item *item, uint32_t first,
                                      uint32_t end)
{
    uint32_t base = first;
    for (uint32_t node = first; node < end; node++)
        base = pipes->latency[node] < pipes->latency[base] ? node : base;
    bool is_base_made = false;
    for (unsigned i = 0; i < item->uop_count; i++) {
        struct pipe_uop *uop = &item->uops[i];
        bool is_load = is_within(uop->ports, pipes->core->load_ports);
        uop->first_node = is_load ? (base == first ? first + 1 : first) : base;
        uop->node_end = is_load ? (base == first ? end : base) : base + 1;
        uop->makes = is_load || !is_base_made;
        is_base_made = is_base_made || !is_load;
    }
}

/* Of any other instruction, the last µop that computes makes the results, or else the load. */
static void give_nodes(const struct pipes *pipes, const struct machine_cost *cost, struct pipe_item *item,
                       uint32_t first, uint32_t end)
{
    bool has_load = accesses(cost, false);
    int compute = -1, load = -1;
    for (unsigned i = 0; i < item->uop_count; i++) {
        bool is_memory = is_within(item->uops[i].ports, pipes->core->load_ports);
        compute = is_memory ? compute : (int)i;
        load = is_memory && has_load ? (int)i : load;
        item->uops[i].first_node = first;
        item->uops[i].node_end = end;
    }
    if (accesses(cost, true) && !has_load && end > first)
        give_nodes_of_store(pipes, item, first, end);
    else if (load >= 0 && compute >= 0 && end > first + 1)
        give_nodes_of_moving_load(pipes, item, first, end);
    else if (item->uop_count)
        item->uops[load >= 0 ? load : compute >= 0 ? compute : (int)item->uop_count - 1].makes = true;
}

/* Values that no µop makes are there at once. */
static void count_uops(struct pipes *pipes, struct pipe_item *item)
{
    const struct machine_core *core = pipes->core;
    for (unsigned u = 0; u < item->uop_count; u++) {
        struct pipe_uop *uop = &item->uops[u];
        pipes->ports |= uop->ports;
        for (unsigned q = 0; q < core->queue_count; q++)
            if (is_within(uop->ports, core->queues[q].ports)) {
                uop->queues |= 1U << q;
                item->queued[q]++;
            }
        for (unsigned d = 0; d < core->dispatch_count && uop->is_dispatched; d++)
            item->sent[d] += is_within(uop->ports, core->dispatches[d].ports);
        for (uint32_t node = uop->first_node; uop->makes && node < uop->node_end; node++)
            pipes->unmade[node] = NOT_YET;
    }
}

static bool prepare_items(struct pipes *pipes)
{
    const struct cost_block *block = pipes->block;
    const uint32_t *first_nodes = pipes->graph->first_nodes.data;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct cost_item *source = &block->items[i];
        struct pipe_item *item = &pipes->items[i];
        *item = (struct pipe_item){.slots = cost_slots(block, source)};
        bool is_dispatched = !accesses(source->cost, true);
        if (source->cost->divider > 0)
            return false;
        for (unsigned u = 0; u < source->port_count; u++) {
            unsigned times = (unsigned)(source->ports[u].times + 0.5F);
            if (!source->ports[u].ports)
                continue;
            if (item->uop_count + times > MOST_UOPS)
                return false;
            for (unsigned n = 0; n < times; n++)
                item->uops[item->uop_count++] =
                    (struct pipe_uop){.ports = source->ports[u].ports, .is_dispatched = is_dispatched};
        }
        give_nodes(pipes, source->cost, item, first_nodes[i], first_nodes[i + 1]);
        count_uops(pipes, item);
    }
    return true;
}

/* The earliest cycle in which a µop may start by its operands, into `from`; if one of them is not made yet,
   its place in `ready`, else SIZE_MAX. */
static size_t find_missing(const struct pipes *pipes, struct waiting *waiting)
{
    const struct ratio_edge *edges = pipes->graph->edges.data;
    size_t nodes = pipes->graph->nodes.count;
    for (uint32_t node = waiting->uop->first_node; node < waiting->uop->node_end; node++)
        for (uint32_t e = pipes->first_edges[node]; e < pipes->first_edges[node + 1]; e++) {
            if (edges[e].distance > waiting->iteration || edges[e].distance >= ROWS - AHEAD)
                continue;
            uint32_t row = (waiting->iteration - edges[e].distance) % ROWS;
            int32_t ready = pipes->ready[row * nodes + edges[e].from];
            if (ready == NOT_YET)
                return row * nodes + edges[e].from;
            int32_t from = ready + whole(edges[e].latency) - pipes->latency[node];
            waiting->from = from > waiting->from ? from : waiting->from;
        }
    return SIZE_MAX;
}

/* Puts one into the list in order of age, at or behind a place that is older. */
static void put_behind(struct pipes *pipes, uint16_t place, uint16_t one)
{
    struct waiting *list = pipes->waiting;
    while (list[place].next && list[list[place].next].age < list[one].age)
        place = list[place].next;
    list[one].next = list[place].next;
    list[place].next = one;
    if (!list[one].next)
        pipes->youngest = one;
}

/* Whoever waited for a value; `before` is older than the one that made it, whose age is given. */
static void wake(struct pipes *pipes, size_t value, uint16_t before, uint32_t age)
{
    uint16_t one = pipes->parked[value], next;
    pipes->parked[value] = 0;
    for (; one; one = next) {
        next = pipes->waiting[one].next;
        put_behind(pipes, pipes->waiting[one].age > age ? before : 0, one);
    }
}

static void start(struct pipes *pipes, const struct waiting *waiting, uint16_t before)
{
    const struct pipe_uop *uop = waiting->uop;
    size_t nodes = pipes->graph->nodes.count, row = waiting->iteration % ROWS;
    int32_t end = pipes->clock + 1;
    for (uint32_t node = uop->first_node; node < uop->node_end && uop->makes; node++) {
        int32_t ready = pipes->clock + pipes->latency[node];
        pipes->ready[row * nodes + node] = ready;
        wake(pipes, row * nodes + node, before, waiting->age);
        end = ready > end ? ready : end;
    }
    size_t place = row * pipes->block->count + waiting->item;
    pipes->left[place]--;
    pipes->done[place] = end > pipes->done[place] ? end : pipes->done[place];
    pipes->on_pipe[waiting->pipe]--;
    for (uint32_t left = uop->queues; left; left &= left - 1)
        pipes->in_queue[__builtin_ctz(left)]--;
}

/* Takes the one behind a place out of the list. */
static void take_out(struct pipes *pipes, uint16_t before)
{
    uint16_t at = pipes->waiting[before].next;
    pipes->waiting[before].next = pipes->waiting[at].next;
    if (pipes->youngest == at)
        pipes->youngest = before;
}

static void start_uops(struct pipes *pipes)
{
    uint32_t used = 0;
    struct waiting *list = pipes->waiting;
    for (uint16_t before = 0, at = list[0].next; at && used != pipes->ports; at = list[before].next) {
        struct waiting *waiting = &list[at];
        uint32_t open = waiting->open & ~used;
        if (waiting->from > pipes->clock || !open) {
            before = at;
            continue;
        }
        size_t missing = find_missing(pipes, waiting);
        if (missing != SIZE_MAX) {
            take_out(pipes, before);
            waiting->next = pipes->parked[missing];
            pipes->parked[missing] = at;
        } else if (waiting->from <= pipes->clock) {
            used |= 1U << (31 - (unsigned)__builtin_clz(open));
            take_out(pipes, before);
            start(pipes, waiting, before);
            waiting->next = pipes->free;
            pipes->free = at;
            pipes->waiting_count--;
        } else {
            before = at;
        }
    }
}

static void wait(struct pipes *pipes, const struct waiting *waiting)
{
    uint16_t at = pipes->free;
    pipes->free = pipes->waiting[at].next;
    pipes->waiting[at] = *waiting;
    pipes->waiting[at].next = 0;
    pipes->waiting[at].age = ++pipes->age;
    pipes->waiting[pipes->youngest].next = at;
    pipes->youngest = at;
    pipes->waiting_count++;
}

static bool has_room(const struct pipes *pipes, const struct pipe_item *item, unsigned slots)
{
    const struct machine_core *core = pipes->core;
    if (slots && slots + item->slots > core->issue)
        return false;
    if (pipes->in_flight + item->slots > core->reorder_buffer ||
        pipes->waiting_count + item->uop_count > MOST_WAITING ||
        pipes->iteration >= pipes->gone_iteration + AHEAD)
        return false;
    for (unsigned q = 0; q < core->queue_count; q++)
        if (item->queued[q] && pipes->in_queue[q] &&
            pipes->in_queue[q] + item->queued[q] > core->queues[q].size)
            return false;
    for (unsigned d = 0; d < core->dispatch_count; d++)
        if (item->sent[d] && pipes->taken[d] && pipes->taken[d] + item->sent[d] > core->dispatches[d].size)
            return false;
    return true;
}

static unsigned choose_pipe(const struct pipes *pipes, uint32_t ports)
{
    unsigned best = (unsigned)__builtin_ctz(ports);
    for (uint32_t left = ports; left; left &= left - 1) {
        unsigned pipe = (unsigned)__builtin_ctz(left);
        best = pipes->on_pipe[pipe] < pipes->on_pipe[best] ? pipe : best;
    }
    return best;
}

static void dispatch_item(struct pipes *pipes, const struct pipe_item *item)
{
    const struct machine_core *core = pipes->core;
    size_t place = (size_t)(pipes->iteration % ROWS) * pipes->block->count + pipes->item;
    for (unsigned u = 0; u < item->uop_count; u++) {
        const struct pipe_uop *uop = &item->uops[u];
        unsigned pipe = choose_pipe(pipes, uop->ports);
        bool is_late = is_within(uop->ports, core->load_ports);
        pipes->on_pipe[pipe]++;
        wait(pipes, &(struct waiting){.uop = uop,
                                      .item = pipes->item,
                                      .iteration = pipes->iteration,
                                      .open = is_late ? uop->ports : 1U << pipe,
                                      .from = pipes->clock + 1,
                                      .pipe = (uint8_t)pipe});
    }
    for (unsigned q = 0; q < core->queue_count; q++)
        pipes->in_queue[q] += item->queued[q];
    for (unsigned d = 0; d < core->dispatch_count; d++)
        pipes->taken[d] += item->sent[d];
    pipes->left[place] = (uint8_t)item->uop_count;
    pipes->done[place] = pipes->clock + 1;
    pipes->in_flight += item->slots;
}

static void begin_iteration(struct pipes *pipes)
{
    size_t nodes = pipes->graph->nodes.count;
    memcpy(pipes->ready + (pipes->iteration % ROWS) * nodes, pipes->unmade, nodes * sizeof *pipes->ready);
}

static void dispatch(struct pipes *pipes, uint32_t iterations)
{
    unsigned slots = 0, ends = 0;
    memset(pipes->taken, 0, sizeof pipes->taken);
    while (pipes->iteration < iterations) {
        const struct pipe_item *item = &pipes->items[pipes->item];
        if (!has_room(pipes, item, slots))
            return;
        if (!pipes->item)
            begin_iteration(pipes);
        dispatch_item(pipes, item);
        slots += item->slots;
        if (++pipes->item < pipes->block->count)
            continue;
        pipes->item = 0;
        pipes->iteration++;
        if (pipes->block->machine->taken > 0 && ++ends >= pipes->block->machine->taken + 1)
            return;
    }
}

/* Retires what is done; times has the end of each iteration. */
static void retire(struct pipes *pipes, int32_t *times)
{
    unsigned slots = 0, most = pipes->core->retire ? pipes->core->retire : UINT32_MAX;
    while (pipes->gone_iteration < pipes->iteration ||
           (pipes->gone_iteration == pipes->iteration && pipes->gone < pipes->item)) {
        size_t place = (size_t)(pipes->gone_iteration % ROWS) * pipes->block->count + pipes->gone;
        unsigned own = pipes->items[pipes->gone].slots;
        if (pipes->left[place] || pipes->done[place] > pipes->clock || (slots && slots + own > most))
            return;
        slots += own;
        pipes->in_flight -= own;
        if (++pipes->gone == pipes->block->count) {
            times[pipes->gone_iteration++] = pipes->clock;
            pipes->gone = 0;
        }
    }
}

/* Edges are in the order of the nodes that they end in. */
static const uint32_t *find_edges(const struct cost_dependences *graph, struct arena *arena)
{
    uint32_t *first = arena_get(arena, (graph->nodes.count + 1) * sizeof *first);
    const struct ratio_edge *edges = graph->edges.data;
    uint32_t edge = 0;
    for (uint32_t node = 0; node < graph->nodes.count; node++) {
        first[node] = edge;
        while (edge < graph->edges.count && edges[edge].to == node)
            edge++;
    }
    first[graph->nodes.count] = edge;
    return first;
}

static bool can_be_simulated(const struct cost_block *block)
{
    const struct machine_core *core = &block->machine->core;
    return core->port_choice == port_choice_FEWEST && core->issue && core->load_ports && core->store_ports &&
           block->issued && block->count <= MOST_ITEMS && block->issued <= core->reorder_buffer;
}

/* Whether each of the last iterations took as long as the one a period before it, for two periods. */
static bool repeats(const int32_t *times, uint32_t count)
{
    if (count < SETTLED)
        return false;
    int32_t step = times[count - 1] - times[count - 1 - PERIOD];
    for (uint32_t i = count - 2 * PERIOD; i < count; i++)
        if (times[i] - times[i - PERIOD] != step)
            return false;
    return true;
}

static double simulate(struct pipes *pipes, uint32_t iterations)
{
    int32_t times[MOST_ITERATIONS];
    uint32_t seen = 0;
    for (; pipes->gone_iteration < iterations && pipes->clock < LONGEST; pipes->clock++) {
        start_uops(pipes);
        retire(pipes, times);
        dispatch(pipes, iterations);
        if (pipes->gone_iteration < seen + PERIOD)
            continue;
        seen = pipes->gone_iteration;
        if (repeats(times, seen))
            return (double)(times[seen - 1] - times[seen - 1 - PERIOD]) / PERIOD;
    }
    uint32_t last = pipes->gone_iteration - 1, from = iterations / 3;
    return pipes->gone_iteration < iterations ? 0 : (double)(times[last] - times[from]) / (last - from);
}

void cost_pipes(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    bound->cycles = 0;
    if (!can_be_simulated(block))
        return;
    cost_find_dependences(block, scratch);
    struct arena *arena = &scratch->arena;
    struct pipes pipes = {.block = block, .core = &block->machine->core, .graph = &scratch->dependences};
    size_t nodes = pipes.graph->nodes.count, places = (size_t)ROWS * block->count;
    pipes.first_edges = find_edges(pipes.graph, arena);
    pipes.latency = arena_get(arena, (nodes + 1) * sizeof *pipes.latency);
    for (uint32_t i = 0; i < nodes; i++)
        pipes.latency[i] = whole(ARRAY_AT(struct dependence_node, &pipes.graph->nodes, i)->latency);
    pipes.items = arena_get(arena, block->count * sizeof *pipes.items);
    pipes.unmade = arena_get(arena, (nodes + 1) * sizeof *pipes.unmade);
    if (!prepare_items(&pipes))
        return;
    pipes.ready = arena_get(arena, (ROWS * nodes + 1) * sizeof *pipes.ready);
    pipes.parked = arena_get(arena, (ROWS * nodes + 1) * sizeof *pipes.parked);
    pipes.left = arena_get(arena, places);
    pipes.done = arena_get(arena, places * sizeof *pipes.done);
    pipes.waiting = arena_get(arena, (MOST_WAITING + 1) * sizeof *pipes.waiting);
    for (uint16_t i = MOST_WAITING; i; i--) {
        pipes.waiting[i].next = pipes.free;
        pipes.free = i;
    }
    uint32_t iterations = ENOUGH_SLOTS / block->issued;
    iterations = iterations < LEAST_ITERATIONS ? LEAST_ITERATIONS : iterations;
    iterations = iterations > MOST_ITERATIONS ? MOST_ITERATIONS : iterations;
    bound->cycles = simulate(&pipes, iterations);
}
