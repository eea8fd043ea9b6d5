/* Every element is checked with assert(), so the compiler cannot vectorise the loop. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static float x[LENGTH], y[LENGTH];

__attribute__((noinline)) static void kernel(float *restrict y, const float *restrict x, float factor, int count)
{
    for (int i = 0; i < count; i++) {
        assert(x[i] >= 0);
        y[i] = y[i] * 0.5f + factor * x[i];
    }
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        x[i] = i % 7;
    for (long k = 0; k < repetitions; k++)
        kernel(y, x, 1.5f + k % 3, length);
    for (int i = 0; i < LENGTH; i++)
        sum += y[i];
    printf("%.6f\n", sum);
}
