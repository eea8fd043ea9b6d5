/* The µop cache (DSB): code that was decoded before.

   It keeps µops by aligned windows of code, each in a few lines of a few µops. The µops of an instruction
   stay in one line; a microcoded instruction has a line of its own. A window that needs more lines than
   allowed is not kept. On some cores, neither is a window with a branch that crosses its boundary or ends on
   it (Intel's fix of the JCC erratum), nor one whose other half of 64 bytes is not kept. After the first
   window that is not kept, the decoders continue to the end of the iteration, because only a branch leads
   back to the cache (Fog; Abel and Reineke, uiCA).

   A cycle delivers a limited number of µops, from at most two lines. If the loop ends in the window in which
   it starts, a cycle does not continue with the start of the loop: a loop in one window takes whole cycles.
 */
#include "code/cost/core/front_end.h"
#include "code/cost/core/repetition.h"

#include <math.h>

unsigned front_uops(const struct cost_item *item)
{
    unsigned uops = item->cost->decoded + item->cost->microcoded;
    return uops ? uops : 1;
}

bool front_jumps(const struct cost_block *block, unsigned item)
{
    const struct cost_item *here = &block->items[item];
    const struct cost_item *next = item + 1 < block->count ? here + 1 : block->items;
    return here->address + here->cost->size != next->address;
}

void front_mark_all(const struct cost_block *block, unsigned first, struct cost_bound *bound)
{
    for (unsigned i = first; i < block->count && bound->marks; i++)
        bound->marks[i] = 1;
}

/* The slots of a line that an item takes: its own µops, or the whole line, which ends it. */
static unsigned entries(const struct machine_core *core, const struct cost_item *item)
{
    if (item->cost->microcoded || item->cost->decoded >= core->cache_line_uops)
        return core->cache_line_uops;
    return item->cost->decoded ? item->cost->decoded : 1;
}

/* The item after the last one that starts in this window of code, without a jump in between. */
static unsigned end_of_stretch(const struct cost_block *block, unsigned first, unsigned bytes)
{
    uint64_t stretch = block->items[first].address / bytes;
    unsigned i = first;
    while (i + 1 < block->count && !front_jumps(block, i) && block->items[i + 1].address / bytes == stretch)
        i++;
    return i + 1;
}

static bool meets_border(const struct cost_block *block, unsigned i, unsigned bytes)
{
    const struct cost_item *item = &block->items[i];
    uint64_t end = item->address + item->cost->size;
    if (item->is_fused)
        end += block->items[i + 1].cost->size;
    return (item->cost->is_branch || item->is_fused) && item->address / bytes != end / bytes;
}

static bool fits(const struct cost_block *block, unsigned first, unsigned end)
{
    const struct machine_core *core = &block->machine->core;
    unsigned lines = 0, free = 0;
    for (unsigned i = first; i < end; i++) {
        const struct cost_item *item = &block->items[i];
        if (core->cache_without_borders && meets_border(block, i, core->cache_block))
            return false;
        if (item->is_absorbed)
            continue;
        unsigned needs = entries(core, item);
        if (needs > free) {
            lines++;
            free = core->cache_line_uops;
        }
        free -= needs;
    }
    return lines <= core->cache_lines;
}

unsigned front_cached_items(const struct cost_block *block)
{
    const struct machine_core *core = &block->machine->core;
    if (block->mode != cost_LOOP || !core->cache_width || !core->cache_block || !core->cache_line_uops)
        return 0;
    unsigned cached = 0;
    while (cached < block->count) {
        unsigned end = end_of_stretch(block, cached, core->cache_block), next = end;
        if (!fits(block, cached, end))
            break;
        /* The other half, if this is the first one and the code continues there. */
        if (core->cache_in_pairs && end < block->count && !front_jumps(block, end - 1) &&
            block->items[cached].address / (2 * core->cache_block) ==
                block->items[end].address / (2 * core->cache_block)) {
            next = end_of_stretch(block, end, core->cache_block);
            if (!fits(block, end, next))
                break;
        }
        cached = next;
    }
    return cached;
}

unsigned front_decoded_from(const struct cost_block *block)
{
    return cost_is_replayed(block) ? block->count : front_cached_items(block);
}

bool cost_is_cached(const struct cost_block *block)
{
    return block->mode == cost_LOOP && block->count && front_cached_items(block) == block->count;
}

/* Delivery over repeated iterations. A cycle leaves a line when the next µops are in another one. */
struct delivery {
    const struct machine_core *core;
    unsigned free;  /* µops that the cycle can still deliver */
    unsigned lines; /* lines that the cycle has read, at most 2 */
    uint64_t cycles;
};

static void next_cycle(struct delivery *delivery)
{
    delivery->cycles++;
    delivery->free = delivery->core->cache_width;
    delivery->lines = 1;
}

static void deliver_iteration(const struct cost_block *block, unsigned items, struct delivery *delivery)
{
    const struct machine_core *core = delivery->core;
    unsigned room = 0, stretch_end = 0;
    for (unsigned i = 0; i < items; i++) {
        const struct cost_item *item = &block->items[i];
        if (i == stretch_end) {
            stretch_end = end_of_stretch(block, i, core->cache_block);
            room = 0;
        }
        if (item->is_absorbed)
            continue;
        unsigned needs = entries(core, item), uops = item->cost->decoded;
        if (needs > room) {
            room = core->cache_line_uops;
            if (++delivery->lines > 2)
                next_cycle(delivery);
        }
        room -= needs;
        for (; uops; uops--) {
            if (!delivery->free)
                next_cycle(delivery);
            delivery->free--;
        }
        if (item->cost->microcoded)
            delivery->free = 0;
    }
}

double front_cached_cycles(const struct cost_block *block, unsigned items)
{
    const struct machine_core *core = &block->machine->core;
    if (!items || !core->cache_width)
        return 0;
    bool is_one_stretch = end_of_stretch(block, 0, core->cache_block) >= items;
    struct delivery delivery = {.core = core};
    if (is_one_stretch || items < block->count) {
        deliver_iteration(block, items, &delivery);
        return (double)delivery.cycles;
    }
    struct cost_repetition repetition = {0};
    double cycles;
    while (
        !cost_repeats(&repetition, (uint64_t)delivery.free << 2 | delivery.lines, delivery.cycles, &cycles))
        deliver_iteration(block, items, &delivery);
    return cycles;
}

void cost_uop_cache(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    unsigned cached = front_cached_items(block);
    bound->cycles = cost_is_replayed(block) ? 0 : front_cached_cycles(block, cached);
    for (unsigned i = 0; i < cached && bound->marks; i++)
        bound->marks[i] = 1;
}
