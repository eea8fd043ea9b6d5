/* Loops add up to functions, and functions to the program. */
#include "code/diff/changes.h"

#include <math.h>
#include <stdlib.h>

static void add_loop(struct change_total *total, const struct loop_change *change, double threshold)
{
    if (isnan(change->ratio) || change->depends)
        return;
    total->share += change->share > 0 ? change->share : 0;
    total->effect += change->effect;
    total->slower += change->ratio > 1 + threshold;
    total->faster += change->ratio < 1 / (1 + threshold);
}

static void add_code(struct change_total *total, const struct comparison *comparison,
                     const struct diff_match *match)
{
    for (int side = 0; side < diff_BUILDS; side++) {
        if (!match->rows[side])
            continue;
        const struct diff_code *code = &comparison->sides[side].functions[match->rows[side]];
        total->instructions[side] += code->count;
        total->bytes[side] += code->bytes;
    }
}

/* A copy has the match of its original beside its own: its code counts once. */
static struct diff_match once(const struct comparison *comparison, size_t place)
{
    struct diff_match match = *ARRAY_AT(struct diff_match, &comparison->functions, place);
    for (int side = 0; side < diff_BUILDS; side++)
        if (match.rows[side] && comparison->sides[side].of_function[match.rows[side]] != place + 1)
            match.rows[side] = 0;
    return match;
}

static double growth(const struct change_total *total)
{
    return fabs((double)total->instructions[diff_NEW] - (double)total->instructions[diff_OLD]);
}

static int by_effect(const void *a, const void *b)
{
    const struct function_change *x = a, *y = b;
    double left = fabs(x->total.effect), right = fabs(y->total.effect);
    if (left == right) {
        left = growth(&x->total);
        right = growth(&y->total);
    }
    if (left != right)
        return left > right ? -1 : 1;
    return x->match < y->match ? -1 : x->match > y->match;
}

/* The pair of functions that a loop counts for: the old one's, or the new one's if only that has the loop. */
static uint32_t place_of(const struct comparison *comparison, const struct loop_change *change)
{
    int side = change->match.rows[diff_OLD] ? diff_OLD : diff_NEW;
    const struct diff_side *it = &comparison->sides[side];
    return it->of_function[model_loop(it->model, change->match.rows[side])->function] - 1;
}

struct array changes_of_functions(const struct comparison *comparison, const struct array *changes,
                                  double threshold)
{
    struct array all = ARRAY_OF(struct function_change);
    array_add_many(&all, comparison->functions.count);
    for (size_t i = 0; i < changes->count; i++) {
        const struct loop_change *change = ARRAY_AT(struct loop_change, changes, i);
        add_loop(&ARRAY_AT(struct function_change, &all, place_of(comparison, change))->total, change,
                 threshold);
    }
    size_t kept = 0;
    for (size_t i = 0; i < comparison->functions.count; i++) {
        struct function_change function = *ARRAY_AT(struct function_change, &all, i);
        struct diff_match match = once(comparison, i);
        function.match = ARRAY_AT(struct diff_match, &comparison->functions, i);
        add_code(&function.total, comparison, &match);
        bool has_code = function.total.instructions[diff_OLD] || function.total.instructions[diff_NEW];
        if (has_code && (!function.match->is_same || function.total.effect != 0))
            *ARRAY_AT(struct function_change, &all, kept++) = function;
    }
    all.count = kept;
    if (kept)
        qsort(all.data, kept, sizeof(struct function_change), by_effect);
    return all;
}

struct change_total changes_total(const struct comparison *comparison, const struct array *changes,
                                  double threshold)
{
    struct change_total total = {0};
    for (size_t i = 0; i < changes->count; i++)
        add_loop(&total, ARRAY_AT(struct loop_change, changes, i), threshold);
    for (size_t i = 0; i < comparison->functions.count; i++) {
        struct diff_match match = once(comparison, i);
        add_code(&total, comparison, &match);
    }
    return total;
}
