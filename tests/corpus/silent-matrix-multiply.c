/* A product of matrices with the right order of loops, vectorised.
   build: gcc -O3 -fno-trapping-math
   build x86-64: gcc -O3 -march=sapphirerapids -mprefer-vector-width=512
   silent: not-vectorised partly-vectorised part-of-vector reduction loop-order indirect double-indirection spills */
#include "corpus.h"

enum { M = 32 };
static double a[M][M], b[M][M], c[M][M];

KERNEL void kernel(double (*restrict c)[M], double (*restrict a)[M], double (*restrict b)[M], int m)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < m; j++)
                c[i][j] += a[i][k] * b[k][j];
}

void set_up(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            a[i][j] = (i + j) % 7, b[i][j] = (i * 3 + j) % 5;
}

void run(void)
{
    kernel(c, a, b, M);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            sum += c[i][j] * ((i + j) % 3 + 1);
    return sum;
}
