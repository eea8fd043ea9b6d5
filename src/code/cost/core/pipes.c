/* Pipes that are chosen at dispatch: the core, cycle by cycle.

   On Neoverse V1 a µop gets its pipe when it enters its scheduler, one for which few µops wait, and keeps it.
   Later it waits for that pipe although another may be free. If it belongs to a chain from iteration to
   iteration, the wait lengthens the chain; within a chain of one iteration it keeps a place of the scheduler
   for longer, so that fewer iterations overlap. No bound of a single part shows either.

   Measured with small loops: 174 of loads and fadd, 97 of loads, additions and stores, with random
   dependences; 271 of vector operations that have all four pipes or two of them (half of them are simulated
   within 5.8 %); 253 of integers, with products, comparisons and stores (within 6.1 %).

   Iterations are simulated:
   - dispatch in order, up to the issue width and a few taken branches per cycle, while the reorder buffer and
   the queues have room (`queue`) and the schedulers take new µops (`dispatch`). Of several schedulers a µop
   goes to the one that got fewer so far, whether or not they wait there: two stores of vectors beside two
   operations of pipes 0 and 2 (or of 1 and 3) take 2 cycles, because both stores go to the other scheduler,
   which has one pipe for them. There the µop goes to the pipe for which the fewest wait. Loads choose their
   pipe late: they were never seen to wait for one while another is free. Integers choose among half of their
   pipes (`halves`): with counts of all four, two additions of a loaded value would take 1.4 cycles instead of
   1.6. Which half is taken from a fixed sequence of numbers; another sequence changes the mean error of
   bench/loops by up to 0.2 points. But a half whose part of the queue is full gets no more: three products
   after a load take 1.5 cycles, and the counter of the loop is not in their way;
   - a comparison and the selection by its flags behind it are one µop where they fuse;
   - a µop starts `start-delay` cycles after that at the earliest, and holds its place in the queue until its
     result comes (`holds-places`; the data of a store hold one place);
   - on each pipe the oldest µop whose operands are ready starts, if its result does not come in the same
   cycle as another of that pipe (`one-result`) and if the divider is free;
   - a value is ready its longest latency after the start. The operand that a product is added to may come
     later, for some forms only from the same pipe (`own-pipe`). Latencies are whole cycles here;
   - retirement in order.
   The result is the slope of the retirement times. µops that only prepare a result of their instruction wait
   for the same operands; the addresses of stores wait for nothing.

   This is a model and not a bound. It misses that some loops lock into a worse state: four dependent vector
   operations in a loop take 2.0 cycles, five 1.8; four dependent shl, which have two pipes, 4.0, five 3.0. */
#include "code/cost/core/core.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 64,  /* iterations whose values are kept */
    AHEAD = 48, /* iterations in flight at most */
    MOST_WAITING = 512,
    MOST_ITEMS = 160, /* of a block */
    MOST_UOPS = 12,   /* of an instruction */
    LEAST_ITERATIONS = 24,
    MOST_ITERATIONS = 1200,
    ENOUGH_SLOTS = 9600,
    SETTLED = 84, /* iterations after which times that repeat go on repeating */
    PERIOD = 12,  /* iterations after which times may repeat: a multiple of 2, 3, 4 and 6 */
    DIVIDERS = 2, /* of floats, and of integers where they have their own */
    LONGEST_DELAY = 16,
    LONGEST_RESULT = 64, /* latency of a pipe */
    LONGEST = 50000,     /* cycles of a simulation */
};

static const int32_t NOT_YET = INT32_MAX / 2;

