/* The window: how many µops are in flight. A chain of T cycles within an iteration costs nothing if later
   iterations overlap with it, and for that they must be in the window. The reorder buffer holds every µop
   until all earlier ones are done; the queues of loads and of stores hold these as long; a scheduler holds
   the µops that wait for their operands.

   By Little's law the average number of µops in a buffer is the number that enter per cycle times how long
   they stay, and it cannot exceed the buffer's room. Let an iteration take C cycles. If its µop j enters at
   p(j) × C, with p from 0 to 1, and cannot leave before t(j), counted from the start of the iteration, then

       Σ max(0, t(j) - p(j) × C)  ≤  room × C

   and C follows. The sum falls and the right side rises with C, so repeated steps end soon: each
   computes C from the µops whose terms were positive for the last C.

   It is an assumption that µops enter evenly over the iteration: a full buffer takes a new µop whenever one
   leaves, and several iterations leave it at the same time. For a scheduler, t(j) is when the last operand is
   ready; for the reorder buffer, when the instruction and all earlier ones are done. Values of the iteration
   before are assumed to be ready at once, and only the µop of an instruction that waits longest counts in a
   scheduler. */
#include "code/cost/core/core.h"

struct stay {
    double until; /* t(j) */
    double place; /* p(j) */
    double uops;
};

/* The least C; 0 where the buffer never fills. */
static double fewest_cycles(const struct stay *stays, unsigned count, double room)
{
    double cycles = 0;
    for (unsigned step = 0; step < 64; step++) {
        double waiting = 0, entered = room;
        for (unsigned i = 0; i < count; i++)
            if (stays[i].until > stays[i].place * cycles) {
                waiting += stays[i].uops * stays[i].until;
                entered += stays[i].uops * stays[i].place;
            }
        double next = waiting / entered;
        if (next <= cycles)
            break;
        cycles = next;
    }
    return cycles;
}

/* When each node is ready, and when the operands of each item are, with the iteration starting at 0. */
static void find_times(const struct cost_dependences *graph, double *levels, double *ready)
{
    const struct ratio_edge *edges = graph->edges.data;
    size_t next = 0;
    for (uint32_t node = 0; node < graph->nodes.count; node++) {
        const struct dependence_node *made = ARRAY_AT(struct dependence_node, &graph->nodes, node);
        levels[node] = (double)made->latency;
        for (; next < graph->edges.count && edges[next].to == node; next++) {
            if (edges[next].distance)
                continue;
            double from = levels[edges[next].from], through = from + (double)edges[next].latency;
            levels[node] = through > levels[node] ? through : levels[node];
            ready[made->item] = from > ready[made->item] ? from : ready[made->item];
        }
    }
}

static bool is_of_memory(const struct machine_core *core, uint32_t ports)
{
    return !(ports & ~core->load_ports) || !(ports & ~core->store_ports) || !(ports & ~core->address_ports);
}

/* Whether the µop that waits for the operands is in the scheduler of these ports: the only one, or the only one that
   computes. */
static bool is_in_queue(const struct machine_core *core, const struct cost_item *item, uint32_t queue)
{
    const struct form_ports *waiting = NULL;
    for (unsigned i = 0; i < item->port_count; i++) {
        const struct form_ports *use = &item->ports[i];
        if (!use->ports || use->times > 1 || (item->port_count > 1 && is_of_memory(core, use->ports)))
            continue;
        if (waiting)
            return false;
        waiting = use;
    }
    return waiting && !(waiting->ports & ~queue);
}

/* The stays of items that load, or store: as long as in the reorder buffer. */
static unsigned choose_accesses(const struct cost_block *block, bool of_stores, const struct stay *stays,
                                struct stay *chosen)
{
    unsigned count = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        unsigned accesses = 0;
        for (unsigned a = 0; a < cost->access_count; a++)
            accesses += of_stores ? cost->accesses[a].stores : cost->accesses[a].loads;
        if (!accesses)
            continue;
        chosen[count] = stays[i];
        chosen[count++].uops = accesses;
    }
    return count;
}

