/* A histogram of bytes: where neighbouring bytes are equal, each increment waits until the store before it is forwarded.
   build: gcc -O2
   says: histogram hint partial-sums
   remedy: histogram partial-sums -DREMEDY
   measured: histogram partial-sums golden-cove 2.06
   measured: histogram partial-sums neoverse-v1 2.36 */
#include "corpus.h"

static unsigned char bytes[4 * N];
static unsigned counts[4][256];

KERNEL void kernel(unsigned (*counts)[256], const unsigned char *bytes, int n)
{
#ifdef REMEDY
    for (int i = 0; i + 3 < n; i += 4) {
        counts[0][bytes[i]]++;
        counts[1][bytes[i + 1]]++;
        counts[2][bytes[i + 2]]++;
        counts[3][bytes[i + 3]]++;
    }
    for (int i = 0; i < 256; i++) {
        counts[0][i] += counts[1][i] + counts[2][i] + counts[3][i];
        counts[1][i] = counts[2][i] = counts[3][i] = 0;
    }
#else
    for (int i = 0; i < n; i++)
        counts[0][bytes[i]]++;
#endif
}

void set_up(void)
{
    for (int i = 0; i < 4 * N; i++)
        bytes[i] = (unsigned char)(i / 50);
}

void run(void)
{
    for (int i = 0; i < 256; i++)
        counts[0][i] = 0;
    kernel(counts, bytes, 4 * N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < 256; i++)
        sum += counts[0][i] * (i % 3 + 1);
    return sum;
}