struct pipe_uop {
    uint32_t ports;
    uint32_t queues; /* that it waits in, a bit each */
    float divider;   /* cycles that it holds a divider */
    uint8_t divider_number;
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
    uint8_t *pipe_of;        /* by row and node: where it was made */
    int32_t *latency;        /* by node */
    int32_t *unmade;         /* by node: the row of an iteration that begins */
    struct waiting *waiting; /* a list in order of age, from place 0 on, which is not in it */
    uint16_t youngest, free; /* the end of the list; places that are free, linked */
    uint16_t *parked;        /* by row and node: the first that waits for it */
    unsigned waiting_count, age;
    uint32_t ports; /* that any µop uses */
    unsigned on_pipe[MOST_PORTS], in_queue[MOST_QUEUES], taken[MOST_QUEUES];
    uint64_t sent[MOST_QUEUES];    /* by limit of dispatch: µops so far */
    uint32_t iteration, item;      /* the next to dispatch */
    uint32_t gone_iteration, gone; /* the next to retire */
    uint64_t in_flight;            /* slots */
    uint8_t *left;                 /* by row and item: µops that have not started */
    int32_t *done;                 /* by row and item */
    int32_t clock;
    uint32_t chance;
    uint32_t divider_ports;                       /* of the first divider */
    double divider_free[DIVIDERS];                /* when the next division may start */
    uint16_t leaving[LONGEST_DELAY][MOST_QUEUES]; /* by cycle: places that become free */
    int32_t results[MOST_PORTS][LONGEST_RESULT];  /* by pipe: cycles in which a result comes */
};

static bool is_within(uint32_t ports, uint32_t set)
{
    return ports && !(ports & ~set);
}

static int32_t whole(float latency)
{
    return (int32_t)floorf(latency + 0.49F);
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
    bool has_load = machine_cost_loads(cost);
    int compute = -1, load = -1;
    for (unsigned i = 0; i < item->uop_count; i++) {
        bool is_memory = is_within(item->uops[i].ports, pipes->core->load_ports);
        compute = is_memory ? compute : (int)i;
        load = is_memory && has_load ? (int)i : load;
        item->uops[i].first_node = first;
        item->uops[i].node_end = end;
    }
    if (machine_cost_stores(cost) && !has_load && end > first)
        give_nodes_of_store(pipes, item, first, end);
    else if (load >= 0 && compute >= 0 && end > first + 1)
        give_nodes_of_moving_load(pipes, item, first, end);
    else if (item->uop_count)
        item->uops[load >= 0 ? load : compute >= 0 ? compute : (int)item->uop_count - 1].makes = true;
}

/* Values that no µop makes are there at once. */
static void count_uops(struct pipes *pipes, struct pipe_item *item, bool is_store)
{
    const struct machine_core *core = pipes->core;
    for (unsigned u = 0; u < item->uop_count; u++) {
        struct pipe_uop *uop = &item->uops[u];
        pipes->ports |= uop->ports;
        for (unsigned q = 0; q < core->queue_count; q++)
            if (is_within(uop->ports, core->queues[q].ports) &&
                !(is_store && u && uop[-1].ports == uop->ports)) {
                uop->queues |= 1U << q;
                item->queued[q]++;
            }
        for (unsigned d = 0; d < core->dispatch_count && uop->is_dispatched; d++)
            item->sent[d] += is_within(uop->ports, core->dispatches[d].ports);
        for (uint32_t node = uop->first_node; uop->makes && node < uop->node_end; node++)
            pipes->unmade[node] = NOT_YET;
    }
}

/* A division holds the unit of its µop; those of other ports have their own (`dividers-apart`). */
static void give_divider(struct pipes *pipes, const struct machine_cost *cost, struct pipe_item *item)
{
    if (!(cost->divider > 0) || !item->uop_count)
        return;
    struct pipe_uop *uop = &item->uops[0];
    uop->divider = cost->divider;
    pipes->divider_ports = pipes->divider_ports ? pipes->divider_ports : uop->ports;
    uop->divider_number = pipes->core->dividers_apart && !(pipes->divider_ports & uop->ports);
}

/* Whether the instruction after a comparison selects by its flags in one operation with it, which then makes
   the values of both. */
static bool selects_behind(const struct cost_block *block, uint32_t i)
{
    const struct cost_item *item = &block->items[i];
    return item->is_fused && i + 1 < block->count && !item[1].cost->is_branch;
}

