/* See model.h. This file is the list of steps; each has a file of its own:

   cases ─► a table (model_table.c) ─► candidates of all kinds (model_forms.c by model_fit.c, model_bands.c,
         model_nearest.c)
         ─► each judged by rows left out ─► the best one ─► its interval (model_interval.c)

   The errors of the one that was chosen are too good to be true, because it was chosen for them. So the
   choice itself is judged by rows left out: for each row the best candidate is chosen by its errors on all
   other rows, and the error of that one counts for this row. The interval and the errors that are told
   come from there. */
#include "plan/predict/model.h"
#include "plan/predict/model_candidate.h"
#include "plan/predict/model_extrapolate.h"
#include "plan/predict/model_interval.h"

#include <math.h>
#include <stdlib.h>

const char *const model_kind_names[model_KIND_COUNT] = {
    "seen", "mean", "bands", "power", "nearest", "features", "combined", "extrapolate", "none",
};

/* Below this, errors of left-out rows say nothing about which kind is better. */
enum { ROWS_TO_CHOOSE = 3 };
/* A longer form must be better by so much for each of its terms: of equals the simple one is taken. */
static const double PRICE_OF_A_TERM = 0.01;
/* More than this many times the estimate is no bound at all. */
static const double NO_BOUND = 1000;
/* Of ln seconds: no lower end is further away, and none is 0. */
static const double MOST_BELOW = 30;
/* The same run again, before it is known how much it varies here. */
static const double REPEAT_SD = 0.1;

struct model_candidate *model_candidate_add(struct array *candidates, const struct model_table *table,
                                            enum model_kind kind, unsigned terms)
{
    struct model_candidate *candidate = array_add(candidates);
    candidate->kind = kind;
    candidate->terms = terms;
    candidate->spread = 1;
    candidate->off = memory_get((table->count + 1) * sizeof *candidate->off);
    candidate->spreads = memory_get((table->count + 1) * sizeof *candidate->spreads);
    return candidate;
}

static void model_candidates_free(struct array *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        struct model_candidate *candidate = ARRAY_AT(struct model_candidate, candidates, i);
        free(candidate->off);
        free(candidate->spreads);
        free(candidate->parameters);
    }
    array_free(candidates);
}

/* The error that counts for a row: the mean's, where the candidate has none. */
static double off_of(const struct array *candidates, const struct model_candidate *candidate, size_t row)
{
    double off = candidate->off[row];
    return isnan(off) ? ARRAY_AT(struct model_candidate, candidates, 0)->off[row] : off;
}

/* How bad it is to be wrong by this much.  Twice too much is as bad as half of it, and a hundred times too
   much not much worse than thirty times: otherwise the few rows that nobody can predict would decide, by
   chance, who is best at all the others. */
static double loss_of(double off)
{
    return log1p(fabs(off));
}

void model_candidates_sum(const struct model_table *table, struct array *candidates, size_t first)
{
    for (size_t i = first; i < candidates->count; i++) {
        struct model_candidate *candidate = ARRAY_AT(struct model_candidate, candidates, i);
        candidate->sum = 0;
        for (size_t row = 0; row < table->count; row++)
            candidate->sum += loss_of(off_of(candidates, candidate, row));
    }
}

/* The best by its errors on all rows but one (rows: on all). */
static const struct model_candidate *choose(const struct array *candidates, size_t rows, size_t without)
{
    const struct model_candidate *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct model_candidate *candidate = ARRAY_AT(struct model_candidate, candidates, i);
        double sum = candidate->sum;
        if (candidate->is_barred)
            continue;
        if (without < rows)
            sum -= loss_of(off_of(candidates, candidate, without));
        sum *= 1 + PRICE_OF_A_TERM * candidate->terms;
        if (sum < least * (1 - 1e-9) || !best) {
            least = sum;
            best = candidate;
        }
    }
    return best;
}

/* With too few rows to choose: a probe says more than the mean of one or two other runs. */
static const struct model_candidate *first_choice(const struct array *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        const struct model_candidate *candidate = ARRAY_AT(struct model_candidate, candidates, i);
        if (candidate->kind == model_POWER && !candidate->is_barred)
            return candidate;
    }
    return choose(candidates, 0, 0);
}

/* A kind that was asked for is used where it can be fitted. */
static void bar_others(struct array *candidates, enum model_kind only)
{
    bool is_there = false;
    for (size_t i = 0; i < candidates->count; i++)
        is_there = is_there || ARRAY_AT(struct model_candidate, candidates, i)->kind == only;
    for (size_t i = 0; is_there && i < candidates->count; i++) {
        struct model_candidate *candidate = ARRAY_AT(struct model_candidate, candidates, i);
        candidate->is_barred = candidate->kind != only;
    }
}

