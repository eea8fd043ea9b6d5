#include "change/optimise/replay/calls.h"

#include <stdlib.h>

struct timed {
    uint64_t duration, number;
};

static int by_duration(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    if (a->duration != b->duration)
        return a->duration < b->duration ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

uint64_t calls_choose(const uint64_t *durations, size_t count)
{
    struct array sorted = ARRAY_OF(struct timed);
    double sum = 0, until = 0;
    for (size_t i = 0; i < count; i++)
        if (durations[i]) {
            *(struct timed *)array_push(&sorted) = (struct timed){durations[i], i + 1};
            sum += (double)durations[i];
        }
    if (sorted.count)
        qsort(sorted.data, sorted.count, sizeof(struct timed), by_duration);
    uint64_t chosen = 0;
    for (size_t i = 0; i < sorted.count && !chosen; i++) {
        until += (double)ARRAY_AT(struct timed, &sorted, i)->duration;
        if (until * 2 >= sum)
            chosen = ARRAY_AT(struct timed, &sorted, i)->number;
    }
    array_free(&sorted);
    return chosen;
}
