/* A matrix times another, transposed: products of rows.
   build: gcc -O3
   cure: partial-sums -DCURE=1
   cure: library -DCURE=3 -Wl,--no-as-needed -l:libopenblas.so.0
   best: -ffast-math */
#include "fresh.h"
enum { SIZE = 40 };
static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
#if CURE == 3
void cblas_dgemm(int order, int one, int two, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
#endif
KERNEL void kernel(double *R c, const double *R a, const double *R b, int n)
{
#if CURE == 3 /* rows, the second transposed */
    cblas_dgemm(101, 111, 112, n, n, n, 1, a, n, b, n, 0, c, n);
    return;
#endif
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
#if CURE == 1
            double s[4] = {0};
            for (int k = 0; k < n; k += 4)
                for (int l = 0; l < 4; l++)
                    s[l] += a[i * n + k + l] * b[j * n + k + l];
            c[i * n + j] = s[0] + s[1] + (s[2] + s[3]);
#else
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[j * n + k];
            c[i * n + j] = sum;
#endif
        }
}
void set_up(void)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        a[i] = uniform(), b[i] = uniform();
}
void run(void)
{
    kernel(c, a, b, SIZE);
}
RESULT(c, SIZE *SIZE)
