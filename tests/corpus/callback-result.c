/* A function of the caller's choice for each element, whose results are added: called through a pointer it cannot be inlined.
   build: gcc -O2
   says: indirect-call potential direct-call other-option
   remedy: indirect-call direct-call -DREMEDY
   measured: indirect-call direct-call neoverse-v1 1.47
   measured: indirect-call direct-call golden-cove 3.76
   remedy: indirect-call other-option -fprofile-use
   measured: indirect-call other-option neoverse-v1 2.08 */
typedef int number;
#include "arrays.h"

static inline long scaled(long value)
{
    return 3 * value + 1;
}

#ifdef REMEDY
KERNEL long kernel(const int *v, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += scaled(v[i]);
    return sum;
}
#else
KERNEL long kernel(const int *v, int n, long (*change)(long))
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += change(v[i]);
    return sum;
}
#endif

void run(void)
{
#ifdef REMEDY
    total = (double) kernel(x, N);
#else
    total = (double) kernel(x, N, scaled);
#endif
}
