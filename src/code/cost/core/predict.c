/* All parts of the core, and which of them limits. The largest bound wins. Among equal bounds, the part that
   comes later in the order below is named: a part nearer to execution is the better explanation, because a
   user can change a dependence chain more easily than the address of the code.

   The combined front end is simulated only if it can matter: predecoder and decoders together take at most
   the sum of both. If that sum is below another bound and only the cycles are needed, the simulation is
   skipped. */
#include "code/cost/core/core.h"

#include <math.h>
#include <string.h>

/* Ports that are free for most of the time are free when they are needed. */
static const double BUSY = 0.4;
/* Schedulers that are full for most of the time make ports wait: from here on it was measured. */
static const double CROWDED = 0.65;
/* A small excess is the end of a simulation, not a limit; of crowded schedulers, it is within what the model errs. */
static const double EXCESS = 1.01, CROWD_EXCESS = 1.05;
/* Alignment matters if it makes an iteration so many times longer. */
static const double LEAST_RANGE = 1.05;

typedef void cost_part(const struct cost_block *block, struct cost_scratch *scratch,
                       struct cost_bound *bound);

static const struct {
    enum core_part part;
    cost_part *bound;
    bool is_for_order; /* counts on an in-order core */
} parts[] = {
    {core_part_PREDECODE, cost_predecode, false},  {core_part_DECODE, cost_decode, false},
    {core_part_UOP_CACHE, cost_uop_cache, false},  {core_part_LOOP_BUFFER, cost_loop_buffer, false},
    {core_part_MICROCODE, cost_microcode, true},   {core_part_RETIRE, cost_retire, false},
    {core_part_ISSUE, cost_issue, false},          {core_part_BRANCHES, cost_branches, true},
    {core_part_STORES, cost_stores, false},        {core_part_LOADS, cost_loads, false},
    {core_part_PORTS, cost_ports, false},          {core_part_DIVIDER, cost_divider, true},
    {core_part_FORWARDING, cost_forwarding, true}, {core_part_WINDOW, cost_window, false},
    {core_part_LATENCY, cost_latency, true},       {core_part_PAIRING, cost_pairing, true},
};

/* Parts after renaming get the moves that renaming does not eliminate. */
static const enum core_part first_behind_renaming = core_part_STORES;

/* Cycles of an iteration in the parts before renaming, as far as they are known by then. */
static double delivered(const struct cost_prediction *prediction)
{
    return fmax(
        fmax(prediction->bounds[core_part_PREDECODE].cycles, prediction->bounds[core_part_DECODE].cycles),
        fmax(prediction->bounds[core_part_UOP_CACHE].cycles,
             prediction->bounds[core_part_LOOP_BUFFER].cycles));
}

static void ask(const struct cost_block *block, struct cost_scratch *scratch, enum cost_detail detail,
                enum core_part part, cost_part *bound, struct cost_prediction *prediction)
{
    struct cost_bound *answer = &prediction->bounds[part];
    if (detail == cost_MARKS)
        answer->marks = arena_get(&scratch->arena, block->count);
    bound(block, scratch, answer);
}

static void ask_front_end(const struct cost_block *block, struct cost_scratch *scratch,
                          enum cost_detail detail, struct cost_prediction *prediction)
{
    const struct cost_bound *bounds = prediction->bounds;
    double apart = bounds[core_part_PREDECODE].cycles + bounds[core_part_DECODE].cycles +
                   bounds[core_part_UOP_CACHE].cycles;
    if (detail != cost_ANSWER || apart > prediction->cycles)
        ask(block, scratch, detail, core_part_FRONT_END, cost_front_end, prediction);
}

