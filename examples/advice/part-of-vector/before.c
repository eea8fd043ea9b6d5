/* x86-64: every processor of the family has vectors of 128 bits; with -march the compiler can use longer ones.
   AArch64: vectors of 64 bits, written by hand; without them the compiler uses full vectors. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2000 };
static float x[LENGTH] __attribute__((aligned(64))), y[LENGTH] __attribute__((aligned(64)));

#ifdef SHORT
typedef float pair __attribute__((vector_size(8)));

__attribute__((noinline)) static void kernel(float *restrict out, const float *restrict in, float a, int count)
{
    for (int i = 0; i < count / 2; i++)
        ((pair *)out)[i] = ((pair *)out)[i] * 0.5f + ((const pair *)in)[i] * a;
}
#else
__attribute__((noinline)) static void kernel(float *restrict out, const float *restrict in, float a, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = out[i] * 0.5f + in[i] * a;
}
#endif

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    int length = count > 2 ? atoi(words[2]) : LENGTH;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        x[i] = (float)(i % 7);
    for (long k = 0; k < repetitions; k++)
        kernel(y, x, 0.25f, length);
    for (int i = 0; i < LENGTH; i++)
        sum += (double)y[i];
    printf("%.6g\n", sum);
}
