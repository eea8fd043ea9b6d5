/* Every element is looked up through a table of indices, in the same order each time. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double value[COUNT], result[COUNT];
static int place[COUNT];

__attribute__((noinline)) void kernel(int n, const double *restrict from, const int *restrict index, double *restrict to)
{
    for (int i = 0; i < n; i++)
        to[i] += 0.5 * from[index[i]];
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        value[i] = 1.0 / (1 + i);
        place[i] = (i * 7) % COUNT;
    }
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, value, place, result);
    for (int i = 0; i < COUNT; i++)
        sum += result[i];
    printf("%.6g\n", sum);
    return 0;
}
