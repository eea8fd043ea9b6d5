/* Two vectors for each sum fit into the registers. */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };
static float x[COUNT], y[COUNT], result[5];

__attribute__((noinline)) void kernel(int n, const float *restrict a, const float *restrict b, float *restrict to)
{
    float s = 0, t = 0, u = 0, v = 0, w = 0;
#pragma clang loop vectorize_width(8) interleave_count(2) unroll(disable)
    for (int i = 0; i < n; i++) {
        float p = a[i], q = b[i];
        s += p * q;
        t += p * p;
        u += q * q;
        v += p;
        w += q;
    }
    to[0] += s, to[1] += t, to[2] += u, to[3] += v, to[4] += w;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i / COUNT;
        y[i] = 1.0f - x[i];
    }
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, y, result);
    for (int i = 0; i < 5; i++)
        sum += (double)result[i] / (double)repetitions;
    printf("%.6g\n", sum);
    return 0;
}
