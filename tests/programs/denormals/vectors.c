/* vectors: one event for each execution, whatever the width; and the lanes come out right. */
#include "counted.h"
#include <immintrin.h>
#include <string.h>

__attribute__((target("avx2,fma"))) static int with_avx(int count)
{
    float in[8] = {1, 2, 3, 4, 5, 0x1p-140f, 7, 8}, out[8];
    __m256 value = _mm256_loadu_ps(in), one = _mm256_set1_ps(1);
    for (int i = 0; i < count; i++) {
        __m256 result = value;
        __asm__ volatile("vmulps %1, %2, %0" : "=x"(result) : "x"(value), "x"(one));
        _mm256_storeu_ps(out, result);
        if (memcmp(out, in, sizeof in) != 0)
            return 1;
    }
    return 0;
}

__attribute__((target("avx512f"))) static int with_avx512(int count)
{
    double in[8] = {1, 2, 3, 4, 5, 6, 7, 0x1p-1060}, out[8];
    __m512d value = _mm512_loadu_pd(in), one = _mm512_set1_pd(1);
    for (int i = 0; i < count; i++) {
        __m512d result = value;
        __asm__ volatile("vmulpd %1, %2, %0" : "=v"(result) : "v"(value), "v"(one));
        _mm512_storeu_pd(out, result);
        if (memcmp(out, in, sizeof in) != 0)
            return 1;
    }
    return 0;
}

int main(int count, char **words)
{
    int is_wide = count > 1 && strcmp(words[1], "avx512") == 0;
    if (is_wide ? !__builtin_cpu_supports("avx512f") : !__builtin_cpu_supports("avx2"))
        return 77;
    return is_wide ? with_avx512(50) : with_avx(50);
}
