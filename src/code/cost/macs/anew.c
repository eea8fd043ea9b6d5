/* Both orders walk through a number of iterations with the scoreboard of the scheduler; the second half
   counts. Without limits (flow), an instruction starts when its inputs are ready, so the times of each grow
   by the slowest chain that it hangs on.

   A branch may stand in the cycle of the comparison that makes its predicate. */
#include "code/cost/macs/anew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 16, MOST_MASKS = 12 };

struct walk {
    struct scheduler *scheduler;
    const struct schedule_item *items;
    const uint8_t *changes;
    size_t count;
    unsigned rotating, turns;
    double cycle; /* that is being filled */
    struct schedule_cycle in;
};

static enum anew_change change_of(const struct walk *walk, size_t item)
{
    if (walk->items[item].operation->is_noop)
        return anew_GONE;
    return walk->changes ? (enum anew_change)walk->changes[item] : anew_STAYS;
}

static double inputs(const struct walk *walk, const struct macs_operation *operation)
{
    const struct scheduler *scheduler = walk->scheduler;
    const struct model *model = scheduler->model;
    double ready = 0;
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const struct register_use *use = model_register_use(model, operation->first_use + u);
        uint32_t full = schedule_register(scheduler, use);
        if (use->access == access_WRITE || !full)
            continue;
        uint32_t place = schedule_renamed(scheduler, walk->rotating, walk->turns, full);
        bool is_early =
            operation->counts.branches > 0 && model_register(model, full)->kind == register_kind_MASK;
        ready = fmax(ready, scheduler->ready[place] - is_early);
        if (use->is_address)
            ready = fmax(ready, scheduler->loaded[place]);
    }
    return ready;
}

static void write_results(const struct walk *walk, const struct macs_operation *operation, double start,
                          bool passes)
{
    struct scheduler *scheduler = walk->scheduler;
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const struct register_use *use = model_register_use(scheduler->model, operation->first_use + u);
        uint32_t full = schedule_register(scheduler, use);
        if (use->access == access_READ || !full)
            continue;
        bool is_step = full == operation->writeback;
        double latency = passes ? 0 : is_step ? 1 : operation->latency;
        uint32_t place = schedule_renamed(scheduler, walk->rotating, walk->turns, full);
        scheduler->ready[place] = start + latency;
        scheduler->loaded[place] =
            operation->is_integer_load && !is_step && !passes && scheduler->machine->load_to_address
                ? start + scheduler->machine->load_to_address
                : 0;
    }
}

static void begin(struct walk *walk)
{
    size_t size = (walk->scheduler->model->registers.count + 1) * sizeof *walk->scheduler->ready;
    memset(walk->scheduler->ready, 0, size);
    memset(walk->scheduler->loaded, 0, size);
    walk->turns = walk->in.count = 0;
    walk->cycle = 0;
}

static bool fits(struct walk *walk, const struct macs_operation *operation)
{
    struct schedule_cycle *in = &walk->in;
    uint32_t tried = 0;
    if (in->count >= IN_CYCLE_MOST || in->count >= walk->scheduler->machine->width)
        return false;
    in->now[in->count] = operation;
    in->port_of[in->count] = -1;
    return !operation->ports || schedule_place(in, in->count, &tried);
}

static void next_cycle(struct walk *walk, double cycle)
{
    walk->cycle = cycle;
    walk->in.count = 0;
}

static void issue(struct walk *walk, size_t item)
{
    const struct macs_operation *operation = walk->items[item].operation;
    enum anew_change change = change_of(walk, item);
    double ready = change == anew_GONE ? 0 : inputs(walk, operation);
    if (change == anew_PASSES)
        write_results(walk, operation, ready, true);
    if (change != anew_STAYS)
        return;
    if (ready > walk->cycle)
        next_cycle(walk, ready);
    if (!fits(walk, operation)) {
        next_cycle(walk, walk->cycle + 1);
        fits(walk, operation);
    }
    walk->in.count++;
    write_results(walk, operation, walk->cycle, false);
    if (operation->rotates) {
        walk->turns++;
        next_cycle(walk, walk->cycle + 1);
    }
}

