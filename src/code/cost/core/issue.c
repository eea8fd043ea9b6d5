/* Renaming: a limited number of µops per cycle, in order.

   It counts µops as the renamer sees them: fused pairs once, µops with an indexed address that it splits
   twice, moves and idioms that it executes itself once, and the µop that updates the stack pointer. The two
   halves of a split µop go in one cycle (Abel and Reineke, uiCA), so a last slot may stay empty before them.
   A µop that merges a high byte into its register takes a cycle alone (uiCA).

   Golden Cove splits two µops per cycle, and only among the first three that it takes in that cycle
   (measured: 12 comparisons with an indexed operand take 6 cycles, with one no-op after each 6, with two 12,
   with five 16; three and one no-op take 18 for 12, three and two 24). It does not split a comparison that is
   fused with a branch (measured: such a pair and five no-ops take one cycle).

   Some schedulers take fewer µops per cycle than renaming delivers: dispatch.c. */
#include "code/cost/core/core.h"
#include "code/cost/core/repetition.h"

/* Slots that the renamer has filled in the current cycle, and the cycles before. */
struct slots {
    unsigned width, used;
    unsigned most_splits, split_reach; /* µops that a cycle splits; among how many first ones, 0: any */
    unsigned splits;                   /* splits made in the current cycle, if they are limited */
    uint64_t cycles;
};

static bool takes(const struct slots *slots, unsigned together)
{
    if (slots->used + together > slots->width)
        return false;
    return together < 2 || !slots->most_splits ||
           (slots->splits < slots->most_splits && slots->used - slots->splits < slots->split_reach);
}

static void issue(struct slots *slots, unsigned together)
{
    if (!takes(slots, together)) {
        slots->cycles++;
        slots->used = slots->splits = 0;
    }
    slots->used += together;
    slots->splits += together == 2 && slots->most_splits;
}

/* µops that go one by one; microcode may have tens of thousands. */
static void issue_many(struct slots *slots, unsigned count)
{
    if (!count)
        return;
    unsigned filled = slots->used + count, cycles = (filled - 1) / slots->width;
    slots->cycles += cycles;
    slots->used = filled - cycles * slots->width;
    slots->splits = cycles ? 0 : slots->splits;
}

static void issue_alone(struct slots *slots)
{
    slots->cycles += slots->used > 0;
    slots->cycles++;
    slots->used = slots->splits = 0;
}

static unsigned whole_uops(const struct cost_item *item)
{
    return item->cost->decoded + item->cost->microcoded;
}

unsigned cost_slots(const struct cost_block *block, const struct cost_item *item)
{
    unsigned whole = whole_uops(item);
    if (item->is_absorbed)
        return 0;
    bool stays = item->is_fused && block->machine->core.keeps_pairs && whole && whole < item->cost->fused;
    return stays ? whole : item->cost->fused;
}

static void issue_item(struct slots *slots, const struct cost_block *block, const struct cost_item *item)
{
    for (unsigned i = 0; i < item->merges; i++)
        issue_alone(slots);
    for (unsigned i = 0; i < item->synchronises; i++)
        issue(slots, 1);
    if (item->is_absorbed)
        return;
    unsigned uops = whole_uops(item), fused = cost_slots(block, item);
    unsigned split = fused > uops && uops ? fused - uops : 0;
    unsigned left = fused;
    for (; split && left >= 2 && slots->width >= 2; split--, left -= 2)
        issue(slots, 2);
    issue_many(slots, left);
}

/* Whether any µops must go together, or alone. */
static bool packs_any(const struct cost_block *block)
{
    for (unsigned i = 0; i < block->count; i++) {
        const struct cost_item *item = &block->items[i];
        if (item->merges)
            return true;
        if (cost_slots(block, item) > whole_uops(item) && whole_uops(item))
            return true;
    }
    return false;
}

/* Iterations start with some slots of a cycle filled and some splits made. */
static double packed(const struct cost_block *block, unsigned width)
{
    const struct machine_core *core = &block->machine->core;
    struct slots slots = {.width = width, .most_splits = core->splits, .split_reach = core->split_reach};
    struct cost_repetition repetition = {0};
    double cycles;
    while (!cost_repeats(&repetition, (uint64_t)slots.used << 32 | slots.splits, slots.cycles, &cycles))
        for (unsigned i = 0; i < block->count; i++)
            issue_item(&slots, block, &block->items[i]);
    return cycles;
}

void cost_issue(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    unsigned width = block->machine->core.issue;
    bound->cycles = 0;
    if (!width)
        return;
    bound->cycles = packs_any(block) ? packed(block, width) : (double)block->issued / width;
    double sent = cost_dispatch(block, NULL);
    if (sent > bound->cycles) {
        bound->cycles = cost_dispatch(block, bound->marks);
        return;
    }
    for (unsigned i = 0; i < block->count && bound->marks; i++)
        bound->marks[i] =
            block->items[i].synchronises || (!block->items[i].is_absorbed && block->items[i].cost->fused);
}
