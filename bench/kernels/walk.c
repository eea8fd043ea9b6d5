/* Addresses that come from memory: lists, gathers, trees, permutations. */
#include "kernels.h"

struct node {
    struct node *next;
    int64_t value;
};

void list_walk(struct arrays *r, long n)
{
    const struct node *p = r->a;
    for (long i = 0; i < n; i++)
        p = p->next;
    r->whole = (int64_t)(intptr_t)p;
}

void list_sum(struct arrays *r, long n)
{
    const struct node *p = r->a;
    int64_t sum = 0;
    for (long i = 0; i < n; i++) {
        sum += p->value;
        p = p->next;
    }
    r->whole = sum;
}

void list_walk_two(struct arrays *r, long n)
{
    const struct node *p = r->a, *q = p->next;
    for (long i = 0; i < n; i++) {
        p = p->next;
        q = q->next->next;
    }
    r->whole = p == q;
}

void permutation_walk(struct arrays *r, long n)
{
    const int32_t *restrict next = r->a;
    int32_t at = 0;
    for (long i = 0; i < n; i++)
        at = next[at];
    r->whole = at;
}

void gather_sum_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    const int32_t *restrict index = r->b;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[index[i]];
    r->real = sum;
}

void gather_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    const int32_t *restrict index = r->b;
    float *restrict y = r->c;
    for (long i = 0; i < n; i++)
        y[i] = x[index[i]];
}

void gather_long(struct arrays *r, long n)
{
    const int64_t *restrict x = r->a;
    const int32_t *restrict index = r->b;
    int64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum ^= x[index[i]];
    r->whole = sum;
}

void sparse_dot_double(struct arrays *r, long n)
{
    const double *restrict x = r->a, *restrict y = r->c;
    const int32_t *restrict index = r->b;
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += y[i] * x[index[i]];
    r->real = sum;
}

void scatter_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a, *restrict index = r->b;
    int32_t *restrict y = r->c;
    for (long i = 0; i < n; i++)
        y[index[i]] = x[i];
}

void tree_descent_int(struct arrays *r, long n)
{
    const int32_t *restrict tree = r->a;
    int32_t key = (int32_t)r->key * 40000;
    uint32_t at = 1;
    for (long i = 0; i < n; i++)
        at = (2 * at + (tree[at] < key)) & 511;
    r->whole = at;
}

void halving_search_int(struct arrays *r, long n)
{
    const int32_t *restrict sorted = r->a;
    int32_t key = (int32_t)r->key;
    int64_t base = 0;
    for (long i = 0; i < n; i++) {
        int64_t half = 256 >> (i & 7);
        base += sorted[base + half] <= key ? half : 0;
        base &= 255;
    }
    r->whole = base;
}

void ring_delay_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict ring = r->b, sum = 0;
    for (long i = 0; i < n; i++) {
        sum += ring[i & 255];
        ring[i & 255] = x[i];
    }
    r->real = sum;
}

void sum_in_memory_long(struct arrays *r, long n)
{
    const int64_t *restrict x = r->a;
    volatile int64_t *sum = &r->whole;
    for (long i = 0; i < n; i++)
        *sum += x[i];
}

void sum_in_memory_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    volatile double *sum = &r->real;
    for (long i = 0; i < n; i++)
        *sum += x[i];
}
