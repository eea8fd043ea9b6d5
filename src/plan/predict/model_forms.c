/* Products of powers: a probe, its ratio to the identity, the size, features. See model_candidate.h.

   A form is a list of terms, each the logarithm of something about a case, and the share of the shortest
   probe that counts as the time to start the program: nothing that the data does, so it is taken off all
   times before their logarithms. Forms are tried from the simple to the complicated; how many are tried
   depends on the rows, because with few of them one out of many fits by chance. */
#include "plan/predict/model_candidate.h"
#include "plan/predict/model_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum term_kind {
    term_LOG,          /* of a column */
    term_RATIO,        /* of a pair to the identity of the same factor */
    term_AVERAGE,      /* of all pairs */
    term_MEDIAN,       /* of all pairs, each scaled to the whole size: one probe that lies does no harm */
    term_MEDIAN_RATIO, /* of all pairs to their identities */
    term_TREND         /* of the pair with the smallest factor to the one with the largest */
};

struct term {
    enum term_kind kind;
    const struct model_column *column, *other;
};

struct form {
    enum model_kind kind;
    unsigned count;
    struct term terms[MODEL_MOST_TERMS];
    double startup; /* seconds */
};

/* Rows that are needed before a form of so many choices is tried, and the shares of the shortest probe that
   may be the start of the program. */
enum {
    ROWS_TO_TELL = 3, /* runs say more about the noise than how probes grow */
    ROWS_FOR_EXTRAS = 6,
    ROWS_FOR_PAIRS_OF_EXTRAS = 12,
    ROWS_BY_TERM = 4,
    MANY_ROWS = 30000,
    MOST_PAIRS = 16
};
static const double STARTUP_SHARES[] = {0, 0.6, 0.95};

static double column_value(const struct model_column *column, size_t row, bool is_question)
{
    return is_question ? column->question : column->values[row];
}

static double log_of(const struct model_column *column, size_t row, bool is_question, double startup)
{
    double value = column_value(column, row, is_question);
    if (column->kind == model_COLUMN_FEATURE)
        return column->is_raw ? value / column->scale : log(value);
    return log(column->kind == model_COLUMN_SIZE ? value : model_without_startup(value, startup));
}

/* Of an even number of values the mean of the middle two. */
static double median(double *values, unsigned count)
{
    double upper = model_quantile(values, count, 0.5); /* puts them in order */
    return count % 2 ? upper : (values[count / 2 - 1] + upper) / 2;
}

/* One figure from all pairs. */
static double of_all_pairs(const struct model_table *table, const struct form *form, enum term_kind kind,
                           size_t row, bool is_question)
{
    double values[MOST_PAIRS], sum = 0;
    unsigned count = 0;
    for (size_t c = 0; c < table->columns.count && count < MOST_PAIRS; c++) {
        const struct model_column *pair = ARRAY_AT(struct model_column, &table->columns, c);
        if (pair->kind != model_COLUMN_PAIR)
            continue;
        double value = log_of(pair, row, is_question, form->startup);
        if (kind == term_MEDIAN)
            value += table->exponent * log(pair->factor);
        if (kind == term_MEDIAN_RATIO) {
            const struct model_column *identity =
                model_table_find(table, model_COLUMN_IDENTITY, pair->factor);
            value = identity ? value - log_of(identity, row, is_question, form->startup) : NAN;
        }
        if (kind == term_AVERAGE || !isnan(value)) {
            values[count++] = value;
            sum += value;
        }
    }
    if (!count)
        return NAN;
    return kind == term_AVERAGE ? sum / count : median(values, count);
}

static double term_value(const struct model_table *table, const struct form *form, const struct term *term,
                         size_t row, bool is_question)
{
    if (term->kind == term_AVERAGE || term->kind == term_MEDIAN || term->kind == term_MEDIAN_RATIO)
        return of_all_pairs(table, form, term->kind, row, is_question);
    double value = log_of(term->column, row, is_question, form->startup);
    if (term->kind == term_RATIO || term->kind == term_TREND)
        value -= log_of(term->other, row, is_question, form->startup);
    return value;
}

