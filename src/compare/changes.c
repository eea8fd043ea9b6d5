/* Cycles are those of an iteration over all paths, each by its share of the time.  For the same work: an
   iteration of the source where both builds show how many of these a loop does at once, else by the amounts
   of work in both loops (quality/footprint.h). */
#include "compare/changes.h"

#include "quality/footprint.h"
#include "quality/families.h"
#include "quality/weight.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double NOTABLE = 0.1, REWRITTEN = 0.5;

/* A loop of one build. */
struct half {
    const struct model *model;
    uint32_t loop, path;
    double cycles; /* of an iteration; NaN */
    double slowest, fastest;
    double iterations; /* of the source; 0: unknown */
    enum core_part limit;
    unsigned path_count;              /* that have cycles */
    const struct loop_metric *metric; /* of the path with the largest share; NULL: none */
    const struct loop_role_row *role;
    struct footprint footprint;
    uint32_t vector_bits;
};

static void read_code(struct half *half)
{
    const struct model *model = half->model;
    for (size_t i =
             array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), half->loop);
         i < model->loop_blocks.count && model_loop_block(model, (uint32_t)i)->loop == half->loop; i++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t instruction = block->first_instruction + k;
            const struct encoding *encoding =
                model_encoding(model, model_instruction(model, instruction)->encoding);
            footprint_add(&half->footprint, model, instruction);
            if (encoding->is_vector && encoding->vector_bits > half->vector_bits)
                half->vector_bits = encoding->vector_bits;
        }
    }
}

static struct half read_half(const struct model *model, uint32_t loop)
{
    struct half half = {.model = model, .loop = loop, .cycles = NAN};
    double cycles = 0, shares = 0, best = -1;
    if (!loop)
        return half;
    for (size_t i = array_first_not_below(&model->loop_cycles, 0, offsetof(struct loop_cycle, loop), loop);
         i < model->loop_cycles.count && model_loop_cycle(model, (uint32_t)i)->loop == loop; i++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)i);
        if (!(row->cycles > 0))
            continue;
        double share = row->share > 0 ? row->share : 0;
        half.path_count++;
        half.slowest = fmax(half.slowest, row->cycles);
        half.fastest = half.path_count == 1 ? row->cycles : fmin(half.fastest, row->cycles);
        /* Shares are of time: so many iterations of each path. */
        cycles += share;
        shares += share / row->cycles;
        if (share > best) {
            best = share;
            half.path = row->path;
            half.limit = row->limit;
        }
    }
    if (shares > 0)
        half.cycles = cycles / shares;
    for (size_t i = array_first_not_below(&model->loop_metrics, 0, offsetof(struct loop_metric, loop), loop);
         i < model->loop_metrics.count && model_loop_metric(model, (uint32_t)i)->loop == loop; i++)
        if (model_loop_metric(model, (uint32_t)i)->path == half.path)
            half.metric = model_loop_metric(model, (uint32_t)i);
    half.role = families_role(model, loop);
    half.iterations = half.role && half.role->iterations > 0 ? half.role->iterations : 0;
    read_code(&half);
    /* Whole registers are also copied and cleared for the sake of scalars. */
    if (!half.metric || !(half.metric->vector_ratio > 0))
        half.vector_bits = 0;
    return half;
}

/* How many iterations of the old loop one of the new loop is worth; 0: unknown. */
static double work_ratio(const struct half *old, const struct half *new)
{
    uint32_t more = footprint_ratio(&new->footprint, &old->footprint);
    uint32_t less = footprint_ratio(&old->footprint, &new->footprint);
    return more ? more : less ? 1.0 / less : 0;
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
    double work = work_ratio(old, new);
    bool has_cycles = !isnan(old->cycles) && !isnan(new->cycles);
    bool is_source = has_cycles && old->iterations > 0 && new->iterations > 0;
    change->unit = !has_cycles ? unit_NONE : is_source ? unit_SOURCE : work > 0 ? unit_OLD : unit_ITERATION;
    set_cycles(change, compare_OLD, old, is_source ? old->iterations : 1);
    set_cycles(change, compare_NEW, new, is_source ? new->iterations : change->unit == unit_OLD ? work : 1);
    change->ratio = has_cycles ? change->cycles[compare_NEW] / change->cycles[compare_OLD] : NAN;
    double slowest = change->slowest[compare_NEW] - change->slowest[compare_OLD];
    double fastest = change->fastest[compare_NEW] - change->fastest[compare_OLD];
    change->depends = has_cycles && !weight_is_sampled(old->model) && slowest * fastest < 0;
}

