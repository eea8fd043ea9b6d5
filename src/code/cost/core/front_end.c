/* Predecoder and decoders together.

   Each of them may be fast enough alone, but not both together: instructions reach the decoders a few cycles
   after the predecoder found them, through a queue that holds little more than is under way. The predecoder
   delivers in bursts, five instructions and then three; the decoders take four or fewer, and leave the last
   available instruction alone while it may still fuse with the next one. `mov r,[m]; test r,r` loses an
   eighth that way on Haswell although both parts could do it in half a cycle.

   So both are simulated cycle by cycle, as in Abel and Reineke's uiCA. The predecoder starts its next step if
   the queue has room for all instructions that it may find. The decoders take one group of the instructions
   that have been in the queue for long enough. Both stop while the microcode sequencer is busy. After a whole
   number of periods of the predecoder the state repeats, and the cycles between two equal states are the
   answer.

   If a loop is partly in the µop cache, the cycles of that part are added, because the sources of µops take
   turns. */
#include "code/cost/core/front_end.h"

#include <string.h>

enum {
    QUEUE_DELAY = 3, /* cycles from the predecoder to the decoders (uiCA) */
    FEWEST_PERIODS = 4,
    MOST_PERIODS = 32,
    MOST_INSTRUCTIONS = 20000, /* beyond the fewest periods: ends of large blocks weigh little */
};

/* All bytes count: states are compared as memory. */
struct state {
    uint32_t batch, wait;
    uint32_t at;                      /* instruction of the stream that is next for the decoders */
    uint32_t queued;                  /* raw instructions, those on the way included */
    uint32_t on_the_way[QUEUE_DELAY]; /* found in this cycle, in the last, … */
    uint32_t has_started;             /* the present step of the predecoder */
};

struct front {
    const struct machine_core *core;
    const struct front_stream *stream;
    const struct front_batches *batches;
    unsigned queue;
    struct state state;
    uint64_t cycle, decoded;
};

static void predecode_cycle(struct front *front)
{
    struct state *state = &front->state;
    const struct front_batch *batch = &front->batches->batches[state->batch];
    if (!state->has_started && state->queued + front->core->predecode_width <= front->queue) {
        state->has_started = 1;
        state->wait = batch->stall;
    }
    if (!state->has_started)
        return;
    if (state->wait) {
        state->wait--;
        return;
    }
    state->queued += batch->count;
    state->on_the_way[0] = batch->count;
    state->has_started = 0;
    state->batch = state->batch + 1 < front->batches->count ? state->batch + 1 : 0;
}

static void pass_cycle(struct front *front)
{
    uint32_t *on_the_way = front->state.on_the_way;
    for (unsigned i = QUEUE_DELAY - 1; i > 0; i--)
        on_the_way[i] = on_the_way[i - 1];
    on_the_way[0] = 0;
    front->cycle++;
}

static void decode_cycle(struct front *front)
{
    struct state *state = &front->state;
    uint32_t at_hand = state->queued, taken, busy = 0;
    for (unsigned i = 0; i < QUEUE_DELAY; i++)
        at_hand -= state->on_the_way[i];
    unsigned count = front_group(front->core, front->stream, state->at, at_hand, &taken);
    if (count) {
        unsigned last = state->at + count - 1;
        while (last >= front->stream->count)
            last -= front->stream->count;
        busy = front->stream->instructions[last].busy;
        state->at = last + 1 < front->stream->count ? last + 1 : 0;
        state->queued -= taken;
        front->decoded += taken;
    }
    pass_cycle(front);
    for (unsigned i = 0; i < busy && i < QUEUE_DELAY; i++)
        pass_cycle(front);
    if (busy > QUEUE_DELAY)
        front->cycle += busy - QUEUE_DELAY;
}

/* Starts the decoders with the instruction that the predecoder delivers first; if that is an absorbed branch,
   the one before it is available already. */
static void begin(struct front *front)
{
    unsigned at = 0;
    while (at + 1 < front->stream->count && front->stream->instructions[at + 1].item <= front->batches->first)
        at++;
    front->state.at = at;
    front->state.queued = front->batches->first - front->stream->instructions[at].item;
}

static double cycles_of_period(struct front *front, struct cost_scratch *scratch, uint64_t period)
{
    uint64_t most = MOST_INSTRUCTIONS / period;
    most = most < FEWEST_PERIODS ? FEWEST_PERIODS : most > MOST_PERIODS ? MOST_PERIODS : most;
    struct mark {
        struct state state;
        uint64_t cycle, decoded;
    } *marks = arena_get(&scratch->arena, (most + 1) * sizeof *marks);
    unsigned count = 0;
    for (uint64_t end = 0; count <= most; end += period) {
        while (front->decoded < end) {
            predecode_cycle(front);
            decode_cycle(front);
        }
        struct mark *mark = &marks[count];
        *mark = (struct mark){.state = front->state, .cycle = front->cycle, .decoded = front->decoded};
        for (unsigned i = count; i-- > 0;)
            if (!memcmp(&marks[i].state, &mark->state, sizeof mark->state))
                return (double)(mark->cycle - marks[i].cycle) * (double)period /
                       (double)(mark->decoded - marks[i].decoded);
        count++;
    }
    /* The queue still fills: the second half is near enough to the steady state. */
    const struct mark *middle = &marks[count / 2], *last = &marks[count - 1];
    return (double)(last->cycle - middle->cycle) * (double)period / (double)(last->decoded - middle->decoded);
}

void cost_front_end(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    const struct machine_core *core = &block->machine->core;
    bound->cycles = 0;
    if (!core->decoders || !core->instruction_queue)
        return;
    struct front front = {.core = core, .queue = core->instruction_queue};
    front.stream = front_stream(block, scratch);
    front.batches = front_batches(block, front.stream->first, scratch);
    if (!front.stream->count || !front.batches->count)
        return;
    if (front.queue < 2 * core->predecode_width)
        front.queue = 2 * core->predecode_width;
    begin(&front);
    uint64_t period = (uint64_t)(block->count - front.stream->first) * front.batches->iterations;
    bound->cycles = cycles_of_period(&front, scratch, period) / front.batches->iterations;
    if (front.stream->first)
        bound->cycles += front_cached_cycles(block, front.stream->first);
    front_mark_all(block, front.stream->first, bound);
}
