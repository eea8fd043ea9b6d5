/* slow: -O2 -ftrapv   fast: -O2
   Sums and products of signed numbers, each a call. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 40000000;
    long sum = 0;
    for (long i = 0; i < steps; i++)
        sum = sum % 1000 * 3 + i % 7;
    printf("%ld\n", sum);
}