/* The longest chain: its items. */
static void mark_chain(const struct cost_dependences *graph, const double *levels, uint8_t *marks)
{
    const struct ratio_edge *edges = graph->edges.data;
    uint32_t node = 0;
    for (uint32_t i = 1; i < graph->nodes.count; i++)
        node = levels[i] > levels[node] ? i : node;
    /* Edges are in the order of the nodes they end in, and start at lower nodes. */
    for (size_t i = graph->edges.count; i-- && node < graph->nodes.count;)
        if (edges[i].to == node && !edges[i].distance &&
            levels[edges[i].from] + (double)edges[i].latency >= levels[node] - 1e-6) {
            marks[ARRAY_AT(struct dependence_node, &graph->nodes, node)->item] = 1;
            node = edges[i].from;
        }
    if (node < graph->nodes.count)
        marks[ARRAY_AT(struct dependence_node, &graph->nodes, node)->item] = 1;
}

void cost_window(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine_core *core = &block->machine->core;
    if (core->is_in_order || !block->issued ||
        (!core->reorder_buffer && !core->scheduler && !core->queue_count && !core->load_queue &&
         !core->store_queue))
        return;
    cost_find_dependences(block, scratch);
    const struct cost_dependences *graph = &scratch->dependences;
    double *levels = arena_get(&scratch->arena, (graph->nodes.count + 1) * sizeof *levels);
    double *ready = arena_get(&scratch->arena, block->count * sizeof *ready);
    struct stay *stays = arena_get(&scratch->arena, block->count * sizeof *stays);
    struct stay *chosen = arena_get(&scratch->arena, block->count * sizeof *chosen);
    find_times(graph, levels, ready);
    double done = 0, place = 0;
    for (unsigned i = 0; i < block->count; i++) {
        uint32_t end = *ARRAY_AT(uint32_t, &graph->first_nodes, i + 1);
        for (uint32_t node = *ARRAY_AT(uint32_t, &graph->first_nodes, i); node < end; node++)
            done = levels[node] > done ? levels[node] : done;
        const struct cost_item *item = &block->items[i];
        double slots = item->is_absorbed ? 0 : item->cost->fused;
        stays[i] = (struct stay){.until = done, .place = place / block->issued, .uops = slots};
        place += slots;
    }
    if (core->reorder_buffer)
        bound->cycles = fewest_cycles(stays, block->count, core->reorder_buffer);
    for (int of_stores = 0; of_stores < 2; of_stores++) {
        double room = of_stores ? core->store_queue : core->load_queue;
        unsigned count = choose_accesses(block, of_stores, stays, chosen);
        double cycles = room > 0 ? fewest_cycles(chosen, count, room) : 0;
        bound->cycles = cycles > bound->cycles ? cycles : bound->cycles;
    }
    for (unsigned q = 0; q <= core->queue_count; q++) {
        double room = q < core->queue_count ? core->queues[q].size : core->scheduler;
        unsigned count = 0;
        for (unsigned i = 0; i < block->count; i++) {
            const struct cost_item *item = &block->items[i];
            if (q < core->queue_count ? is_in_queue(core, item, core->queues[q].ports) : item->port_count > 0)
                chosen[count++] = (struct stay){.until = ready[i], .place = stays[i].place, .uops = 1};
        }
        double cycles = room > 0 ? fewest_cycles(chosen, count, room) : 0;
        bound->cycles = cycles > bound->cycles ? cycles : bound->cycles;
    }
    if (bound->marks && bound->cycles > 0 && graph->nodes.count)
        mark_chain(graph, levels, bound->marks);
}

double cost_longest_chain(const struct cost_block *block, struct cost_scratch *scratch)
{
    if (!block->count)
        return 0;
    cost_find_dependences(block, scratch);
    const struct cost_dependences *graph = &scratch->dependences;
    double *levels = arena_get(&scratch->arena, (graph->nodes.count + 1) * sizeof *levels);
    double *ready = arena_get(&scratch->arena, block->count * sizeof *ready), longest = 0;
    find_times(graph, levels, ready);
    for (uint32_t node = 0; node < graph->nodes.count; node++)
        longest = levels[node] > longest ? levels[node] : longest;
    return longest;
}
