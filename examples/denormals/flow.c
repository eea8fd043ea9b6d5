/* Flow around a block in a channel: denormal numbers in the first steps, and never again.

       flow [STEPS [START]]         defaults: 12 0

   Each step of an incompressible flow on a regular grid makes a tentative velocity without pressure (f, g),
   then the pressure that takes the divergence away (red/black successive over-relaxation of Poisson's
   equation), then the velocity.  The fluid is at rest and flow sets in at the left: in the first steps what
   comes from there dies away towards the right through all of the denormal range, and its squares do so
   sooner.  Once the pressure has reached the whole channel, nothing is that small any more: only the phases
   show where the time of the first steps goes.

   The fix is the argument START, which velocity and pressure start with: from 1e-10, which is nothing beside
   a flow of 1, no square falls into the range, and the result is the same. */
#include <assay/denormals.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 256, ROWS = 64, RELAXATIONS = 60 };
enum { BLOCK_LEFT = 40, BLOCK_RIGHT = 52, BLOCK_BOTTOM = 24, BLOCK_TOP = 36 };
static const float cell = 1.0f / ROWS, step_time = 0.004f, viscosity = 0.01f, upwind = 0.9f,
                   relaxation = 1.7f;

/* Cells 1 … COLUMNS, 1 … ROWS; around them a frame for the boundaries.  u lies on the right border of its
   cell, v on the upper one. */
static float u[COLUMNS + 2][ROWS + 2], v[COLUMNS + 2][ROWS + 2], p[COLUMNS + 2][ROWS + 2];
static float f[COLUMNS + 2][ROWS + 2], g[COLUMNS + 2][ROWS + 2], divergence[COLUMNS + 2][ROWS + 2];

static int is_fluid(int i, int j)
{
    return !(i >= BLOCK_LEFT && i <= BLOCK_RIGHT && j >= BLOCK_BOTTOM && j <= BLOCK_TOP);
}

static void set_boundaries(void)
{
    for (int j = 0; j <= ROWS + 1; j++) {
        u[0][j] = 1.0f;
        v[0][j] = -v[1][j];
        u[COLUMNS][j] = u[COLUMNS - 1][j];
        v[COLUMNS + 1][j] = v[COLUMNS][j];
    }
    for (int i = 0; i <= COLUMNS + 1; i++) { /* walls that let the fluid slide */
        u[i][0] = u[i][1];
        u[i][ROWS + 1] = u[i][ROWS];
        v[i][0] = v[i][ROWS] = 0.0f;
    }
    for (int i = BLOCK_LEFT - 1; i <= BLOCK_RIGHT; i++)
        for (int j = BLOCK_BOTTOM - 1; j <= BLOCK_TOP; j++) {
            if (j >= BLOCK_BOTTOM)
                u[i][j] = 0.0f;
            if (i >= BLOCK_LEFT)
                v[i][j] = 0.0f;
        }
}

/* (a b) of two borders of a cell, central and upwind mixed. */
static float flux(float by, float here, float there)
{
    return by * (here + there) + upwind * fabsf(by) * (here - there);
}

