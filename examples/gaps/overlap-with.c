/* Sums of 16 products each: an iteration waits for the sum of the one before, but the core begins the next sum before
   this one is complete.  In overlap-without.c a sum has 4096 products, and nothing overlaps.

   Neoverse V1: 1.02 cycles an iteration, 2.02 without; predicted: 2.0. */
#include <stdio.h>

#ifndef LENGTH
#define LENGTH 16
#endif
enum { SIZE = 4096, ROUNDS = 60000 };

static double a[SIZE], b[SIZE], sums[SIZE];

__attribute__((noinline)) static void multiply(void)
{
    for (int start = 0; start < SIZE; start += LENGTH) {
        double sum = 0;
        for (int i = 0; i < LENGTH; i++)
            sum += a[start + i] * b[i];
        sums[start / LENGTH] = sum;
    }
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        a[i] = b[i] = 1.0 / (i + 1);
    for (int round = 0; round < ROUNDS; round++)
        multiply();
    printf("%g\n", sums[0]);
    return 0;
}
