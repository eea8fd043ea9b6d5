/* Whether microcode guards the gathers of this computer: by their time, because a kernel in a virtual machine
   does not know what microcode the computer has, and says "Not affected".

   Gathers are timed beside a chain of multiplications, so that the clock of the core does not matter.  Without the
   guard a gather of four lanes takes 2 to 6 cycles, with it 25 to 28; a multiplication takes 3.  The least of
   some tries counts: other programs only add to a time.  All of it takes less than 0.1 ms, once. */
#include "code/machine/guards.h"

#if defined __x86_64__
#include "base/clock.h"

#include <cpuid.h>
#include <math.h>
#include <pthread.h>

enum { TRIES = 8, ROUNDS = 100, GATHERS = 4, MULTIPLICATIONS = 16 };
static const double LATENCY = 3;     /* of a multiplication */
static const double LEAST_SLOW = 14; /* cycles */

static bool has_avx2(void)
{
    enum { OSXSAVE_AND_AVX = 3 << 27, AVX2 = 1 << 5 };
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & OSXSAVE_AND_AVX) != OSXSAVE_AND_AVX)
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & AVX2;
}

/* Each with a mask and a destination of its own: they could overlap. */
static double time_gathers(const double *numbers)
{
    double begin = clock_monotonic_seconds();
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0\n\t"
                     "mov %1, %%ecx\n"
                     "1:\n\t"
                     "vpcmpeqd %%ymm1, %%ymm1, %%ymm1\n\t"
                     "vpcmpeqd %%ymm2, %%ymm2, %%ymm2\n\t"
                     "vpcmpeqd %%ymm3, %%ymm3, %%ymm3\n\t"
                     "vpcmpeqd %%ymm4, %%ymm4, %%ymm4\n\t"
                     "vgatherdpd %%ymm1, (%0,%%xmm0,8), %%ymm5\n\t"
                     "vgatherdpd %%ymm2, (%0,%%xmm0,8), %%ymm6\n\t"
                     "vgatherdpd %%ymm3, (%0,%%xmm0,8), %%ymm7\n\t"
                     "vgatherdpd %%ymm4, (%0,%%xmm0,8), %%ymm8\n\t"
                     "dec %%ecx\n\t"
                     "jnz 1b\n\t"
                     "vzeroupper"
                     :
                     : "r"(numbers), "i"(ROUNDS)
                     : "rcx", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "memory", "cc");
    return (clock_monotonic_seconds() - begin) / (ROUNDS * GATHERS);
}

static double time_multiplications(void)
{
    double begin = clock_monotonic_seconds();
    unsigned long value = 3;
    __asm__ volatile("mov %1, %%ecx\n"
                     "1:\n\t"
                     ".rept %c2\n\t"
                     "imul %0, %0\n\t"
                     ".endr\n\t"
                     "dec %%ecx\n\t"
                     "jnz 1b"
                     : "+r"(value)
                     : "i"(ROUNDS), "i"(MULTIPLICATIONS)
                     : "rcx", "cc");
    return (clock_monotonic_seconds() - begin) / (ROUNDS * MULTIPLICATIONS);
}

static bool are_guarded;

static void find_out(void)
{
    static const double numbers[4] = {1, 2, 3, 4};
    double gather = INFINITY, multiplication = INFINITY;
    for (unsigned i = 0; has_avx2() && i < TRIES; i++) {
        gather = fmin(gather, time_gathers(numbers));
        multiplication = fmin(multiplication, time_multiplications());
    }
    are_guarded = isfinite(gather) && gather / multiplication * LATENCY > LEAST_SLOW;
}

bool host_guards_gathers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return are_guarded;
}
#else
bool host_guards_gathers(void)
{
    return false;
}
#endif
