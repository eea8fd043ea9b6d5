/* One sum: each addition waits for the one before it, while the adders could do several at a time. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2000 };
static double x[LENGTH], y[LENGTH];

__attribute__((noinline)) static double kernel(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = i % 7;
        y[i] = i % 5;
    }
    for (long k = 0; k < repetitions; k++) {
        x[k % LENGTH] += 1;
        sum += kernel(x, y, length);
    }
    printf("%.6g\n", sum);
}
