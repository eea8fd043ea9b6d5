/* One division before the loop, and a multiplication for each element: the last digit may differ. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static double x[LENGTH];

__attribute__((noinline)) static void kernel(double *value, double norm, int count)
{
    double inverse = 1 / norm;
    for (int i = 0; i < count; i++)
        value[i] = value[i] * inverse + 1;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        x[i] = i % 7;
    for (long k = 0; k < repetitions; k++)
        kernel(x, 1.5 + k % 3, length);
    for (int i = 0; i < LENGTH; i++)
        sum += x[i];
    printf("%.6f\n", sum);
}