static double average_log_factor(const struct model_table *table)
{
    double sum = 0;
    unsigned count = 0;
    for (size_t c = 0; c < table->columns.count; c++) {
        const struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
        if (column->kind == model_COLUMN_PAIR) {
            sum += log(column->factor);
            count++;
        }
    }
    return sum / count;
}

/* Time goes with the probe, by factor^exponent; everything else is thought to matter little until rows say
   so. */
static void set_prior(const struct model_table *table, const struct form *form, struct model_prior *prior)
{
    *prior = (struct model_prior){.constant_sd = 100, .noise = 0.7, .noise_weight = 1};
    if (!form->count)
        prior->noise = 1.5;
    for (unsigned i = 0; i < form->count; i++) {
        const struct term *term = &form->terms[i];
        enum model_column_kind kind = term->column->kind;
        bool is_time = kind <= model_COLUMN_SCALED;
        prior->mean[i] = 0;
        prior->sd[i] = is_time ? 0.5 : 1;
        if (i == 0 && is_time) {
            bool is_scaled = kind == model_COLUMN_SCALED || term->kind == term_MEDIAN;
            bool is_of_all = term->kind == term_AVERAGE || term->kind == term_MEDIAN;
            double steps = is_of_all                     ? average_log_factor(table)
                           : kind == model_COLUMN_SCALED ? log(4)
                                                         : log(term->column->factor);
            prior->mean[i] = 1;
            prior->sd[i] = 0.25;
            prior->constant = is_scaled ? 0 : table->exponent * steps;
            prior->constant_sd = table->exponent_sd * steps;
            prior->noise = table->is_telling || table->count >= ROWS_TO_TELL ? 0.3 : 1.5;
            prior->noise_weight = 2;
            if (kind == model_COLUMN_IDENTITY) { /* The least work: a run takes some factor more. */
                prior->constant += 0.7;
                prior->constant_sd += 0.7;
                prior->noise = 0.7;
            }
        }
    }
}

static void name_term(const struct term *term, char name[64])
{
    static const char *const kinds[] = {"probe", "identity", "probe_scaled", "size", "feature"};
    const struct model_column *column = term->column;
    if (term->kind == term_RATIO)
        snprintf(name, 64, "ratio_%g", column->factor);
    else if (term->kind == term_AVERAGE)
        snprintf(name, 64, "probes_average");
    else if (term->kind == term_MEDIAN)
        snprintf(name, 64, "probes_median");
    else if (term->kind == term_MEDIAN_RATIO)
        snprintf(name, 64, "ratios_median");
    else if (term->kind == term_TREND)
        snprintf(name, 64, "probe_%g_to_%g", column->factor, term->other->factor);
    else if (column->kind == model_COLUMN_FEATURE)
        snprintf(name, 64, "feature_%u", column->feature);
    else if (column->kind == model_COLUMN_SIZE || column->kind == model_COLUMN_SCALED)
        snprintf(name, 64, "%s", kinds[column->kind]);
    else
        snprintf(name, 64, "%s_%g", kinds[column->kind], column->factor);
}

/* seconds = startup + constant × product of terms^exponent (exp(exponent × term / its spread) for raw
 * features) */
static char *describe(const struct form *form, const struct model_fit *fit)
{
    double constant = fit->constant;
    for (unsigned i = 0; i < form->count; i++)
        constant -= fit->coefficient[i] * fit->centre[i];
    char *text =
        memory_format("{\"constant\":%.6g,\"startup\":%.6g,\"exponents\":{", exp(constant), form->startup);
    for (unsigned i = 0; i < form->count; i++) {
        char name[64];
        name_term(&form->terms[i], name);
        char *longer = memory_format("%s%s\"%s\":%.4g", text, i ? "," : "", name, fit->coefficient[i]);
        free(text);
        text = longer;
    }
    char *whole = memory_format("%s}}", text);
    free(text);
    return whole;
}

