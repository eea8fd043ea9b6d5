/* Both halves of a stored number are loaded: cores of both instruction sets forward either half.
   build: gcc -O2
   silent: store-forwarding */
#include "corpus.h"

#include <stdint.h>

union halves {
    volatile uint64_t whole;
    volatile uint32_t half[2];
};
static uint64_t numbers[N], total;
static union halves places[N];

KERNEL uint64_t kernel(union halves *to, uint64_t sum)
{
    for (int i = 0; i < N; i++) {
        to[i].whole = numbers[i];
        sum += to[i].half[0] ^ to[i].half[1];
    }
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        numbers[i] = (uint64_t)i * 0x100000007;
}

void run(void)
{
    total = kernel(places, 0);
}

double result(void)
{
    return (double)total;
}
