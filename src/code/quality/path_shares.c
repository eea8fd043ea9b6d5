/* A block that all paths of a loop share says nothing about which of them ran; the others are the own blocks
   of the paths through them. */
#include "code/quality/path_shares.h"

#include <math.h>
#include <stdlib.h>

/* With fewer samples in a loop, a block without any may have run. */
static const double ENOUGH = 20;

/* The analysed paths of one loop. */
struct loop_paths {
    struct model *model;
    uint32_t loop, first, end; /* rows of loop_cycles */
    /* Both by block, of which there may be millions; NULL without samples. */
    double *samples;
    uint32_t *through; /* paths that go through it; 0 between loops */
    double all;        /* samples in the loop's blocks */
};

static size_t first_row(const struct array *table, size_t offset, uint32_t loop)
{
    return array_first_not_below(table, 0, offset, loop);
}

static double counted_share(const struct model *model, uint32_t loop, uint32_t path)
{
    size_t i = first_row(&model->run_paths, offsetof(struct run_path, loop), loop);
    for (; i < model->run_paths.count && model_run_path(model, (uint32_t)i)->loop == loop; i++)
        if (model_run_path(model, (uint32_t)i)->path == path)
            return model_run_path(model, (uint32_t)i)->share;
    return 0;
}

/* By how often each path runs; false if that gives no time at all. */
static bool share_by_cycles(const struct loop_paths *paths, bool is_counted)
{
    double all = 0;
    for (uint32_t i = paths->first; i < paths->end; i++) {
        struct loop_cycle *row = model_loop_cycle(paths->model, i);
        row->share = isfinite(row->cycles) ? row->cycles : 0;
        row->share *= is_counted ? counted_share(paths->model, paths->loop, row->path) : 1;
        all += row->share;
    }
    for (uint32_t i = paths->first; i < paths->end && all > 0; i++)
        model_loop_cycle(paths->model, i)->share /= all;
    return all > 0;
}

static size_t first_block(const struct model *model, uint32_t loop, uint32_t path)
{
    size_t i = first_row(&model->path_blocks, offsetof(struct path_block, loop), loop);
    while (i < model->path_blocks.count && model_path_block(model, (uint32_t)i)->loop == loop &&
           model_path_block(model, (uint32_t)i)->path != path)
        i++;
    return i;
}

static bool is_on(const struct model *model, size_t row, uint32_t loop, uint32_t path)
{
    return row < model->path_blocks.count && model_path_block(model, (uint32_t)row)->loop == loop &&
           model_path_block(model, (uint32_t)row)->path == path;
}

static void note_path(const struct loop_paths *paths, uint32_t path, uint32_t change)
{
    for (size_t i = first_block(paths->model, paths->loop, path); is_on(paths->model, i, paths->loop, path);
         i++)
        paths->through[model_path_block(paths->model, (uint32_t)i)->block] += change;
}

/* Of the paths noted. */
static bool ran(const struct loop_paths *paths, uint32_t path, uint32_t noted)
{
    bool has_own = false;
    for (size_t i = first_block(paths->model, paths->loop, path); is_on(paths->model, i, paths->loop, path);
         i++) {
        uint32_t block = model_path_block(paths->model, (uint32_t)i)->block;
        if (paths->through[block] == noted)
            continue;
        if (paths->samples[block] > 0)
            return true;
        has_own = true;
    }
    return !has_own;
}

static double time_on(const struct loop_paths *paths, uint32_t path)
{
    double time = 0;
    for (size_t i = first_block(paths->model, paths->loop, path); is_on(paths->model, i, paths->loop, path);
         i++) {
        uint32_t block = model_path_block(paths->model, (uint32_t)i)->block;
        time += paths->samples[block] / paths->through[block];
    }
    return time;
}