static void judge_kinds(const struct model_table *table, const struct array *candidates,
                        struct model_answer *answer)
{
    double least[model_KIND_COUNT];
    for (unsigned i = 0; i < model_KIND_COUNT; i++)
        least[i] = INFINITY;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct model_candidate *candidate = ARRAY_AT(struct model_candidate, candidates, i);
        struct model_judged *judged = &answer->judged[candidate->kind];
        double sum = candidate->sum * (1 + PRICE_OF_A_TERM * candidate->terms);
        if (!(sum < least[candidate->kind] * (1 - 1e-9)) && judged->is_fitted)
            continue;
        least[candidate->kind] = sum;
        free(judged->parameters);
        *judged = (struct model_judged){.is_fitted = true,
                                        .seconds = candidate->seconds,
                                        .error = NAN,
                                        .worst = NAN,
                                        .loss = NAN,
                                        .runs = (unsigned)candidate->rows,
                                        .parameters = memory_format("%s", candidate->parameters)};
        if (table->count < ROWS_TO_CHOOSE)
            continue;
        judged->loss = candidate->sum / (double)table->count;
        judged->error = judged->worst = 0;
        for (size_t row = 0; row < table->count; row++) {
            double off = fabs(exp(off_of(candidates, candidate, row)) - 1);
            judged->error += off / (double)table->count;
            judged->worst = fmax(judged->worst, off);
        }
    }
}

/* Errors of the whole procedure, row by row, in units of their spread. */
static size_t honest_errors(const struct model_table *table, const struct array *candidates,
                            const struct model_candidate *used, double *errors, struct model_answer *answer)
{
    size_t count = 0;
    bool can_choose = table->count >= ROWS_TO_CHOOSE;
    if (can_choose)
        answer->error = answer->worst = 0;
    for (size_t row = 0; row < table->count; row++) {
        const struct model_candidate *candidate = can_choose ? choose(candidates, table->count, row) : used;
        double off = off_of(candidates, candidate, row), wrong = fabs(exp(off) - 1);
        if (can_choose) {
            answer->error += wrong / (double)table->count;
            answer->worst = fmax(answer->worst, wrong);
        }
        if (isfinite(candidate->off[row]) && isfinite(used->off[row]))
            errors[count++] = off / candidate->spreads[row];
    }
    return count;
}

static void set_interval(struct model_answer *answer, double below, double above)
{
    answer->lower = answer->seconds * exp(-fmin(below, MOST_BELOW));
    answer->upper = exp(above) > NO_BOUND ? INFINITY : answer->seconds * exp(above);
}

/* The sizes of other runs say how far the mean of them may be trusted. */
static double size_beyond(const struct model_table *table)
{
    const struct model_column *size = model_table_find(table, model_COLUMN_SIZE, 0);
    double least = INFINITY, most = 0;
    for (size_t row = 0; size && row < table->count; row++)
        if (!isnan(size->values[row])) {
            least = fmin(least, size->values[row]);
            most = fmax(most, size->values[row]);
        }
    if (!size || most == 0)
        return 0;
    return fmax(0, fmax(log(size->question / most), log(least / size->question)));
}

static void use_candidate(const struct model_table *table, const struct array *candidates,
                          struct model_answer *answer)
{
    const struct model_candidate *used = table->count >= ROWS_TO_CHOOSE
                                             ? choose(candidates, table->count, table->count)
                                             : first_choice(candidates);
    if (!used)
        return;
    double *errors = memory_get((table->count + 1) * sizeof *errors);
    size_t count = honest_errors(table, candidates, used, errors, answer);
    struct model_interval interval = model_interval(errors, count, used->noise);
    free(errors);
    answer->kind = used->kind;
    answer->seconds = used->seconds;
    answer->runs = (unsigned)used->rows;
    double wider = used->spread * (1 + used->beyond), more = 0;
    if (used->kind == model_MEAN) /* Time goes with some power of the size; which one is not known. */
        more = 2 * size_beyond(table);
    answer->is_beyond = used->beyond > 0.05 || more > 0.1;
    set_interval(answer, interval.below * wider + more, interval.above * wider + more);
}

static void use_own_probes(const struct model_table *table, const struct model_case *question,
                           struct model_answer *answer)
{
    struct model_extrapolation own;
    /* Where bytes say in how many directions inputs shrink, nothing else is thought before. */
    double sd = question->directions > 0 && !table->has_others ? INFINITY : table->others_exponent_sd;
    if (!model_extrapolate(question, table->others_exponent, sd, &own))
        return;
    answer->kind = model_EXTRAPOLATE;
    answer->seconds = own.seconds;
    answer->lower = own.lower;
    answer->upper = own.upper > NO_BOUND * own.seconds || !table->is_telling ? INFINITY : own.upper;
    answer->is_beyond = true;
    answer->judged[model_EXTRAPOLATE] = (struct model_judged){
        .is_fitted = true,
        .seconds = own.seconds,
        .error = NAN,
        .worst = NAN,
        .loss = NAN,
        .parameters = memory_format("{\"exponent\":%.3g,\"startup\":%.6g}", own.exponent, own.startup)};
}

