/* Counting a number: the few instructions that summaries of every event share. */
#ifndef RUNTIME_PROBE_NUMBERS_H
#define RUNTIME_PROBE_NUMBERS_H
#include "runtime/probe/record_file.h"

static inline unsigned bucket_of(uint64_t value)
{
    if (value < 8)
        return (unsigned)value;
    unsigned highest = 63u - (unsigned)__builtin_clzll(value);
    return 8 + (highest - 3) * 4 + (unsigned)(value >> (highest - 2) & 3);
}

static inline void count_bucket(uint32_t *bucket)
{
    *bucket += *bucket != UINT32_MAX;
}

static inline void add_wide(uint64_t sum[2], unsigned __int128 value)
{
    unsigned __int128 whole = ((unsigned __int128)sum[1] << 64 | sum[0]) + value;
    sum[0] = (uint64_t)whole;
    sum[1] = (uint64_t)(whole >> 64);
}

static inline void add_product(uint64_t sum[2], uint64_t a, uint64_t b)
{
    add_wide(sum, (unsigned __int128)a * b);
}

static inline void add_signed(uint64_t sum[2], int64_t value)
{
    add_wide(sum, (unsigned __int128)(__int128)value);
}

static inline void count_plain(struct probe_distribution *distribution, uint64_t value)
{
    uint64_t minimum = distribution->count++ ? distribution->minimum : value, maximum = distribution->maximum;
    distribution->minimum = value < minimum ? value : minimum;
    distribution->maximum = value > maximum ? value : maximum;
    add_product(distribution->square, value, value);
    count_bucket(&distribution->buckets[bucket_of(value)]);
}

/* A net time: below 0 it counts as 0, except in the sum. */
static inline void count_net(struct probe_distribution *distribution, int64_t net)
{
    uint64_t value = net < 0 ? 0 : (uint64_t)net;
    count_plain(distribution, value);
    if (__builtin_expect(value > PROBE_FAR_TICKS * 64ull, 0) && value / PROBE_FAR > distribution->minimum) {
        distribution->far_count++;
        distribution->far_sum += value;
    }
    add_signed(distribution->sum, net);
}

static inline void count_whole(struct probe_distribution *distribution, uint64_t value)
{
    count_plain(distribution, value);
    add_wide(distribution->sum, value);
}
#endif
