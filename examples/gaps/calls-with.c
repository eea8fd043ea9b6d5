/* A polynomial for each number, computed by a function that the loop calls.  In calls-without.c the compiler
   puts it into the loop.

   Neoverse V1: 0.8 cycles an iteration of the loop and 1.2 of the function, 1.1 without; predicted: 1.0. */
#include <stdio.h>
#ifndef AS_WISHED
#define AS_WISHED __attribute__((noipa)) static
#define ROUNDS 200000
#endif
enum { COUNT = 1024 };

AS_WISHED double value(double x)
{
    return (x * 0.1 + 0.2) * x + 0.3;
}

__attribute__((noipa)) static void evaluate(const double *from, double *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = value(from[i]);
}

int main(void)
{
    static double from[COUNT], to[COUNT];
    for (int i = 0; i < COUNT; i++)
        from[i] = 1.0 / (1 + i);
    for (int round = 0; round < ROUNDS; round++)
        evaluate(from, to, COUNT);
    printf("%g\n", to[COUNT - 1]);
    return 0;
}
