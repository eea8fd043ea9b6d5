/* Loops whose elements are treated by their values: selected, masked, counted, packed. */
#include "kernels.h"

void add_if_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    for (long i = 0; i < n; i++) {
        if (b[i] > 1.5f)
            a[i] += b[i] * c[i];
    }
}

void add_if_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    double s = r->factor;
    for (long i = 0; i < n; i++) {
        if (b[i] > 1.5)
            a[i] += b[i] * s;
    }
}

void store_if_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++) {
        if (a[i] > 1.5f)
            b[i] = s;
    }
}

void store_one_or_other_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++)
        d[i] = a[i] > 1.5f ? b[i] : c[i] * s;
}

void two_stores_by_condition_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++) {
        if (a[i] > 1.5f)
            c[i] = b[i];
        else
            d[i] = b[i];
    }
}

void nested_conditions_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++) {
        if (a[i] > 1.5f) {
            if (b[i] > 1.5f)
                c[i] = a[i];
            else
                c[i] = b[i] * s;
        }
    }
}

void product_if_both_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++) {
        if (a[i] > 1.25f && b[i] < 1.75f)
            d[i] = c[i] * a[i];
    }
}

void clear_if_small_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float s = (float)r->factor * 0.5f;
    for (long i = 0; i < n; i++) {
        if (a[i] < s)
            a[i] = s;
    }
}

void absolute_in_place_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    for (long i = 0; i < n; i++)
        a[i] = __builtin_fabsf(a[i] - 1.5f) + 1.0f;
}

void larger_of_two_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    for (long i = 0; i < n; i++)
        c[i] = a[i] > b[i] ? a[i] : b[i];
}

void sum_if_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float sum = 0;
    for (long i = 0; i < n; i++) {
        if (a[i] > 1.5f)
            sum += a[i];
    }
    r->real = sum;
}

void sum_product_if_double(struct arrays *r, long n)
{
    double *restrict a = r->a;
    double *restrict b = r->b;
    double sum = 0;
    for (long i = 0; i < n; i++) {
        if (a[i] > 1.5)
            sum += a[i] * b[i];
    }
    r->real = sum;
}

void count_if_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    int32_t count = 0, limit = (int32_t)r->key + 50000;
    for (long i = 0; i < n; i++)
        count += a[i] > limit;
    r->whole = count;
}

void place_of_maximum_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float most = 0;
    long place = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > most) {
            most = a[i];
            place = i;
        }
    r->whole = place;
}

void pack_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    long k = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > 1.5f)
            b[k++] = a[i];
    r->whole = k;
}

void pack_places_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    int32_t *restrict b = r->b;
    long k = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > 50000)
            b[k++] = (int32_t)i;
    r->whole = k;
}

void sign_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    int32_t *restrict b = r->b;
    for (long i = 0; i < n; i++)
        b[i] = (a[i] > 50000) - (a[i] < 40000);
}

void divide_if_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    float *restrict c = r->c;
    for (long i = 0; i < n; i++) {
        if (b[i] > 1.5f)
            c[i] = a[i] / b[i];
    }
}

void saturate_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    int32_t *restrict b = r->b;
    for (long i = 0; i < n; i++) {
        int32_t t = a[i] + 20000;
        b[i] = t > 90000 ? 90000 : t;
    }
}
