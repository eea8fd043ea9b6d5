/* Divisions by constants are products already.
   build: gcc -O2
   silent: integer-division divider */
#include "corpus.h"

#include <stdint.h>

static uint64_t numbers[N], total;

KERNEL uint64_t kernel(const uint64_t *x, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] % 1000 + x[i] / 77;
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        numbers[i] = (uint64_t)i * 12345;
}

void run(void)
{
    total = kernel(numbers, N);
}

double result(void)
{
    return (double)total;
}
