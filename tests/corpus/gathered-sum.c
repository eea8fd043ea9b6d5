/* A sum over elements by index: each addition waits for the one before. The compiler does not vectorise it, so options alone do
   not help (1.0 x); partial sums do.
   build: gcc -O2
   says: reduction potential partial-sums
   without: reduction associative-math simd
   silent: flag-fast-math
   silent aarch64: not-vectorised
   remedy: reduction partial-sums -DREMEDY
   measured: reduction partial-sums golden-cove 2.59
   measured: reduction partial-sums neoverse-v1 2.81 */
typedef double number;
#include "arrays.h"
static int order[N];

KERNEL double kernel(const int *order, int n)
{
    double sum = 0;
#ifdef REMEDY
    double a = 0, b = 0, c = 0;
    for (int i = 0; i + 3 < n; i += 4) {
        sum += x[order[i]];
        a += x[order[i + 1]];
        b += x[order[i + 2]];
        c += x[order[i + 3]];
    }
    return sum + a + (b + c);
#else
    for (int i = 0; i < n; i++)
        sum += x[order[i]];
    return sum;
#endif
}

void run(void)
{
    if (!order[1])
        for (int i = 0; i < N; i++)
            order[i] = i * 7 % N;
    total = kernel(order, N);
}
