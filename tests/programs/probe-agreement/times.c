/* Functions that take from microseconds to milliseconds, one inside the other, so that two ways of measuring them can be
   compared: work in one, calls of others in the next, work and calls mixed, recursion. */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

static volatile double sink;

APART static double chain(long n)
{
    double x = 1.0;
    for (long i = 0; i < n; i++)
        x = x * 0.999999 + 1e-7;
    sink = x; /* so that every call is made */
    return x;
}

APART double short_work(void)
{
    return chain(2000);
}

APART double long_work(void)
{
    return chain(200000) + 1;
}

APART double mixed_work(int n)
{
    double sum = chain(20000);
    for (int i = 0; i < n; i++)
        sum += short_work();
    return sum;
}

APART double tree(int depth)
{
    double sum = chain(5000);
    if (depth > 0)
        sum += tree(depth - 1) + tree(depth - 1);
    return sum;
}

APART double sorting(unsigned n)
{
    unsigned *a = malloc(n * sizeof *a), state = 7;
    for (unsigned i = 0; i < n; i++)
        a[i] = state = state * 1664525u + 1013904223u;
    for (unsigned gap = n / 2; gap; gap /= 2)
        for (unsigned i = gap; i < n; i++) {
            unsigned moved = a[i], j = i;
            for (; j >= gap && a[j - gap] > moved; j -= gap)
                a[j] = a[j - gap];
            a[j] = moved;
        }
    double result = a[n / 3];
    free(a);
    return result;
}

APART void everything(void)
{
    for (int i = 0; i < 200; i++)
        sink += short_work();
    for (int i = 0; i < 20; i++)
        sink += long_work();
    for (int i = 0; i < 40; i++)
        sink += mixed_work(10);
    sink += tree(8);
    for (int i = 0; i < 5; i++)
        sink += sorting(5000);
}

int main(void)
{
    for (int i = 0; i < 8; i++)
        everything();
    printf("%g\n", sink);
    return 0;
}
