/* The sum is local; one atomic addition follows the loop. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1000 };
static int values[LENGTH];
static atomic_long shared;

__attribute__((noipa)) void kernel(const int *x, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i];
    shared += sum;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    for (int i = 0; i < LENGTH; i++)
        values[i] = i;
    for (long k = 0; k < repetitions; k++)
        kernel(values, LENGTH);
    printf("%ld\n", shared);
}
