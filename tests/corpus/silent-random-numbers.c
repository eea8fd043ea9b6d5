/* A linear congruential generator.
   build: gcc -O2
   silent: reduction stores calls divider
   without: not-vectorised simd associative-math */
#include "corpus.h"

static unsigned long numbers[N];

KERNEL void kernel(unsigned long *numbers, unsigned long state, int n)
{
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        numbers[i] = state >> 33;
    }
}

void set_up(void)
{
}

void run(void)
{
    kernel(numbers, 1, N);
}

double result(void)
{
    return (double) numbers[N - 1];
}