/* Counts are told for the same work. */
static double of_unit(const struct loop_change *change, const struct half *half, double count, double work,
                      bool is_new)
{
    if (change->unit == unit_SOURCE)
        return count / half->iterations;
    return change->unit == unit_OLD && is_new ? count / work : count;
}

static void find_reasons(struct loop_change *change, const struct half *halves)
{
    const double work = work_ratio(&halves[0], &halves[1]);
    for (int side = 0; side < compare_BUILDS; side++) {
        const struct half *half = &halves[side];
        const struct loop_metric *m = half->metric;
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
            change->reasons[i].figures[side] = of_unit(change, half, counts[i], work, side == compare_NEW);
        change->reasons[reason_VECTOR_BITS].figures[side] = half->vector_bits;
        change->reasons[reason_UNROLL].figures[side] =
            half->role && half->role->unroll > 0 ? half->role->unroll : 0;
        change->reasons[reason_PATHS].figures[side] = half->path_count;
        change->reasons[reason_LIMIT].figures[side] = half->limit;
    }
    for (int i = 0; i < reason_COUNT; i++) {
        struct change_figure *figure = &change->reasons[i];
        double old = figure->figures[compare_OLD], new = figure->figures[compare_NEW];
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
    if (!of->loop || !other->loop)
        return rules;
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
    for (int side = compare_NEW; side >= 0; side--)
        if (x->match.rows[side] != y->match.rows[side])
            return x->match.rows[side] < y->match.rows[side] ? -1 : 1;
    return 0;
}

double *changes_shares_of_run(const struct comparison *comparison)
{
    const struct model *run = comparison->sides[compare_OLD].model,
                       *other = comparison->sides[compare_NEW].model;
    double *shares = memory_get((other->loops.count + 1) * sizeof *shares);
    for (size_t i = 0; i < comparison->functions.count; i++) {
        const struct compare_match *pair = ARRAY_AT(struct compare_match, &comparison->functions, i);
        if (!pair->is_same)
            continue;
        size_t from =
            array_first_not_below(&run->loops, 1, offsetof(struct loop, function), pair->rows[compare_OLD]);
        size_t to =
            array_first_not_below(&other->loops, 1, offsetof(struct loop, function), pair->rows[compare_NEW]);
        for (; from < run->loops.count && to < other->loops.count; from++, to++) {
            if (model_loop(run, (uint32_t)from)->function != pair->rows[compare_OLD] ||
                model_loop(other, (uint32_t)to)->function != pair->rows[compare_NEW])
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
           compare_loop_similarity(comparison, change->match.rows[0], change->match.rows[1]) < REWRITTEN;
}

struct array changes_of_loops(const struct comparison *comparison, const double *shares)
{
    struct array changes = ARRAY_OF(struct loop_change);
    for (size_t i = 0; i < comparison->loops.count; i++) {
        const struct compare_match *pair = ARRAY_AT(struct compare_match, &comparison->loops, i);
        if (pair->is_same)
            continue;
        struct half halves[compare_BUILDS];
        for (int side = 0; side < compare_BUILDS; side++)
            halves[side] = read_half(comparison->sides[side].model, pair->rows[side]);
        struct loop_change *change = array_add(&changes);
        change->match = *pair;
        find_cycles(change, &halves[0], &halves[1]);
        find_reasons(change, halves);
        change->gone = rules_apart(&halves[0], &halves[1]);
        change->appeared = rules_apart(&halves[1], &halves[0]);
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
