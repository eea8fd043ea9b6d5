/* The state of each record lies beside its text, so that every lookup touches another page. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 32768 };
struct record {
    uint8_t state;
    char text[4095];
};

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

__attribute__((noipa)) static uint64_t look_up(const struct record *records, uint64_t key, uint64_t sum)
{
    const struct record *record = &records[place_of(key)];
    uint64_t state = record->state; /* the point */
    return (sum ^ state) + (sum >> 7);
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    struct record *records = calloc(COUNT, sizeof *records);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < COUNT; i++)
        records[i].state = (uint8_t)(i * 7);
    for (uint64_t i = 0; i < (uint64_t)repetitions * 1000; i++)
        sum = look_up(records, i, sum);
    printf("%lu\n", (unsigned long)sum);
}
