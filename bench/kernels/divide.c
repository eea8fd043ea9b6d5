/* Divisions, square roots, remainders. */
#include "kernels.h"

void divide_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = x[i] / y[i];
}

void divide_double(struct arrays *r, long n)
{
    const double *restrict x = r->a, *restrict y = r->b;
    double *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = x[i] / y[i];
}

void reciprocal_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, s = r->factor;
    for (long i = 0; i < n; i++)
        y[i] = s / x[i];
}

void divide_chain_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double value = r->factor;
    for (long i = 0; i < n; i++)
        value = x[i] / (value + 1.0);
    r->real = value;
}

void divide_chain_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float value = (float)r->factor;
    for (long i = 0; i < n; i++)
        value = x[i] / (value + 1.0f);
    r->real = value;
}

void root_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = __builtin_sqrtf(x[i]);
}

void root_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = __builtin_sqrt(x[i]);
}

void root_chain_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double value = r->factor;
    for (long i = 0; i < n; i++)
        value = __builtin_sqrt(value + x[i]);
    r->real = value;
}

void hypotenuse_double(struct arrays *r, long n)
{
    const double *restrict x = r->a, *restrict y = r->b;
    double *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = __builtin_sqrt(x[i] * x[i] + y[i] * y[i]);
}

void inverse_root_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = 1.0f / __builtin_sqrtf(x[i]);
}

void rational_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, s = r->factor;
    for (long i = 0; i < n; i++) {
        double v = x[i];
        y[i] = (v * (v + s) + 0.5) / (v * (v * 0.25 + s) + 2.0);
    }
}

void attraction_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float px = 3 * (float)r->factor, py = 5 * (float)r->factor, fx = 0, fy = 0;
    for (long i = 0; i < n; i++) {
        float dx = x[i] - px, dy = y[i] - py, d = dx * dx + dy * dy;
        float w = 1.0f / (d * __builtin_sqrtf(d));
        fx += dx * w;
        fy += dy * w;
    }
    r->real = fx + fy;
}

void harmonic_double(struct arrays *r, long n)
{
    double sum = 0, s = r->factor;
    for (long i = 1; i <= n; i++)
        sum += s / (double)i;
    r->real = sum;
}

void remainder_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a, *restrict y = r->b;
    int32_t *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = x[i] % (y[i] | 1);
}

void divide_by_constant_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i] / 10;
}

void remainder_by_constant_long(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    uint64_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i] % 1000003u;
}
