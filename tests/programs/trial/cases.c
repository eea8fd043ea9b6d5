/* Cases of a trial that a compiler makes.  a and b have 4096 bytes; n is from 1 to 16. */
#include <stdint.h>

long case_c_sort(uint8_t *a, uint8_t *b, long n);
long case_c_hash(uint8_t *a, uint8_t *b, long n);
long case_c_text(uint8_t *a, uint8_t *b, long n);
long case_c_float(uint8_t *a, uint8_t *b, long n);
long case_c_calls(uint8_t *a, uint8_t *b, long n);
long case_c_switch(uint8_t *a, uint8_t *b, long n);

long case_c_sort(uint8_t *a, uint8_t *b, long n)
{
    (void)b;
    for (long i = 1; i < n; i++) {
        uint8_t key = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > key; j--)
            a[j] = a[j - 1];
        a[j] = key;
    }
    return a[0];
}

long case_c_hash(uint8_t *a, uint8_t *b, long n)
{
    uint32_t crc = ~0u;
    for (long i = 0; i < n; i++) {
        crc ^= a[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        b[i] = (uint8_t)crc;
    }
    return crc;
}

long case_c_text(uint8_t *a, uint8_t *b, long n)
{
    unsigned long value = 0;
    for (long i = 0; i < n; i++)
        value = value * 10 + a[i] % 10;
    uint8_t *to = b;
    do {
        *to++ = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value);
    return to - b;
}

long case_c_float(uint8_t *a, uint8_t *b, long n)
{
    double sum = 0;
    float *out = (float *)b;
    for (long i = 0; i < n; i++) {
        sum += a[i] * 0.25;
        out[i] = (float)(sum / (a[i] + 1));
    }
    return (long)sum;
}

static __attribute__((noinline)) long case_c_depth(long n)
{
    return n < 2 ? n : case_c_depth(n - 1) + case_c_depth(n - 2);
}

long case_c_calls(uint8_t *a, uint8_t *b, long n)
{
    return case_c_depth(n % 9) + case_c_sort(a, b, n);
}

long case_c_switch(uint8_t *a, uint8_t *b, long n)
{
    long result = 0;
    for (long i = 0; i < n; i++)
        switch (a[i] & 7) {
        case 0:
            result += b[i];
            break;
        case 1:
            result ^= i << 3;
            break;
        case 2:
            result -= 77;
            break;
        case 3:
            result *= 3;
            break;
        case 4:
            return result;
        case 5:
            b[i] = 1;
            break;
        default:
            result = ~result;
        }
    return result;
}
