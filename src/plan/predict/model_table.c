/* See model_table.h. */
#include "plan/predict/model_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is thought of exponents before any probe was seen: data is mostly made smaller in two or three
   directions.  From probe sizes to the whole size the exponent itself may change by about a quarter. */
static const double USUAL_EXPONENT = 2.5, USUAL_EXPONENT_SD = 1, BEYOND_SD = 0.25, SLOPE_SD = 0.2;

/* A time is off by so much of it, and no two starts of a program take the same time, to about so many seconds. */
static const double PROBE_SD = 0.08, START_SD = 0.002;

/* Seconds that a run can take, and how many times smaller data can be: anything else is a mistake, and would
   only make numbers without end. */
static const double LEAST_TIME = 1e-9, MOST_TIME = 1e12, MOST_FACTOR = 1e6, MOST_FIGURE = 1e30;

bool model_is_time(double seconds)
{
    return seconds >= LEAST_TIME && seconds <= MOST_TIME;
}

static bool is_usable(const struct model_probe *probe)
{
    return model_is_time(probe->seconds) && probe->factor > 1 && probe->factor <= MOST_FACTOR;
}

/* A probe that took longer than a larger one was disturbed. */
bool model_is_plausible(const struct model_case *a_case, const struct model_probe *probe)
{
    static const double noise = 0.8;
    if (!is_usable(probe))
        return false;
    for (size_t i = 0; i < a_case->probe_count; i++) {
        const struct model_probe *other = &a_case->probes[i];
        if (other->is_identity == probe->is_identity && is_usable(other) && other->factor < probe->factor &&
            other->seconds < noise * probe->seconds)
            return false;
    }
    return true;
}

double model_probe_noise(const struct model_probe *probe)
{
    return hypot(PROBE_SD, START_SD / probe->seconds);
}

static bool is_same_factor(double a, double b)
{
    return fabs(a - b) <= 1e-6 * a;
}

double model_without_startup(double seconds, double startup)
{
    return fmax(seconds - startup, seconds / 20);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double model_quantile(double *numbers, size_t count, double share)
{
    if (!count)
        return NAN;
    qsort(numbers, count, sizeof *numbers, by_number);
    size_t place = (size_t)(share * (double)count);
    return numbers[place < count ? place : count - 1];
}

/* Geometric mean of the usable probes of this factor and kind; NaN: none. */
static double probe_seconds(const struct model_case *a_case, bool is_identity, double factor)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = 0; i < a_case->probe_count; i++) {
        const struct model_probe *probe = &a_case->probes[i];
        if (probe->is_identity == is_identity && is_usable(probe) && is_same_factor(probe->factor, factor)) {
            sum += log(probe->seconds);
            found++;
        }
    }
    return found ? exp(sum / (double)found) : NAN;
}

/* The pair with the smallest factor, as if its time went with the factor's power; NaN: none. */
static double scaled_seconds(const struct model_case *a_case, double exponent)
{
    double factor = INFINITY;
    for (size_t i = 0; i < a_case->probe_count; i++)
        if (!a_case->probes[i].is_identity && is_usable(&a_case->probes[i]))
            factor = fmin(factor, a_case->probes[i].factor);
    return isfinite(factor) ? probe_seconds(a_case, false, factor) * pow(factor, exponent) : NAN;
}

static bool is_probe_column(const struct model_column *column)
{
    return column->kind <= model_COLUMN_SCALED;
}

static double value_of(const struct model_case *a_case, const struct model_column *column)
{
    switch (column->kind) {
    case model_COLUMN_SCALED:
        return scaled_seconds(a_case, column->factor);
    case model_COLUMN_PAIR:
        return probe_seconds(a_case, false, column->factor);
    case model_COLUMN_IDENTITY:
        return probe_seconds(a_case, true, column->factor);
    case model_COLUMN_SIZE:
        return a_case->size >= 1 / MOST_FIGURE && a_case->size <= MOST_FIGURE ? a_case->size : NAN;
    case model_COLUMN_FEATURE:
        break;
    }
    double value = a_case->features ? a_case->features[column->feature] : NAN;
    if (!(fabs(value) <= MOST_FIGURE))
        return NAN;
    return fabs(value) < 1 / MOST_FIGURE ? 0 : value;
}

struct order {
    uint64_t inputs;
    size_t place;
};

