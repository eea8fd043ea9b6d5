/* The states are in an array of their own, which fits the first cache. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 32768 };


static uint64_t place_of(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9u;
    key ^= key >> 32;
    key *= 0x94d049bb133111ebu;
    key ^= key >> 30;
    key += key << 9;
    key ^= key >> 23;
    return key % COUNT;
}

__attribute__((noipa)) static uint64_t look_up(const uint8_t *states, uint64_t key, uint64_t sum)
{
    uint64_t state = states[place_of(key)];
    return (sum ^ state) + (sum >> 7);
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    static uint8_t states[COUNT];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < COUNT; i++)
        states[i] = (uint8_t)(i * 7);
    for (uint64_t i = 0; i < (uint64_t)repetitions * 1000; i++)
        sum = look_up(states, i, sum);
    printf("%lu\n", (unsigned long)sum);
}
