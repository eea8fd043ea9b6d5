/* A histogram with weights: sums of numbers in 256 bins; neighbouring elements often fall into the same bin.
   build: gcc -O2
   says: histogram hint partial-sums
   remedy: histogram partial-sums -DREMEDY
   measured: histogram partial-sums golden-cove 2.09
   measured: histogram partial-sums neoverse-v1 2.13 */
#include "corpus.h"

enum { LENGTH = 4 * N };
static unsigned char bins[LENGTH];
static double weights[LENGTH], sums[256];

KERNEL void kernel(double *restrict sums, const unsigned char *restrict bins, const double *restrict weights,
                   int n)
{
#ifdef REMEDY
    static double tables[4][256];
    for (int i = 0; i < 256; i++)
        tables[0][i] = tables[1][i] = tables[2][i] = tables[3][i] = 0;
    for (int i = 0; i + 3 < n; i += 4) {
        tables[0][bins[i]] += weights[i];
        tables[1][bins[i + 1]] += weights[i + 1];
        tables[2][bins[i + 2]] += weights[i + 2];
        tables[3][bins[i + 3]] += weights[i + 3];
    }
    for (int i = 0; i < 256; i++)
        sums[i] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i];
#else
    for (int i = 0; i < n; i++)
        sums[bins[i]] += weights[i];
#endif
}

void set_up(void)
{
    for (int i = 0; i < LENGTH; i++) {
        bins[i] = (unsigned char)(i / 20);
        weights[i] = i % 7;
    }
}

void run(void)
{
    for (int i = 0; i < 256; i++)
        sums[i] = 0;
    kernel(sums, bins, weights, LENGTH);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < 256; i++)
        sum += sums[i] * (i % 3 + 1);
    return sum;
}
