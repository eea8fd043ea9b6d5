/* See cycles.h.  A way is taken again and again, as a loop is: so the front end, ports and chains from one time
   to the next count as they do for loops, and calls or iterations overlap as far as the core lets them. */
#include "run/ways/cycles.h"

#include "code/cost/links.h"
#include "model/loops.h"

#include <math.h>
#include <stdlib.h>

static const double MOST_LACKING = 0.1; /* of the walkers, on ways without cycles */

static void take_block(struct block_costs *work, const struct model *model, uint32_t id)
{
    const struct block *block = model_block(model, id);
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t at = block->first_instruction + i;
        const struct instruction *instruction = model_instruction(model, at);
        block_costs_add(work, instruction->encoding, at, block->address + instruction->offset,
                        instruction->target);
    }
}

static unsigned calls_in(const struct model *model, uint32_t id)
{
    const struct block *block = model_block(model, id);
    unsigned calls = 0;
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
        calls += model_encoding(model, encoding)->flow == flow_CALL;
    }
    return calls;
}

/* A way as a block; where loops inside lie, as numbers of instructions before them: of unsigned, NULL: not asked. */
static bool predict(struct block_costs *work, const struct way_region *region, const struct ways *ways,
                    const struct way *way, struct array *gaps)
{
    const uint32_t *nodes = (const uint32_t *)ways->nodes.data + way->first;
    block_costs_clear(work);
    work->block.entry = NULL;
    work->block.entry_count = 0;
    for (uint32_t i = 0; i < way->count; i++)
        if (way_node(region, nodes[i])->block)
            take_block(work, region->model, way_node(region, nodes[i])->block);
        else if (gaps)
            *(unsigned *)array_push(gaps) = (unsigned)work->items.count;
    return block_costs_predict(work, cost_LOOP, cost_ANSWER);
}

/* ---- whether the chain goes through the loops inside ---- */

/* Resources that the loops inside write. */
static void find_written(const struct way_region *region, struct block_costs *work,
                         uint8_t written[MOST_RESOURCES])
{
    const struct model *model = region->model;
    const struct function *function = model_function(model, region->function);
    for (uint32_t i = 0; i < function->block_count; i++) {
        const struct block *block = model_block(model, function->first_block + i);
        if (block->loop == region->loop || !loop_is_within(model, block->loop, region->loop))
            continue;
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + k)->encoding;
            const struct machine_cost *cost = encoding ? machine_cost(&work->costs, encoding) : NULL;
            for (unsigned w = 0; cost && w < cost->write_count; w++)
                written[cost->writes[w]] = 1;
        }
    }
}

/* Whether a value is on its way from one instruction to another while a loop inside runs. */
static bool spans(const struct cost_link *link, unsigned gap)
{
    return link->distance > 1 ||
           (link->distance ? gap > link->from || gap <= link->to : gap > link->from && gap <= link->to);
}

static bool is_overwritten(const struct block_costs *work, const struct cost_link *link,
                           const uint8_t written[MOST_RESOURCES])
{
    const struct machine_cost *from = ARRAY_AT(struct cost_item, &work->items, link->from)->cost;
    const struct machine_cost *to = ARRAY_AT(struct cost_item, &work->items, link->to)->cost;
    for (unsigned w = 0; w < from->write_count; w++)
        for (unsigned f = 0; f < to->flow_count; f++)
            if (to->flows[f].from == from->writes[w] && written[from->writes[w]])
                return true;
    return false;
}

/* After predict. */
static bool chain_goes_through(const struct way_region *region, struct block_costs *work,
                               const struct array *gaps)
{
    uint8_t written[MOST_RESOURCES] = {0};
    struct cost_links links;
    bool goes_through = false;
    find_written(region, work, written);
    cost_links_find(&links, work);
    for (size_t i = 0; i < links.all.count; i++) {
        const struct cost_link *link = ARRAY_AT(struct cost_link, &links.all, i);
        for (size_t g = 0; link->is_on_chain && g < gaps->count; g++)
            goes_through |= spans(link, *ARRAY_AT(unsigned, gaps, g)) && is_overwritten(work, link, written);
    }
    cost_links_free(&links);
    return goes_through;
}

/* ---- all ways together ---- */

/* What each part of the core needs for a way; the longest chain in it. */
struct asked {
    bool is_answered;
    double bounds[core_part_COUNT], chain;
};

