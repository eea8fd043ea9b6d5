/* A loop of AVX code with an old SSE instruction in it, written as assembly years ago: at each switch between the two,
   the processor saves the upper halves of its vector registers or restores them. */
#include <stdio.h>
#include <stdlib.h>

typedef float vector __attribute__((vector_size(32)));
enum { COUNT = 500 };
static vector x[COUNT];
static float roots[COUNT];

static inline float root(float value)
{
    float result;
    __asm__("rsqrtss %1, %0" : "=x"(result) : "x"(value));
    return result;
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
