/* Random numbers of a search: small, quick, and the same everywhere for one seed. */
#ifndef PLAN_SCHEDULE_PACK_RANDOM_H
#define PLAN_SCHEDULE_PACK_RANDOM_H
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
/* 0 … count-1 */
static inline uint32_t random_below(struct random *random, uint32_t count)
{
    return (uint32_t)((random_next(random) >> 32) * count >> 32);
}
static inline double random_share(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}
#endif