/* Candidates, and the form of each. */
struct builder {
    const struct model_table *table;
    struct array *candidates;
    struct array forms;
};

static void add_form(struct builder *builder, const struct form *form)
{
    const struct model_table *table = builder->table;
    double question[MODEL_MOST_TERMS];
    for (unsigned i = 0; i < form->count; i++) {
        question[i] = term_value(table, form, &form->terms[i], 0, true);
        if (!isfinite(question[i]))
            return;
    }
    double *terms = memory_get((table->count * form->count + 1) * sizeof *terms);
    double *values = memory_get((table->count + 1) * sizeof *values);
    for (size_t row = 0; row < table->count; row++) {
        values[row] = log(model_without_startup(table->seconds[row], form->startup));
        for (unsigned i = 0; i < form->count; i++)
            terms[row * form->count + i] = term_value(table, form, &form->terms[i], row, false);
    }
    struct model_prior prior;
    set_prior(table, form, &prior);
    struct model_candidate *candidate =
        model_candidate_add(builder->candidates, table, form->kind, form->count);
    *(struct form *)array_push(&builder->forms) = *form;
    struct model_fit fit;
    model_fit(terms, form->count, values, table->count, &prior, &fit, candidate->off, candidate->spreads);
    for (size_t row = 0; row < table->count; row++) /* back to whole times, of the single run */
        candidate->off[row] =
            log(exp(candidate->off[row] + values[row]) + form->startup) - log(table->latest[row]);
    candidate->seconds = exp(model_fit_at(&fit, question)) + form->startup;
    if (form->count && !model_is_time(candidate->seconds)) { /* far beyond anything that a run can take */
        free(candidate->off);
        free(candidate->spreads);
        builder->candidates->count--;
        builder->forms.count--;
        free(terms);
        free(values);
        return;
    }
    candidate->spread = model_fit_spread(&fit, question);
    candidate->beyond = model_fit_beyond(&fit, question);
    candidate->noise = prior.noise;
    candidate->rows = fit.rows;
    candidate->parameters = describe(form, &fit);
    free(terms);
    free(values);
}

static struct form with_term(const struct form *form, enum term_kind kind, const struct model_column *column,
                             const struct model_column *other)
{
    struct form longer = *form;
    longer.terms[longer.count++] = (struct term){kind, column, other};
    return longer;
}

/* A base alone, with the ratio to the identity, with the size, with both. */
static void add_with_extras(struct builder *builder, const struct form *base)
{
    const struct model_table *table = builder->table;
    add_form(builder, base);
    if (table->count < ROWS_FOR_EXTRAS)
        return;
    const struct model_column *pair = base->terms[0].column, *size = NULL, *identity = NULL;
    if (pair->kind == model_COLUMN_PAIR)
        identity = model_table_find(table, model_COLUMN_IDENTITY, pair->factor);
    size = model_table_find(table, model_COLUMN_SIZE, 0);
    struct form longer = *base;
    if (identity) {
        bool is_median = base->terms[0].kind == term_MEDIAN;
        longer = with_term(base, is_median ? term_MEDIAN_RATIO : term_RATIO, pair, identity);
        add_form(builder, &longer);
    }
    if (size) {
        struct form sized = with_term(base, term_LOG, size, NULL);
        add_form(builder, &sized);
        if (identity && table->count >= ROWS_FOR_PAIRS_OF_EXTRAS) {
            sized = with_term(&longer, term_LOG, size, NULL);
            add_form(builder, &sized);
        }
    }
}