static int by_inputs(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->inputs != y->inputs)
        return (x->inputs > y->inputs) - (x->inputs < y->inputs);
    return (x->place > y->place) - (x->place < y->place);
}

/* A column with the question's value, where it has one, and an empty one for the rows. */
static void add_column(struct model_table *table, const struct model_case *question,
                       enum model_column_kind kind, double factor, unsigned feature)
{
    struct model_column column = {.kind = kind, .factor = factor, .feature = feature};
    column.question = value_of(question, &column);
    if (isnan(column.question))
        return;
    column.values = memory_get((table->count + 1) * sizeof *column.values);
    *(struct model_column *)array_push(&table->columns) = column;
}

static void add_columns(struct model_table *table, const struct model_case *question, unsigned feature_count)
{
    for (int is_identity = 0; is_identity < 2; is_identity++) {
        /* By falling factor: each time the largest one below the last. */
        for (double last = INFINITY;;) {
            double next = 0;
            for (size_t i = 0; i < question->probe_count; i++) {
                const struct model_probe *probe = &question->probes[i];
                if (probe->is_identity == (bool)is_identity && is_usable(probe) && probe->factor > next &&
                    probe->factor < last && !(isfinite(last) && is_same_factor(probe->factor, last)))
                    next = probe->factor;
            }
            if (next == 0)
                break;
            add_column(table, question, is_identity ? model_COLUMN_IDENTITY : model_COLUMN_PAIR, next, 0);
            last = next;
        }
    }
    add_column(table, question, model_COLUMN_SCALED, table->exponent, 0);
    add_column(table, question, model_COLUMN_SIZE, 0, 0);
    for (unsigned i = 0; question->features && i < feature_count; i++)
        add_column(table, question, model_COLUMN_FEATURE, 0, i);
}

/* One row from the cases order[first …] that have the same inputs: means of logarithms, but of raw features,
   which are the same for the same inputs anyway. */
static void fill_row(struct model_table *table, size_t row, const struct model_case *cases,
                     const struct order *order, size_t count)
{
    double sum = 0;
    size_t runs = 0;
    for (size_t i = 0; i < count; i++) {
        double seconds = cases[order[i].place].seconds;
        if (model_is_time(seconds)) {
            sum += log(seconds);
            runs++;
            table->latest[row] = seconds;
        }
    }
    table->seconds[row] = exp(sum / (double)runs);
    for (size_t c = 0; c < table->columns.count; c++) {
        struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
        double total = 0;
        size_t known = 0;
        bool is_probe = is_probe_column(column);
        for (size_t i = 0; i < count; i++) {
            double value = value_of(&cases[order[i].place], column);
            if (isnan(value))
                continue;
            total += is_probe ? log(value) : value;
            known++;
        }
        double mean = total / (double)known;
        column->values[row] = !known ? NAN : is_probe ? exp(mean) : mean;
    }
}

static bool has_run(const struct model_case *cases, const struct order *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (model_is_time(cases[order[i].place].seconds))
            return true;
    return false;
}

/* Runs of the same inputs: how far apart they are, pooled over all that were run more than once. */
static void note_repeats(const struct model_case *cases, const struct order *order, size_t count,
                         double *squares, size_t *freedom)
{
    double sum = 0;
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        if (model_is_time(cases[order[i].place].seconds)) {
            sum += log(cases[order[i].place].seconds);
            runs++;
        }
    if (runs < 2)
        return;
    for (size_t i = 0; i < count; i++)
        if (model_is_time(cases[order[i].place].seconds)) {
            double off = log(cases[order[i].place].seconds) - sum / (double)runs;
            *squares += off * off;
        }
    *freedom += runs - 1;
}

/* The spread of what is known; 1 where all is the same. */
static double spread_of(const double *values, size_t count)
{
    double known = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            known++, sum += values[i];
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            squares += (values[i] - sum / known) * (values[i] - sum / known);
    double sd = sqrt(squares / known);
    return sd > 0 && isfinite(sd) ? sd : 1;
}

/* Of two columns with the same values one is enough: the size may be one of the features. */
static bool is_repeated(const struct model_table *table, const struct model_column *column, size_t before)
{
    for (size_t c = 0; c < before; c++) {
        const struct model_column *other = ARRAY_AT(struct model_column, &table->columns, c);
        if (other->kind < model_COLUMN_SIZE || other->question != column->question)
            continue;
        size_t row = 0;
        while (row < table->count && (other->values[row] == column->values[row] ||
                                      (isnan(other->values[row]) && isnan(column->values[row]))))
            row++;
        if (row == table->count)
            return true;
    }
    return false;
}