/* Pipes that are chosen at dispatch matter in loops whose pipes are busy (pipes.c). */
static void ask_pipes(const struct cost_block *block, struct cost_scratch *scratch, enum cost_detail detail,
                      struct cost_prediction *prediction)
{
    struct cost_bound *bound = &prediction->bounds[core_part_CONTENTION];
    double most = prediction->cycles;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        most = fmax(most, prediction->bounds[part].cycles);
    if (block->mode != cost_LOOP || prediction->bounds[core_part_PORTS].cycles <= BUSY * most)
        return;
    ask(block, scratch, detail, core_part_CONTENTION, cost_pipes, prediction);
    if (bound->cycles < EXCESS * most)
        bound->cycles = 0;
    for (unsigned i = 0; detail == cost_MARKS && bound->cycles > 0 && i < block->count; i++)
        bound->marks[i] = prediction->bounds[core_part_PORTS].marks[i];
}

/* A chain from iteration to iteration waits for ports if latency limits and the ports are busy for much of the time,
   or if several loads wait for the same pointers. The bursts in which µops arrive matter a lot; this was validated
   only for code without branches. */
static bool is_delayed_chain(const struct cost_block *block, const struct cost_scratch *scratch,
                             const struct cost_prediction *prediction)
{
    const struct cost_bound *bounds = prediction->bounds;
    double latency = bounds[core_part_LATENCY].cycles;
    bool meets_pointers = scratch->dependences.fast.count > 1; /* loads of a pointer that arrives */
    return block->mode == cost_UNROLLED && latency >= prediction->cycles &&
           (bounds[core_part_PORTS].cycles > BUSY * latency || meets_pointers);
}

/* The bound of the window takes what waits as spread evenly. Near it, µops of the oldest iterations wait for ports while
   those of the newest fill the schedulers, and both together take longer: up to 1.6 times, measured on a Cascade
   Lake with chains of 8 to 48 multiplications. */
static bool is_crowded(const struct cost_block *block, const struct cost_prediction *prediction)
{
    return block->mode == cost_LOOP &&
           prediction->bounds[core_part_WINDOW].cycles > CROWDED * prediction->cycles;
}

static void ask_contention(const struct cost_block *block, struct cost_scratch *scratch,
                           enum cost_detail detail, struct cost_prediction *prediction)
{
    static const enum core_part suppliers[] = {core_part_PREDECODE, core_part_DECODE, core_part_FRONT_END};
    const struct cost_bound *bounds = prediction->bounds;
    bool is_chain = is_delayed_chain(block, scratch, prediction);
    if (!is_chain && !is_crowded(block, prediction))
        return;
    if (!(bounds[core_part_FRONT_END].cycles > 0)) /* skipped, but supply depends on it */
        ask(block, scratch, detail, core_part_FRONT_END, cost_front_end, prediction);
    scratch->supply = 0;
    for (size_t i = 0; i < sizeof suppliers / sizeof *suppliers; i++)
        scratch->supply = fmax(scratch->supply, bounds[suppliers[i]].cycles);
    ask(block, scratch, detail, core_part_CONTENTION, cost_contention, prediction);
    if (!is_chain && bounds[core_part_CONTENTION].cycles < CROWD_EXCESS * prediction->cycles)
        prediction->bounds[core_part_CONTENTION].cycles = 0;
    if (detail == cost_MARKS && bounds[core_part_CONTENTION].cycles > 0)
        memcpy(bounds[core_part_CONTENTION].marks,
               bounds[is_chain ? core_part_LATENCY : core_part_WINDOW].marks, block->count);
}

/* In the order of the table, with contention and the front end first. */
enum core_part cost_largest(const double cycles[core_part_COUNT], uint32_t gone)
{
    static const enum core_part together[] = {core_part_CONTENTION, core_part_FRONT_END};
    const size_t before = sizeof together / sizeof *together, all = before + sizeof parts / sizeof *parts;
    enum core_part most = core_part_NONE;
    for (size_t i = 0; i < all; i++) {
        enum core_part part = i < before ? together[i] : parts[i - before].part;
        if (!(gone & COST_PART(part)) && cycles[part] > 0 &&
            (most == core_part_NONE || cycles[part] >= cycles[most]))
            most = part;
    }
    return most;
}

