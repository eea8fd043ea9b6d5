/* The order of loops. How often a loop runs is unknown, so loops are ranked by speedup, and where that is
 * equal or unknown, by how likely the loop is to matter. */
#include "report/quality/quality.h"

#include "report/quality/rows.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    uint32_t loop;
    double gain;
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

static struct ranked rank(const struct model *model, uint32_t loop, enum advice_level level)
{
    struct quality_rows rows;
    quality_rows_find(&rows, model, loop);
    struct ranked ranked = {.loop = loop,
                            .gain = quality_gain(model, loop, level),
                            .level = advice_level_COUNT,
                            .role = rank_role(rows.role),
                            .depth = model_loop(model, loop)->depth};
    for (size_t i = 0; i < rows.advice_count; i++)
        if (rows.advice[i].level <= level && rows.advice[i].level < ranked.level)
            ranked.level = rows.advice[i].level;
    return ranked;
}

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    return a->loop < b->loop ? -1 : a->loop > b->loop;
}

void quality_sort(const struct model *model, enum advice_level level, uint32_t *loops, size_t count)
{
    struct ranked *ranked = memory_get((count + 1) * sizeof *ranked);
    for (size_t i = 0; i < count; i++)
        ranked[i] = rank(model, loops[i], level);
    qsort(ranked, count, sizeof *ranked, compare);
    for (size_t i = 0; i < count; i++)
        loops[i] = ranked[i].loop;
    free(ranked);
}
