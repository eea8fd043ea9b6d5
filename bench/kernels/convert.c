/* From one type to another. */
#include "kernels.h"

void int_to_float(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    float *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = (float)x[i];
}

void float_to_int(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = (int32_t)x[i];
}

void float_to_double(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    double *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i];
}

void double_to_float(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    float *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = (float)x[i];
}

void int_to_double(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    double *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i];
}

void double_to_long(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    int64_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = (int64_t)x[i];
}

void short_to_int(struct arrays *r, long n)
{
    const int16_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i];
}

void byte_to_float(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    float *restrict y = r->b, s = (float)r->factor;
    for (long i = 0; i < n; i++)
        y[i] = s * (float)x[i];
}

void int_to_byte(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    uint8_t *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        int32_t v = x[i] < 0 ? 0 : x[i];
        y[i] = (uint8_t)(v > 255 ? 255 : v);
    }
}

void sum_float_in_double(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    r->real = sum;
}
