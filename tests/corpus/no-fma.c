/* Products and sums are not fused: the baseline of x86-64 has no such instruction, and here an option forbids it on AArch64.
   build x86-64: gcc -O3 -mavx2
   build aarch64: gcc -O3 -ffp-contract=off
   says: missed-fma potential
   says aarch64: missed-fma potential contract
   remedy x86-64: missed-fma target -mfma
   measured: missed-fma target golden-cove 1.64
   remedy aarch64: missed-fma contract -ffp-contract=fast
   measured: missed-fma contract neoverse-v1 1.39
   needs x86-64: avx2 fma */
typedef double number;
#include "arrays.h"

KERNEL void kernel(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        y[i] = ((((((0.1 * t + 0.2) * t + 0.3) * t + 0.4) * t + 0.5) * t + 0.6) * t + 0.7) * t + 0.8;
    }
}

void run(void)
{
    kernel(y, x, N);
}
