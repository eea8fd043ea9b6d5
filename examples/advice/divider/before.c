/* Every element is divided by the same number. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static double x[LENGTH];

__attribute__((noinline)) static void kernel(double *value, double norm, int count)
{
    for (int i = 0; i < count; i++)
        value[i] = value[i] / norm + 1;
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
