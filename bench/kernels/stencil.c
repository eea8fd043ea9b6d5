/* Neighbours of an element: stencils and filters. */
#include "kernels.h"

void stencil_three_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, s = 0.25f * (float)r->factor;
    for (long i = 0; i < n; i++)
        y[i] = s * (x[i] + 2 * x[i + 1] + x[i + 2]);
}

void stencil_three_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, s = 0.25 * r->factor;
    for (long i = 0; i < n; i++)
        y[i] = s * (x[i] + 2 * x[i + 1] + x[i + 2]);
}

void stencil_five_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, p = 0.1 * r->factor, q = 0.2 * r->factor, s = 0.4 * r->factor;
    for (long i = 0; i < n; i++)
        y[i] = p * (x[i] + x[i + 4]) + q * (x[i + 1] + x[i + 3]) + s * x[i + 2];
}

void heat_rows_float(struct arrays *r, long n)
{
    const float *restrict up = r->a, *restrict at = r->b, *restrict down = r->c;
    float *restrict out = r->d, s = 0.125f * (float)r->factor;
    for (long i = 0; i < n; i++)
        out[i] = at[i + 1] + s * (up[i + 1] + down[i + 1] + at[i] + at[i + 2] - 4 * at[i + 1]);
}

void filter_four_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, c0 = r->factor, c1 = 0.5 * c0, c2 = 0.25 * c0, c3 = 0.125 * c0;
    for (long i = 0; i < n; i++)
        y[i] = c0 * x[i] + c1 * x[i + 1] + c2 * x[i + 2] + c3 * x[i + 3];
}

void filter_eight_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, c = (float)r->factor;
    for (long i = 0; i < n; i++)
        y[i] = c * x[i] + 0.9f * x[i + 1] + 0.8f * x[i + 2] + 0.7f * x[i + 3] + 0.6f * x[i + 4] +
               0.5f * x[i + 5] + 0.4f * x[i + 6] + 0.3f * x[i + 7];
}

void filter_four_short(struct arrays *r, long n)
{
    const int16_t *restrict x = r->a;
    int16_t *restrict y = r->b;
    int32_t c = (int32_t)r->key;
    for (long i = 0; i < n; i++)
        y[i] = (int16_t)((c * x[i] + 9 * x[i + 1] + 9 * x[i + 2] + 3 * x[i + 3]) >> 5);
}

void difference_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i + 1] - x[i];
}

void moving_sum_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, sum = 0;
    for (long i = 0; i < n; i++) {
        sum += x[i + 8] - x[i];
        y[i] = sum;
    }
}

void moving_sum_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b, sum = 0;
    for (long i = 0; i < n; i++) {
        sum += x[i + 8] - x[i];
        y[i] = sum;
    }
}
