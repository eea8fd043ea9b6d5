/* Pairing: a core that issues in order, through pipes that differ from each other.

   Instructions go in the order of the code. The instructions of one cycle take pipes in the order of the
   ports in the machine file, each the next free pipe that its form allows. With pipe U before V, an
   instruction that only U takes ends the pair before it, one that only V takes ends its own pair, and one
   that takes both issues alone. An instruction joins the cycle only if all its operands are ready at its
   start; else it starts the next cycle when they are. An operand is ready after the latency of the form that
   made it, and for an address not before core.address_wait. A thread issues once every core.issue_every
   cycles, and an instruction that occupies the pipes (throughput) delays all later ones.

   The block is issued repeatedly until the state of all registers, counted from the start of the current
   cycle, equals an earlier one: everything in between repeats for ever. In a loop the branch back ends the
   cycle. Forwarding and latency handle values that go through memory. */
#include "code/cost/core/core.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 128 };

struct pipes {
    const struct cost_block *block;
    double ready[MOST_RESOURCES];   /* when a value can be used */
    double written[MOST_RESOURCES]; /* when its producer was issued */
    double start, next;             /* of the current cycle; the earliest start of the next one */
    unsigned taken;                 /* pipes of the current cycle that are used: all below this */
    bool is_open;                   /* something is in it */
};

/* The state that determines all later cycles, in times relative to pipes.next. */
struct pipes_state {
    double ready[MOST_RESOURCES], written[MOST_RESOURCES], start;
    unsigned taken;
    bool is_open;
};

static void close_cycle(struct pipes *pipes)
{
    if (pipes->is_open)
        pipes->start = pipes->next;
    pipes->is_open = false;
    pipes->taken = 0;
}

static double operands_ready(const struct pipes *pipes, const struct machine_cost *cost)
{
    double ready = 0, address_wait = pipes->block->machine->core.address_wait;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        const struct cost_flow *flow = &cost->flows[i];
        if (flow->from == RESOURCE_MEMORY || flow->from >= MOST_RESOURCES)
            continue;
        ready = fmax(ready, pipes->ready[flow->from]);
        if (flow->way == way_BASE || flow->way == way_INDEX)
            ready = fmax(ready, pipes->written[flow->from] + address_wait);
    }
    return ready;
}

/* The next free pipe that takes it; port_count if there is none. */
static unsigned next_pipe(const struct machine *machine, unsigned pipe, uint32_t ports)
{
    while (pipe < machine->port_count && !(ports >> pipe & 1))
        pipe++;
    return pipe;
}

static bool fits(const struct pipes *pipes, const struct cost_item *item)
{
    const struct machine *machine = pipes->block->machine;
    unsigned taken = pipes->taken;
    for (unsigned i = 0; i < item->port_count; i++)
        for (double left = item->ports[i].times; left > 0; left--) {
            unsigned pipe = next_pipe(machine, taken, item->ports[i].ports);
            if (pipe == machine->port_count)
                return false;
            taken = pipe + 1;
        }
    return true;
}

/* µops that do not fit one cycle continue in the next ones. */
static void take_pipes(struct pipes *pipes, const struct cost_item *item)
{
    const struct machine *machine = pipes->block->machine;
    double interval = machine->core.issue_every ? machine->core.issue_every : 1;
    for (unsigned i = 0; i < item->port_count; i++)
        for (double left = item->ports[i].times; left > 0; left--) {
            unsigned pipe = next_pipe(machine, pipes->taken, item->ports[i].ports);
            if (pipe == machine->port_count && pipes->taken) {
                pipes->start += interval;
                pipes->taken = 0;
                pipe = next_pipe(machine, 0, item->ports[i].ports);
            }
            pipes->taken = pipe < machine->port_count ? pipe + 1 : machine->port_count;
        }
    pipes->is_open = true;
    pipes->next = fmax(pipes->next, pipes->start + interval);
    if (isfinite(item->cost->throughput))
        pipes->next = fmax(pipes->next, pipes->start + item->cost->throughput);
}

