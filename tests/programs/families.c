/* Source loops whose families of binary loops are known: tests/commands/code/families.py. */
#include <math.h>

void add(double *restrict a, const double *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] += b[i] * 3.0;
}

/* May overlap: a vector version and one for when they do. */
void overlap(double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 3.0 + a[i];
}

/* In order, so it stays scalar. */
double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

int count(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

/* Two loops next to each other, */
void two(float *restrict a, float *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2.0f;
    for (int i = 0; i < n; i++)
        b[i] += 1.0f;
}

/* in one line, */
void line(double *restrict a, double *restrict b, int n)
{
    /* clang-format off */
    for (int i = 0; i < n; i++) a[i] *= 2.0; for (int i = 0; i < n; i++) b[i] += 1.0;
    /* clang-format on */
}

static inline void scale(float *restrict a, float f, int n)
{
    for (int i = 0; i < n; i++)
        a[i] *= f;
}

/* and one loop inlined twice. */
void twice(float *restrict a, float *restrict b, int n)
{
    scale(a, 3.0f, n);
    scale(b, 4.0f, n);
}

void product(int n, double *restrict c, const double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void bytes(unsigned char *restrict a, const unsigned char *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] ^ b[i];
}

/* Unrolled by hand: one iteration of the source does four elements. */
void hand(double *restrict a, const double *restrict b, int n)
{
    int i;
    for (i = 0; i + 3 < n; i += 4) {
        a[i] += b[i];
        a[i + 1] += b[i + 1];
        a[i + 2] += b[i + 2];
        a[i + 3] += b[i + 3];
    }
    for (; i < n; i++)
        a[i] += b[i];
}
