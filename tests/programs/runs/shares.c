/* Three loops, each in a function of its own and timed by the program: argument: seconds to run. */
#include "own_clock.h"

__attribute__((noinline)) double chain(double x, long n)
{
    for (long i = 0; i < n; i++)
        x = x * 0.999999 + 0.5;
    return x;
}
__attribute__((noinline)) unsigned long hash(unsigned long x, long n)
{
    for (long i = 0; i < n; i++)
        x = (x ^ x >> 29) * 0x9e3779b97f4a7c15u;
    return x;
}
__attribute__((noinline)) double divide(double x, long n)
{
    for (long i = 0; i < n; i++)
        x = 1 / (x + 1.5);
    return x;
}
int main(int argc, char **argv)
{
    double wanted = argc > 1 ? atof(argv[1]) : 1, times[3] = {0}, x = 1, y = 1;
    unsigned long h = 1;
    while (times[0] + times[1] + times[2] < wanted) {
        double a = own_seconds();
        x = chain(x, 100000);
        double b = own_seconds();
        h = hash(h, 300000);
        double c = own_seconds();
        y = divide(y, 20000);
        times[0] += b - a;
        times[1] += c - b;
        times[2] += own_seconds() - c;
    }
    printf("chain %g\nhash %g\ndivide %g\n", times[0], times[1], times[2]);
    return x + y + (double)h == 0;
}
