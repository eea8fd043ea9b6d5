/* Numerator and denominator apart: one division at the end. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 400 };
static double terms[COUNT];

__attribute__((noipa)) static double fraction(void)
{
    double over = 1, under = 1;
    for (int i = COUNT; i-- > 0;) {
        double next = terms[i] * over + under;
        under = over;
        over = next;
    }
    return over / under;
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        terms[i] = 1 + i % 3 * 0.25;
    for (long k = 0; k < repetitions; k++) {
        terms[k % COUNT] += 1e-6;
        sum = sum * 0.5 + fraction();
    }
    printf("%.6f\n", sum);
}
