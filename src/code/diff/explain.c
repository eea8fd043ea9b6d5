/* Why a loop takes another time: figures of both loops, and rules of advice that speak of one alone. */
#include "code/diff/changes.h"

#include "code/diff/half.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double NOTABLE = 0.1;

/* Of the path with the largest share; NULL: none. */
static const struct loop_metric *metric_of(const struct half *half)
{
    const struct model *model = half->model;
    size_t offset = offsetof(struct loop_metric, loop);
    for (size_t i = array_first_not_below(&model->loop_metrics, 0, offset, half->loop);
         i < model->loop_metrics.count && model_loop_metric(model, (uint32_t)i)->loop == half->loop; i++)
        if (model_loop_metric(model, (uint32_t)i)->path == half->path)
            return model_loop_metric(model, (uint32_t)i);
    return NULL;
}

/* Counts are told for the same work. */
static double of_unit(const struct loop_change *change, const struct half *half, double count, bool is_new)
{
    if (change->unit == unit_SOURCE)
        return count / half->iterations;
    return change->unit == unit_OLD && is_new ? count / change->work : count;
}

static void find_reasons(struct loop_change *change, const struct half *halves)
{
    for (int side = 0; side < diff_BUILDS; side++) {
        const struct half *half = &halves[side];
        const struct loop_metric *m = metric_of(half);
        if (!m)
            return;
        const double counts[reason_COUNT] = {
            [reason_SPILLS] = m->spill_count + m->fill_count,
            [reason_CALLS] = m->call_count,
            [reason_DIVISIONS] = m->divide_count + m->sqrt_count,
            [reason_CONVERSIONS] = m->convert_count,
            [reason_MULTIPLY_ADDS] = m->fma_count,
            [reason_GATHERS] = m->gather_count + m->scatter_count,
            [reason_LOADS] = m->load_count,
            [reason_STORES] = m->store_count,
            [reason_INSTRUCTIONS] = m->instruction_count,
        };
        for (int i = 0; i < reason_COUNT; i++)
            change->reasons[i].figures[side] = of_unit(change, half, counts[i], side == diff_NEW);
        /* Whole registers are also copied and cleared for the sake of scalars. */
        change->reasons[reason_VECTOR_BITS].figures[side] = m->vector_ratio > 0 ? half->vector_bits : 0;
        change->reasons[reason_UNROLL].figures[side] =
            half->role && half->role->unroll > 0 ? half->role->unroll : 0;
        change->reasons[reason_PATHS].figures[side] = half->path_count;
        change->reasons[reason_LIMIT].figures[side] = half->limit;
    }
    for (int i = 0; i < reason_COUNT; i++) {
        struct change_figure *figure = &change->reasons[i];
        double old = figure->figures[diff_OLD], new = figure->figures[diff_NEW];
        figure->is_told = i == reason_INSTRUCTIONS || i == reason_LOADS || i == reason_STORES
                              ? fabs(new - old) > NOTABLE * fmax(old, new)
                              : old != new && !(i == reason_UNROLL && (!old || !new));
    }
}

static bool has_rule(const struct model *model, uint32_t loop, const char *name)
{
    for (size_t i = array_first_not_below(&model->advice, 1, offsetof(struct advice, loop), loop);
         i < model->advice.count && model_advice(model, (uint32_t)i)->loop == loop; i++) {
        const struct advice *advice = model_advice(model, (uint32_t)i);
        if (advice->level != advice_level_HINT &&
            !strcmp(model_text(model, model_rule_row(model, advice->rule)->name), name))
            return true;
    }
    return false;
}

/* Rules that speak of a loop and not of its counterpart. */
static struct array rules_apart(const struct half *of, const struct half *other)
{
    struct array rules = ARRAY_OF(uint32_t);
    const struct model *model = of->model;
    for (size_t i = array_first_not_below(&model->advice, 1, offsetof(struct advice, loop), of->loop);
         i < model->advice.count && model_advice(model, (uint32_t)i)->loop == of->loop; i++) {
        const struct advice *advice = model_advice(model, (uint32_t)i);
        bool is_known =
            advice->level == advice_level_HINT ||
            has_rule(other->model, other->loop, model_text(model, model_rule_row(model, advice->rule)->name));
        for (size_t k = 0; k < rules.count; k++)
            is_known |= *ARRAY_AT(uint32_t, &rules, k) == advice->rule;
        if (!is_known)
            *(uint32_t *)array_push(&rules) = advice->rule;
    }
    return rules;
}

void changes_explain(struct loop_change *change, const struct comparison *comparison)
{
    struct half halves[diff_BUILDS];
    for (int side = 0; side < diff_BUILDS; side++) {
        halves[side] = half_read(comparison->sides[side].model, change->match.rows[side]);
        if (!change->match.rows[!side])
            change->cycles[side] = halves[side].cycles;
    }
    change->is_explained = true;
    if (!change->match.rows[diff_OLD] || !change->match.rows[diff_NEW])
        return;
    find_reasons(change, halves);
    change->gone = rules_apart(&halves[diff_OLD], &halves[diff_NEW]);
    change->appeared = rules_apart(&halves[diff_NEW], &halves[diff_OLD]);
}
