/* Eight sums, combined after the loop: eight additions are in flight at a time. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2000 };
static double x[LENGTH], y[LENGTH];

__attribute__((noinline)) static double kernel(const double *a, const double *b, int count)
{
    double sum[8] = {0};
    int i = 0;
    for (; i < count % 8; i++)
        sum[0] += a[i] * b[i];
    for (; i < count; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += a[i + k] * b[i + k];
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
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
