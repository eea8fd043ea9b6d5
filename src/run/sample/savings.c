/* What advice would save of the whole run.

   A loop takes a share of the run; advice makes its code some times faster; Amdahl's law gives what the run
   saves: share × (1 − 1/gain).  The gain is one of the model's: where a loop took longer than predicted (it
   waits for memory, say), only the predicted part of its time becomes shorter.

   Advice is given for each path through a loop.  A rule's gains on all paths together count, each by the time
   of its path (code/quality/path_shares.h).  The predicted cycles are a mean where it was counted how often
   each path ran, else those of the slowest path that seems to have run.  Several pieces of advice for one
   loop each stand alone: they do not add up.  Loops that wait for others are left out. */
#include "code/quality/path_shares.h"
#include "run/sample/rows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

struct loop_paths {
    uint32_t loop;
    size_t first, end;             /* rows of loop_cycles */
    size_t first_count, end_count; /* rows of run_paths */
    double cycles;                 /* predicted; NaN: unknown */
    uint32_t path;                 /* that they are of; 0: a mean of several */
};

static double path_share(const struct model *model, const struct loop_paths *paths, uint32_t path)
{
    for (size_t i = paths->first_count; i < paths->end_count; i++)
        if (model_run_path(model, (uint32_t)i)->path == path)
            return model_run_path(model, (uint32_t)i)->share;
    return 0;
}

/* Cycles of a path with its switches between SSE and AVX code, which the model of the core leaves out. */
static double whole_cycles(const struct model *model, const struct loop_cycle *row)
{
    const struct array *metrics = &model->loop_metrics;
    size_t i = array_first_not_below(metrics, 0, offsetof(struct loop_metric, loop), row->loop);
    for (; i < metrics->count && ARRAY_AT(struct loop_metric, metrics, i)->loop == row->loop; i++) {
        const struct loop_metric *metric = ARRAY_AT(struct loop_metric, metrics, i);
        if (metric->path == row->path && metric->transition_cycles > 0)
            return row->cycles + metric->transition_cycles;
    }
    return row->cycles;
}

/* The mean by how often each path ran; NaN if a path ran that has no cycles. */
static void find_mean(const struct model *model, struct loop_paths *paths)
{
    double cycles = 0, shares = 0;
    uint32_t ran = 0, last = 0;
    for (size_t i = paths->first; i < paths->end; i++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)i);
        double share = path_share(model, paths, row->path);
        if (!(share > 0))
            continue;
        cycles += share * whole_cycles(model, row);
        shares += share;
        last = row->path;
        ran++;
    }
    paths->cycles = ran ? cycles / shares : NAN;
    paths->path = ran == 1 ? last : 0;
}

static void find_slowest(const struct model *model, struct loop_paths *paths)
{
    for (size_t i = paths->first; i < paths->end; i++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)i);
        double cycles = whole_cycles(model, row);
        if (row->share > 0 && isfinite(cycles) && !(cycles <= paths->cycles)) {
            paths->cycles = cycles;
            paths->path = row->path;
        }
    }
}

static size_t first_of(const struct array *table, size_t offset, uint32_t loop)
{
    return array_first_not_below(table, 0, offset, loop);
}

static struct loop_paths find_paths(const struct model *model, uint32_t loop)
{
    size_t cycle_loop = offsetof(struct loop_cycle, loop), path_loop = offsetof(struct run_path, loop);
    struct loop_paths paths = {.loop = loop,
                               .first = first_of(&model->loop_cycles, cycle_loop, loop),
                               .end = first_of(&model->loop_cycles, cycle_loop, loop + 1),
                               .first_count = first_of(&model->run_paths, path_loop, loop),
                               .end_count = first_of(&model->run_paths, path_loop, loop + 1),
                               .cycles = NAN};
    if (paths.first_count < paths.end_count)
        find_mean(model, &paths);
    if (isnan(paths.cycles))
        find_slowest(model, &paths);
    return paths;
}

/* The part of the loop's time that the prediction explains, or what the advice itself adds to it (wrong
   guesses of branches). */
static double predicted_part(const struct run_loop *loop, double now)
{
    double part = fmax(loop->predicted_cycles, now) / loop->cycles_per_iteration;
    return part > 0 && part < 1 ? part : 1;
}

/* A rule's advice for one loop. */
struct found_saving {
    uint32_t rule, advice;
    double saved, most; /* of the loop's predicted time: by all paths; by the path of `advice` */
    double native;      /* by all paths, in code for this processor as well */
    double now;         /* cycles of an iteration before the change, as that advice sees them */
};

static struct found_saving *found_of(struct array *found, uint32_t rule)
{
    for (size_t i = 0; i < found->count; i++)
        if (ARRAY_AT(struct found_saving, found, i)->rule == rule)
            return ARRAY_AT(struct found_saving, found, i);
    struct found_saving *new = array_add(found);
    new->rule = rule;
    return new;
}

