/* The squares are kept, and the root is computed once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double x[COUNT];

__attribute__((noipa, optimize("no-math-errno"))) static double longest(void)
{
    double square = 0;
    for (int i = 0; i + 1 < COUNT; i += 2)
        square = square * 0.81 + x[i] * x[i] + x[i + 1] * x[i + 1];
    return sqrt(square);
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = i % 17 * 0.25;
    for (long k = 0; k < repetitions; k++) {
        x[k % COUNT] += 1e-7;
        sum = sum * 0.5 + longest();
    }
    printf("%.6f\n", sum);
}