/* The largest, with the part of the loop-carried chain that counts. */
static double largest(const double bounds[core_part_COUNT], double chain_part)
{
    double most = 0;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        most = fmax(most, bounds[part] * (part == core_part_LATENCY ? chain_part : 1));
    return most;
}

static struct asked *ask_all(const struct way_region *region, const struct ways *ways,
                             struct block_costs *work, bool *is_lacking)
{
    struct asked *all = memory_get((ways->all.count + 1) * sizeof *all);
    for (size_t i = 0; i < ways->all.count; i++) {
        all[i].is_answered = predict(work, region, ways, ARRAY_AT(struct way, &ways->all, i), NULL);
        *is_lacking |= !all[i].is_answered && work->missing;
        for (unsigned part = 0; all[i].is_answered && part < core_part_COUNT; part++)
            all[i].bounds[part] = work->prediction.bounds[part].cycles;
        if (all[i].is_answered)
            all[i].chain = fmax(work->prediction.cycles, cost_longest_chain(&work->block, &work->scratch));
    }
    return all;
}

/* The part of the chain that counts: all of it where nothing runs inside, or where it goes through that; none from
   call to call of a function.  The way with most of it decides. */
static double chain_part(const struct way_region *region, const struct ways *ways, const struct asked *asked,
                         struct block_costs *work, double own_part)
{
    struct array gaps = ARRAY_OF(unsigned);
    const struct way *best = ARRAY_AT(struct way, &ways->all, 0);
    double most = 0;
    if (!region->loop || !(own_part < 1))
        return region->loop ? 1 : 0;
    for (size_t i = 0; i < ways->all.count; i++) {
        const struct way *way = ARRAY_AT(struct way, &ways->all, i);
        double chain = way->walkers * asked[i].bounds[core_part_LATENCY];
        best = chain > most ? way : best;
        most = fmax(most, chain);
    }
    bool is_whole = !predict(work, region, ways, best, &gaps) || chain_goes_through(region, work, &gaps);
    array_free(&gaps);
    return is_whole ? 1 : own_part;
}

static double count_calls(const struct way_region *region, const struct ways *ways)
{
    double calls = 0;
    for (size_t i = 0; i < ways->all.count; i++) {
        const struct way *way = ARRAY_AT(struct way, &ways->all, i);
        const uint32_t *nodes = (const uint32_t *)ways->nodes.data + way->first;
        for (uint32_t k = 0; k < way->count; k++)
            if (way_node(region, nodes[k])->block)
                calls += way->walkers * (double)calls_in(region->model, way_node(region, nodes[k])->block);
    }
    return calls / ways->walkers;
}

static void take_means(struct way_cycles *result, const struct ways *ways, const struct asked *asked,
                       double part)
{
    double sums[core_part_COUNT] = {0}, chain = 0;
    unsigned walkers = 0;
    for (size_t i = 0; i < ways->all.count; i++) {
        const struct way *way = ARRAY_AT(struct way, &ways->all, i);
        if (!asked[i].is_answered)
            continue;
        for (unsigned k = 0; k < core_part_COUNT; k++)
            sums[k] += way->walkers * asked[i].bounds[k];
        double one = largest(asked[i].bounds, part);
        chain += way->walkers * asked[i].chain;
        walkers += way->walkers;
        result->least = fmin(result->least, one);
        result->most = fmax(result->most, one);
        result->count++;
    }
    if (!walkers || walkers < (1 - MOST_LACKING) * ways->walkers)
        return;
    result->cycles = largest(sums, part) / walkers;
    result->chain = chain / walkers;
    result->silence = run_silence_NONE;
}

struct way_cycles way_cycles_find(const struct way_region *region, const struct ways *ways,
                                  struct block_costs *work, double own_part)
{
    struct way_cycles result = {
        .cycles = NAN, .chain = NAN, .least = NAN, .most = NAN, .calls = NAN, .silence = run_silence_NO_WAY};
    bool is_lacking = false;
    if (!ways->walkers)
        return result;
    result.calls = count_calls(region, ways);
    result.silence = run_silence_COST;
    if (!work)
        return result;
    struct asked *asked = ask_all(region, ways, work, &is_lacking);
    take_means(&result, ways, asked, chain_part(region, ways, asked, work, own_part));
    if (result.silence && is_lacking)
        result.silence = run_silence_LACK;
    free(asked);
    return result;
}
