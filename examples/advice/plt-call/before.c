/* A library whose loop calls a small exported function: through the PLT, because another library may replace it. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static int values[LENGTH];

int scaled(const int *x, int i)
{
    return 3 * x[i] + 1;
}

__attribute__((noinline)) int kernel(const int *x, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += scaled(x, i);
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100, sum = 0;
    for (int i = 0; i < LENGTH; i++)
        values[i] = i % 91;
    for (long k = 0; k < repetitions; k++) {
        values[k % LENGTH] ^= 1;
        sum += kernel(values, LENGTH);
    }
    printf("%ld\n", sum);
}