static void drop_empty_columns(struct model_table *table)
{
    size_t kept = 0;
    for (size_t c = 0; c < table->columns.count; c++) {
        struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
        size_t known = 0;
        column->is_raw = column->kind == model_COLUMN_FEATURE && column->question <= 0;
        for (size_t row = 0; row < table->count; row++) {
            known += !isnan(column->values[row]);
            column->is_raw |= column->kind == model_COLUMN_FEATURE && column->values[row] <= 0;
        }
        column->scale = column->is_raw ? spread_of(column->values, table->count) : 1;
        if (column->kind == model_COLUMN_FEATURE && is_repeated(table, column, kept))
            known = 0;
        if (known || (is_probe_column(column) && !table->count))
            *ARRAY_AT(struct model_column, &table->columns, kept++) = *column;
        else
            free(column->values);
    }
    table->columns.count = kept;
}

static void add_times(const struct model_case *a_case, struct array *times)
{
    for (size_t i = 0; i < a_case->probe_count; i++)
        if (is_usable(&a_case->probes[i]))
            *(double *)array_push(times) = a_case->probes[i].seconds;
}

/* The line through a case's own probes, by logarithms. */
struct own_line {
    double slope; /* seconds ~ factor^-slope */
    double off; /* how far the probes are from it, in units of their noise; NaN: two probes are on any line */
};

/* The line of pairs, or of identities, if there are two factors at least; of all probes, or without those that were disturbed. */
static bool own_line(const struct model_case *a_case, bool is_identity, bool has_all, struct own_line *line)
{
    double count = 0, n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < a_case->probe_count; i++) {
        const struct model_probe *probe = &a_case->probes[i];
        if (probe->is_identity != is_identity ||
            !(has_all ? is_usable(probe) : model_is_plausible(a_case, probe)))
            continue;
        double x = -log(probe->factor), y = log(probe->seconds), noise = model_probe_noise(probe);
        double weight = 1 / (noise * noise);
        count++;
        n += weight, x_sum += weight * x, y_sum += weight * y;
        xx += weight * x * x, xy += weight * x * y, yy += weight * y * y;
    }
    double spread = n > 0 ? xx - x_sum * x_sum / n : 0;
    if (!(spread > 1e-3 * n))
        return false;
    double common = xy - x_sum * y_sum / n;
    line->slope = common / spread;
    line->off = count > 2 ? sqrt(fmax(yy - y_sum * y_sum / n - line->slope * common, 0) / (count - 2)) : NAN;
    return true;
}

/* Probes that hardly grow are nearly all start, and what the data does is not seen in them. Probes that grow
   much faster than the data may have work that no power of the size describes: a search, say. Neither says much
   about the whole. Three that agree on a power are another thing: all pairs of the data are compared, say. */
static bool is_telling(const struct model_case *question)
{
    static const double hardly = 0.3, faster = 1.5, fastest = 3.2, most_usual = 4.5, agreement = 1.5;
    struct own_line line;
    double directions = question->directions > 0 ? question->directions : 1;
    if (!own_line(question, false, false, &line))
        return true;
    double most =
        question->directions > 0 ? (line.off < agreement ? fastest : faster) * directions : most_usual;
    return line.slope >= hardly * directions && line.slope <= most;
}

static bool has_disturbed(const struct model_case *a_case)
{
    for (size_t i = 0; i < a_case->probe_count; i++)
        if (is_usable(&a_case->probes[i]) && !model_is_plausible(a_case, &a_case->probes[i]))
            return true;
    return false;
}

/* Smaller data that takes longer is an accident where it is rare. Where it is common, the program is like that: to leave such
   probes out would keep those that happen to grow, and make a power out of chance. */
static bool is_often_disturbed(const struct model_case *cases, size_t count,
                               const struct model_case *question)
{
    static const double rare = 1 / 3.0;
    size_t judged = count + (question != NULL), disturbed = question && has_disturbed(question);
    for (size_t i = 0; i < count; i++)
        disturbed += has_disturbed(&cases[i]);
    return judged > 2 && (double)disturbed > rare * (double)judged;
}

