/* Skylake waits for the old value of the register that popcnt overwrites.
   build x86-64: gcc -Os -mpopcnt
   machine: skylake
   says: false-dependence gain other-option
   remedy: false-dependence other-option -O2
   measured: false-dependence other-option golden-cove 1.00 */
typedef double number;
#include "arrays.h"

static unsigned long words[N];

KERNEL unsigned long kernel(const unsigned long *from, int n)
{
    unsigned long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned long)__builtin_popcountl(from[i]);
    return sum;
}

void run(void)
{
    if (!words[1])
        for (int i = 0; i < N; i++)
            words[i] = (unsigned long)i * 0x9e3779b97f4a7c15;
    total = (double)kernel(words, N);
}