static bool prepare_items(struct pipes *pipes)
{
    const struct cost_block *block = pipes->block;
    const uint32_t *first_nodes = pipes->graph->first_nodes.data;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct cost_item *source = &block->items[i];
        struct pipe_item *item = &pipes->items[i];
        *item = (struct pipe_item){.slots = cost_slots(block, source)};
        bool is_dispatched = !machine_cost_stores(source->cost);
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
        give_nodes(pipes, source->cost, item, first_nodes[i], first_nodes[i + 1 + selects_behind(block, i)]);
        give_divider(pipes, source->cost, item);
        count_uops(pipes, item, !is_dispatched);
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
            bool is_own = !edges[e].distance && edges[e].from >= waiting->uop->first_node &&
                          edges[e].from < waiting->uop->node_end;
            if (is_own || edges[e].distance > waiting->iteration || edges[e].distance >= ROWS - AHEAD)
                continue;
            uint32_t row = (waiting->iteration - edges[e].distance) % ROWS;
            int32_t ready = pipes->ready[row * nodes + edges[e].from];
            if (ready == NOT_YET)
                return row * nodes + edges[e].from;
            bool is_apart =
                edges[e].apart > 0 && pipes->pipe_of[row * nodes + edges[e].from] != waiting->pipe;
            int32_t from = ready + whole(is_apart ? edges[e].apart : edges[e].latency) - pipes->latency[node];
            waiting->from = from > waiting->from ? from : waiting->from;
        }
    return SIZE_MAX;
}

/* Puts one into the list in order of age, at or after a place that is older. */
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

/* Cycles until the result of a µop in a register; 0 if it makes none. */
static int32_t result_latency(const struct pipes *pipes, const struct pipe_uop *uop)
{
    int32_t latency = 0;
    for (uint32_t node = uop->first_node; uop->makes && node < uop->node_end; node++)
        if (ARRAY_AT(struct dependence_node, &pipes->graph->nodes, node)->resource != RESOURCE_MEMORY)
            latency = pipes->latency[node] > latency ? pipes->latency[node] : latency;
    return latency;
}

/* The cycles after its start in which a µop still holds its place in the queue: until its result comes. */
static int32_t place_delay(const struct pipes *pipes, const struct pipe_uop *uop)
{
    int32_t delay = pipes->core->holds_places ? result_latency(pipes, uop) - 1 : 0;
    return delay < 0 ? 0 : delay < LONGEST_DELAY ? delay : LONGEST_DELAY - 1;
}

static void start(struct pipes *pipes, const struct waiting *waiting, uint16_t before)
{
    const struct pipe_uop *uop = waiting->uop;
    size_t nodes = pipes->graph->nodes.count, row = waiting->iteration % ROWS;
    int32_t end = pipes->clock + 1;
    for (uint32_t node = uop->first_node; node < uop->node_end && uop->makes; node++) {
        int32_t ready = pipes->clock + pipes->latency[node];
        pipes->ready[row * nodes + node] = ready;
        pipes->pipe_of[row * nodes + node] = waiting->pipe;
        wake(pipes, row * nodes + node, before, waiting->age);
        end = ready > end ? ready : end;
    }
    size_t place = row * pipes->block->count + waiting->item;
    pipes->left[place]--;
    pipes->done[place] = end > pipes->done[place] ? end : pipes->done[place];
    pipes->on_pipe[waiting->pipe]--;
    int32_t free = (pipes->clock + place_delay(pipes, uop)) % LONGEST_DELAY;
    for (uint32_t left = uop->queues; left; left &= left - 1)
        pipes->leaving[free][__builtin_ctz(left)]++;
}

/* Places in the queues that are free from this cycle on. */
static void free_places(struct pipes *pipes)
{
    uint16_t *leaving = pipes->leaving[pipes->clock % LONGEST_DELAY];
    for (unsigned q = 0; q < pipes->core->queue_count; q++) {
        pipes->in_queue[q] -= leaving[q];
        leaving[q] = 0;
    }
}

/* Whether the result of a µop would come in the same cycle as another on its pipe; if not, that cycle is
 * taken. */
static bool meets_result(struct pipes *pipes, const struct waiting *waiting)
{
    int32_t latency = result_latency(pipes, waiting->uop);
    if (latency <= 0 || latency >= LONGEST_RESULT || !(pipes->core->one_result & 1U << waiting->pipe))
        return false;
    int32_t *last = &pipes->results[waiting->pipe][(pipes->clock + latency) % LONGEST_RESULT];
    if (*last == pipes->clock + latency)
        return true;
    *last = pipes->clock + latency;
    return false;
}

