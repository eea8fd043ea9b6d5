/* A polynomial of degree 8 by Horner's rule: every product is added to something directly, which one instruction
   (a fused multiply-add) could do.  The options of the first line of `case` do not allow it. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024, DEGREE = 8 };
static float x[COUNT], y[COUNT];

__attribute__((noinline)) void kernel(int n, const float *restrict at, float *restrict to, const float *restrict c)
{
    for (int i = 0; i < n; i++) {
        float t = at[i];
        to[i] = (((((((c[8] * t + c[7]) * t + c[6]) * t + c[5]) * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t +
                c[0];
    }
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    static const float c[DEGREE + 1] = {1, 0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f, 0.015625f, 0.0078125f, 0.00390625f};
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i / COUNT;
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y, c);
    for (int i = 0; i < COUNT; i++)
        sum += (double)y[i];
    printf("%.6g\n", sum);
    return 0;
}
