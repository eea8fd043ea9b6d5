/* See budget.h.  How a loop would be counted is known once it is planned, so a plan is made and thrown away.
 */
#include "run/measure/budget.h"

#include "run/measure/figures.h"
#include "run/probe/site/entry.h"
#include "run/probe/site/loop_shape.h"
#include "run/probe/plan/plan.h"
#include "run/sample/rows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const double BUDGET = 0.04;          /* of the run's processor time */
static const double LEAST_BUDGET = 0.01;    /* seconds: nobody notices */
static const double COUNT_SECONDS = 1e-9;   /* an entry, by counters */
static const double EVENT_SECONDS = 12e-9;  /* an entry, by events without a clock: loops with calls */
static const double CLOCK_SECONDS = 22e-9;  /* an entry, with a clock */
static const double LATER_SECONDS = 2.5e-9; /* an entry that is counted because enough were timed */
static const double STEP_SECONDS = 0.6e-9;  /* an iteration, without an induction variable */
static const double ENOUGH_SHARE = 0.25;    /* of the run's processor time, for loops that do not fit */
static const double LEAST_ENOUGH = 0.5;     /* seconds */
static const double ENOUGH_ENTRY = 2.5e-9;  /* an entry, where registers have to be saved */
static const double ENOUGH_EVENT = 40e-9;   /* the same by events, with their summaries */
static const double USUAL_NUMBERS = 2;    /* of iterations that entries have, each with a limit of its own */
static const double ENOUGH_STEP = 1.2e-9; /* an iteration */
static const double UNSEEN_SAMPLES = 0.1; /* that are assumed where none was seen */
static const double PER_CYCLE = 6;        /* instructions, in code around loops: much of it overlaps */
static const double LEAST_AROUND = 1.2;   /* cycles from one entry to the next */
static const double LEAST_CALL = 2;       /* the same where a call is on the way */
static const double USUAL_RATE = 3;       /* instructions of a cycle, in loops */
static const double USUAL_CLOCK = 3e9;    /* where the core's frequency is unknown */

/* ---- the shortest way from the exits of a loop to its entry, without inner loops ---- */

struct way {
    const struct model *model;
    const struct loop_shape *shape;
    uint32_t parent, first, count; /* blocks of the function */
    uint32_t *distance;            /* by block of the function: instructions up to its end */
};

static uint32_t weight(const struct way *way, uint32_t block)
{
    const struct block *row = model_block(way->model, block);
    return row->loop == way->parent ? row->instruction_count : 0;
}

static bool shorten(struct way *way, uint32_t block, uint32_t distance)
{
    uint32_t place = block - way->first;
    if (place >= way->count || loop_shape_has(way->shape, block) ||
        (way->parent && !probe_loop_has(way->model, way->parent, block)))
        return false;
    uint32_t whole = distance + weight(way, block);
    if (whole >= way->distance[place])
        return false;
    way->distance[place] = whole;
    return true;
}

static void begin(struct way *way)
{
    for (uint32_t i = 0; i < way->count; i++)
        way->distance[i] = UINT32_MAX;
    for (size_t i = 0; way->parent && i < way->shape->exits.count; i++)
        shorten(way, model_edge(way->model, *ARRAY_AT(uint32_t, &way->shape->exits, i))->target, 0);
    if (!way->parent)
        shorten(way, way->first, 0);
}

/* Instructions of the shortest way: around the loop inside its parent, or from the function's start to it. */
static double shortest(const struct model *model, const struct loop_shape *shape)
{
    const struct function *function = model_function(model, shape->function);
    struct way way = {.model = model,
                      .shape = shape,
                      .parent = model_loop(model, shape->loop)->parent,
                      .first = function->first_block,
                      .count = function->block_count,
                      .distance = memory_get((function->block_count + 1) * sizeof(uint32_t))};
    enum { MOST_ROUNDS = 64 };
    begin(&way);
    struct model_rows edges = probe_edges_of(model, shape->function);
    bool is_shorter = true;
    for (unsigned round = 0; is_shorter && round < MOST_ROUNDS; round++) {
        is_shorter = false;
        for (uint32_t i = edges.first; i < edges.end; i++) {
            const struct edge *edge = model_edge(model, i);
            uint32_t place = edge->source - way.first;
            if (place < way.count && way.distance[place] != UINT32_MAX)
                is_shorter = shorten(&way, edge->target, way.distance[place]) || is_shorter;
        }
    }
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < shape->entries.count; i++) {
        uint32_t place =
            model_edge(model, *ARRAY_AT(uint32_t, &shape->entries, i))->source - function->first_block;
        if (place < way.count && way.distance[place] < least)
            least = way.distance[place];
    }
    free(way.distance);
    return least == UINT32_MAX || least < 1 ? 1 : least;
}

/* ---- what the first run says ---- */

static double seconds_outside(const struct model *model, uint32_t run, uint32_t function)
{
    for (uint32_t i = 1; i < model->run_functions.count; i++) {
        const struct run_function *row = model_run_function(model, i);
        if (row->run == run && row->function == function)
            return sample_outside_seconds(model, row);
    }
    return 0;
}

static double seconds_around(const struct model *model, uint32_t run, uint32_t loop)
{
    uint32_t parent = model_loop(model, loop)->parent;
    const struct run_loop *row = parent ? measure_row(model, run, parent) : NULL;
    if (parent)
        return row ? row->self_seconds : 0;
    return seconds_outside(model, run, model_loop(model, loop)->function);
}

