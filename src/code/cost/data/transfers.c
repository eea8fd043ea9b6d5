/* How long the lines of an iteration take, and what that makes of the core's own time.

   The machine file has four kinds of streams of one core with their data in a level: loads alone, stores
   alone, copies, and updates in place. They hold whether a core reads a line before it writes it
   (write-allocate) or not, and whether lines go in and out at the same time. A loop is put together from
   them:
   - Lines that are stored or updated take the time of such streams alone.
   - Lines that are only loaded beside them add what a copy takes beyond its stores, for each line. That is
     less than loads alone take, because lines go in while others go out.
   - All lines that come in take as long as loads alone, at least.
   Measured on Neoverse V1 and Golden Cove, from a copy to a[i] = b[i] + c[i] * d[i], at every level.

   Figures that a file does not have follow from those that it has. Stores alone, which many programs that
   measure leave out, take what a copy takes beyond its loads, and no less than an update (on Golden Cove and
   Cascade Lake that is 0 to 6 % off, for Golden Cove's memory 23 %). Without copies and updates, a store is a
   line in and one out, so is an update, and a copy is two in and one out.

   Non-temporal stores go to memory, whatever the level, as lines that are written and not read before.

   While lines come, the core goes on with its own work, as far as the file says (`overlap`): 1, or no word,
   is all of it, so that the longer of the two counts; 0.25 is a quarter.

   Streams are fetched before they are needed. Loads at places that the code does not show are not: a chain of
   such loads (a list) waits for each in turn, others for as many at a time as the reorder buffer holds. */
#include "code/cost/data/data.h"

#include <math.h>

enum { USUAL_LINE = 64 };

int data_place(const struct machine *machine, enum data_level level)
{
    if (level == data_level_MEMORY)
        return (int)machine->cache_count;
    for (unsigned i = 0; i < machine->cache_count; i++)
        if (machine->caches[i].level == level - data_level_L1 + 1U)
            return (int)i;
    return -1;
}

const struct machine_cache *data_level_of(const struct machine *machine, unsigned place)
{
    return place < machine->cache_count ? &machine->caches[place] : &machine->main_memory;
}

/* Cycles of a byte of each kind of stream. */
struct byte_cycles {
    double load, store, copy, update;
};

/* Of stores, where the file has none: see above. */
static double guessed_store(const struct machine_cache *level, double load)
{
    double copied = level->copied_per_cycle > 0 ? 1 / level->copied_per_cycle - load : 0;
    double updated = level->updated_per_cycle > 0 ? 1 / level->updated_per_cycle : 0;
    double store = fmax(copied, updated);
    return store > 0 ? store : 2 * load;
}

static struct byte_cycles byte_cycles_of(const struct machine_cache *level)
{
    double load = 1 / level->bytes_per_cycle;
    return (struct byte_cycles){
        .load = load,
        .store = level->stored_per_cycle > 0 ? 1 / level->stored_per_cycle : guessed_store(level, load),
        .copy = level->copied_per_cycle > 0 ? 1 / level->copied_per_cycle : 3 * load,
        .update = level->updated_per_cycle > 0 ? 1 / level->updated_per_cycle : 2 * load,
    };
}

/* Cycles of these lines from a level, without those that bypass it. */
static double time_of(const struct line_counts *lines, const struct machine_cache *level, double line)
{
    struct byte_cycles cycles = byte_cycles_of(level);
    double beside = fmin(fmax(cycles.copy - cycles.store, 0), cycles.load);
    double out = lines->stored * cycles.store + lines->updated * cycles.update;
    double in = (lines->loaded + lines->updated) * cycles.load;
    return line * fmax(in, out > 0 ? out + lines->loaded * beside : 0);
}

/* Lines that are written past the caches: what a store takes, less the line that it would read. */
static double time_of_streamed(const struct cost_lines *lines, const struct machine *machine, double line)
{
    double streamed = lines->first.streamed;
    for (unsigned i = 0; i < MOST_CACHES; i++)
        streamed += lines->again[i].streamed;
    if (!(machine->main_memory.bytes_per_cycle > 0) || !(streamed > 0))
        return 0;
    struct byte_cycles cycles = byte_cycles_of(&machine->main_memory);
    return line * streamed * (cycles.store > cycles.load ? cycles.store - cycles.load : cycles.store);
}

