/* What the fresh kernels have in common: numbers without a pattern, a result that depends on all of an array, and two remedies that
   many of them can be built with: -DR=__restrict (pointers `*R`) and -DSIMD (loops behind SIMD_LOOP or SIMD_SUM). */
#ifndef BENCH_FRESH_FRESH_H
#define BENCH_FRESH_FRESH_H
#include <stdint.h>
#include "corpus.h"

#ifndef R
#define R
#endif
#ifdef SIMD
#define PRAGMA(text) _Pragma(#text)
#define SIMD_LOOP PRAGMA(omp simd)
#define SIMD_SUM(sum) PRAGMA(omp simd reduction(+ : sum))
#else
#define SIMD_LOOP
#define SIMD_SUM(sum)
#endif

static double total; /* for kernels that compute one number */
static uint64_t seed = 88172645463325252;

static inline unsigned draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33);
}

static inline double uniform(void)
{
    return draw() / 2147483648.0;
}

#define RESULT(array, count)                                                                                 \
    double result(void)                                                                                      \
    {                                                                                                        \
        double sum = total;                                                                                  \
        for (int i = 0; i < (count); i++)                                                                    \
            sum += (double)(array)[i] * (i % 7 + 1);                                                         \
        return sum;                                                                                          \
    }
#define RESULT_TOTAL                                                                                         \
    double result(void)                                                                                      \
    {                                                                                                        \
        return total;                                                                                        \
    }
#endif
