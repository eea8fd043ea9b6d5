/* Scans over bytes, counts and tables. */
#include "kernels.h"

void string_length(struct arrays *r, long n)
{
    uint8_t *x = r->a;
    uint8_t kept = x[n];
    x[n] = 0;
    long i = 0;
    while (x[i])
        i++;
    x[n] = kept;
    r->whole = i;
}

void find_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    long i = 0;
    while (i < n && x[i] != 0)
        i++;
    r->whole = i;
}

void compare_bytes(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a, *restrict y = r->b; /* equal */
    long i = 0;
    while (i < n && x[i] == y[i])
        i++;
    r->whole = i;
}

void count_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint8_t wanted = (uint8_t)r->key;
    uint32_t count = 0;
    for (long i = 0; i < n; i++)
        count += x[i] == wanted;
    r->whole = count;
}

void count_characters(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    int64_t count = 0;
    for (long i = 0; i < n; i++)
        count += (x[i] & 0xc0) != 0x80;
    r->whole = count;
}

void upper_case(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint8_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = x[i] >= 'a' && x[i] <= 'z' ? (uint8_t)(x[i] - 32) : x[i];
}

void parse_decimal(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint64_t value = 0;
    for (long i = 0; i < n; i++)
        value = value * 10 + (uint64_t)(x[i] - '0');
    r->whole = (int64_t)value;
}

void translate_byte(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a, *restrict table = r->c;
    uint8_t *restrict y = r->b;
    for (long i = 0; i < n; i++)
        y[i] = table[x[i]];
}

void histogram_spread(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    uint32_t *restrict counts = r->b;
    for (long i = 0; i < n; i++)
        counts[x[i]]++;
}

void histogram_single(struct arrays *r, long n)
{
    const int32_t *restrict x = r->a; /* zeros */
    uint32_t *restrict counts = r->b;
    for (long i = 0; i < n; i++)
        counts[x[i]]++;
}

void state_machine(struct arrays *r, long n)
{
    const uint8_t *restrict x = r->a;
    const uint32_t *restrict table = r->b;
    uint32_t state = 0;
    for (long i = 0; i < n; i++)
        state = table[(state + x[i]) & 255];
    r->whole = state;
}