static double lines_time(const struct cost_lines *lines, const struct machine *machine, unsigned place)
{
    unsigned known = machine->cache_count ? machine->caches[0].line : 0;
    double line = known ? known : USUAL_LINE;
    double sum = time_of(&lines->first, data_level_of(machine, place), line);
    for (unsigned i = 1; i < machine->cache_count; i++) {
        const struct machine_cache *nearer = data_level_of(machine, i < place ? i : place);
        if (nearer->bytes_per_cycle > 0)
            sum += time_of(&lines->again[i], nearer, line);
    }
    return sum + time_of_streamed(lines, machine, line);
}

/* For each item, whether it loads from a place that the code does not show. */
static const uint8_t *mark_unknown_loads(const struct cost_block *block, struct cost_scratch *scratch)
{
    uint8_t *marks = arena_get(&scratch->arena, block->count);
    const struct array *references = &scratch->addresses.references;
    for (size_t i = 0; i < references->count; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, references, i);
        int64_t stride;
        bool is_stream = !reference->lanes && (block->items[reference->item].cost->is_scalable ||
                                               data_stride(&scratch->addresses, &reference->place, &stride));
        marks[reference->item] |= reference->loads && reference->place.is_known && !is_stream;
    }
    return marks;
}

/* The longest chain of an iteration, if loads at unknown places take so many cycles more. */
static double chain_time(struct cost_scratch *scratch, const uint8_t *unknown, double more)
{
    struct cost_dependences *graph = &scratch->dependences;
    struct array *edges = &graph->carried;
    edges->width = sizeof(struct ratio_edge);
    edges->count = 0;
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct ratio_edge *edge = array_push(edges);
        *edge = *ARRAY_AT(struct ratio_edge, &graph->edges, i);
        const struct dependence_node *node = ARRAY_AT(struct dependence_node, &graph->nodes, edge->to);
        bool is_address = edge->way == way_BASE || edge->way == way_INDEX;
        if (is_address && node->resource != RESOURCE_MEMORY && unknown[node->item])
            edge->latency += (float)more;
    }
    return cost_cycle_ratio(&graph->ratio, edges->data, (uint32_t)edges->count, (uint32_t)graph->nodes.count);
}

static void wait_for_unknown(const struct cost_block *block, struct cost_scratch *scratch,
                             const uint8_t *unknown, const struct machine_cache *level,
                             struct data_cycles *result)
{
    const struct machine *machine = block->machine;
    double more = level->latency - (machine->cache_count ? machine->caches[0].latency : 0);
    if (!(level->latency > 0) || !(more > 0))
        return;
    double chain = chain_time(scratch, unknown, more);
    double window =
        machine->core.reorder_buffer ? level->latency * block->issued / machine->core.reorder_buffer : 0;
    if (chain > result->cycles) {
        result->cycles = chain;
        result->limit = data_limit_CHAIN;
    }
    if (window > result->cycles) {
        result->cycles = window;
        result->limit = data_limit_MISSES;
    }
}

static struct data_cycles cycles_at(const struct cost_block *block, struct cost_scratch *scratch, double core,
                                    const struct cost_lines *lines, const uint8_t *unknown, unsigned place)
{
    const struct machine_cache *level = data_level_of(block->machine, place);
    if (!(level->bytes_per_cycle > 0))
        return (struct data_cycles){.cycles = NAN, .lines = NAN, .lack = data_lack_BANDWIDTH};
    struct data_cycles result = {.lines = lines_time(lines, block->machine, place)};
    double overlap = level->overlap > 0 ? level->overlap : 1;
    result.cycles = fmax(core, result.lines) + (1 - overlap) * fmin(core, result.lines);
    result.limit = result.lines > core ? data_limit_LINES : data_limit_CORE;
    if (unknown)
        wait_for_unknown(block, scratch, unknown, level, &result);
    return result;
}

void cost_data(const struct cost_block *block, struct cost_scratch *scratch,
               const struct cost_prediction *prediction, struct cost_data *data)
{
    const struct machine *machine = block->machine;
    bool is_counted = cost_count_lines(block, scratch, &data->lines);
    const uint8_t *unknown = data->lines.unknown > 0 ? mark_unknown_loads(block, scratch) : NULL;
    for (unsigned place = 0; place < DATA_LEVELS; place++) {
        struct data_cycles *at = &data->at[place];
        *at = (struct data_cycles){.cycles = NAN, .lines = NAN};
        if (!place)
            *at = (struct data_cycles){.cycles = prediction->cycles, .limit = data_limit_CORE};
        else if (place > machine->cache_count)
            at->lack = data_lack_LEVEL;
        else if (!is_counted)
            at->lack = data_lack_LINES;
        else
            *at = cycles_at(block, scratch, prediction->cycles, &data->lines, unknown, place);
    }
}
