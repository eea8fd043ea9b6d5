/* The quotients are computed four or eight at a time, but added up one by one, because another order would round
   differently; if reordering is allowed, the sum uses full vectors, too. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2000 };
static float x[LENGTH], y[LENGTH];

__attribute__((noinline)) static float kernel(const float *a, const float *b, int count)
{
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i] / (a[i] + 1.0f);
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (float)(i % 7);
        y[i] = (float)(i % 5);
    }
    for (long k = 0; k < repetitions; k++) {
        x[k % LENGTH] += 1;
        sum += (double)kernel(x, y, length);
    }
    printf("%.6g\n", sum);
}
