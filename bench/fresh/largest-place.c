/* Where the largest of floats is.
   build: gcc -O3 */
#include "fresh.h"
static float x[N];
KERNEL int kernel(const float *x, int n)
{
    int place = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[place])
            place = i;
    return place;
}
void set_up(void)
{
    for (int i = 0; i < N; i++)
        x[i] = (float)uniform();
}
void run(void)
{
    total = kernel(x, N);
}
RESULT_TOTAL
