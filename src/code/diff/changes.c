/* Cycles are those of an iteration over all paths.  For the same work: an iteration of the source where both
   builds show how many of these a loop does at once, else by the amounts of work in both loops.  Nothing here
   needs more than cycles, so that all loops of a large program can be compared; explain.c says why. */
#include "code/diff/changes.h"

#include "code/diff/half.h"
#include "code/quality/path_shares.h"
#include "code/quality/weight.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const double REWRITTEN = 0.5;

void changes_time(struct model *model, const struct loop_machines *machines, const struct array *loops,
                  unsigned path_limit, unsigned threads)
{
    struct array paths = ARRAY_OF(struct loop_path);
    for (size_t i = 0; i < loops->count; i++) {
        size_t before = paths.count;
        loop_paths_list(model, *ARRAY_AT(uint32_t, loops, i), &paths);
        if (paths.count > before + path_limit)
            paths.count = before + path_limit;
    }
    cost_loops_quickly(model, machines, &paths, threads);
    cost_loops_add(model, machines, &paths);
    path_shares_find(model);
    array_free(&paths);
}

/* The cycles of a half for the unit. */
static void set_cycles(struct loop_change *change, int side, const struct half *half, double work)
{
    change->cycles[side] = half->cycles / work;
    change->slowest[side] = half->slowest / work;
    change->fastest[side] = half->fastest / work;
}

static void find_cycles(struct loop_change *change, const struct half *old, const struct half *new)
{
    const double work = change->work = half_work_ratio(old, new);
    bool has_cycles = !isnan(old->cycles) && !isnan(new->cycles);
    bool is_source = has_cycles && old->iterations > 0 && new->iterations > 0;
    change->unit = !has_cycles ? unit_NONE : is_source ? unit_SOURCE : work > 0 ? unit_OLD : unit_ITERATION;
    set_cycles(change, diff_OLD, old, is_source ? old->iterations : 1);
    set_cycles(change, diff_NEW, new, is_source ? new->iterations : change->unit == unit_OLD ? work : 1);
    change->ratio = has_cycles ? change->cycles[diff_NEW] / change->cycles[diff_OLD] : NAN;
    double slowest = change->slowest[diff_NEW] - change->slowest[diff_OLD];
    double fastest = change->fastest[diff_NEW] - change->fastest[diff_OLD];
    change->depends = has_cycles && slowest * fastest < 0;
}

static int by_effect(const void *a, const void *b)
{
    const struct loop_change *x = a, *y = b;
    double left = fabs(x->effect), right = fabs(y->effect);
    if (left != right)
        return left > right ? -1 : 1;
    left = isnan(x->ratio) ? 0 : fabs(log(x->ratio));
    right = isnan(y->ratio) ? 0 : fabs(log(y->ratio));
    if (left != right)
        return left > right ? -1 : 1;
    for (int side = diff_NEW; side >= 0; side--)
        if (x->match.rows[side] != y->match.rows[side])
            return x->match.rows[side] < y->match.rows[side] ? -1 : 1;
    return 0;
}

double *changes_shares_of_run(const struct comparison *comparison)
{
    const struct model *run = comparison->sides[diff_OLD].model, *other = comparison->sides[diff_NEW].model;
    double *shares = memory_get((other->loops.count + 1) * sizeof *shares);
    for (size_t i = 0; i < comparison->functions.count; i++) {
        const struct diff_match *pair = ARRAY_AT(struct diff_match, &comparison->functions, i);
        if (!pair->is_same)
            continue;
        size_t from =
            array_first_not_below(&run->loops, 1, offsetof(struct loop, function), pair->rows[diff_OLD]);
        size_t to =
            array_first_not_below(&other->loops, 1, offsetof(struct loop, function), pair->rows[diff_NEW]);
        for (; from < run->loops.count && to < other->loops.count; from++, to++) {
            if (model_loop(run, (uint32_t)from)->function != pair->rows[diff_OLD] ||
                model_loop(other, (uint32_t)to)->function != pair->rows[diff_NEW])
                break;
            shares[to] = weight_share(run, (uint32_t)from);
        }
    }
    return shares;
}

/* Loops that have as little in common as these do other work: their times say nothing about each other. */
static bool is_rewritten(const struct comparison *comparison, const struct loop_change *change)
{
    return change->unit == unit_ITERATION &&
           diff_loop_similarity(comparison, change->match.rows[0], change->match.rows[1]) < REWRITTEN;
}

struct array changes_of_loops(const struct comparison *comparison, const double *shares)
{
    struct array changes = ARRAY_OF(struct loop_change);
    for (size_t i = 0; i < comparison->loops.count; i++) {
        const struct diff_match *pair = ARRAY_AT(struct diff_match, &comparison->loops, i);
        if (pair->is_same && !comparison->takes_same)
            continue;
        struct half halves[diff_BUILDS];
        for (int side = 0; side < diff_BUILDS; side++)
            halves[side] = half_read(comparison->sides[side].model, pair->rows[side]);
        struct loop_change *change = array_add(&changes);
        change->match = *pair;
        find_cycles(change, &halves[0], &halves[1]);
        change->gone = change->appeared = ARRAY_OF(uint32_t);
        if (is_rewritten(comparison, change))
            change->ratio = NAN;
        change->share = !pair->rows[0] ? NAN
                        : shares       ? shares[pair->rows[0]]
                                       : weight_share(halves[0].model, pair->rows[0]);
        change->effect = isnan(change->ratio) || change->depends || !(change->share > 0)
                             ? 0
                             : change->share * (change->ratio - 1);
    }
    if (changes.count)
        qsort(changes.data, changes.count, sizeof(struct loop_change), by_effect);
    return changes;
}

void changes_free(struct array *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        struct loop_change *change = ARRAY_AT(struct loop_change, changes, i);
        array_free(&change->gone);
        array_free(&change->appeared);
    }
    array_free(changes);
}
