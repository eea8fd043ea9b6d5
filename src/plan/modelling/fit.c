/* See fit.h.  A step solves (A + lambda diag A) step = -gradient with A = J'J; lambda falls after a step that
   helped and grows after one that did not, so that it goes from a cautious descent to Gauss's method.  Where
   A is singular at the end, the points cannot tell parameters apart: these have no deviation.  A parameter
   that would fall below 0 and must not is held at 0, and the others are solved for without it. */
#include "plan/modelling/fit.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 300 };

struct state {
    const struct fit_problem *problem;
    double *differences, *jacobian, *moved; /* jacobian: by parameter, then point */
    double square[FIT_MOST][FIT_MOST], gradient[FIT_MOST];
    bool is_held[FIT_MOST]; /* its step is given: */
    double held_step[FIT_MOST];
    double start[FIT_MOST];
    struct error *error;
};

static bool compute(struct state *state, const double *values, double *differences, double *sum)
{
    const struct fit_problem *problem = state->problem;
    if (!problem->differences(problem->context, values, differences, state->error))
        return false;
    *sum = 0;
    for (size_t i = 0; i < problem->points; i++) {
        if (i == problem->left_out)
            differences[i] = 0;
        *sum += differences[i] * differences[i];
    }
    return true;
}

static bool differentiate(struct state *state, const double *values)
{
    const struct fit_problem *problem = state->problem;
    size_t n = problem->points, count = problem->parameters;
    double other[FIT_MOST], sum;
    for (size_t k = 0; k < count; k++) {
        double size = fmax(fabs(values[k]), 1e-3 * fabs(state->start[k])),
               step = size > 0 ? size * 1e-6 : 1e-12;
        memcpy(other, values, count * sizeof *other);
        other[k] += step;
        step = other[k] - values[k];
        if (!compute(state, other, state->moved, &sum))
            return false;
        for (size_t i = 0; i < n; i++)
            state->jacobian[k * n + i] = (state->moved[i] - state->differences[i]) / step;
    }
    for (size_t k = 0; k < count; k++) {
        state->gradient[k] = 0;
        for (size_t i = 0; i < n; i++)
            state->gradient[k] += state->jacobian[k * n + i] * state->differences[i];
        for (size_t j = 0; j < count; j++) {
            state->square[k][j] = 0;
            for (size_t i = 0; i < n; i++)
                state->square[k][j] += state->jacobian[k * n + i] * state->jacobian[j * n + i];
        }
    }
    return true;
}

/* Solves with a matrix whose diagonal is scaled to 1 and raised by lambda.  false: singular. */
static bool solve(const struct state *state, double lambda, const double *right, double *step)
{
    size_t n = state->problem->parameters;
    double matrix[FIT_MOST][FIT_MOST + 1], scale[FIT_MOST];
    for (size_t i = 0; i < n; i++)
        scale[i] = state->square[i][i] > 0 ? 1 / sqrt(state->square[i][i]) : 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            matrix[i][j] = state->square[i][j] * scale[i] * scale[j];
        matrix[i][i] += lambda;
        matrix[i][n] = right[i] * scale[i];
        for (size_t j = 0; j < n && state->is_held[i]; j++)
            matrix[i][j] = i == j;
        if (state->is_held[i])
            matrix[i][n] = state->held_step[i] / scale[i];
    }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(matrix[i][k]) > fabs(matrix[best][k]))
                best = i;
        for (size_t j = 0; j <= n; j++) {
            double kept = matrix[k][j];
            matrix[k][j] = matrix[best][j];
            matrix[best][j] = kept;
        }
        if (!(fabs(matrix[k][k]) > 1e-11))
            return false;
        for (size_t i = 0; i < n; i++) {
            double share = i == k ? 0 : matrix[i][k] / matrix[k][k];
            for (size_t j = k; j <= n && share != 0; j++)
                matrix[i][j] -= share * matrix[k][j];
        }
    }
    for (size_t i = 0; i < n; i++)
        step[i] = matrix[i][n] / matrix[i][i] * scale[i];
    return true;
}

static void hold(struct state *state, size_t which, double step)
{
    state->is_held[which] = true;
    state->held_step[which] = step;
}

/* A step that leaves no parameter below 0 that must not be there. */
static bool find_step(struct state *state, double lambda, const double *values, double *step)
{
    const struct fit_problem *problem = state->problem;
    double right[FIT_MOST];
    for (size_t i = 0; i < problem->parameters; i++) {
        right[i] = -state->gradient[i];
        state->is_held[i] = false;
        if (problem->is_positive[i] && values[i] == 0 && state->gradient[i] >= 0)
            hold(state, i, 0);
    }
    for (bool is_below = true; is_below;) {
        if (!solve(state, lambda, right, step))
            return false;
        is_below = false;
        for (size_t i = 0; i < problem->parameters; i++)
            if (problem->is_positive[i] && !state->is_held[i] && values[i] + step[i] < 0) {
                hold(state, i, -values[i]);
                is_below = true;
            }
    }
    return true;
}

