/* slow: -O2 -ffloat-store   fast: -O2
   A recurrence of temperatures: each step of it is stored and loaded again. */
#include <stdio.h>
#include <stdlib.h>

static double relax(double t, double a, double b)
{
    double heat = a * t, loss = b * heat, rest = heat - loss, bent = rest * 0.5 + t * 0.5;
    double cooled = bent - a * loss;
    return cooled + b;
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 30000000;
    double t = 1, a = 0.999, b = 1e-3;
    for (long i = 0; i < steps; i++) {
        t = relax(t, a, b);
        if (t > 1e6)
            a = 0.5;
    }
    printf("%g\n", t);
}