__attribute__((noinline)) static void compute_tentative_velocity(void)
{
    for (int i = 1; i <= COLUMNS; i++)
        for (int j = 1; j <= ROWS; j++) {
            f[i][j] = u[i][j];
            g[i][j] = v[i][j];
            if (i < COLUMNS && is_fluid(i, j) && is_fluid(i + 1, j)) {
                float east = flux(u[i][j] + u[i + 1][j], u[i][j], u[i + 1][j]);
                float west = flux(u[i - 1][j] + u[i][j], u[i - 1][j], u[i][j]);
                float north = flux(v[i][j] + v[i + 1][j], u[i][j], u[i][j + 1]);
                float south = flux(v[i][j - 1] + v[i + 1][j - 1], u[i][j - 1], u[i][j]);
                float around = u[i + 1][j] + u[i - 1][j] + u[i][j + 1] + u[i][j - 1] - 4 * u[i][j];
                f[i][j] += step_time *
                           (viscosity * around / (cell * cell) - (east - west + north - south) / (4 * cell));
            }
            if (j < ROWS && is_fluid(i, j) && is_fluid(i, j + 1)) {
                float east = flux(u[i][j] + u[i][j + 1], v[i][j], v[i + 1][j]);
                float west = flux(u[i - 1][j] + u[i - 1][j + 1], v[i - 1][j], v[i][j]);
                float north = flux(v[i][j] + v[i][j + 1], v[i][j], v[i][j + 1]);
                float south = flux(v[i][j - 1] + v[i][j], v[i][j - 1], v[i][j]);
                float around = v[i + 1][j] + v[i - 1][j] + v[i][j + 1] + v[i][j - 1] - 4 * v[i][j];
                g[i][j] += step_time *
                           (viscosity * around / (cell * cell) - (east - west + north - south) / (4 * cell));
            }
        }
    for (int j = 1; j <= ROWS; j++)
        f[0][j] = u[0][j];
    for (int i = 1; i <= COLUMNS; i++)
        g[i][0] = v[i][0];
    for (int i = 1; i <= COLUMNS; i++)
        for (int j = 1; j <= ROWS; j++)
            divergence[i][j] = (f[i][j] - f[i - 1][j] + g[i][j] - g[i][j - 1]) * (cell / step_time);
}

/* One colour of the chequerboard at a time, so that neighbours have their new values.  Where a neighbour is
   solid or outside there is no gradient; the pressure at the outlet is 0. */
__attribute__((noinline)) static void relax_pressure(int colour)
{
    for (int i = 1; i <= COLUMNS; i++)
        for (int j = 1 + (i + colour) % 2; j <= ROWS; j += 2) {
            if (!is_fluid(i, j))
                continue;
            int west = i > 1 && is_fluid(i - 1, j), east = i == COLUMNS || is_fluid(i + 1, j);
            int south = j > 1 && is_fluid(i, j - 1), north = j < ROWS && is_fluid(i, j + 1);
            float sum = 0.0f;
            if (west)
                sum += p[i - 1][j];
            if (east)
                sum += p[i + 1][j];
            if (south)
                sum += p[i][j - 1];
            if (north)
                sum += p[i][j + 1];
            p[i][j] +=
                relaxation * ((sum - divergence[i][j]) / (float)(west + east + south + north) - p[i][j]);
        }
}

static void update_velocity(void)
{
    for (int i = 1; i <= COLUMNS; i++)
        for (int j = 1; j <= ROWS; j++) {
            if (i < COLUMNS && is_fluid(i, j) && is_fluid(i + 1, j))
                u[i][j] = f[i][j] - step_time / cell * (p[i + 1][j] - p[i][j]);
            if (j < ROWS && is_fluid(i, j) && is_fluid(i, j + 1))
                v[i][j] = g[i][j] - step_time / cell * (p[i][j + 1] - p[i][j]);
        }
}

int main(int count, char **words)
{
    int steps = count > 1 ? atoi(words[1]) : 12;
    float start = count > 2 ? strtof(words[2], NULL) : 0.0f;
    for (int i = 0; i <= COLUMNS + 1; i++)
        for (int j = 0; j <= ROWS + 1; j++)
            u[i][j] = v[i][j] = p[i][j] = start;
    for (int i = 0; i < steps; i++) {
        ASSAY_DENORMAL_PHASE("step");
        set_boundaries();
        compute_tentative_velocity();
        for (int k = 0; k < RELAXATIONS; k++) {
            relax_pressure(0);
            relax_pressure(1);
        }
        update_velocity();
    }
    double through = 0; /* what leaves the channel, as a share of what comes in */
    for (int j = 1; j <= ROWS; j++)
        through += u[COLUMNS - 1][j];
    printf("%d steps: outflow %.4f\n", steps, through / ROWS);
    return 0;
}