/* share is 1 for paths that ran until their time replaces it. */
static bool share_by_samples(const struct loop_paths *paths)
{
    struct model *model = paths->model;
    double all = 0;
    for (uint32_t i = paths->first; i < paths->end; i++)
        note_path(paths, model_loop_cycle(model, i)->path, 1);
    for (uint32_t i = paths->first; i < paths->end; i++)
        model_loop_cycle(model, i)->share =
            ran(paths, model_loop_cycle(model, i)->path, paths->end - paths->first);
    for (uint32_t i = paths->first; i < paths->end; i++)
        if (model_loop_cycle(model, i)->share == 0)
            note_path(paths, model_loop_cycle(model, i)->path, UINT32_MAX); /* one less */
    for (uint32_t i = paths->first; i < paths->end; i++) {
        struct loop_cycle *row = model_loop_cycle(model, i);
        bool is_noted = row->share > 0;
        row->share = is_noted ? time_on(paths, row->path) / paths->all : 0;
        row->share = fmin(row->share, 1);
        all += row->share;
    }
    for (uint32_t i = paths->first; i < paths->end; i++)
        for (size_t k = first_block(model, paths->loop, model_loop_cycle(model, i)->path);
             is_on(model, k, paths->loop, model_loop_cycle(model, i)->path); k++)
            paths->through[model_path_block(model, (uint32_t)k)->block] = 0;
    return all > 0;
}

static void share_loop(const struct loop_paths *paths)
{
    size_t counted = first_row(&paths->model->run_paths, offsetof(struct run_path, loop), paths->loop);
    bool is_counted = counted < paths->model->run_paths.count &&
                      model_run_path(paths->model, (uint32_t)counted)->loop == paths->loop;
    if ((is_counted && share_by_cycles(paths, true)) || (paths->all >= ENOUGH && share_by_samples(paths)) ||
        share_by_cycles(paths, false))
        return;
    for (uint32_t i = paths->first; i < paths->end; i++)
        model_loop_cycle(paths->model, i)->share = 1.0 / (paths->end - paths->first);
}

static double samples_in(const struct model *model, const double *samples, uint32_t loop)
{
    double all = 0;
    if (!samples)
        return 0;
    for (size_t i = first_row(&model->loop_blocks, offsetof(struct loop_block, loop), loop);
         i < model->loop_blocks.count && model_loop_block(model, (uint32_t)i)->loop == loop; i++)
        all += samples[model_loop_block(model, (uint32_t)i)->block];
    return all;
}

void path_shares_find(struct model *model)
{
    struct loop_paths paths = {.model = model};
    if (model->samples.count) {
        paths.samples = memory_get((model->blocks.count + 1) * sizeof *paths.samples);
        paths.through = memory_get((model->blocks.count + 1) * sizeof *paths.through);
    }
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *row = model_sample_row(model, i);
        if (row->instruction && row->instruction < model->code.count)
            paths.samples[model_instruction(model, row->instruction)->block] += (double)row->count;
    }
    for (uint32_t at = 0; at < model->loop_cycles.count; at = paths.end) {
        paths.first = paths.end = at;
        paths.loop = model_loop_cycle(model, at)->loop;
        while (paths.end < model->loop_cycles.count && model_loop_cycle(model, paths.end)->loop == paths.loop)
            paths.end++;
        paths.all = samples_in(model, paths.samples, paths.loop);
        share_loop(&paths);
    }
    free(paths.samples);
    free(paths.through);
}

static bool passes(const struct model *model, uint32_t loop, uint32_t path, uint32_t block)
{
    size_t i = first_block(model, loop, path);
    while (is_on(model, i, loop, path) && model_path_block(model, (uint32_t)i)->block != block)
        i++;
    return is_on(model, i, loop, path);
}

static bool passes_evidence(const struct model *model, uint32_t advice, uint32_t path)
{
    size_t i = first_row(&model->advice_evidence, offsetof(struct advice_evidence_row, advice), advice);
    for (; i < model->advice_evidence.count; i++) {
        const struct advice_evidence_row *row = model_advice_evidence_row(model, (uint32_t)i);
        if (row->advice != advice)
            break;
        uint32_t block = model_instruction(model, row->instruction)->block;
        if (!passes(model, model_advice(model, advice)->loop, path, block))
            return false;
    }
    return true;
}

double path_shares_of_advice(const struct model *model, uint32_t id)
{
    const struct advice *advice = model_advice(model, id);
    size_t at = first_row(&model->loop_cycles, offsetof(struct loop_cycle, loop), advice->loop);
    double part = 0;
    bool is_known = false;
    for (; at < model->loop_cycles.count && model_loop_cycle(model, (uint32_t)at)->loop == advice->loop;
         at++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)at);
        is_known = true;
        if (row->path == advice->path || (advice->is_shared && passes_evidence(model, id, row->path)))
            part += row->share;
    }
    return is_known ? fmin(part, 1) : 1;
}
