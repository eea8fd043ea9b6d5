/* Counts complex numbers outside a circle by std::abs, which calls hypot; std::norm, the square of it, needs no root.
   build: g++ -O2
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper neoverse-v1 5.31
   libraries: -lm */
#include <complex>
#include "corpus.h"

static std::complex<double> z[N];
static int outside;

KERNEL int kernel(const std::complex<double> *z, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
#ifdef REMEDY
        count += std::norm(z[i]) > 4;
#else
        count += std::abs(z[i]) > 2;
#endif
    return count;
}

extern "C" void set_up(void)
{
    for (int i = 0; i < N; i++)
        z[i] = {i % 7 * 0.45, i % 5 * 0.55};
}

extern "C" void run(void)
{
    outside = kernel(z, N);
}

extern "C" double result(void)
{
    return outside;
}
