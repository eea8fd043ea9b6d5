/* slow: -O0   fast: -O2
   A hash of pairs without loops of its own, as predicates and helpers are. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned mix(unsigned one, unsigned other)
{
    unsigned left = one * 2654435761u, right = other ^ (left >> 15);
    unsigned both = left + right, turned = both << 7 | both >> 25;
    unsigned folded = turned ^ one, rest = folded * 40503u;
    return rest ^ rest >> 13;
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 60000000;
    unsigned state = 1;
    for (long i = 0; i < steps; i++)
        state = mix(state, (unsigned)i);
    printf("%u\n", state);
}