/* A part that pipes make only a little worse is still the limit. */
static enum core_part limit_of(const struct cost_prediction *prediction, bool is_simulated)
{
    static const double MUCH_WORSE = 1.25;
    double cycles[core_part_COUNT];
    for (unsigned part = 0; part < core_part_COUNT; part++)
        cycles[part] = prediction->bounds[part].cycles;
    if (is_simulated)
        cycles[core_part_CONTENTION] /= MUCH_WORSE;
    return cost_largest(cycles, 0);
}

/* The same bounds with the loads and stores of data that lies badly. */
static double unaligned(const struct cost_block *block, struct cost_scratch *scratch,
                        const struct cost_prediction *prediction)
{
    double loads, stores;
    cost_unaligned(block, scratch, &loads, &stores);
    double cycles = fmax(prediction->bounds[core_part_LOADS].cycles + loads,
                         prediction->bounds[core_part_STORES].cycles + stores);
    return cycles > LEAST_RANGE * prediction->cycles ? cycles : NAN;
}

/* The chain through memory if every iteration updates the same element of a table. */
static double repeated(const struct cost_block *block, struct cost_scratch *scratch,
                       const struct cost_prediction *prediction)
{
    struct cost_bound latency = {0};
    cost_find_dependences(block, scratch);
    if (!cost_writes_table(&scratch->addresses))
        return NAN;
    scratch->addresses.repeats = true;
    scratch->depended_block = 0;
    cost_latency(block, scratch, &latency);
    scratch->addresses.repeats = false;
    scratch->depended_block = 0;
    return latency.cycles > LEAST_RANGE * prediction->cycles ? latency.cycles : NAN;
}

void cost_predict(struct cost_block *block, struct cost_scratch *scratch, enum cost_detail detail,
                  struct cost_prediction *prediction)
{
    *prediction = (struct cost_prediction){.cycles = NAN,
                                           .next_cycles = NAN,
                                           .unaligned_cycles = NAN,
                                           .repeated_cycles = NAN,
                                           .easy_cycles = NAN,
                                           .hard_cycles = NAN,
                                           .scattered_cycles = NAN};
    arena_empty(&scratch->arena);
    scratch->block_number++;
    if (!block->count)
        return;
    cost_prepare(block);
    bool is_in_order = block->machine->core.is_in_order;
    prediction->cycles = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (is_in_order && !parts[i].is_for_order)
            continue;
        if (parts[i].part == first_behind_renaming) {
            scratch->supply = delivered(prediction);
            cost_eliminate(block, scratch, scratch->supply);
        }
        ask(block, scratch, detail, parts[i].part, parts[i].bound, prediction);
        if (prediction->bounds[parts[i].part].cycles > prediction->cycles)
            prediction->cycles = prediction->bounds[parts[i].part].cycles;
    }
    bool is_simulated = block->machine->core.port_choice == port_choice_FEWEST;
    if (!is_in_order) {
        ask_front_end(block, scratch, detail, prediction);
        if (is_simulated)
            ask_pipes(block, scratch, detail, prediction);
        else
            ask_contention(block, scratch, detail, prediction);
    }
    prediction->limit = limit_of(prediction, is_simulated);
    prediction->cycles =
        fmax(prediction->bounds[prediction->limit].cycles, prediction->bounds[core_part_CONTENTION].cycles);
    if (detail != cost_ANSWER && !is_in_order)
        prediction->unaligned_cycles = unaligned(block, scratch, prediction);
    if (detail != cost_ANSWER && block->mode == cost_LOOP)
        prediction->repeated_cycles = repeated(block, scratch, prediction);
    if (detail != cost_ANSWER)
        cost_find_next(block, scratch, prediction);
    for (unsigned i = 0; i < block->count; i++)
        prediction->known_count += block->items[i].cost->form != NULL;
    prediction->comes_from_loop_buffer = cost_is_replayed(block);
    prediction->comes_from_cache = !prediction->comes_from_loop_buffer && cost_is_cached(block);
}
