/* Hashes, checksums and tricks with bits. */
#include "kernels.h"

void strings_hash(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint32_t hash = 2166136261u;
    for (long i = 0; i < n; i++)
        hash = (hash ^ x[i]) * 16777619u;
    r->whole = hash;
}

void hash_words(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    uint32_t hash = (uint32_t)r->key;
    for (long i = 0; i < n; i++) {
        uint32_t k = x[i] * 0xcc9e2d51u;
        k = (k << 15 | k >> 17) * 0x1b873593u;
        hash ^= k;
        hash = (hash << 13 | hash >> 19) * 5 + 0xe6546b64u;
    }
    r->whole = hash;
}

void hash_rotate(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    uint64_t hash = 5381;
    for (long i = 0; i < n; i++)
        hash = ((hash << 5) | (hash >> 59)) ^ x[i];
    r->whole = (int64_t)hash;
}

void hash_each_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    uint32_t *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        uint32_t h = x[i];
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        y[i] = h ^ h >> 16;
    }
}

void hash_each_long(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    uint64_t *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        uint64_t h = x[i];
        h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
        y[i] = h ^ h >> 29;
    }
}

void checksum_pair(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint32_t a = 1, b = 0;
    for (long i = 0; i < n; i++) {
        a += x[i];
        b += a;
    }
    r->whole = (int64_t)(a ^ b);
}

void crc_table(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    const uint32_t *restrict table = r->b;
    uint32_t crc = 0xffffffffu;
    for (long i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ x[i]) & 255];
    r->whole = crc;
}

void crc_bits(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint32_t crc = 0xffffffffu;
    for (long i = 0; i < n; i++) {
        crc ^= x[i];
        crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
        crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
        crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
        crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
    }
    r->whole = crc;
}

void population_long(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    int64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += __builtin_popcountll(x[i]);
    r->whole = sum;
}

void leading_zeros_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = __builtin_clz(x[i] | 1);
}

void trailing_zeros_long(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    int64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum += __builtin_ctzll(x[i] | 1ull << 40);
    r->whole = sum;
}

void reverse_bits_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    uint32_t *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        uint32_t v = x[i];
        v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
        v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
        v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
        y[i] = __builtin_bswap32(v);
    }
}

void swap_bytes_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    uint32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = __builtin_bswap32(x[i]);
}

void gray_code_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    uint32_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i] ^ x[i] >> 1;
}

void spread_bits_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a;
    uint32_t *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        uint32_t v = x[i] & 0xffff;
        v = (v | v << 8) & 0x00ff00ffu;
        v = (v | v << 4) & 0x0f0f0f0fu;
        v = (v | v << 2) & 0x33333333u;
        y[i] = (v | v << 1) & 0x55555555u;
    }
}

void shift_each_int(struct arrays *r, long n)
{
    const uint32_t *restrict x = r->a, *restrict y = r->b;
    uint32_t *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = x[i] << (y[i] & 31);
}

void multiply_high_long(struct arrays *r, long n)
{
    const uint64_t *restrict x = r->a;
    uint64_t *restrict y = r->b, k = 0x9e3779b97f4a7c15u ^ (uint64_t)r->key;
    for (long i = 0; i < n; i++)
        y[i] = (uint64_t)((unsigned __int128)x[i] * k >> 64);
}

void average_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a, *restrict y = r->b;
    uint8_t *restrict z = r->c;
    for (long i = 0; i < n; i++)
        z[i] = (uint8_t)((x[i] + y[i] + 1) >> 1);
}

void blend_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a, *restrict y = r->b;
    uint8_t *restrict z = r->c;
    uint32_t k = (uint32_t)(r->key & 255);
    for (long i = 0; i < n; i++)
        z[i] = (uint8_t)((k * x[i] + (256 - k) * y[i]) >> 8);
}

void median_int(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a;
    int32_t *restrict y = r->b;
    for (long i = 0; i < n; i++) {
        int32_t p = x[i], q = x[i + 1], s = x[i + 2];
        int32_t low = p < q ? p : q, high = p < q ? q : p, t = high < s ? high : s;
        y[i] = low > t ? low : t;
    }
}
