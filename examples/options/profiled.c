/* slow: -O2 -pg   fast: -O2
   Small functions that a profile counts. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned step(unsigned state)
{
    return state * 1664525u + 1013904223u;
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 20000000;
    unsigned state = 1;
    for (long i = 0; i < steps; i++)
        state = step(state);
    printf("%u\n", state);
}
