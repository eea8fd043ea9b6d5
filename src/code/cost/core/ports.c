/* Ports: each takes one µop a cycle.  The bound is what the best assignment reaches (port_balance.c); a real
   core, which assigns ports before it knows when µops will be ready, comes close in the long run (Abel and
   Reineke, uiCA and Facile). */
#include "code/cost/core/core.h"
#include "code/cost/core/port_balance.h"

#include <stdlib.h>

static unsigned find_group(struct port_group *groups, unsigned *count, uint32_t ports)
{
    for (unsigned i = 0; i < *count; i++)
        if (groups[i].ports == ports)
            return i;
    if (*count == MOST_GROUPS)
        return MOST_GROUPS;
    groups[*count] = (struct port_group){.ports = ports};
    return (*count)++;
}

/* Groups beyond the limit are left out: the result is still a bound. */
static unsigned gather(const struct cost_block *block, struct port_group *groups)
{
    unsigned count = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        for (unsigned u = 0; u < item->port_count; u++) {
            if (!item->ports[u].ports)
                continue;
            unsigned group = find_group(groups, &count, item->ports[u].ports);
            if (group < MOST_GROUPS)
                groups[group].uops += (double)item->ports[u].times;
        }
    }
    return count;
}

/* If the units of a form are unknown, the file has its measured reciprocal throughput. */
struct measured {
    const struct machine_form *form;
    double cycles;
    uint32_t item;
};

static int by_form(const void *left, const void *right)
{
    const struct measured *a = left, *b = right;
    return a->form != b->form ? (a->form > b->form) - (a->form < b->form)
                              : (a->item > b->item) - (a->item < b->item);
}

static bool is_measured(const struct machine_cost *cost)
{
    return cost->throughput > 0 && !cost->microcoded && !(cost->divider > 0);
}

/* The cycles of forms with a measured throughput: each kind alone, because two kinds may use different units.
   first and count describe the kind that takes longest. */
static double measured_cycles(const struct cost_block *block, struct cost_scratch *scratch,
                              const struct measured **first, unsigned *count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < block->count; i++)
        found += is_measured(block->items[i].cost);
    if (!found)
        return 0;
    struct measured *rows = arena_get(&scratch->arena, found * sizeof *rows);
    found = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        if (is_measured(cost))
            rows[found++] = (struct measured){cost->form, cost->throughput, i};
    }
    qsort(rows, found, sizeof *rows, by_form);
    double most = 0;
    for (unsigned i = 0, end; i < found; i = end) {
        double cycles = 0;
        for (end = i; end < found && rows[end].form == rows[i].form; end++)
            cycles += rows[end].cycles;
        if (cycles > most) {
            most = cycles;
            *first = rows + i;
            *count = end - i;
        }
    }
    return most;
}

void cost_ports(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    struct port_group groups[MOST_GROUPS];
    uint32_t critical;
    unsigned count = gather(block, groups), measured_count = 0;
    const struct measured *first = NULL;
    bound->cycles = ports_balance(groups, count, &critical);
    double measured = measured_cycles(block, scratch, &first, &measured_count);
    if (measured > bound->cycles) {
        bound->cycles = measured;
        for (unsigned i = 0; bound->marks && i < measured_count; i++)
            bound->marks[first[i].item] = 1;
        return;
    }
    for (unsigned i = 0; bound->marks && i < block->count; i++)
        for (unsigned u = 0; u < block->items[i].port_count; u++)
            if (block->items[i].ports[u].ports && !(block->items[i].ports[u].ports & ~critical))
                bound->marks[i] = 1;
}

void cost_port_pressure(const struct cost_block *block, struct cost_scratch *scratch, double *pressure)
{
    (void)scratch;
    struct port_group groups[MOST_GROUPS];
    double shares[MOST_GROUPS][32];
    unsigned ports = block->machine->port_count, count = gather(block, groups);
    ports_share(groups, count, shares);
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        for (unsigned port = 0; port < ports; port++)
            pressure[(size_t)i * ports + port] = 0;
        for (unsigned u = 0; u < item->port_count; u++) {
            unsigned group = find_group(groups, &count, item->ports[u].ports);
            if (group == MOST_GROUPS || !(groups[group].uops > 0) || !item->ports[u].ports)
                continue;
            for (unsigned port = 0; port < ports; port++)
                pressure[(size_t)i * ports + port] +=
                    shares[group][port] * (double)item->ports[u].times / groups[group].uops;
        }
    }
}
