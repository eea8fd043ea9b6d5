/* Vectors and small matrices: what does not depend from iteration to iteration. */
#include "kernels.h"

void axpy_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, s = (float)r->factor;
    for (long i = 0; i < n; i++)
        y[i] += s * x[i];
}

void axpy_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, s = r->factor;
    for (long i = 0; i < n; i++)
        y[i] += s * x[i];
}

void scale_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, s = r->factor;
    for (long i = 0; i < n; i++)
        y[i] = s * x[i];
}

void triad_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c, s = (float)r->factor;
    for (long i = 0; i < n; i++)
        z[i] = x[i] + s * y[i];
}

void triad_double(struct arrays *r, long n)
{
    const double *restrict x = r->a, *restrict y = r->b;
    double *restrict z = r->c, s = r->factor;
    for (long i = 0; i < n; i++)
        z[i] = x[i] + s * y[i];
}

void copy_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i];
}

void copy_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i];
}

void swap_int(struct arrays *r, long n)
{
    int32_t *restrict x = r->a, *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        int32_t t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

void reverse_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[n - 1 - i] = x[i];
}

void add_short(struct arrays *r, long n)
{
    const int16_t *restrict x = r->a, *restrict y = r->b;
    int16_t *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = (int16_t)(x[i] + y[i]);
}

void multiply_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a, *restrict y = r->b;
    int32_t *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = x[i] * y[i];
}

void matrix_vector_float(struct arrays *r, long n)
{
    const float *restrict p = r->a, *restrict q = r->b, *restrict s = r->c, *restrict x = r->d;
    float sum_p = 0, sum_q = 0, sum_s = 0;
    for (long i = 0; i < n; i++) {
        sum_p += p[i] * x[i];
        sum_q += q[i] * x[i];
        sum_s += s[i] * x[i];
    }
    r->real = sum_p + 2 * sum_q + 3 * sum_s;
}

void matrix_vector_double(struct arrays *r, long n)
{
    const double *restrict p = r->a, *restrict q = r->b, *restrict x = r->c;
    double sum_p = 0, sum_q = 0;
    for (long i = 0; i < n; i++) {
        sum_p += p[i] * x[i];
        sum_q += q[i] * x[i];
    }
    r->real = sum_p + 2 * sum_q;
}

void rank_two_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c, s = (float)r->factor, t = 0.5f * s;
    for (long i = 0; i < n; i++)
        z[i] += s * x[i] + t * y[i];
}

void complex_multiply_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c;
    for (long i = 0; i < n; i++) {
        float re = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1];
        float im = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i];
        z[2 * i] = re;
        z[2 * i + 1] = im;
    }
}

void complex_scale_double(struct arrays *r, long n)
{
    double *restrict x = r->a, c = r->factor, s = 0.125 * c;
    for (long i = 0; i < n; i++) {
        double re = x[2 * i] * c - x[2 * i + 1] * s;
        double im = x[2 * i] * s + x[2 * i + 1] * c;
        x[2 * i] = re;
        x[2 * i + 1] = im;
    }
}

void complex_norm_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1];
}

void rotate_double(struct arrays *r, long n)
{
    double *restrict x = r->a, *restrict y = r->b, c = 0.8 * r->factor, s = 0.6 * r->factor;
    for (long i = 0; i < n; i++) {
        double t = c * x[i] + s * y[i];
        y[i] = c * y[i] - s * x[i];
        x[i] = t;
    }
}

void interleave_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c;
    for (long i = 0; i < n; i++) {
        z[2 * i] = x[i];
        z[2 * i + 1] = y[i];
    }
}

void strided_sum_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[2 * i];
    r->real = sum;
}

void distance_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c, p = (float)r->factor;
    for (long i = 0; i < n; i++) {
        float dx = x[i] - p, dy = y[i] + p;
        z[i] = dx * dx + dy * dy;
    }
}

void interpolate_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float *restrict z = r->c, s = 0.3f * (float)r->factor;
    for (long i = 0; i < n; i++)
        z[i] = x[i] + s * (y[i] - x[i]);
}

void clamp_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, low = 1.25f * (float)r->factor, high = 1.75f * (float)r->factor;
    for (long i = 0; i < n; i++) {
        float v = x[i] < low ? low : x[i];
        y[i] = v > high ? high : v;
    }
}

void rectify_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, t = 1.5 * r->factor;
    for (long i = 0; i < n; i++)
        y[i] = x[i] > t ? x[i] : 0.0;
}

void horner_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, s = (float)r->factor;
    for (long i = 0; i < n; i++) {
        float v = x[i];
        y[i] = ((((((0.1f * v + s) * v + 0.3f) * v + s) * v + 0.5f) * v + s) * v + 0.7f) * v + s;
    }
}

void horner_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, s = r->factor;
    for (long i = 0; i < n; i++) {
        double v = x[i];
        y[i] = ((((((0.1 * v + s) * v + 0.3) * v + s) * v + 0.5) * v + s) * v + 0.7) * v + s;
    }
}