static double in_order(struct walk *walk)
{
    double half = 0;
    begin(walk);
    for (unsigned iteration = 0; iteration < ITERATIONS; iteration++) {
        if (iteration == ITERATIONS / 2)
            half = walk->cycle;
        for (size_t i = 0; i < walk->count; i++)
            issue(walk, i);
        if (walk->in.count)
            next_cycle(walk, walk->cycle + 1);
    }
    return (walk->cycle - half) / (ITERATIONS - ITERATIONS / 2);
}

/* starts: of each item, once halfway and once at the end. */
static void flow(struct walk *walk, double *halfway, double *end, double *latency)
{
    begin(walk);
    *latency = 0;
    for (unsigned iteration = 0; iteration <= ITERATIONS; iteration++)
        for (size_t i = 0; i < walk->count; i++) {
            const struct macs_operation *operation = walk->items[i].operation;
            enum anew_change change = change_of(walk, i);
            if (change == anew_GONE)
                continue;
            double start = inputs(walk, operation);
            write_results(walk, operation, start, change == anew_PASSES);
            walk->turns += operation->rotates;
            if (iteration == ITERATIONS / 2)
                halfway[i] = start;
            end[i] = start;
            if (!iteration)
                *latency = fmax(*latency, start + fmax(1, operation->latency));
        }
}

static double recurrence(struct walk *walk, double *latency)
{
    double *starts = memory_get((2 * walk->count + 1) * sizeof *starts), slowest = 0;
    flow(walk, starts, starts + walk->count, latency);
    for (size_t i = 0; i < walk->count; i++)
        slowest = fmax(slowest, starts[walk->count + i] - starts[i]);
    free(starts);
    return slowest / (ITERATIONS - ITERATIONS / 2);
}

struct load {
    uint32_t ports;
    double count;
};

/* What some kinds of instruction need together, shared by all ports that any of them can take. */
static double fullest_ports(const struct load *loads, unsigned kinds)
{
    double most = 0;
    for (unsigned chosen = 1; chosen < 1U << kinds; chosen++) {
        uint32_t ports = 0;
        double count = 0;
        for (unsigned i = 0; i < kinds; i++)
            if (chosen >> i & 1)
                ports |= loads[i].ports;
        for (unsigned i = 0; i < kinds; i++)
            if (!(loads[i].ports & ~ports))
                count += loads[i].count;
        most = fmax(most, count / __builtin_popcount(ports));
    }
    return most;
}

static double resources(const struct walk *walk, const struct bundle_program *program)
{
    const struct machine *machine = walk->scheduler->machine;
    const char letters[] = "FMB";
    struct load loads[MOST_MASKS];
    double slots[3] = {0}, all = 0;
    unsigned kinds = 0;
    for (size_t i = 0; i < walk->count; i++) {
        uint32_t ports = walk->items[i].operation->ports;
        unsigned kind = 0;
        if (change_of(walk, i) != anew_STAYS)
            continue;
        all++;
        for (unsigned k = 0; k < 3; k++)
            slots[k] += ports && !(ports & ~machine_ports(machine, letters[k]));
        while (kind < kinds && loads[kind].ports != ports)
            kind++;
        if (kind == kinds && kinds < MOST_MASKS && ports)
            loads[kinds++] = (struct load){.ports = ports};
        if (kind < kinds)
            loads[kind].count++;
    }
    double cycles = fmax(all / machine->width, fullest_ports(loads, kinds));
    return program->is_usual ? fmax(cycles, bundles_formula(program, slots[0], slots[1], slots[2])) : cycles;
}

struct anew anew_find(struct scheduler *scheduler, const struct bundle_program *program,
                      const struct schedule_item *items, size_t count, unsigned rotating,
                      const uint8_t *changes)
{
    struct walk walk = {
        .scheduler = scheduler, .items = items, .changes = changes, .count = count, .rotating = rotating};
    struct anew anew = {.in_order = in_order(&walk), .resources = resources(&walk, program)};
    anew.recurrence = recurrence(&walk, &anew.latency);
    anew.fewest = fmax(1, ceil(fmax(anew.resources, anew.recurrence) - 1e-6));
    return anew;
}
