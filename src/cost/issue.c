/* Renaming: so many µops a cycle, in order.

   Counted are µops as the renamer sees them: fused pairs once, those with an indexed address that it splits
   twice, moves and idioms that it does itself as well, and the µop that brings the stack pointer up to date.
   The two halves of a µop that it splits go in one cycle (Abel and Reineke, uiCA), so a last slot may stay
   empty before them; a µop that puts a high byte into its register has a cycle alone (the same). */
#include "cost/core.h"

/* Slots that the renamer has filled in its present cycle, and cycles before. */
struct slots {
    unsigned width, used;
    uint64_t cycles;
};

static void issue(struct slots *slots, unsigned together)
{
    if (slots->used + together > slots->width) {
        slots->cycles++;
        slots->used = 0;
    }
    slots->used += together;
}

static void issue_alone(struct slots *slots)
{
    slots->cycles += slots->used > 0;
    slots->cycles++;
    slots->used = 0;
}

static void issue_item(struct slots *slots, const struct cost_item *item)
{
    for (unsigned i = 0; i < item->merges; i++)
        issue_alone(slots);
    for (unsigned i = 0; i < item->synchronises; i++)
        issue(slots, 1);
    if (item->is_absorbed)
        return;
    unsigned uops = item->cost->decoded + item->cost->microcoded, fused = item->cost->fused;
    unsigned split = fused > uops && uops ? fused - uops : 0;
    for (unsigned left = fused; left;) {
        unsigned together = split && left >= 2 && slots->width >= 2 ? 2 : 1;
        split -= together == 2;
        left -= together;
        issue(slots, together);
    }
}

/* Whether any µops have to go together, or alone. */
static bool packs_any(const struct cost_block *block)
{
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        if (block->items[i].merges)
            return true;
        if (cost->fused > cost->decoded + cost->microcoded && cost->decoded + cost->microcoded)
            return true;
    }
    return false;
}

/* After as many iterations as there are slots in a cycle one must have started as another did. */
static double packed(const struct cost_block *block, unsigned width)
{
    enum { MOST_WIDTH = 32 };
    struct slots slots = {.width = width};
    uint64_t cycles[MOST_WIDTH + 1];
    int seen[MOST_WIDTH + 1];
    for (unsigned i = 0; i <= MOST_WIDTH; i++)
        seen[i] = -1;
    for (int iteration = 0; slots.used <= MOST_WIDTH; iteration++) {
        if (seen[slots.used] >= 0)
            return (double)(slots.cycles - cycles[slots.used]) / (iteration - seen[slots.used]);
        seen[slots.used] = iteration;
        cycles[slots.used] = slots.cycles;
        for (unsigned i = 0; i < block->count; i++)
            issue_item(&slots, &block->items[i]);
    }
    return (double)block->issued / width;
}

void cost_issue(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    (void)scratch;
    unsigned width = block->machine->core.issue;
    bound->cycles = 0;
    if (!width)
        return;
    bound->cycles = packs_any(block) ? packed(block, width) : (double)block->issued / width;
    for (unsigned i = 0; i < block->count && bound->marks; i++)
        bound->marks[i] =
            block->items[i].synchronises || (!block->items[i].is_absorbed && block->items[i].cost->fused);
}
