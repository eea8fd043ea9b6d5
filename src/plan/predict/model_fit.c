/* See model_fit.h.

   The noise decides how much the prior counts, and the fit decides what the noise is; so does the weight of
   rows far off. A few rounds settle all three. */
#include "plan/predict/model_fit.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = MODEL_MOST_TERMS + 1, ROUNDS = 6 };
/* Rows further off than this many standard deviations count less: at 1.5, well-behaved rows lose hardly
   anything by it (Huber). */
static const double FAR = 1.5;
/* Rows from which on the usual deviation is the median one, which a few rows far off do not change; of
   more than MOST_SORTED a sample. */
enum { ROWS_FOR_MEDIAN = 8, MOST_SORTED = 999 };
/* Terms are logarithms, or counted in their own spread: rows that are nearer together than this are together.
 */
static const double NARROW = 1;

typedef double matrix[SIZE][SIZE];

/* Inverts a positive definite matrix by Gauss and Jordan; priors keep it away from being singular. */
static void invert(matrix from, unsigned size, matrix to)
{
    for (unsigned i = 0; i < size; i++)
        for (unsigned j = 0; j < size; j++)
            to[i][j] = i == j;
    for (unsigned i = 0; i < size; i++) {
        double pivot = from[i][i] > 1e-12 ? from[i][i] : 1e-12;
        for (unsigned j = 0; j < size; j++) {
            from[i][j] /= pivot;
            to[i][j] /= pivot;
        }
        for (unsigned row = 0; row < size; row++) {
            double share = from[row][i];
            if (row == i || share == 0)
                continue;
            for (unsigned j = 0; j < size; j++) {
                from[row][j] -= share * from[i][j];
                to[row][j] -= share * to[i][j];
            }
        }
    }
}

/* x' M x for x = (1, terms less their centres) */
static double leverage(const struct model_fit *fit, const double *terms)
{
    double x[SIZE] = {1}, sum = 0;
    for (unsigned i = 0; i < fit->terms; i++)
        x[i + 1] = terms[i] - fit->centre[i];
    for (unsigned i = 0; i <= fit->terms; i++)
        for (unsigned j = 0; j <= fit->terms; j++)
            sum += x[i] * fit->inverse[i][j] * x[j];
    return sum > 0 ? sum : 0;
}

double model_fit_at(const struct model_fit *fit, const double *terms)
{
    double value = fit->constant;
    for (unsigned i = 0; i < fit->terms; i++)
        value += fit->coefficient[i] * (terms[i] - fit->centre[i]);
    return value;
}

double model_fit_spread(const struct model_fit *fit, const double *terms)
{
    return sqrt(1 + leverage(fit, terms));
}

double model_fit_beyond(const struct model_fit *fit, const double *terms)
{
    double most = 0;
    for (unsigned i = 0; i < fit->terms; i++) {
        double range = fmax(fit->most[i] - fit->least[i], NARROW);
        double outside = fmax(fit->least[i] - terms[i], terms[i] - fit->most[i]);
        if (fit->rows)
            most = fmax(most, outside / range);
    }
    return most;
}

static bool is_complete(const double *terms, unsigned count, double value)
{
    for (unsigned i = 0; i < count; i++)
        if (!isfinite(terms[i]))
            return false;
    return isfinite(value);
}

static void centre(struct model_fit *fit, const double *terms, const double *values, size_t rows)
{
    for (unsigned i = 0; i < fit->terms; i++) {
        fit->centre[i] = 0;
        fit->least[i] = INFINITY;
        fit->most[i] = -INFINITY;
    }
    for (size_t row = 0; row < rows; row++) {
        const double *x = terms + row * fit->terms;
        if (!is_complete(x, fit->terms, values[row]))
            continue;
        fit->rows++;
        for (unsigned i = 0; i < fit->terms; i++) {
            fit->centre[i] += x[i];
            fit->least[i] = fmin(fit->least[i], x[i]);
            fit->most[i] = fmax(fit->most[i], x[i]);
        }
    }
    for (unsigned i = 0; i < fit->terms && fit->rows; i++)
        fit->centre[i] /= (double)fit->rows;
}

