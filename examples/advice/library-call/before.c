/* A product of two matrices, written down as it is defined. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 128 };
static double a[N * N], b[N * N], c[N * N];

__attribute__((noipa)) void kernel(double *c, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    double sum = 0;
    for (int i = 0; i < N * N; i++)
        a[i] = i % 7, b[i] = i % 5;
    for (long k = 0; k < repetitions; k++)
        kernel(c, a, b, N);
    for (int i = 0; i < N * N; i++)
        sum += c[i];
    printf("%.6g\n", sum);
}
