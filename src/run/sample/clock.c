/* Cycles a second of the core that we run on.

   A chain of additions, each of which needs the result of the one before, takes one cycle each on every core
   that we know (additions of constants would not do: some cores fold them), and does not suffer from what
   another thread does on the same core.  A short and a long chain are timed several times.  The quickest of
   each count, so that interrupts do not; their difference has none of what reading the clock takes.  If no
   two long chains agree, the answer is that it was disturbed.

   runtime/probe/calibrate.c counts with the same chain, but in ticks of the counter inside the process: it
   may use nothing of ours. */
#include "run/sample/sampler.h"

#include "base/clock.h"

#include <math.h>

enum { PIECES = 8, SHORT = 24, LONG = 120, CHAIN = 64 };

static int64_t piece(unsigned chains)
{
    uint64_t value = 1, one = 1;
    int64_t before = clock_monotonic_nanoseconds();
    for (unsigned i = 0; i < chains; i++)
#ifdef __aarch64__
        __asm__ volatile(".rept 64\n add %0, %0, %1\n .endr" : "+r"(value) : "r"(one));
#else
        __asm__ volatile(".rept 64\n add %1, %0\n .endr" : "+r"(value) : "r"(one) : "cc");
#endif
    return clock_monotonic_nanoseconds() - before;
}

double sample_clock_measure(void)
{
    int64_t base = INT64_MAX, quickest = INT64_MAX, next = INT64_MAX;
    for (unsigned i = 0; i < PIECES; i++) {
        int64_t brief = piece(SHORT), time = piece(LONG);
        base = brief < base ? brief : base;
        if (time < quickest) {
            next = quickest;
            quickest = time;
        } else if (time < next) {
            next = time;
        }
    }
    if (quickest <= base || next - quickest > quickest / 100)
        return NAN;
    return (double)(LONG - SHORT) * CHAIN / ((double)(quickest - base) * 1e-9);
}