/* The same inputs were run before. */
static void use_repeats(const struct model_table *table, struct model_answer *answer)
{
    double n = (double)table->repeated.count, sum = 0;
    for (size_t i = 0; i < table->repeated.count; i++)
        sum += log(*ARRAY_AT(double, &table->repeated, i));
    double sd = isnan(table->repeat_sd) ? REPEAT_SD : fmax(table->repeat_sd, 0.01);
    answer->kind = model_SEEN;
    answer->seconds = exp(sum / n);
    answer->runs = (unsigned)table->repeated.count;
    double width = model_student(isnan(table->repeat_sd) ? 3 : n + 1) * sd * sqrt(1 + 1 / n);
    set_interval(answer, width, width);
    answer->is_beyond = false;
    answer->judged[model_SEEN] = (struct model_judged){.is_fitted = true,
                                                       .seconds = answer->seconds,
                                                       .error = NAN,
                                                       .worst = NAN,
                                                       .loss = NAN,
                                                       .runs = answer->runs,
                                                       .parameters = memory_format("{\"sd\":%.4g}", sd)};
}

/* Where runs fall into bands, the widest gaps between logarithms of their times; edges in the middle of
   each.  Too few runs, or no three gaps: no bands. */
static void find_bands(const struct model_table *table, struct model_answer *answer)
{
    enum { EDGES = MODEL_BAND_COUNT - 1 };
    if (table->count < 2 * MODEL_BAND_COUNT || isnan(answer->seconds))
        return;
    double *sorted = memory_get(table->count * sizeof *sorted);
    for (size_t row = 0; row < table->count; row++)
        sorted[row] = table->seconds[row];
    double least = model_quantile(sorted, table->count, 0);
    double most = sorted[table->count - 1];
    /* Lloyd's iterations from even steps: each run belongs to the nearest of four centres. */
    double centres[MODEL_BAND_COUNT];
    for (unsigned i = 0; i < MODEL_BAND_COUNT; i++)
        centres[i] = log(least) + (i + 0.5) / MODEL_BAND_COUNT * log(most / least);
    for (unsigned round = 0; round < 50; round++) {
        double sums[MODEL_BAND_COUNT] = {0}, counts[MODEL_BAND_COUNT] = {0};
        unsigned band = 0;
        for (size_t i = 0; i < table->count; i++) {
            double value = log(sorted[i]);
            while (band + 1 < MODEL_BAND_COUNT && value > (centres[band] + centres[band + 1]) / 2)
                band++;
            sums[band] += value, counts[band]++;
        }
        for (unsigned i = 0; i < MODEL_BAND_COUNT; i++)
            if (counts[i] > 0)
                centres[i] = sums[i] / counts[i];
    }
    free(sorted);
    answer->band = 1;
    for (unsigned i = 0; i < EDGES; i++) {
        answer->band_edges[i] = exp((centres[i] + centres[i + 1]) / 2);
        answer->band += answer->seconds > answer->band_edges[i];
    }
}

void model_predict(const struct model_case *cases, size_t count, unsigned feature_count,
                   const struct model_case *question, struct model_answer *answer)
{
    *answer = (struct model_answer){
        .seconds = NAN, .lower = NAN, .upper = NAN, .kind = model_NONE, .error = NAN, .worst = NAN};
    struct model_table table;
    model_table_make(cases, count, feature_count, question, &table);
    struct array candidates = ARRAY_OF(struct model_candidate);
    answer->probes = table.probes;
    if (table.count) {
        model_add_forms(&table, &candidates);
        size_t first = candidates.count;
        model_add_bands(&table, &candidates);
        model_add_nearest(&table, &candidates);
        model_candidates_sum(&table, &candidates, first);
        judge_kinds(&table, &candidates, answer);
        if (question->only != model_SEEN)
            bar_others(&candidates, question->only);
        use_candidate(&table, &candidates, answer);
    } else
        use_own_probes(&table, question, answer);
    if (table.repeated.count)
        use_repeats(&table, answer);
    find_bands(&table, answer);
    model_candidates_free(&candidates);
    model_table_free(&table);
}

void model_answer_free(struct model_answer *answer)
{
    for (unsigned i = 0; i < model_KIND_COUNT; i++) {
        free(answer->judged[i].parameters);
        answer->judged[i].parameters = NULL;
    }
}
