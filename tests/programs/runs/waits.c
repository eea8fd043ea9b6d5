/* Computes, then sleeps: seconds of each. */
#include "own_clock.h"
#include <unistd.h>
__attribute__((noinline)) double compute(double wanted)
{
    double x = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;)
        for (int i = 0; i < 10000; i++)
            x = x * 0.5 + 1;
    return x;
}
int main(int argc, char **argv)
{
    double x = compute(argc > 1 ? atof(argv[1]) : 1);
    usleep((useconds_t)(1e6 * (argc > 2 ? atof(argv[2]) : 0)));
    return x == -1;
}
