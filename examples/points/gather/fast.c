/* The numbers lie side by side. */
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 256 };
static double masses[COUNT];

__attribute__((noipa, target("avx2"))) static double add_up(void)
{
    __m256d sum = _mm256_setzero_pd();
    for (int i = 0; i < COUNT; i += 4)
        sum = _mm256_add_pd(sum, _mm256_loadu_pd(&masses[i]));
    double parts[4];
    _mm256_storeu_pd(parts, sum);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    double all = 0;
    for (int i = 0; i < COUNT; i++)
        masses[i] = i * 0.5;
    for (long k = 0; k < repetitions; k++)
        all = all * 0.5 + add_up();
    printf("%.6f\n", all);
}
