/* See stiff.h.  A Rosenbrock method: implicit enough to take long steps where quick parts have died away (it
   is L-stable), and without Newton's iteration, which the minima of cooperations would upset.  The
   coefficients are those of RODAS, order 4 with an error estimate of order 3, by Hairer and Wanner (Solving
   Ordinary Differential Equations II, IV.7).  The matrix of derivatives comes from differences; one dense
   factorisation for each step, so that it is meant for hundreds of unknowns, not thousands.

   Why not SUNDIALS' CVODE: Debian's package brings PETSc, Trilinos, hypre and HDF5 along, some 80 packages,
   for systems of a few dozen unknowns. */
#include "plan/modelling/pepa/stiff.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 6, MOST_STEPS = 2000000 };

static const double gamma_ = 0.25;
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double c[STAGES][STAGES - 1] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
};

struct room {
    double *slope, *matrix, *factors, *stages, *point, *other;
    size_t *pivots;
};

static struct room room_of(struct stiff *stiff)
{
    size_t n = stiff->count;
    if (!stiff->work)
        stiff->work = memory_get((n * (2 * n + STAGES + 4) + 8) * sizeof(double));
    struct room room = {.slope = stiff->work};
    room.matrix = room.slope + n;
    room.factors = room.matrix + n * n;
    room.stages = room.factors + n * n;
    room.point = room.stages + STAGES * n;
    room.other = room.point + n;
    room.pivots = (size_t *)(void *)(room.other + n);
    return room;
}

static void differentiate(struct stiff *stiff, const struct room *room, double *x)
{
    size_t n = stiff->count;
    for (size_t j = 0; j < n; j++) {
        double kept = x[j], step = sqrt(1e-16 * fmax(1e-5, fabs(kept)));
        x[j] = kept + step;
        stiff->function(stiff->context, x, room->other);
        step = x[j] - kept;
        x[j] = kept;
        for (size_t i = 0; i < n; i++)
            room->matrix[i * n + j] = (room->other[i] - room->slope[i]) / step;
    }
}

/* 1/(gamma h) - J, in triangles.  false: it is singular. */
static bool factor(const struct room *room, size_t n, double h)
{
    double *m = room->factors;
    for (size_t i = 0; i < n * n; i++)
        m[i] = -room->matrix[i];
    for (size_t i = 0; i < n; i++)
        m[i * n + i] += 1 / (gamma_ * h);
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(m[i * n + k]) > fabs(m[best * n + k]))
                best = i;
        room->pivots[k] = best;
        for (size_t j = 0; best != k && j < n; j++) {
            double kept = m[k * n + j];
            m[k * n + j] = m[best * n + j];
            m[best * n + j] = kept;
        }
        if (m[k * n + k] == 0)
            return false;
        for (size_t i = k + 1; i < n; i++) {
            double share = m[i * n + k] / m[k * n + k];
            m[i * n + k] = share;
            for (size_t j = k + 1; share != 0 && j < n; j++)
                m[i * n + j] -= share * m[k * n + j];
        }
    }
    return true;
}

static void solve(const struct room *room, size_t n, double *b)
{
    const double *m = room->factors;
    for (size_t k = 0; k < n; k++) { /* all exchanges first: factors were exchanged as whole rows */
        double kept = b[k];
        b[k] = b[room->pivots[k]];
        b[room->pivots[k]] = kept;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            b[i] -= m[i * n + k] * b[k];
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= m[k * n + j] * b[j];
        b[k] /= m[k * n + k];
    }
}

/* One step from x to room->point; the size of its error, 1 being what is allowed. */
static double try_step(struct stiff *stiff, const struct room *room, const double *x, double h)
{
    size_t n = stiff->count;
    double sum = 0;
    for (unsigned s = 0; s < STAGES; s++) {
        double *stage = room->stages + s * n;
        memcpy(room->point, x, n * sizeof *x);
        for (unsigned k = 0; k < s; k++)
            for (size_t i = 0; i < n; i++)
                room->point[i] += a[s][k] * room->stages[k * n + i];
        if (s)
            stiff->function(stiff->context, room->point, room->other);
        for (size_t i = 0; i < n; i++)
            stage[i] = s ? room->other[i] : room->slope[i];
        for (unsigned k = 0; k < s; k++)
            for (size_t i = 0; i < n; i++)
                stage[i] += c[s][k] / h * room->stages[k * n + i];
        solve(room, n, stage);
    }
    const double *last = room->stages + (STAGES - 1) * n; /* the error estimate itself */
    for (size_t i = 0; i < n; i++) {
        room->point[i] += last[i];
        double allowed = stiff->absolute + stiff->relative * fmax(fabs(x[i]), fabs(room->point[i]));
        sum += last[i] / allowed * (last[i] / allowed);
    }
    return sqrt(sum / (double)n);
}

bool stiff_run(struct stiff *stiff, double *x, double from, double to, struct error *error)
{
    struct room room = room_of(stiff);
    size_t n = stiff->count;
    double time = from;
    bool has_matrix = false;
    if (!(stiff->step > 0))
        stiff->step = (to - from) * 1e-6;
    while (time < to) {
        double h = fmin(stiff->step, to - time);
        bool is_cut = h < stiff->step;
        if (h < 1e-14 * fmax(fabs(time), 1e-280) || stiff->steps + stiff->rejected > MOST_STEPS)
            return error_set(
                error, NULL,
                "the differential equations cannot be followed beyond time %g: steps would have to be too small",
                time);
        if (!has_matrix) {
            stiff->function(stiff->context, x, room.slope);
            differentiate(stiff, &room, x);
            has_matrix = true;
        }
        double off = factor(&room, n, h) ? try_step(stiff, &room, x, h) : INFINITY;
        double factor_of = isfinite(off) ? fmin(5, fmax(0.2, 0.9 * pow(fmax(off, 1e-10), -0.25))) : 0.2;
        if (off <= 1) {
            memcpy(x, room.point, n * sizeof *x);
            time = is_cut ? to : time + h;
            stiff->steps++;
            has_matrix = false;
            if (!is_cut || h * factor_of < stiff->step)
                stiff->step = h * factor_of;
        } else {
            stiff->rejected++;
            stiff->step = h * fmin(factor_of, 0.7);
        }
    }
    return true;
}

void stiff_free(struct stiff *stiff)
{
    free(stiff->work);
    stiff->work = NULL;
}
