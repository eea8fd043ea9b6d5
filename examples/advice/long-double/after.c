/* The same in double. */
#include <stdio.h>
#include <stdlib.h>

typedef double number;

enum { LENGTH = 1000 };
static number values[LENGTH];

__attribute__((noipa)) number kernel(const number *x, int count)
{
    number sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    number sum = 0;
    for (int i = 0; i < LENGTH; i++)
        values[i] = i;
    for (long k = 0; k < repetitions; k++)
        sum += kernel(values, LENGTH);
    printf("%.3f\n", (double)(sum / (number)repetitions));
}
