/* Elements are copied one by one, by a size that the compiler does not know and a pointer to a function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1000 };
static double x[LENGTH], y[LENGTH];
static size_t size_of_element = sizeof(double);
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;

__attribute__((noinline)) static void kernel(double *restrict to, const double *restrict from, int length)
{
    for (int i = 0; i < length; i++)
        copy(&to[i], &from[length - 1 - i], size_of_element); /* the call */
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        x[i] = 0.01 * i;
    for (long k = 0; k < repetitions; k++) {
        x[k % LENGTH] += 0.0001;
        kernel(y, x, LENGTH);
    }
    for (int i = 0; i < LENGTH; i++)
        sum += y[i];
    printf("%.6f\n", sum);
}
