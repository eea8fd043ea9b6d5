/* Three arrays of `number`, which the kernel's file declares before it includes this, and what main.c wants to know of them. */
#include "corpus.h"

static number x[N], y[N], z[N];
static double total; /* for kernels that compute one number */

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = (number) (i % 7 + 1);
        y[i] = (number) (i * 5 % 11 + 1);
        z[i] = (number) (i * 3 % 13 + 1);
    }
}

double result(void)
{
    double sum = total;
    for (int i = 0; i < N; i++)
        sum += (double) x[i] * (i % 3 + 1) + (double) y[i] * (i % 5 + 1) + (double) z[i] * (i % 2 + 1);
    return sum;
}
