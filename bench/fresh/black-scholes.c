/* Prices of options.
   build: gcc -O2
   libraries: -lm
   cure: vector-functions -O3 -ffast-math */
#include <math.h>
#include "fresh.h"
static double spot[N], strike[N], price[N];
KERNEL void kernel(double *R price, const double *R s, const double *R k, int n)
{
    for (int i = 0; i < n; i++) {
        double d1 = (log(s[i] / k[i]) + 0.04) / 0.2, d2 = d1 - 0.2;
        price[i] = s[i] * 0.5 * erfc(-d1 * 0.7071067811865476) -
                   k[i] * exp(-0.02) * 0.5 * erfc(-d2 * 0.7071067811865476);
    }
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        spot[i] = 50 + 50 * uniform(), strike[i] = 50 + 50 * uniform();
}
void run(void)
{
    kernel(price, spot, strike, N);
}
RESULT(price, N)
