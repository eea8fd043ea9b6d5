#include "run/points/waits.h"

#include "run/measure/figures.h"

#include <math.h>
#include <stdlib.h>

static const double DEVIATIONS = 2; /* standard errors that chance may be */
enum { LEAST_SLOW = 10 };           /* samples of an instruction that is slow, not chosen by chance */
static const double NONE_SEEN = 3;  /* events that may have been missed where none was seen (95 %) */

/* A conditional jump retires with its comparison. */
static bool is_counted(const struct encoding *encoding)
{
    return encoding->flow != flow_BRANCH && encoding->class != class_NOP;
}

/* Samples of instructions that run whenever the slow one does. */
struct neighbours {
    struct array counts; /* of uint64_t */
    uint64_t samples;
    double groups; /* cycles that they take to retire, at least */
};

static void add_block(struct neighbours *neighbours, const struct model *model, const struct block *block,
                      const struct point_samples *samples)
{
    unsigned instructions = 0;
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        uint32_t id = block->first_instruction + i;
        instructions += is_counted(model_encoding(model, model_instruction(model, id)->encoding));
        if (!samples->counts[id] || id == samples->sampled)
            continue;
        *(uint64_t *)array_push(&neighbours->counts) = samples->counts[id];
        neighbours->samples += samples->counts[id];
    }
    neighbours->groups += (double)instructions / samples->retired;
}

static int by_count(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

/* What retires with the slow instruction takes no cycle more, and what retires with others that samples stand at
   none beyond theirs.  Without the most sampled ones, however many, the rest takes a cycle for each group that
   is left: the largest limit that this gives is the answer. */
static double limit_by(struct neighbours *neighbours, const struct point_samples *samples)
{
    double least = (double)samples->count - DEVIATIONS * sqrt((double)samples->count), best = 0;
    uint64_t rest = neighbours->samples + samples->others;
    if (neighbours->counts.count)
        qsort(neighbours->counts.data, neighbours->counts.count, neighbours->counts.width, by_count);
    for (size_t left_out = 0; neighbours->groups > (double)left_out + 1; left_out++) {
        double most = (double)rest + DEVIATIONS * sqrt((double)rest) + NONE_SEEN;
        best = fmax(best, least / most * (neighbours->groups - (double)left_out - 1));
        uint64_t next =
            left_out < neighbours->counts.count ? *ARRAY_AT(uint64_t, &neighbours->counts, left_out) : 0;
        if (next < LEAST_SLOW)
            break;
        rest -= next;
    }
    return best;
}

/* Whether each iteration of its loop runs it, for certain. */
static bool is_always_taken(const struct model *model, const struct block *block)
{
    return model_loop(model, block->loop)->header == (uint32_t)(block - model_block(model, 0));
}

static double least_cycles(const struct model *model, const struct point_samples *samples)
{
    uint32_t home = model_instruction(model, samples->instruction)->block;
    const struct block *block = model_block(model, home);
    const struct function *function = model_function(model, block->function);
    struct neighbours neighbours = {.counts = ARRAY_OF(uint64_t)};
    for (uint32_t i = 0; i < function->block_count; i++) {
        uint32_t id = function->first_block + i;
        const struct block *row = model_block(model, id);
        if (row->loop == block->loop && (id == home || model_dominates(model, id, home)))
            add_block(&neighbours, model, row, samples);
    }
    double cycles = limit_by(&neighbours, samples);
    array_free(&neighbours.counts);
    return cycles;
}

struct point_wait point_wait_of(const struct model *model, uint32_t run, const struct point_samples *samples)
{
    const struct block *block = model_block(model, model_instruction(model, samples->instruction)->block);
    const struct run_loop *row = block->loop ? measure_row(model, run, block->loop) : NULL;
    double clock = model_sampled_run(model, run)->cycles_per_second;
    if (row && row->iterations && clock > 0)
        return (struct point_wait){.cycles = samples->seconds * clock / (double)row->iterations,
                                   .is_least = !is_always_taken(model, block),
                                   .is_counted = true};
    double least = least_cycles(model, samples);
    return (struct point_wait){.cycles = least >= 1 ? least : NAN, .is_least = true};
}