static bool descend(struct state *state, struct fit_result *result, double *sum)
{
    const struct fit_problem *problem = state->problem;
    size_t count = problem->parameters;
    double lambda = 1e-3;
    if (!compute(state, result->values, state->differences, sum) || !differentiate(state, result->values))
        return false;
    while (result->steps < MOST_STEPS && lambda < 1e12) {
        double step[FIT_MOST], next[FIT_MOST], next_sum, moved = 0;
        if (!find_step(state, lambda, result->values, step)) {
            lambda *= 10;
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            next[i] = result->values[i] + step[i];
            if (problem->is_positive[i] && (next[i] < 0 || (state->is_held[i] && state->held_step[i] != 0)))
                next[i] = 0;
            moved = fmax(moved, fabs(next[i] - result->values[i]) / fmax(fabs(result->values[i]), 1e-300));
        }
        if (!compute(state, next, state->moved, &next_sum))
            return false;
        result->steps++;
        if (!(next_sum < *sum)) {
            if (moved < 1e-10)
                return true;
            lambda *= 10;
            continue;
        }
        bool is_done = *sum - next_sum <= 1e-14 * *sum || moved < 1e-10;
        memcpy(result->values, next, count * sizeof *next);
        memcpy(state->differences, state->moved, problem->points * sizeof *state->moved);
        *sum = next_sum;
        lambda = fmax(lambda / 10, 1e-12);
        if (!differentiate(state, result->values))
            return false;
        if (is_done)
            return true;
    }
    return true;
}

static void judge(struct state *state, double sum, struct fit_result *result)
{
    size_t count = state->problem->parameters, loose = count;
    for (size_t i = 0; i < count; i++) {
        state->is_held[i] = state->problem->is_positive[i] && result->values[i] == 0;
        loose -= state->is_held[i];
        state->held_step[i] = 0;
    }
    size_t used = state->problem->points - (state->problem->left_out < state->problem->points);
    double inverse[FIT_MOST][FIT_MOST];
    bool is_known = true;
    result->freedom = used > loose ? used - loose : 0;
    result->spread = result->freedom ? sqrt(sum / (double)result->freedom) : NAN;
    for (size_t k = 0; k < count && is_known; k++) {
        double unit[FIT_MOST] = {0}, column[FIT_MOST];
        unit[k] = 1;
        is_known = (state->square[k][k] > 0 || state->is_held[k]) && solve(state, 0, unit, column);
        for (size_t i = 0; i < count && is_known; i++)
            inverse[i][k] = column[i];
    }
    for (size_t i = 0; i < count; i++)
        result->deviations[i] =
            is_known && !state->is_held[i] ? result->spread * sqrt(fmax(0, inverse[i][i])) : NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            result->correlations[i][j] = state->is_held[i] || state->is_held[j] ? 0
                                         : is_known ? inverse[i][j] / sqrt(inverse[i][i] * inverse[j][j])
                                                    : NAN;
}

bool fit_run(const struct fit_problem *problem, struct fit_result *result, struct error *error)
{
    size_t n = problem->points;
    struct state state = {.problem = problem,
                          .differences = memory_get((n + 1) * sizeof(double)),
                          .moved = memory_get((n + 1) * sizeof(double)),
                          .jacobian = memory_get((n * problem->parameters + 1) * sizeof(double)),
                          .error = error};
    double sum;
    result->steps = 0;
    memcpy(state.start, result->values, problem->parameters * sizeof *state.start);
    bool is_fine = descend(&state, result, &sum);
    if (is_fine)
        judge(&state, sum, result);
    free(state.differences);
    free(state.moved);
    free(state.jacobian);
    return is_fine;
}

double fit_student(size_t freedom)
{
    /* Two-sided, 95 %; between and beyond, by 1/freedom. */
    static const struct {
        double freedom, width;
    } table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {6, 2.447},
                 {8, 2.306},  {10, 2.228}, {15, 2.131}, {20, 2.086}, {30, 2.042}, {60, 2.000}};
    enum { COUNT = sizeof table / sizeof *table };
    if (!freedom)
        return NAN;
    for (unsigned i = 1; i < COUNT; i++)
        if ((double)freedom <= table[i].freedom) {
            double low = 1 / table[i].freedom, high = 1 / table[i - 1].freedom,
                   at = (1 / (double)freedom - low) / (high - low);
            return table[i].width + at * (table[i - 1].width - table[i].width);
        }
    return 1.960 + (table[COUNT - 1].width - 1.960) * table[COUNT - 1].freedom / (double)freedom;
}