/* Solves for the distance from the prior, so that the prior itself needs no right-hand side. */
static void solve(struct model_fit *fit, const double *terms, const double *values, size_t rows,
                  const struct model_prior *prior, const double *weights)
{
    unsigned size = fit->terms + 1;
    matrix normal = {{0}};
    double right[SIZE] = {0}, before[SIZE];
    before[0] = prior->constant;
    for (unsigned i = 0; i < fit->terms; i++) {
        before[i + 1] = prior->mean[i];
        before[0] += prior->mean[i] * fit->centre[i];
    }
    double noise = fit->noise * fit->noise;
    normal[0][0] = noise / (prior->constant_sd * prior->constant_sd);
    for (unsigned i = 0; i < fit->terms; i++)
        normal[i + 1][i + 1] = noise / (prior->sd[i] * prior->sd[i]);
    for (size_t row = 0; row < rows; row++) {
        if (weights[row] == 0)
            continue;
        double x[SIZE] = {1}, rest = values[row] - before[0];
        for (unsigned i = 0; i < fit->terms; i++) {
            x[i + 1] = terms[row * fit->terms + i] - fit->centre[i];
            rest -= before[i + 1] * x[i + 1];
        }
        for (unsigned i = 0; i < size; i++) {
            right[i] += weights[row] * x[i] * rest;
            for (unsigned j = 0; j < size; j++)
                normal[i][j] += weights[row] * x[i] * x[j];
        }
    }
    invert(normal, size, fit->inverse);
    double solved[SIZE] = {0};
    for (unsigned i = 0; i < size; i++)
        for (unsigned j = 0; j < size; j++)
            solved[i] += fit->inverse[i][j] * right[j];
    fit->constant = before[0] + solved[0];
    for (unsigned i = 0; i < fit->terms; i++)
        fit->coefficient[i] = before[i + 1] + solved[i + 1];
}

/* The middle one by size (Hoare): numbers change their places. */
static double middle_of(double *numbers, size_t count)
{
    size_t wanted = count / 2, first = 0, last = count - 1;
    while (first < last) {
        double pivot = numbers[(first + last) / 2];
        size_t low = first, high = last;
        for (;;) {
            while (numbers[low] < pivot)
                low++;
            while (pivot < numbers[high])
                high--;
            if (low >= high)
                break;
            double kept = numbers[low];
            numbers[low++] = numbers[high];
            numbers[high--] = kept;
        }
        if (wanted <= high)
            last = high;
        else
            first = high + 1;
    }
    return numbers[wanted];
}

/* The standard deviation as most rows show it. */
static double usual_deviation(const struct model_fit *fit, const double *off, const double *spread,
                              size_t rows)
{
    if (fit->rows < ROWS_FOR_MEDIAN)
        return fit->noise;
    double sample[MOST_SORTED];
    size_t count = 0, step = rows / MOST_SORTED + 1;
    for (size_t row = 0; row < rows && count < MOST_SORTED; row += step)
        if (!isnan(off[row]))
            sample[count++] = fabs(off[row] / spread[row]);
    return count < ROWS_FOR_MEDIAN ? fit->noise : 1.48 * middle_of(sample, count);
}

/* Errors without each row, the noise that they show, and new weights from it. */
static void judge_rows(struct model_fit *fit, const double *terms, const double *values, size_t rows,
                       const struct model_prior *prior, double *weights, double *off, double *spread)
{
    double sum = prior->noise_weight * prior->noise * prior->noise, count = prior->noise_weight;
    for (size_t row = 0; row < rows; row++) {
        if (weights[row] == 0) {
            off[row] = spread[row] = NAN;
            continue;
        }
        const double *x = terms + row * fit->terms;
        double kept = fmax(1 - weights[row] * leverage(fit, x), 1e-3);
        off[row] = (model_fit_at(fit, x) - values[row]) / kept;
        spread[row] = 1 / sqrt(kept);
        sum += weights[row] * off[row] * off[row] * kept;
        count += weights[row];
    }
    fit->noise = fmax(sqrt(sum / count), 1e-4);
    double usual = fmax(usual_deviation(fit, off, spread, rows), 1e-3);
    for (size_t row = 0; row < rows; row++)
        if (weights[row] != 0)
            weights[row] = fmin(1, FAR * usual * spread[row] / fmax(fabs(off[row]), 1e-12));
}

void model_fit(const double *terms, unsigned term_count, const double *values, size_t rows,
               const struct model_prior *prior, struct model_fit *fit, double *off, double *spread)
{
    *fit = (struct model_fit){.terms = term_count, .noise = prior->noise};
    centre(fit, terms, values, rows);
    double *weights = memory_get((rows + 1) * sizeof *weights);
    for (size_t row = 0; row < rows; row++)
        weights[row] = is_complete(terms + row * term_count, term_count, values[row]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        solve(fit, terms, values, rows, prior, weights);
        judge_rows(fit, terms, values, rows, prior, weights, off, spread);
    }
    free(weights);
}
