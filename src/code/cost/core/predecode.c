/* The predecoder: where instructions start.

   It looks at one aligned window of code per cycle and finds a limited number of instructions in it. An
   instruction that reaches into the next window is found there, where it ends. If the limit is reached and
   the next instruction reaches into the next window with its opcode still in this one, the window takes
   another cycle. A length-changing prefix delays the window, minus the extra cycles that the window before
   took (Abel and Reineke, uiCA and Facile).

   Code of L bytes that is repeated without a branch lies in the windows in the same way again after the least
   common multiple of L and the window; a loop starts again at its first byte each time. Windows are powers of
   two; a machine file with another size gets no bound. */
#include "code/cost/core/front_end.h"

#include <math.h>

struct walk {
    const struct machine_core *core;
    unsigned shift; /* from an address to its window */
    struct front_batches *out;
    uint64_t from, to;            /* windows that are recorded */
    uint64_t window;              /* number of the current one */
    unsigned found;               /* in the current step */
    unsigned prefixes;            /* length-changing prefixes in this window */
    unsigned prefixes_of_next;    /* whose opcode is in the next one, though the instruction starts here */
    unsigned steps, steps_before; /* of this window and of the one before */
    unsigned first_step;          /* of this window, in batches; where it is recorded */
    bool is_open, records;
};

static void step(struct walk *walk)
{
    walk->steps++;
    if (walk->records)
        walk->out->batches[walk->out->count++] = (struct front_batch){.count = (uint16_t)walk->found};
    walk->found = 0;
}

static void close_window(struct walk *walk)
{
    if (!walk->is_open)
        return;
    step(walk);
    unsigned stall = (unsigned)lround(walk->prefixes * walk->core->length_change);
    unsigned overlap = walk->steps_before ? walk->steps_before - 1 : 0;
    if (walk->records && stall > overlap)
        walk->out->batches[walk->first_step].stall = (uint16_t)(stall - overlap);
    walk->steps_before = walk->steps;
    walk->is_open = false;
}

static void open_window(struct walk *walk, uint64_t window, unsigned found)
{
    walk->window = window;
    walk->records = window >= walk->from && window < walk->to;
    walk->found = found;
    walk->prefixes = walk->prefixes_of_next;
    walk->prefixes_of_next = 0;
    walk->steps = 0;
    walk->first_step = walk->out->count;
    walk->is_open = true;
}

static void meet(struct walk *walk, const struct machine_cost *cost, uint64_t address)
{
    uint64_t window = address >> walk->shift, opcode = (address + cost->opcode_offset) >> walk->shift;
    uint64_t last = (address + cost->size - 1) >> walk->shift;
    if (walk->window != window)
        close_window(walk);
    if (!walk->is_open)
        open_window(walk, window, 0);
    if (cost->has_length_change) {
        walk->prefixes += opcode == walk->window;
        walk->prefixes_of_next += opcode != walk->window;
    }
    if (walk->found == walk->core->predecode_width && (last == walk->window || opcode == walk->window))
        step(walk);
    if (last == walk->window) {
        walk->found++;
    } else {
        close_window(walk);
        open_window(walk, last, 1);
    }
}

/* Fast path for an ordinary instruction that lies completely in the open window. */
static bool meet_within(struct walk *walk, const struct machine_cost *cost, uint64_t address)
{
    if (!walk->is_open || (address + cost->size - 1) >> walk->shift != walk->window ||
        cost->has_length_change)
        return false;
    if (walk->found == walk->core->predecode_width)
        step(walk);
    walk->found++;
    return true;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The steady state begins after two windows: the first may be cut, and the second depends on it. */
static void repeat_without_branch(const struct cost_block *block, uint32_t size, struct walk *walk)
{
    unsigned bytes = walk->core->predecode_bytes;
    uint64_t address = block->items[0].address % bytes;
    walk->from = 2;
    walk->to = 2 + (uint64_t)walk->out->iterations * size / bytes;
    for (unsigned i = 0; walk->window < walk->to; i = i + 1 < block->count ? i + 1 : 0) {
        const struct machine_cost *cost = block->items[i].cost;
        if (!meet_within(walk, cost, address)) {
            bool recorded = walk->records;
            meet(walk, cost, address);
            if (!recorded && walk->records)
                walk->out->first = i;
        }
        address += cost->size;
    }
}

static void repeat_with_branch(const struct cost_block *block, unsigned first, struct walk *walk)
{
    for (unsigned round = 0; round < 2; round++) {
        walk->to = round ? UINT64_MAX : 0;
        walk->prefixes_of_next = 0;
        for (unsigned i = first; i < block->count; i++) {
            meet(walk, block->items[i].cost, block->items[i].address);
            if (front_jumps(block, i))
                close_window(walk);
        }
        close_window(walk);
    }
}

static void find_batches(const struct cost_block *block, unsigned first, struct cost_scratch *scratch,
                         struct front_batches *batches)
{
    const struct machine_core *core = &block->machine->core;
    uint32_t size = 0;
    for (unsigned i = first; i < block->count; i++)
        size += block->items[i].cost->size;
    bool has_windows = core->predecode_bytes && !(core->predecode_bytes & (core->predecode_bytes - 1));
    if (!has_windows || !core->predecode_width || !size)
        return;
    if (block->mode == cost_UNROLLED)
        batches->iterations = core->predecode_bytes / common_divisor(size, core->predecode_bytes);
    /* An instruction makes at most three steps: one of the window before, one of its own, one of the window
       it enters. */
    size_t most = 3 * ((size_t)batches->iterations * (block->count - first) + 1);
    batches->batches = arena_get(&scratch->arena, most * sizeof *batches->batches);
    struct walk walk = {
        .core = core, .shift = (unsigned)__builtin_ctz(core->predecode_bytes), .out = batches};
    if (block->mode == cost_UNROLLED)
        repeat_without_branch(block, size, &walk);
    else
        repeat_with_branch(block, first, &walk);
}

const struct front_batches *front_batches(const struct cost_block *block, unsigned first,
                                          struct cost_scratch *scratch)
{
    if (scratch->block_number && scratch->batched_block == scratch->block_number)
        return scratch->batches;
    struct front_batches *batches = arena_get(&scratch->arena, sizeof *batches);
    batches->iterations = 1;
    batches->first = first;
    find_batches(block, first, scratch, batches);
    scratch->batches = batches;
    scratch->batched_block = scratch->block_number;
    return batches;
}

static void mark_prefixes(const struct cost_block *block, unsigned first, double stalled, double cycles,
                          struct cost_bound *bound)
{
    if (stalled * 2 < cycles) {
        front_mark_all(block, first, bound);
        return;
    }
    for (unsigned i = first; i < block->count && bound->marks; i++)
        bound->marks[i] = block->items[i].cost->has_length_change;
}

void cost_predecode(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    bound->cycles = 0;
    if (!block->machine->core.predecode_bytes)
        return;
    unsigned first = front_decoded_from(block);
    const struct front_batches *batches = front_batches(block, first, scratch);
    uint64_t cycles = 0, stalled = 0;
    for (unsigned i = 0; i < batches->count; i++) {
        cycles += 1 + batches->batches[i].stall;
        stalled += batches->batches[i].stall;
    }
    bound->cycles = (double)cycles / batches->iterations;
    mark_prefixes(block, first, (double)stalled, (double)cycles, bound);
}
