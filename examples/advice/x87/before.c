/* The letter L makes the constants long double, and with them everything that is computed from them: each number passes
   through the x87 stack, one at a time, although all of them are loaded and stored as double. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static double x[LENGTH], y[LENGTH];

__attribute__((noinline)) static void kernel(double *restrict to, const double *restrict from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = to[i] * 0.75L + from[i] * 0.25L;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = i % 7;
        y[i] = i % 5 + 1;
    }
    for (long k = 0; k < repetitions; k++) {
        y[k % LENGTH] += 0.25;
        kernel(x, y, length);
    }
    for (int i = 0; i < LENGTH; i++)
        sum += x[i];
    printf("%.6f\n", sum);
}
