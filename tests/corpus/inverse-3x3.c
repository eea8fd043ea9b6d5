/* Inverses of small matrices by cofactors: nine divisions by the same determinant, where one reciprocal would do.
   build: gcc -O2
   says: divider potential divide-less
   remedy: divider divide-less -DREMEDY
   measured: divider divide-less neoverse-v1 1.40 */
#include "corpus.h"

enum { COUNT = 60 };
static double a[COUNT][9], b[COUNT][9];

KERNEL void kernel(double (*restrict b)[9], const double (*restrict a)[9], int n)
{
    for (int i = 0; i < n; i++) {
        const double *m = a[i];
        double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
        double d = m[0] * c0 + m[1] * c1 + m[2] * c2;
#ifdef REMEDY
        double one = 1 / d;
#define BY(x) ((x) * one)
#else
#define BY(x) ((x) / d)
#endif
        b[i][0] = BY(c0);
        b[i][1] = BY(m[2] * m[7] - m[1] * m[8]);
        b[i][2] = BY(m[1] * m[5] - m[2] * m[4]);
        b[i][3] = BY(c1);
        b[i][4] = BY(m[0] * m[8] - m[2] * m[6]);
        b[i][5] = BY(m[2] * m[3] - m[0] * m[5]);
        b[i][6] = BY(c2);
        b[i][7] = BY(m[1] * m[6] - m[0] * m[7]);
        b[i][8] = BY(m[0] * m[4] - m[1] * m[3]);
    }
}

void set_up(void)
{
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 9; k++)
            a[i][k] = (i * 7 + k * k * 3) % 13 + (k % 4 ? 1 : 20);
}

void run(void)
{
    kernel(b, a, COUNT);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 9; k++)
            sum += b[i][k] * (k + 1);
    return sum;
}
