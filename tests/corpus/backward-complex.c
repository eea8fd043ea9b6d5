/* The second half of a real Fourier transform: complex numbers from both ends. GCC 12 does not vectorise groups of numbers that
   are accessed backwards; with separate arrays for real and imaginary parts it does.
   build: gcc -O3
   build x86-64: gcc -O2
   says aarch64: not-vectorised hint layout
   silent: not-vectorised
   without: not-vectorised optimise restrict simd
   remedy aarch64: not-vectorised layout -DREMEDY
   measured: not-vectorised layout neoverse-v1 2.63 */
#include "corpus.h"

enum { HALF = 500 };
#ifdef REMEDY
static float xr[HALF + 1], xi[HALF + 1], tr[HALF + 1], ti[HALF + 1], yr[2 * HALF + 1], yi[2 * HALF + 1];

KERNEL void kernel(float *restrict yr, float *restrict yi, float *restrict er, float *restrict ei, const float *restrict xr,
                   const float *restrict xi, const float *restrict tr, const float *restrict ti, int n)
{
    for (int k = 1; k < n; k++) {
        float ar = xr[k] + xr[n - k], ai = xi[k] - xi[n - k], br = xr[k] - xr[n - k], bi = xi[k] + xi[n - k];
        float r = br * tr[k] - bi * ti[k], i = br * ti[k] + bi * tr[k];
        yr[k] = 0.5f * (ar + r);
        yi[k] = 0.5f * (ai + i);
        er[-k] = 0.5f * (ar - r);
        ei[-k] = 0.5f * (i - ai);
    }
}

void set_up(void)
{
    for (int k = 0; k <= HALF; k++) {
        xr[k] = (float) (k % 7 + 1);
        xi[k] = (float) (k % 5 + 1);
        tr[k] = (float) (k % 3) * 0.25f;
        ti[k] = (float) (k % 4) * 0.25f;
    }
}

void run(void)
{
    kernel(yr, yi, yr + 2 * HALF, yi + 2 * HALF, xr, xi, tr, ti, HALF);
}

double result(void)
{
    double sum = 0;
    for (int k = 0; k <= 2 * HALF; k++)
        sum += yr[k] * (k % 3 + 1) + yi[k] * (k % 5 + 1);
    return sum;
}
#else
struct number {
    float r, i;
};
static struct number x[HALF + 1], t[HALF + 1], y[2 * HALF + 1];

KERNEL void kernel(struct number *restrict y, struct number *restrict e, const struct number *restrict x,
                   const struct number *restrict t, int n)
{
    for (int k = 1; k < n; k++) {
        float ar = x[k].r + x[n - k].r, ai = x[k].i - x[n - k].i, br = x[k].r - x[n - k].r, bi = x[k].i + x[n - k].i;
        float r = br * t[k].r - bi * t[k].i, i = br * t[k].i + bi * t[k].r;
        y[k].r = 0.5f * (ar + r);
        y[k].i = 0.5f * (ai + i);
        e[-k].r = 0.5f * (ar - r);
        e[-k].i = 0.5f * (i - ai);
    }
}

void set_up(void)
{
    for (int k = 0; k <= HALF; k++) {
        x[k].r = (float) (k % 7 + 1);
        x[k].i = (float) (k % 5 + 1);
        t[k].r = (float) (k % 3) * 0.25f;
        t[k].i = (float) (k % 4) * 0.25f;
    }
}

void run(void)
{
    kernel(y, y + 2 * HALF, x, t, HALF);
}

double result(void)
{
    double sum = 0;
    for (int k = 0; k <= 2 * HALF; k++)
        sum += y[k].r * (k % 3 + 1) + y[k].i * (k % 5 + 1);
    return sum;
}
#endif