/* Prior and slopes, each weighed by how sure it is.  question may be NULL.  false: there were no slopes. */
static bool pool_exponents(const struct model_case *cases, size_t count, const struct model_case *question,
                           double *exponent, double *exponent_sd)
{
    struct array slopes = ARRAY_OF(double);
    struct own_line line;
    bool has_all = is_often_disturbed(cases, count, question);
    for (size_t i = 0; i < count + (question != NULL); i++) {
        const struct model_case *a_case = i < count ? &cases[i] : question;
        if (own_line(a_case, false, has_all, &line) || own_line(a_case, true, has_all, &line))
            *(double *)array_push(&slopes) = fmin(fmax(line.slope, 0), 6);
    }
    double precision = 1 / (USUAL_EXPONENT_SD * USUAL_EXPONENT_SD), mean = USUAL_EXPONENT, between = 0;
    if (slopes.count) {
        double middle = model_quantile(slopes.data, slopes.count, 0.5);
        for (size_t i = 0; i < slopes.count; i++)
            *ARRAY_AT(double, &slopes, i) = fabs(*ARRAY_AT(double, &slopes, i) - middle);
        between = 1.48 * model_quantile(slopes.data, slopes.count, 0.5);
        double certain = (double)slopes.count / (between * between + SLOPE_SD * SLOPE_SD);
        mean = (mean * precision + middle * certain) / (precision + certain);
        precision += certain;
    }
    *exponent = mean;
    *exponent_sd = sqrt(1 / precision + between * between + BEYOND_SD * BEYOND_SD);
    bool is_seen = slopes.count > 0;
    array_free(&slopes);
    return is_seen;
}

void model_table_make(const struct model_case *cases, size_t count, unsigned feature_count,
                      const struct model_case *question, struct model_table *table)
{
    *table = (struct model_table){.columns = ARRAY_OF(struct model_column), .repeated = ARRAY_OF(double)};
    struct order *order = memory_get((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++) /* Inputs that are unlike all others stay alone. */
        order[i] = (struct order){cases[i].inputs, i};
    qsort(order, count, sizeof *order, by_inputs);
    table->seconds = memory_get((count + 1) * sizeof *table->seconds);
    table->latest = memory_get((count + 1) * sizeof *table->latest);
    table->count = count; /* until the rows are known */
    pool_exponents(cases, count, question, &table->exponent, &table->exponent_sd);
    table->has_others =
        pool_exponents(cases, count, NULL, &table->others_exponent, &table->others_exponent_sd);
    add_columns(table, question, feature_count);
    double squares = 0;
    size_t rows = 0, freedom = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && order[first].inputs && order[end].inputs == order[first].inputs;)
            end++;
        if (!has_run(cases, order + first, end - first))
            continue;
        note_repeats(cases, order + first, end - first, &squares, &freedom);
        if (question->inputs && order[first].inputs == question->inputs) {
            for (size_t i = first; i < end; i++)
                if (model_is_time(cases[order[i].place].seconds))
                    *(double *)array_push(&table->repeated) = cases[order[i].place].seconds;
            continue;
        }
        fill_row(table, rows++, cases, order + first, end - first);
    }
    free(order);
    table->count = rows;
    table->repeat_sd = freedom ? sqrt(squares / (double)freedom) : NAN;
    drop_empty_columns(table);
    struct array times = ARRAY_OF(double);
    for (size_t i = 0; i < count; i++)
        add_times(&cases[i], &times);
    add_times(question, &times);
    for (size_t i = 0; i < question->probe_count; i++)
        table->probes += is_usable(&question->probes[i]);
    table->is_telling = is_telling(question);
    table->startup = times.count ? model_quantile(times.data, times.count, 0.03) : 0;
    array_free(&times);
}

void model_table_free(struct model_table *table)
{
    for (size_t c = 0; c < table->columns.count; c++)
        free(ARRAY_AT(struct model_column, &table->columns, c)->values);
    array_free(&table->columns);
    array_free(&table->repeated);
    free(table->seconds);
    free(table->latest);
}

const struct model_column *model_table_find(const struct model_table *table, enum model_column_kind kind,
                                            double factor)
{
    for (size_t c = 0; c < table->columns.count; c++) {
        const struct model_column *column = ARRAY_AT(struct model_column, &table->columns, c);
        if (column->kind == kind && (factor == 0 || is_same_factor(column->factor, factor)))
            return column;
    }
    return NULL;
}
