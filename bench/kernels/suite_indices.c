/* Loops that find their elements through an array of places. */
#include "kernels.h"

void gather_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    int32_t *restrict b = r->b;
    float *restrict c = r->c;
    for (long i = 0; i < n; i++)
        c[i] = a[b[i]];
}

void gather_add_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    int32_t *restrict b = r->b;
    float *restrict c = r->c;
    float *restrict d = r->d;
    for (long i = 0; i < n; i++)
        d[i] = a[b[i]] + c[i];
}

void scatter_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    int32_t *restrict c = r->c;
    for (long i = 0; i < n; i++)
        a[c[i]] = b[i];
}

void scatter_add_once_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    float *restrict b = r->b;
    int32_t *restrict c = r->c;
    float s = (float)r->factor;
    for (long i = 0; i < n; i++)
        a[c[i]] = b[i] + s;
}

void gather_two_float(struct arrays *r, long n)
{
    float *restrict a = r->a;
    int32_t *restrict b = r->b;
    float *restrict c = r->c;
    for (long i = 0; i < n; i++)
        c[i] = a[b[i]] * a[b[i] + 1];
}

void copy_by_index_int(struct arrays *r, long n)
{
    int32_t *restrict a = r->a;
    int32_t *restrict b = r->b;
    int32_t *restrict c = r->c;
    for (long i = 0; i < n; i++)
        a[c[i]] = b[c[i]];
}
