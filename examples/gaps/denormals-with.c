/* Numbers that are halved until they are denormal, and started again before they are 0.  In
   denormals-without.c they stay normal.  Neoverse computes with denormal numbers as quickly as with others;
   most x86 processors do not.

   Neoverse V1: 1.02 cycles an iteration with and without; predicted: 1.0. */
#include <stdio.h>
#ifndef SMALL
#define SMALL 1e-310
#endif
enum { COUNT = 1024, ROUNDS = 100000 };

__attribute__((noipa)) static void scale(const double *from, double *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] * 0.5;
}

int main(void)
{
    static double from[COUNT], to[COUNT];
    for (int i = 0; i < COUNT; i++)
        from[i] = SMALL * (1 + i);
    for (int round = 0; round < ROUNDS; round++)
        scale(from, to, COUNT);
    printf("%g\n", to[COUNT - 1]);
    return 0;
}
