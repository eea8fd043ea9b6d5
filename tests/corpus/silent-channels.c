/* The function treats two channels specially, so the number of channels is small: the loop over them is short.
   build: gcc -O2
   silent: not-vectorised */
typedef float number;
#include "arrays.h"
static int stereo;

KERNEL void kernel(float *restrict y, const float *restrict x, int channels)
{
    if (channels == 2)
        stereo++;
    for (int i = 0; i < channels; i++)
        y[i] = x[i] * 0.5f;
}

void run(void)
{
    for (int i = 0; i + 2 <= N; i += 2)
        kernel(y + i, x + i, 2);
}
