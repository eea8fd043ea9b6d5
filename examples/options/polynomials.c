/* slow: -O2   fast: -O2 -march=native
   Polynomials by Horner's rule: multiplications and additions that wait for each other, and are one instruction (FMA) on newer
   processors; in a function without a loop. */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) double polynomial(double x)
{
    return ((((((0.3 * x + 0.2) * x - 0.7) * x + 0.1) * x - 0.4) * x + 0.9) * x - 0.6) * x + 0.5;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 40000000;
    double x = 0.25;
    for (long round = 0; round < rounds; round++)
        x = polynomial(x) * 0.5;
    printf("%.9f\n", x);
}