static double clock_of(const struct sampled_run *run)
{
    return run->cycles_per_second > 0 ? run->cycles_per_second : USUAL_CLOCK;
}

static double entries_of(const struct model *model, uint32_t run, uint32_t loop)
{
    const struct sampled_run *row = model_sampled_run(model, run);
    double sample = row->samples ? row->sampled_seconds / (double)row->samples : NAN;
    double seconds = seconds_around(model, run, loop);
    struct loop_shape shape;
    loop_shape_make(&shape, model, loop);
    double cycles = fmax(model_loop(model, loop)->parent ? LEAST_AROUND : LEAST_CALL,
                         shortest(model, &shape) / PER_CYCLE);
    loop_shape_free(&shape);
    return fmax(seconds, UNSEEN_SAMPLES * sample) * clock_of(row) / cycles;
}

/* Without those of loops inside it. */
static double own_instructions(const struct model *model, uint32_t loop)
{
    const struct function *function = model_function(model, model_loop(model, loop)->function);
    double count = 0;
    for (uint32_t i = 0; i < function->block_count; i++) {
        const struct block *block = model_block(model, function->first_block + i);
        count += block->loop == loop ? block->instruction_count : 0;
    }
    return count;
}

/* Of its own code: predicted, else from the number of instructions. */
static double cycles_of_iteration(const struct model *model, uint32_t loop)
{
    double least = measure_least_prediction(model, loop);
    return least > 0 ? least : fmax(1, own_instructions(model, loop) / USUAL_RATE);
}

/* ---- the choice ---- */

struct costs {
    double count, time; /* seconds in all */
};

static struct costs costs_of(const struct model *model, uint32_t run, const struct probe_subject *subject,
                             double entries)
{
    const struct run_loop *row = measure_row(model, run, subject->loop);
    double steps = subject->counting == PROBE_BY_VARIABLE || !row
                       ? 0
                       : row->self_seconds * clock_of(model_sampled_run(model, run)) /
                             cycles_of_iteration(model, subject->loop);
    bool has_events = subject->how.kind != PROBE_COUNT_ONLY; /* it has calls */
    double count = has_events ? EVENT_SECONDS : COUNT_SECONDS;
    double timed = has_events ? entries : fmin(entries, MEASURE_TIMED);
    double later = has_events ? 0 : entries * LATER_SECONDS;
    return (struct costs){.count = steps * STEP_SECONDS + entries * count,
                          .time = steps * STEP_SECONDS + timed * CLOCK_SECONDS + later};
}

static void spend(const struct model *model, struct array *choices, const struct costs *costs, double budget)
{
    struct measure_choice *all = choices->data;
    for (size_t i = 0; i < choices->count; i++)
        if (costs[i].count <= budget) {
            budget -= costs[i].count;
            all[i].way = MEASURE_COUNT;
            all[i].seconds = costs[i].count;
        }
    for (size_t i = 0; i < choices->count; i++)
        if (all[i].way == MEASURE_COUNT && model_loop(model, all[i].loop)->is_innermost &&
            costs[i].time - costs[i].count <= budget) {
            budget -= costs[i].time - costs[i].count;
            all[i].way = MEASURE_TIME;
            all[i].seconds = costs[i].time;
        }
}

/* The largest power of two that fits; at least 2^16, which is seen in a moment. */
static uint8_t bits_of(double count)
{
    enum { LEAST_BITS = 16, MOST_BITS = 40 };
    return (uint8_t)fmin(MOST_BITS, fmax(LEAST_BITS, floor(log2(count))));
}

static void limit(struct array *choices, const struct probe_plan *plan, double seconds)
{
    size_t count = 0;
    for (size_t i = 0; i < choices->count; i++)
        count += ARRAY_AT(struct measure_choice, choices, i)->way == MEASURE_ENOUGH;
    for (size_t i = 0; i < choices->count; i++) {
        struct measure_choice *choice = ARRAY_AT(struct measure_choice, choices, i);
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
        if (choice->way != MEASURE_ENOUGH)
            continue;
        double own = seconds / (double)count;
        bool has_events = subject->how.kind != PROBE_COUNT_ONLY;
        choice->seconds = own;
        choice->enough_bits = bits_of(own / (has_events ? ENOUGH_EVENT : USUAL_NUMBERS * ENOUGH_ENTRY));
        choice->enough_sum_bits = bits_of(own / ENOUGH_STEP);
    }
}

void measure_choose(struct model *model, uint32_t run, const struct array *loops, struct array *choices)
{
    struct probe_plan plan;
    struct costs *costs = memory_get((loops->count + 1) * sizeof *costs);
    probe_plan_init(&plan, model);
    probe_plan_loops(&plan, loops->data, loops->count, false);
    *choices = ARRAY_OF(struct measure_choice);
    for (size_t i = 0; i < loops->count; i++) {
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan.subjects, i);
        double entries = entries_of(model, run, subject->loop);
        *(struct measure_choice *)array_push(choices) =
            (struct measure_choice){.loop = subject->loop, .entries = entries};
        costs[i] = costs_of(model, run, subject, entries);
    }
    double seconds = model_sampled_run(model, run)->sampled_seconds;
    spend(model, choices, costs, fmax(LEAST_BUDGET, BUDGET * seconds));
    limit(choices, &plan, fmax(LEAST_ENOUGH, ENOUGH_SHARE * seconds));
    probe_plan_free(&plan);
    free(costs);
}
