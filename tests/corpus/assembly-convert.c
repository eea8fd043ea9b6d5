/* Assembly converts numbers into a register without setting it to zero: the conversion keeps the upper half, and so waits for the
   conversion before.
   build x86-64: gcc -O2
   says: false-dependence gain intrinsics
   without: false-dependence other-option target
   remedy: false-dependence intrinsics -DREMEDY
   measured: false-dependence intrinsics golden-cove 2.01 */
typedef double number;
#include "arrays.h"

#ifdef REMEDY
#define CLEAR "xorps %0, %0\n"
#else
#define CLEAR
#endif

static inline double convert(long whole)
{
    double result;
    __asm__(CLEAR "cvtsi2sdq %1, %0" : "=&x"(result) : "r"(whole));
    return result;
}

KERNEL void kernel(double *to, long state, int n)
{
    for (int i = 0; i < n; i++) {
        state = state * 0x5851f42d + 0x14057b7f;
        to[i] = convert(state & 0xffff) * 0.5;
    }
}

void run(void)
{
    kernel(y, 1, N);
}
