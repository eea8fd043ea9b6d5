/* A loop that vectors would make quicker, if the compiler were asked for them; and a chain that nothing helps. */
#include "own_clock.h"

static float x[4096], y[4096];
__attribute__((noinline)) void saxpy(float a, const float *restrict from, float *restrict to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = a * from[i] + to[i];
}
__attribute__((noinline)) double chain(double value, long n)
{
    for (long i = 0; i < n; i++)
        value = value * 0.999999 + 0.5;
    return value;
}
int main(int argc, char **argv)
{
    double wanted = argc > 1 ? atof(argv[1]) : 1, z = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;) {
        for (int i = 0; i < 40; i++)
            saxpy(0.5f, x, y, 4096);
        z = chain(z, 20000);
    }
    return z == (double)y[7];
}
