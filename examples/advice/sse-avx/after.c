/* The instruction comes from an intrinsic: the compiler writes it in the encoding of AVX, like everything else. */
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

typedef float vector __attribute__((vector_size(32)));
enum { COUNT = 500 };
static vector x[COUNT];
static float roots[COUNT];

static inline float root(float value)
{
    return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(value)));
}

__attribute__((noinline)) void kernel(int n, const vector *restrict from, float *restrict to)
{
    vector total = {0};
    for (int i = 0; i < n; i++) {
        total += from[i] * from[i];
        to[i] = root(total[0]);
    }
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (vector){(float)i + 1, 1, 2, 3, 4, 5, 6, 7};
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, x, roots);
    for (int i = 0; i < COUNT; i++)
        sum += (double)roots[i];
    printf("%.6g\n", sum);
    return 0;
}
