/* Each step is as long as the root of the state: the roots wait for each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };
static double x[COUNT];

__attribute__((noipa, optimize("no-math-errno"))) static double longest(void)
{
    double most = 0;
    for (int i = 0; i + 1 < COUNT; i += 2) {
        double far = sqrt(most * most * 0.81 + x[i] * x[i] + x[i + 1] * x[i + 1]); /* the point */
        most = far;
    }
    return most;
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
