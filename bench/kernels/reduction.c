/* Many values become one: chains that a compiler may or may not split. */
#include "kernels.h"

void dot_float(struct arrays *r, long n)
{
    const float *restrict x = r->a, *restrict y = r->b;
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    r->real = sum;
}

void dot_double(struct arrays *r, long n)
{
    const double *restrict x = r->a, *restrict y = r->b;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    r->real = sum;
}

void dot_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a, *restrict y = r->b;
    int32_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    r->whole = sum;
}

void dot_short(struct arrays *r, long n)
{
    const int16_t *restrict x = r->a, *restrict y = r->b;
    int32_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    r->whole = sum;
}

void dot_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a, *restrict y = r->b;
    uint32_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += (uint32_t)(x[i] * y[i]);
    r->whole = sum;
}

void sum_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    r->real = sum;
}

void sum_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    r->real = sum;
}

void sum_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    r->whole = sum;
}

void sum_int_to_long(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    r->whole = sum;
}

void sum_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint32_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    r->whole = sum;
}

void sum_squares_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * x[i];
    r->real = sum;
}

void sum_absolute_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] < 0 ? -x[i] : x[i];
    r->real = sum;
}

void moments_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double sum = 0, squares = 0, cubes = 0;
    for (long i = 0; i < n; i++) {
        double v = x[i], w = v * v;
        sum += v;
        squares += w;
        cubes += w * v;
    }
    r->real = sum + squares + cubes;
}

void compensated_sum_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double sum = 0, lost = 0;
    for (long i = 0; i < n; i++) {
        double y = x[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    r->real = sum;
}

void product_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double product = 1e-300;
    for (long i = 0; i < n; i++)
        product *= x[i];
    r->real = product;
}

void maximum_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float best = (float)r->factor;
    for (long i = 0; i < n; i++)
        best = x[i] > best ? x[i] : best;
    r->real = best;
}

void maximum_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double best = r->factor;
    for (long i = 0; i < n; i++)
        best = x[i] > best ? x[i] : best;
    r->real = best;
}

void minimum_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t best = (int32_t)r->key << 20;
    for (long i = 0; i < n; i++)
        best = x[i] < best ? x[i] : best;
    r->whole = best;
}

void range_short(struct arrays *r, long n)
{
    const int16_t *restrict x = r->a;
    int16_t low = (int16_t)r->key, high = low;
    for (long i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    r->whole = high - low;
}

void count_above_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float limit = 1.5f * (float)r->factor;
    int32_t count = 0;
    for (long i = 0; i < n; i++)
        count += x[i] > limit;
    r->whole = count;
}

void fold_long(struct arrays *r, long n)
{
    const int64_t *restrict x = r->a;
    int64_t fold = 0;
    for (long i = 0; i < n; i++)
        fold ^= x[i];
    r->whole = fold;
}

void absolute_differences_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a, *restrict y = r->b;
    uint32_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += (uint32_t)(x[i] > y[i] ? x[i] - y[i] : y[i] - x[i]);
    r->whole = sum;
}

void prefix_sum_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b, sum = 0;
    for (long i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sum;
    }
}

void prefix_sum_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, sum = 0;
    for (long i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sum;
    }
}
