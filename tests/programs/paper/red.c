/* Figure 1: the sum of roots of quotients whose parts are picked by indices. */
#include <math.h>

void red(int n, float *sum, float a[n], float b[n], int inda[n], int indb[n])
{
    int i;
    float _sum = 0.0;

#pragma omp parallel for reduction(+ : _sum)
    for (i = 0; i < n; i++)
        _sum += sqrt(a[inda[i]] / b[indb[i]]);

    *sum = _sum;
}
