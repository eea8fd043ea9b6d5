/* Recursion with saved registers, variable room on the stack, calls through pointers and into libraries, and
   functions without a frame of their own. */
#include <stdlib.h>
#include <string.h>

typedef double visit(double *, int, int);
void (*hook)(void); /* is called now and then; NULL: not */

__attribute__((noinline)) static double leaf(double *a, int n)
{
    double sum = 0;
    if (hook && n == 8)
        hook();
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sum;
}

__attribute__((noinline)) static double aligned(double *a, int n)
{
    __attribute__((aligned(64))) double copy[8];
    memcpy(copy, a, sizeof copy);
    volatile double *kept = copy;
    return leaf(a, n) + kept[3];
}

static int order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

__attribute__((noinline)) static double down(double *a, int n, int depth, visit *next)
{
    double *room = __builtin_alloca((size_t)(depth & 3) * 64 + 64);
    room[1] = a[depth];
    double sum = leaf(a, n / 4);
    if (depth) {
        sum += next(a, n, depth - 1);
    } else {
        qsort(a, (size_t)n, sizeof *a, order);
        sum += aligned(a, n);
    }
    return sum * room[1] + leaf(a, 8);
}

static double odd(double *a, int n, int depth);
static double even(double *a, int n, int depth)
{
    return down(a, n, depth, odd) + 1;
}

static double odd(double *a, int n, int depth)
{
    return down(a, n, depth, even) + leaf(a, depth);
}

double work(int rounds);
double work(int rounds)
{
    double a[64], sum = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 64; i++)
            a[i] = rand() % 100;
        sum += even(a, 64, round % 9);
        free(strdup("text"));
    }
    return sum;
}
