/* Store forwarding that fails. A load that reads bytes of a store still in its buffer, and other bytes too,
   waits until the store has reached the cache. Stores reach it in order, a limited number per cycle, after
   they retired, and they retire after all earlier loads. So in

       store 4 bytes at x;  load 8 bytes at x

   the load of an iteration waits for its store, which waits until the load of the iteration before has
   retired: the iterations do not overlap though no value goes from one to the next (Agner Fog; Intel's
   optimisation guide).

   The loads that wait are the nodes of a graph. From one to another it takes `forward-failed` cycles, by way
   of the other's store, if that comes later in the code, else by that of the next iteration, and the cycles
   in which the cache takes the stores that come before that store and after the first load. The bound is the
   largest ratio of cycles to iterations over the cycles of the graph. */
#include "code/cost/core/core.h"

enum { MOST_BLOCKED = 32 };

/* Stores of the items before this one. */
static unsigned stores_before(const struct array *references, uint32_t item)
{
    unsigned count = 0;
    for (size_t i = 0; i < references->count; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, references, i);
        if (reference->item >= item)
            break;
        count += reference->stores;
    }
    return count;
}

void cost_forwarding(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    double failed = block->machine->core.forward_failed;
    const struct cost_meeting *blocked[MOST_BLOCKED];
    unsigned before_load[MOST_BLOCKED], before_store[MOST_BLOCKED];
    struct ratio_edge edges[MOST_BLOCKED * MOST_BLOCKED];
    unsigned count = 0, edge_count = 0;
    if (!(failed > 0))
        return;
    cost_find_dependences(block, scratch);
    const struct array *meetings = &scratch->addresses.meetings, *references = &scratch->addresses.references;
    for (size_t i = 0; i < meetings->count && count < MOST_BLOCKED; i++) {
        const struct cost_meeting *meeting = ARRAY_AT(struct cost_meeting, meetings, i);
        if (meeting->fits)
            continue;
        before_load[count] = stores_before(references, meeting->load);
        before_store[count] = stores_before(references, meeting->store);
        blocked[count++] = meeting;
    }
    if (!count)
        return;
    double all = stores_before(references, UINT32_MAX);
    double rate = block->machine->stores > 0 ? block->machine->stores : 1;
    for (unsigned from = 0; from < count; from++)
        for (unsigned to = 0; to < count; to++) {
            bool is_next = blocked[from]->load > blocked[to]->store;
            double between = (is_next ? all : 0) + before_store[to] - before_load[from];
            edges[edge_count++] = (struct ratio_edge){.from = from,
                                                      .to = to,
                                                      .distance = is_next + blocked[to]->distance,
                                                      .latency = (float)(failed + between / rate)};
        }
    struct ratio_work *work = &scratch->dependences.ratio;
    bound->cycles = cost_cycle_ratio(work, edges, edge_count, count);
    const uint32_t *cycle = work->cycle.data;
    for (size_t i = 0; bound->marks && bound->cycles > 0 && i < work->cycle.count; i++)
        bound->marks[blocked[cycle[i]]->load] = bound->marks[blocked[cycle[i]]->store] = 1;
}
