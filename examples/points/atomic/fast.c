/* Each call counts by itself and adds once. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static unsigned values[COUNT];
static atomic_uint odd;

__attribute__((noipa)) static unsigned work(unsigned state)
{
    unsigned mine = 0;
    for (int i = 0; i < COUNT; i++) {
        state = state * 5 + values[i];
        mine += values[i] >> 31;
    }
    atomic_fetch_add(&odd, mine);
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
    printf("%u %u\n", state, atomic_load(&odd));
}
