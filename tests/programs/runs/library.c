/* Almost all time in a library that a loop of the program calls: -DZLIB: checksums, else mathematics. */
#include "own_clock.h"
#ifdef ZLIB
#include <zlib.h>
static unsigned char data[1 << 16];
static double work(double x)
{
    return (double)(adler32((unsigned long)x, data, sizeof data) & 1023);
}
#else
#include <math.h>
static double work(double x)
{
    for (int i = 0; i < 1000; i++)
        x = lgamma(x + 1.25) + 2;
    return x;
}
#endif
__attribute__((noinline)) double caller(double wanted)
{
    double x = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;)
        for (int i = 0; i < 20; i++)
            x = work(x);
    return x;
}
int main(int argc, char **argv)
{
    return caller(argc > 1 ? atof(argv[1]) : 1) == -1;
}
