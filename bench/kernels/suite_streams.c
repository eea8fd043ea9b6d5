/* Loops without conditions: one or more results each, at the same place, ahead or backwards. */
#include "kernels.h"

void fill_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++)
        a[i] = s;
}

void fill_two_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++) {
        a[i] = s;
        b[i] = s;
    }
}

void copy_two_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++) {
        c[i] = a[i];
        d[i] = b[i];
    }
}

void add_constant_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = a[i] + 1.0f;
}

void add_in_place_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    for (long i = 0; i < n; i++)
        a[i] += 0.25f;
}

void sum_of_three_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++)
        d[i] = a[i] + b[i] + c[i];
}

void product_and_sum_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++) {
        c[i] = a[i] * b[i];
        d[i] = a[i] + b[i];
    }
}

void two_results_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    double *restrict c = r->c;
    double s = r->factor;
    for (long i = 0; i < n; i++) {
        double t = a[i] * s;
        b[i] = t;
        c[i] = t + 1.0;
    }
}

void exchange_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    for (long i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void counted_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    for (long i = 0; i < n; i++)
        a[i] = (float)(int)i;
}

void counted_squares_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    for (long i = 0; i < n; i++)
        a[i] = (int32_t)i * (int32_t)i;
}

void backwards_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++)
        b[i] = a[n - 1 - i] * s;
}

void backwards_in_place_add_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long i = 0; i < n; i++)
        a[n - 1 - i] += b[n - 1 - i];
}

void every_second_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = a[2 * i] + 1.0f;
}

void into_every_second_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[2 * i] = a[i] + 1.0f;
}

void ahead_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++)
        b[i] = a[i + 1] * s;
}

void ahead_by_four_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    for (long i = 0; i < n; i++)
        a[i] = a[i + 4] + 0.5;
}

void neighbours_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = a[i] + a[i + 1];
}

void later_statement_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++) {
        c[i] = a[i] * b[i];
        d[i] = c[i] + a[i + 1];
    }
}

void difference_of_sums_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++)
        d[i] = (a[i] + b[i]) * (a[i] - c[i]);
}

void square_root_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = __builtin_sqrtf(a[i]);
}

void quotient_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    for (long i = 0; i < n; i++)
        c[i] = a[i] / b[i];
}

void bytes_through_table(struct arrays *r, long n)
{
    uint8_t *restrict a = r->a;
    int32_t *restrict b = r->b;
    for (long i = 0; i < n; i++)
        a[i] = (uint8_t)b[a[i]];
}

void halves_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    int32_t *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = (a[i] >> 1) + (a[i] & 1);
}

void unrolled_by_hand_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float s = (float)r->factor;
    for (long i = 0; i < n; i += 4) {
        b[i] += s * a[i];
        b[i + 1] += s * a[i + 1];
        b[i + 2] += s * a[i + 2];
        b[i + 3] += s * a[i + 3];
    }
}

void constant_factors_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = ((a[i] * 0.5f + 1.0f) * a[i] + 2.0f) * a[i] + 0.25f;
}
