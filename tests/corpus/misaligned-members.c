/* Both arrays begin 8 bytes behind a multiple of 64, because of the number before them: each vector of 64 bytes lies in two cache
   lines.
   build x86-64: gcc -O3 -march=skylake-avx512 -mprefer-vector-width=512
   says: unaligned potential align
   without: unaligned other-option
   remedy: unaligned align -DREMEDY
   measured: unaligned align golden-cove 1.55
   needs: avx512f avx512vl avx512dq avx512bw */
#include "corpus.h"

#ifdef REMEDY
#define ALIGNED _Alignas(64)
#else
#define ALIGNED
#endif
enum { COUNT = 1024 };
static struct {
    unsigned long length;
    ALIGNED unsigned long x[COUNT];
    unsigned long gap[8];
    ALIGNED unsigned long y[COUNT];
} data __attribute__((aligned(64)));
static unsigned long total;

KERNEL unsigned long kernel(void)
{
    unsigned long sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += data.x[i] ^ data.y[i];
    return sum;
}

void set_up(void)
{
    for (unsigned long i = 0; i < COUNT; i++) {
        data.x[i] = i * 7;
        data.y[i] = i * i % 64;
    }
}

void run(void)
{
    total = kernel();
}

double result(void)
{
    return (double)total;
}
