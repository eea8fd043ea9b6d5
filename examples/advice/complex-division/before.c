/* Divisions of complex numbers.  C requires the right result even if a part of a number is infinite or its square
   overflows, so each division is a call of a function that checks for such cases. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 500 };
static double complex x[LENGTH], y[LENGTH], z[LENGTH];

__attribute__((noinline)) static void kernel(double complex *restrict quotient, const double complex *restrict above,
                                             const double complex *restrict below, int count)
{
    for (int i = 0; i < count; i++)
        quotient[i] = above[i] / below[i];
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double complex sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = i % 7 + i % 3 * I;
        y[i] = i % 5 + 1 + i % 4 * I;
    }
    for (long k = 0; k < repetitions; k++) {
        x[k % LENGTH] += 0.25;
        kernel(z, x, y, length);
    }
    for (int i = 0; i < LENGTH; i++)
        sum += z[i];
    printf("%.6f %.6f\n", creal(sum), cimag(sum));
}
