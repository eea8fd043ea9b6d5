/* The decoders: instructions become µops, group by group.

   A group starts on the complex decoder, which takes instructions of several µops, and continues on the
   simple decoders, which take one µop each. It ends when all decoders are used, before an instruction that
   needs the complex decoder, after a branch, and before the µops exceed what the decoders yield together. On
   some cores it also ends before an instruction that may fuse with a branch if only the last decoder is left.
   Some instructions leave fewer simple decoders free. After a microcoded instruction the sequencer takes the
   cycles (Abel and Reineke, uiCA; the steady state as in Facile).

   If all decoders are alike (together they yield as many µops as each takes, times their number),
   instructions of several µops need no special one. */
#include "code/cost/core/front_end.h"

#include <math.h>

enum { ALL_SIMPLE = UINT8_MAX };

static void see(const struct cost_block *block, unsigned i, struct front_instruction *seen)
{
    const struct machine_core *core = &block->machine->core;
    const struct cost_item *item = &block->items[i];
    const struct machine_cost *cost = item->cost;
    bool are_alike = core->decode_uops && core->decode_uops >= core->decoders * core->complex_uops;
    *seen = (struct front_instruction){
        .instructions = item->is_fused ? 2 : 1,
        .needs_complex_decoder =
            cost->needs_complex_decoder || cost->microcoded || (cost->decoded > 1 && !are_alike),
        .simple_decoders = cost->needs_complex_decoder ? cost->simple_decoders : ALL_SIMPLE,
        .ends_group = item->is_fused || cost->is_branch || cost->microcoded,
        .may_fuse = item->is_fused || (cost->form && cost->form->fuses.count),
        .uops = cost->decoded,
        .item = i,
    };
    if (cost->microcoded)
        seen->busy = front_microcode_cycles(item) + (unsigned)lround(core->microcode_switch);
}

const struct front_stream *front_stream(const struct cost_block *block, struct cost_scratch *scratch)
{
    if (scratch->block_number && scratch->streamed_block == scratch->block_number)
        return scratch->stream;
    struct front_stream *stream = arena_get(&scratch->arena, sizeof *stream);
    stream->first = front_decoded_from(block);
    size_t count = block->count - stream->first;
    stream->instructions = arena_get(&scratch->arena, (count + 1) * sizeof *stream->instructions);
    stream->groups = arena_get(&scratch->arena, (count + 1) * sizeof *stream->groups);
    for (unsigned i = stream->first; i < block->count; i++)
        if (!block->items[i].is_absorbed)
            see(block, i, &stream->instructions[stream->count++]);
    scratch->stream = stream;
    scratch->streamed_block = scratch->block_number;
    return stream;
}

/* An instruction that may fuse waits until the next one is visible. */
static bool is_early(const struct front_instruction *next, unsigned taken, unsigned at_hand)
{
    return at_hand < taken + 1u + next->may_fuse;
}

static void find_group(const struct machine_core *core, const struct front_stream *stream, unsigned from,
                       struct front_group *group)
{
    unsigned count = 0, free = core->decoders, uops = 0;
    group->taken = group->needs = 0;
    while (free) {
        const struct front_instruction *next = &stream->instructions[from];
        if (count && next->needs_complex_decoder)
            break;
        if (count && next->may_fuse && !core->fuses_on_last_decoder && count == core->decoders - 1)
            break;
        if (count && core->decode_uops && uops + next->uops > core->decode_uops)
            break;
        count++;
        group->needs = group->taken + 1u + next->may_fuse;
        group->taken += next->instructions;
        uops += next->uops;
        free--;
        if (next->needs_complex_decoder && next->simple_decoders < free)
            free = next->simple_decoders;
        if (next->ends_group)
            break;
        from = from + 1 < stream->count ? from + 1 : 0;
    }
    group->count = count;
}

/* Each instruction of a group needs more available instructions than the one before. */
unsigned front_group(const struct machine_core *core, const struct front_stream *stream, unsigned from,
                     unsigned at_hand, unsigned *taken)
{
    struct front_group *group = &stream->groups[from];
    if (!group->count)
        find_group(core, stream, from, group);
    if (at_hand >= group->needs) {
        *taken = group->taken;
        return group->count;
    }
    unsigned count = 0;
    *taken = 0;
    while (count < group->count && !is_early(&stream->instructions[from], *taken, at_hand)) {
        *taken += stream->instructions[from].instructions;
        from = from + 1 < stream->count ? from + 1 : 0;
        count++;
    }
    return count;
}

/* Groups over the repeated block until one starts where an earlier one started. */
void cost_decode(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine_core *core = &block->machine->core;
    bound->cycles = 0;
    if (!core->decoders)
        return;
    const struct front_stream *stream = front_stream(block, scratch);
    if (!stream->count)
        return;
    struct visit {
        uint64_t cycle, iteration;
        bool is_made;
    } *visits = arena_get(&scratch->arena, stream->count * sizeof *visits);
    unsigned at = 0;
    uint64_t cycle = 0, iteration = 0;
    while (!visits[at].is_made) {
        visits[at] = (struct visit){.cycle = cycle, .iteration = iteration, .is_made = true};
        unsigned taken, count = front_group(core, stream, at, UINT32_MAX, &taken);
        cycle++;
        for (unsigned i = 0; i < count; i++) {
            cycle += stream->instructions[at].busy;
            at++;
            if (at == stream->count) {
                at = 0;
                iteration++;
            }
        }
    }
    bound->cycles = (double)(cycle - visits[at].cycle) / (double)(iteration - visits[at].iteration);
    uint64_t start = visits[at].cycle;
    for (unsigned i = 0; i < stream->count && bound->marks; i++)
        if (visits[i].is_made && visits[i].cycle >= start)
            bound->marks[stream->instructions[i].item] = 1;
}
