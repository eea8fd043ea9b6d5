/* A remainder that is found bit by bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static double x[LENGTH], y[LENGTH];

__attribute__((noinline)) static void kernel(double *restrict to, const double *restrict from, int length)
{
    for (int i = 0; i < length; i++)
        to[i] = fmod(from[i], 1.375); /* the call */
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        x[i] = 10.7 * i + 0.3;
    for (long k = 0; k < repetitions; k++) {
        x[k % LENGTH] += 0.0001;
        kernel(y, x, length);
    }
    for (int i = 0; i < LENGTH; i++)
        sum += y[i];
    printf("%.6f\n", sum);
}
