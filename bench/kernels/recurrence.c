/* Each iteration needs the one before: latency. */
#include "kernels.h"

void polynomial_double(struct arrays *r, long n)
{
    const double *restrict c = r->a;
    double x = 0.5 * r->factor, value = 0;
    for (long i = 0; i < n; i++)
        value = value * x + c[i];
    r->real = value;
}

void polynomial_float(struct arrays *r, long n)
{
    const float *restrict c = r->a;
    float x = 0.5f * (float)r->factor, value = 0;
    for (long i = 0; i < n; i++)
        value = value * x + c[i];
    r->real = value;
}

void logistic_double(struct arrays *r, long n)
{
    double x = 0.37, k = 3.9 * r->factor;
    for (long i = 0; i < n; i++)
        x = k * x * (1.0 - x);
    r->real = x;
}

void filter_first_order_double(struct arrays *r, long n)
{
    const double *restrict x = r->a;
    double *restrict y = r->b, p = 0.3 * r->factor, q = 0.7 * r->factor, state = 1;
    for (long i = 0; i < n; i++) {
        state = p * x[i] + q * state;
        y[i] = state;
    }
}

void filter_biquad_float(struct arrays *r, long n)
{
    const float *restrict x = r->a;
    float *restrict y = r->b, b0 = 0.2f * (float)r->factor, b1 = 0.4f, b2 = 0.2f, a1 = -0.3f, a2 = 0.2f,
                    s1 = 0, s2 = 0;
    for (long i = 0; i < n; i++) {
        float in = x[i], out = b0 * in + s1;
        s1 = b1 * in - a1 * out + s2;
        s2 = b2 * in - a2 * out;
        y[i] = out;
    }
}

void tridiagonal_double(struct arrays *r, long n)
{
    const double *restrict d = r->a, *restrict l = r->b;
    double *restrict x = r->c, before = r->factor;
    for (long i = 0; i < n; i++) {
        before = d[i] - 0.25 * l[i] * before;
        x[i] = before;
    }
}

void mandelbrot_double(struct arrays *r, long n)
{
    double x = 0, y = 0, cx = -0.4 * r->factor, cy = 0.55 * r->factor;
    for (long i = 0; i < n; i++) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    r->real = x + y;
}

void oscillator_float(struct arrays *r, long n)
{
    float x = 1, v = 0, k = 0.01f * (float)r->factor;
    for (long i = 0; i < n; i++) {
        v -= k * x;
        x += k * v;
    }
    r->real = x + v;
}

void smooth_in_place_double(struct arrays *r, long n)
{
    double *x = r->a, s = 0.5 * r->factor;
    for (long i = 1; i <= n; i++)
        x[i] = s * (x[i - 1] + x[i + 1]);
}

void generator_int(struct arrays *r, long n)
{
    uint32_t x = (uint32_t)r->key;
    for (long i = 0; i < n; i++)
        x = x * 1664525u + 1013904223u;
    r->whole = x;
}

void generator_long(struct arrays *r, long n)
{
    uint64_t x = (uint64_t)r->key;
    uint64_t *restrict y = r->a;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        y[i] = x >> 33;
    }
}

void xorshift_long(struct arrays *r, long n)
{
    uint64_t x = (uint64_t)r->key | 1;
    for (long i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    r->whole = (int64_t)x;
}

void fibonacci_modulo_int(struct arrays *r, long n)
{
    uint32_t x = 1, y = 1, m = 1000003;
    for (long i = 0; i < n; i++) {
        uint32_t t = x + y;
        t = t >= m ? t - m : t;
        x = y;
        y = t;
    }
    r->whole = x;
}

void carry_add_long(struct arrays *r, long n)
{
    const uint64_t *restrict y = r->b;
    uint64_t *restrict x = r->a, carry = 0;
    for (long i = 0; i < n; i++) {
        uint64_t t = x[i] + carry;
        carry = t < carry;
        t += y[i];
        carry += t < y[i];
        x[i] = t;
    }
    r->whole = (int64_t)carry;
}

void carry_multiply_long(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    uint64_t *restrict z = r->b, carry = 0, k = (uint64_t)r->key * 0x9e3779b97f4a7c15u;
    for (long i = 0; i < n; i++) {
        unsigned __int128 t = (unsigned __int128)x[i] * k + carry;
        z[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    r->whole = (int64_t)carry;
}