static void write_results(struct pipes *pipes, const struct machine_cost *cost)
{
    for (unsigned i = 0; i < cost->write_count; i++) {
        uint16_t resource = cost->writes[i];
        double latency = 0;
        bool has_inputs = false;
        if (resource >= MOST_RESOURCES)
            continue;
        for (unsigned k = 0; k < cost->flow_count; k++)
            if (cost->flows[k].to == resource && isfinite(cost->flows[k].latency)) {
                latency = fmax(latency, cost->flows[k].latency);
                has_inputs = true;
            }
        pipes->written[resource] = pipes->start;
        pipes->ready[resource] = pipes->start + (has_inputs ? latency : 1);
    }
}

/* Whether it had to wait for an operand. */
static bool issue_item(struct pipes *pipes, const struct cost_item *item)
{
    double ready = operands_ready(pipes, item->cost);
    bool waits = false;
    if (pipes->is_open && (ready > pipes->start || !fits(pipes, item)))
        close_cycle(pipes);
    if (!pipes->is_open) {
        waits = ready > pipes->next;
        pipes->start = fmax(pipes->next, ready);
    }
    take_pipes(pipes, item);
    write_results(pipes, item->cost);
    return waits;
}

static void take_state(const struct pipes *pipes, struct pipes_state *state)
{
    memset(state, 0, sizeof *state);
    for (unsigned i = 0; i < MOST_RESOURCES; i++) {
        double address = pipes->written[i] + pipes->block->machine->core.address_wait;
        state->ready[i] = fmax(0, pipes->ready[i] - pipes->start);
        state->written[i] = fmax(0, address - pipes->start);
    }
    state->start = pipes->next - pipes->start;
    state->taken = pipes->taken;
    state->is_open = pipes->is_open;
}

static void issue_block(struct pipes *pipes, uint8_t *waits)
{
    for (unsigned i = 0; i < pipes->block->count; i++) {
        const struct cost_item *item = &pipes->block->items[i];
        if (item->is_absorbed)
            continue;
        bool waited = issue_item(pipes, item);
        if (waits)
            waits[i] = waited;
    }
    if (pipes->block->mode == cost_LOOP)
        close_cycle(pipes);
}

/* If nothing waits, every instruction contributes: each takes its pipe. */
static void mark(const struct cost_block *block, uint8_t *marks)
{
    bool waits = false;
    for (unsigned i = 0; i < block->count; i++)
        waits |= marks[i];
    for (unsigned i = 0; i < block->count && !waits; i++)
        marks[i] = block->items[i].port_count > 0;
}

void cost_pairing(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine *machine = block->machine;
    if (!machine->core.is_in_order || machine->bundles || !machine->port_count || !block->count)
        return;
    struct pipes *pipes = arena_get(&scratch->arena, sizeof *pipes);
    struct pipes_state *seen = arena_get(&scratch->arena, sizeof *seen);
    struct pipes_state *now = arena_get(&scratch->arena, sizeof *now);
    pipes->block = block;
    unsigned seen_round = 0, next_seen = 1;
    double seen_start = 0;
    for (unsigned i = 0; i < MOST_RESOURCES; i++)
        pipes->written[i] = -1e9;
    take_state(pipes, seen);
    for (unsigned round = 1; round <= MOST_ROUNDS; round++) {
        issue_block(pipes, bound->marks);
        take_state(pipes, now);
        bound->cycles = (pipes->start - seen_start) / (round - seen_round);
        if (!memcmp(now, seen, sizeof *now))
            break;
        if (round == next_seen) {
            *seen = *now;
            seen_start = pipes->start;
            seen_round = round;
            next_seen = round * 2;
        }
    }
    if (bound->marks)
        mark(block, bound->marks);
}
