/* The clock is read once for all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static unsigned values[COUNT];
static uint64_t latest;

static inline uint64_t now(void)
{
#ifdef __x86_64__
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#else
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

__attribute__((noipa)) static unsigned work(unsigned state)
{
    for (int i = 0; i < COUNT; i++)
        state = state * 5 + values[i];
    latest = now();
    return state;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    unsigned state = 1;
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = i * 2654435761u;
    for (long k = 0; k < repetitions; k++)
        state = work(state);
    printf("%u %d\n", state, latest > 0);
}
