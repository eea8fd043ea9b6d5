/* The elements are computed one by one; with -O3 and the processor's own instructions several are computed
   at a time. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2000 };
static double x[LENGTH], y[LENGTH];

__attribute__((noinline)) static void kernel(double *restrict out, const double *restrict in, double a, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = in[i] * in[i] - a * in[i] + out[i] * 0.5;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        x[i] = i % 7;
    for (long k = 0; k < repetitions; k++)
        kernel(y, x, 0.25, length);
    for (int i = 0; i < LENGTH; i++)
        sum += y[i];
    printf("%.6g\n", sum);
}
