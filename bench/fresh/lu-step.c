/* A step of Gauss' elimination with a division for each row.
   build: gcc -O3
   best: -march=native */
#include <string.h>
#include "fresh.h"
enum { SIZE = 40 };
static double kept[SIZE][SIZE], a[SIZE][SIZE];
KERNEL void kernel(double (*a)[SIZE], int k)
{
    for (int i = k + 1; i < SIZE; i++) {
        double f = a[i][k] / a[k][k];
        for (int j = k; j < SIZE; j++)
            a[i][j] -= f * a[k][j];
    }
}
void set_up(void)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        ((double *)kept)[i] = uniform() + (i % (SIZE + 1) == 0) * SIZE;
}
void run(void)
{
    memcpy(a, kept, sizeof a);
    for (int k = 0; k < SIZE; k++)
        kernel(a, k);
}
RESULT((double *)a, SIZE *SIZE)
