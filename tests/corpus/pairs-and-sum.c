/* Two neighbouring numbers in a vector and a sum over every second number, one by one.
   build: gcc -O2
   says: partly-vectorised potential associative-math exchange
   remedy: partly-vectorised exchange -DREMEDY -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math
   measured: partly-vectorised exchange neoverse-v1 1.68
   remedy: partly-vectorised associative-math -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math
   measured: partly-vectorised associative-math neoverse-v1 1.43 */
#include "corpus.h"

struct point {
    double x, y;
};
static struct point a[N], b[N];
static double ax[N], ay[N], bx[N], total;

#ifdef REMEDY
KERNEL double kernel(double *restrict ax, double *restrict ay, const double *restrict bx, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        ax[i] = ax[i] * 0.5 + 1;
        ay[i] = ay[i] * 0.5 + 1;
        sum += bx[i];
    }
    return sum;
}
#else
KERNEL double kernel(struct point *restrict a, const struct point *restrict b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        a[i].x = a[i].x * 0.5 + 1;
        a[i].y = a[i].y * 0.5 + 1;
        sum += b[i].x;
    }
    return sum;
}
#endif

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        ax[i] = i % 7, ay[i] = i % 5, bx[i] = i % 3;
        a[i] = (struct point){ax[i], ay[i]};
        b[i] = (struct point){bx[i], 0};
    }
}

void run(void)
{
#ifdef REMEDY
    total = kernel(ax, ay, bx, N);
#else
    total = kernel(a, b, N);
#endif
}

double result(void)
{
    return total;
}
