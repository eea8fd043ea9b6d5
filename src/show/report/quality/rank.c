/* The order of loops: by what following the advice would save of all time. A run says how much time a loop
   takes; without one, its weight does (code/quality/weight.h). Advice without a known gain comes after advice
   with one, by the time of its loop. Loops that run once, at the start or the end of the program, come
   last. */
#include "show/report/quality/quality.h"

#include "code/quality/weight.h"
#include "show/report/quality/rows.h"

#include <math.h>
#include <stdlib.h>

enum rank_class { rank_SAVES, rank_ADVISED, rank_SILENT, rank_START };

struct ranked {
    uint32_t loop;
    enum rank_class class;
    double saving, share, gain;
    unsigned level; /* of its most certain advice; advice_level_COUNT for none */
    unsigned role;  /* 0 does most of the work, 1 another version, 2 peel and tail */
    uint32_t depth;
};

double quality_gain(const struct model *model, uint32_t loop, enum advice_level level)
{
    struct quality_rows rows;
    double gain = 1;
    quality_rows_find(&rows, model, loop);
    for (size_t i = 0; i < rows.advice_count; i++)
        if (rows.advice[i].level <= level && isfinite(rows.advice[i].gain))
            gain = fmax(gain, rows.advice[i].gain);
    return gain;
}

bool quality_gain_is_upper(const struct model *model, uint32_t loop, enum advice_level level)
{
    struct quality_rows rows;
    double largest = quality_gain(model, loop, level);
    bool is_upper = false;
    quality_rows_find(&rows, model, loop);
    for (size_t i = 0; i < rows.advice_count; i++) {
        if (rows.advice[i].level > level || !(rows.advice[i].gain >= largest))
            continue;
        if (!rows.advice[i].is_upper)
            return false;
        is_upper = true;
    }
    return is_upper;
}

static unsigned rank_role(const struct loop_role_row *role)
{
    if (!role || role->role == loop_role_ONLY || role->role == loop_role_MAIN)
        return 0;
    return role->role == loop_role_VERSION ? 1 : 2;
}

/* Advice of one rule on several paths adds up; different rules may be about the same time. */
double quality_saving(const struct model *model, uint32_t loop, enum advice_level level)
{
    struct quality_rows rows;
    quality_rows_find(&rows, model, loop);
    double *saved = memory_get((model->rules.count + 1) * sizeof *saved), most = 0;
    for (size_t i = 0; i < rows.advice_count; i++)
        if (rows.advice[i].level <= level)
            most = fmax(most,
                        saved[rows.advice[i].rule] += weight_saved(model, rows.first_advice + (uint32_t)i));
    free(saved);
    return weight_share(model, loop) * most;
}

static enum rank_class class_of(const struct model *model, const struct ranked *ranked)
{
    const struct loop_weight *weight = weight_of(model, ranked->loop);
    if (!weight_is_sampled(model) && weight && weight->reach == call_reach_START)
        return rank_START;
    if (ranked->gain > 1)
        return rank_SAVES;
    return ranked->level < advice_level_COUNT ? rank_ADVISED : rank_SILENT;
}

static struct ranked rank(const struct model *model, uint32_t loop, enum advice_level level)
{
    struct quality_rows rows;
    quality_rows_find(&rows, model, loop);
    struct ranked ranked = {.loop = loop,
                            .share = weight_share(model, loop),
                            .gain = quality_gain(model, loop, level),
                            .level = advice_level_COUNT,
                            .role = rank_role(rows.role),
                            .depth = model_loop(model, loop)->depth};
    for (size_t i = 0; i < rows.advice_count; i++)
        if (rows.advice[i].level <= level && rows.advice[i].level < ranked.level)
            ranked.level = rows.advice[i].level;
    ranked.saving = quality_saving(model, loop, level);
    ranked.class = class_of(model, &ranked);
    return ranked;
}

/* The larger one first. */
static int compare_falling(double a, double b)
{
    return (a < b) - (a > b);
}

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int order = (int)a->class - (int)b->class;
    if (!order)
        order = compare_falling(a->saving, b->saving);
    if (!order)
        order = compare_falling(a->gain, b->gain);
    if (!order)
        order = compare_falling(a->share, b->share);
    if (!order)
        order = (int)a->level - (int)b->level;
    if (!order)
        order = (int)a->role - (int)b->role;
    if (!order)
        order = compare_falling(a->depth, b->depth);
    return order ? order : (a->loop > b->loop) - (a->loop < b->loop);
}

enum quality_basis quality_sort_basis(const struct model *model)
{
    return weight_is_sampled(model) ? quality_by_SAMPLES : quality_by_STRUCTURE;
}

void quality_sort(const struct model *model, enum advice_level level, uint32_t *loops, size_t count)
{
    autofree struct ranked *ranked = memory_get((count + 1) * sizeof *ranked);
    for (size_t i = 0; i < count; i++)
        ranked[i] = rank(model, loops[i], level);
    qsort(ranked, count, sizeof *ranked, compare);
    for (size_t i = 0; i < count; i++)
        loops[i] = ranked[i].loop;
}
