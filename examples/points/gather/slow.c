/* The numbers lie in records, so that a vector of them has to be gathered. */
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 256 };
struct record {
    double mass, rest[3];
};
static struct record records[COUNT];

__attribute__((noipa, target("avx2"))) static double add_up(void)
{
    __m256d sum = _mm256_setzero_pd();
    for (int i = 0; i < COUNT; i += 4) {
        __m128i places = _mm_setr_epi32(i * 4, i * 4 + 4, i * 4 + 8, i * 4 + 12);
        sum = _mm256_add_pd(sum, _mm256_i32gather_pd(&records[0].mass, places, 8)); /* the point */
    }
    double parts[4];
    _mm256_storeu_pd(parts, sum);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 1;
    double all = 0;
    for (int i = 0; i < COUNT; i++)
        records[i].mass = i * 0.5;
    for (long k = 0; k < repetitions; k++)
        all = all * 0.5 + add_up();
    printf("%.6f\n", all);
}
