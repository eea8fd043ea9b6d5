/* Loops that carry values from one iteration to the next. */
#include "kernels.h"

void first_order_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float x = 0;
    for (long i = 0; i < n; i++) {
        x = x * 0.5f + a[i];
        b[i] = x;
    }
}

void first_order_product_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    double x = 0;
    for (long i = 0; i < n; i++) {
        x = x * 0.25 + a[i];
        b[i] = x;
    }
}

void second_order_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float x = 0, y = 0;
    for (long i = 0; i < n; i++) {
        float t = 0.5f * x + 0.25f * y + a[i];
        y = x;
        x = t;
        b[i] = t;
    }
}

void carried_scalar_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float before = 0;
    for (long i = 0; i < n; i++) {
        b[i] = a[i] + before;
        before = a[i];
    }
}

void carried_two_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float before = 0, last = 0;
    for (long i = 0; i < n; i++) {
        b[i] = (a[i] + before + last) * 0.25f;
        last = before;
        before = a[i];
    }
}

void sum_and_store_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float sum = 0, s = (float)r->factor;
    for (long i = 0; i < n; i++) {
        sum += a[i];
        b[i] = a[i] * s;
    }
    r->real = sum;
}

void dot_of_three_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i] * c[i];
    r->real = sum;
}

void sum_of_squares_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * a[i];
    r->real = sum;
}

void product_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float product = 1;
    for (long i = 0; i < n; i++)
        product *= a[i] * 0.68f;
    r->real = product;
}

void smallest_and_largest_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float least = 3, most = 0;
    for (long i = 0; i < n; i++) {
        least = a[i] < least ? a[i] : least;
        most = a[i] > most ? a[i] : most;
    }
    r->real = least + most;
}

void sum_by_rows_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    for (long row = 0; row < n; row += 64) {
        float sum = 0;
        for (long i = row; i < row + 64; i++)
            sum += a[i];
        b[row / 64] = sum;
    }
}

void weighted_average_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = 0.25 * a[i] + 0.5 * a[i + 1] + 0.25 * a[i + 2];
}
