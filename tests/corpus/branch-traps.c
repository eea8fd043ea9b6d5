/* A branch around arithmetic: doing both sides could raise an exception, so the compiler does not select. Both values in variables of the source do not help (1.0 x): the compiler moves them back.
   build: gcc -O3
   says: flag-fast-math potential no-trapping-math fast-math
   remedy: flag-fast-math no-trapping-math -fno-trapping-math
   measured: flag-fast-math no-trapping-math golden-cove 3.33
   measured: flag-fast-math no-trapping-math neoverse-v1 3.37
   remedy: flag-fast-math fast-math -ffast-math
   measured: flag-fast-math fast-math golden-cove 3.88
   measured: flag-fast-math fast-math neoverse-v1 4.19
   without: flag-fast-math branch-free */
typedef float number;
#include "arrays.h"

KERNEL void kernel(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] < 4)
            y[i] = x[i] * 3 + x[i] * x[i];
        else
            y[i] = x[i] - 4;
}

void run(void)
{
    kernel(y, x, N);
}
