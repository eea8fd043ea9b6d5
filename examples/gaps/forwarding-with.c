/* Smooths numbers from one place to another.  The places overlap, so that each load reads what the iteration
   before stored.  In forwarding-without.c they are apart.

   Neoverse V1: 11.4 cycles an iteration, 1.04 without; predicted: 1.0. */
#include <stdio.h>
#ifndef DISTANCE
#define DISTANCE 1
#define ROUNDS 100000
#endif
enum { COUNT = 1024 };

__attribute__((noipa)) static void smooth(const double *from, double *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] * 0.5 + 1;
}

int main(void)
{
    static double numbers[4 * COUNT];
    for (int round = 0; round < ROUNDS; round++)
        smooth(numbers, numbers + DISTANCE, COUNT);
    printf("%g\n", numbers[COUNT]);
    return 0;
}