/* Whether a µop whose operands are there cannot start: the divider is busy, or the result would meet another.
   A division that may start within this cycle does; the time that is left over counts for the next one. */
static bool is_held_up(struct pipes *pipes, const struct waiting *waiting)
{
    double *free = &pipes->divider_free[waiting->uop->divider_number];
    bool divides = waiting->uop->divider > 0;
    if ((divides && *free >= pipes->clock + 1) || meets_result(pipes, waiting))
        return true;
    if (divides)
        *free = (*free > pipes->clock ? *free : pipes->clock) + (double)waiting->uop->divider;
    return false;
}

/* Takes the one after a place out of the list. */
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
        } else if (waiting->from <= pipes->clock && !is_held_up(pipes, waiting)) {
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

/* Of the ports, those of the scheduler that got the fewest µops so far: schedulers are what `dispatch` names.
   Where two got as many, cycles take turns. */
static uint32_t choose_scheduler(const struct pipes *pipes, uint32_t ports)
{
    const struct machine_core *core = pipes->core;
    uint32_t chosen = ports;
    uint64_t most = UINT64_MAX;
    for (unsigned d = 0; d < core->dispatch_count; d++) {
        uint32_t own = ports & core->dispatches[d].ports;
        if (own && own != ports && pipes->sent[d] < most) {
            most = pipes->sent[d] + (pipes->clock & 1);
            chosen = own;
        }
    }
    return chosen;
}

static unsigned count_waiting(const struct pipes *pipes, uint32_t ports)
{
    unsigned count = 0;
    for (uint32_t left = ports; left; left &= left - 1)
        count += pipes->on_pipe[__builtin_ctz(left)];
    return count;
}

/* A µop that could go to both halves of the pipes gets a pipe of one half. What decides which is not known; a
   fixed sequence without a pattern stands for it. A half that has filled its part of the queue gets no more.
 */
static uint32_t choose_half(struct pipes *pipes, uint32_t ports)
{
    const struct machine_core *core = pipes->core;
    const uint32_t halves[] = {core->first_half, core->second_half};
    if (!(ports & halves[0]) || !(ports & halves[1]))
        return ports;
    pipes->chance = pipes->chance * 1103515245U + 12345U;
    unsigned chosen = pipes->chance >> 16 & 1;
    for (unsigned q = 0; q < core->queue_count; q++)
        if (core->queues[q].ports == (halves[0] | halves[1]) &&
            count_waiting(pipes, halves[chosen]) >=
                count_waiting(pipes, halves[!chosen]) + core->queues[q].size / 2)
            return ports & halves[!chosen];
    return ports & halves[chosen];
}

static unsigned choose_pipe(struct pipes *pipes, uint32_t ports)
{
    ports = choose_half(pipes, choose_scheduler(pipes, ports));
    unsigned best = (unsigned)__builtin_ctz(ports);
    for (uint32_t left = ports; left; left &= left - 1) {
        unsigned pipe = (unsigned)__builtin_ctz(left);
        best = pipes->on_pipe[pipe] <= pipes->on_pipe[best] ? pipe : best;
    }
    return best;
}

static void dispatch_item(struct pipes *pipes, const struct pipe_item *item)
{
    const struct machine_core *core = pipes->core;
    size_t place = (size_t)(pipes->iteration % ROWS) * pipes->block->count + pipes->item;
    int32_t delay = core->start_delay ? (int32_t)core->start_delay : 1;
    for (unsigned u = 0; u < item->uop_count; u++) {
        const struct pipe_uop *uop = &item->uops[u];
        unsigned pipe = choose_pipe(pipes, uop->ports);
        bool is_late = is_within(uop->ports, core->load_ports);
        pipes->on_pipe[pipe]++;
        for (unsigned d = 0; d < core->dispatch_count; d++)
            pipes->sent[d] += core->dispatches[d].ports >> pipe & 1;
        wait(pipes, &(struct waiting){.uop = uop,
                                      .item = pipes->item,
                                      .iteration = pipes->iteration,
                                      .open = is_late ? uop->ports : 1U << pipe,
                                      .from = pipes->clock + delay,
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
        free_places(pipes);
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
    pipes.pipe_of = arena_get(arena, ROWS * nodes + 1);
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