static void add_power_with_startup(struct builder *builder, double startup)
{
    const struct model_table *table = builder->table;
    const struct model_column *first = NULL, *last = NULL;
    struct form none = {.kind = model_POWER, .startup = startup}, base;
    for (size_t c = table->columns.count; c-- > 0;) { /* the smallest factor first */
        const struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
        if (column->kind != model_COLUMN_PAIR)
            continue;
        last = last ? last : column;
        first = column;
        base = with_term(&none, term_LOG, column, NULL);
        add_with_extras(builder, &base);
        if (table->count > MANY_ROWS)
            break;
    }
    if (last && first != last && table->count >= ROWS_FOR_EXTRAS) {
        base = with_term(&none, term_MEDIAN, last, NULL);
        add_with_extras(builder, &base);
        base = with_term(&none, term_AVERAGE, last, NULL);
        add_with_extras(builder, &base);
        base = with_term(&none, term_LOG, last, NULL);
        base = with_term(&base, term_TREND, last, first);
        add_with_extras(builder, &base);
    }
    if (last)
        return;
    /* No pair in common with the rows: the identity, or what probes at other factors come to. */
    const struct model_column *scaled = model_table_find(table, model_COLUMN_SCALED, 0);
    if (scaled) {
        base = with_term(&none, term_LOG, scaled, NULL);
        add_with_extras(builder, &base);
    }
    for (size_t c = table->columns.count; c-- > 0 && !scaled;) {
        const struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
        if (column->kind != model_COLUMN_IDENTITY)
            continue;
        base = with_term(&none, term_LOG, column, NULL);
        add_with_extras(builder, &base);
        break;
    }
}

/* The best candidate of a kind from `first` on, by the sum of its errors. */
static size_t best_of(const struct array *candidates, size_t first)
{
    size_t best = first;
    for (size_t i = first; i < candidates->count; i++)
        if (ARRAY_AT(struct model_candidate, candidates, i)->sum <
            ARRAY_AT(struct model_candidate, candidates, best)->sum)
            best = i;
    return best;
}

static bool has_column(const struct form *form, const struct model_column *column)
{
    for (unsigned i = 0; i < form->count; i++)
        if (form->terms[i].column == column)
            return true;
    return false;
}

/* One feature after the other, each time the one that helps most, as long as it helps. */
static void add_features(struct builder *builder, struct form form, double sum)
{
    const struct model_table *table = builder->table;
    while (form.count < MODEL_MOST_TERMS && (form.count + 1) * ROWS_BY_TERM <= table->count) {
        size_t first = builder->candidates->count;
        for (size_t c = 0; c < table->columns.count; c++) {
            const struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
            if (column->kind < model_COLUMN_SIZE || has_column(&form, column))
                continue;
            struct form longer = with_term(&form, term_LOG, column, NULL);
            add_form(builder, &longer);
        }
        if (builder->candidates->count == first)
            return;
        model_candidates_sum(table, builder->candidates, first);
        size_t best = best_of(builder->candidates, first);
        double found = ARRAY_AT(struct model_candidate, builder->candidates, best)->sum;
        form = *ARRAY_AT(struct form, &builder->forms, best);
        if (!(found < 0.99 * sum))
            return;
        sum = found;
    }
}

void model_add_forms(const struct model_table *table, struct array *candidates)
{
    struct builder builder = {table, candidates, ARRAY_OF(struct form)};
    struct form none = {.kind = model_MEAN};
    if (table->count)
        add_form(&builder, &none);
    model_candidates_sum(table, candidates, 0);
    size_t first = candidates->count;
    for (unsigned i = 0; i < sizeof STARTUP_SHARES / sizeof *STARTUP_SHARES; i++)
        if (i == 0 || table->count >= ROWS_FOR_EXTRAS)
            add_power_with_startup(&builder, STARTUP_SHARES[i] * table->startup);
    if (table->count) {
        model_candidates_sum(table, candidates, first);
        struct form probes = none;
        size_t best = first < candidates->count ? best_of(candidates, first) : 0;
        if (best) {
            probes = *ARRAY_AT(struct form, &builder.forms, best);
            probes.kind = model_COMBINED;
        }
        none.kind = model_FEATURES;
        add_features(&builder, none, ARRAY_AT(struct model_candidate, candidates, 0)->sum);
        if (best)
            add_features(&builder, probes, ARRAY_AT(struct model_candidate, candidates, best)->sum);
    }
    array_free(&builder.forms);
}