static void find_savings(const struct model *model, const struct loop_paths *paths, struct array *found)
{
    found->count = 0;
    size_t offset = offsetof(struct advice, loop);
    size_t first = array_first_not_below(&model->advice, 1, offset, paths->loop);
    for (size_t i = first; i < model->advice.count && model_advice(model, (uint32_t)i)->loop == paths->loop;
         i++) {
        const struct advice *advice = model_advice(model, (uint32_t)i);
        if (advice->level > advice_level_POTENTIAL || !(advice->gain > 1))
            continue;
        double share = path_shares_of_advice(model, (uint32_t)i), saved = share * (1 - 1 / advice->gain);
        double native = share * (1 - 1 / fmax(advice->gain, advice->native_gain));
        if (!(saved > 0))
            continue;
        struct found_saving *saving = found_of(found, advice->rule);
        /* What is shared counts all paths through its evidence already. */
        saving->saved = advice->is_shared ? fmax(saving->saved, saved) : fmin(saving->saved + saved, 1);
        saving->native = advice->is_shared ? fmax(saving->native, native) : fmin(saving->native + native, 1);
        if (saved > saving->most) {
            saving->most = saved;
            saving->advice = (uint32_t)i;
            saving->now = advice->gain * advice->cycles;
        }
    }
}

struct ranked {
    struct run_saving row;
    uint8_t level; /* of its advice: of two that save the same, the more certain one comes first */
};

static int by_saving(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->row.saving != b->row.saving)
        return a->row.saving > b->row.saving ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return (a->row.advice > b->row.advice) - (a->row.advice < b->row.advice);
}

static struct ranked ranked_of(const struct model *model, const struct run_loop *loop,
                               const struct found_saving *saving)
{
    double weight = loop->self_share * predicted_part(loop, saving->now);
    return (struct ranked){
        .row = {.run = loop->run,
                .loop = loop->loop,
                .advice = saving->advice,
                .share = loop->self_share,
                .gain = 1 / (1 - saving->saved),
                .saving = weight * saving->saved,
                .native_saving = saving->native > saving->saved ? weight * saving->native : NAN},
        .level = model_advice(model, saving->advice)->level};
}

/* Where ways through the code were drawn (run/ways), their mean stands, or that they are unknown. */
static bool is_drawn(const struct run_loop *loop)
{
    return loop->predicted_by == run_prediction_COUNTS || loop->predicted_by == run_prediction_SAMPLES ||
           loop->predicted_by == run_prediction_ONLY || loop->silence == run_silence_NO_WAY ||
           loop->silence == run_silence_UNKNOWN_WAYS;
}

static enum run_silence silence_of(const struct model *model, const struct run_loop *loop,
                                   const struct loop_paths *paths)
{
    bool is_lacking = false;
    for (size_t i = paths->first; i < paths->end; i++)
        is_lacking |= model_loop_cycle(model, (uint32_t)i)->missing != 0;
    if (!isnan(paths->cycles))
        return run_silence_NONE;
    if (is_lacking)
        return run_silence_LACK;
    return loop->silence                ? (enum run_silence)loop->silence
           : paths->first == paths->end ? run_silence_SMALL
                                        : run_silence_COST;
}

static void take_prediction(const struct model *model, struct run_loop *loop, const struct loop_paths *paths)
{
    if (is_drawn(loop))
        return;
    loop->predicted_cycles = paths->cycles;
    loop->path = paths->path;
    loop->predicted_by = isnan(paths->cycles) ? run_prediction_NONE : run_prediction_PATHS;
    loop->silence = (uint8_t)silence_of(model, loop, paths);
}

void sample_savings(struct model *model)
{
    struct array found = ARRAY_OF(struct found_saving), ranked = ARRAY_OF(struct ranked);
    path_shares_find(model);
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        struct run_loop *loop = model_run_loop(model, i);
        struct loop_paths paths = find_paths(model, loop->loop);
        take_prediction(model, loop, &paths);
        find_savings(model, &paths, &found);
        if (found.count && sample_waits(model, model_loop(model, loop->loop)->function))
            continue;
        for (size_t k = 0; k < found.count; k++)
            *(struct ranked *)array_push(&ranked) =
                ranked_of(model, loop, ARRAY_AT(struct found_saving, &found, k));
    }
    if (ranked.count)
        qsort(ranked.data, ranked.count, ranked.width, by_saving);
    model->run_savings.count = 0;
    for (size_t i = 0; i < ranked.count; i++) {
        struct run_saving *row = model_add(&model->run_savings);
        *row = ARRAY_AT(struct ranked, &ranked, i)->row;
        row->position = (uint32_t)i + 1;
    }
    array_free(&found);
    array_free(&ranked);
}
