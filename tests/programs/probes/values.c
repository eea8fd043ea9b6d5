/* Functions that are called with known arguments; tests/commands/run/probe_values.py knows which.  They are called
   through pointers, so that every compiler leaves their parameters alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct big {
    long words[5];
};
struct big total; /* of all calls */
long seen;

long takes(int n, long wide, signed char small, double real, float single, const char *text, unsigned char flag,
           short last)
{
    seen = n + wide; /* at: n, seen */
    return seen + small + (long)real + (long)single + text[0] + flag + last;
}

/* More than there are registers for. */
long many(long a, long b, long c, long d, long e, long f, long g, long h, int i, short j)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

/* On x86-64 a hidden address comes first.  If this returned a variable, clang 19 would not say where the
   parameters are. */
struct big makes(int count, long from)
{
    return (struct big){{count, from, count * from, 3, 4}};
}

/* A structure is not a number; what follows it is one. */
long sums(struct big all, int times)
{
    return all.words[0] * times;
}

void copies(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

long (*volatile call_takes)(int, long, signed char, double, float, const char *, unsigned char, short) = takes;
long (*volatile call_many)(long, long, long, long, long, long, long, long, int, short) = many;
struct big (*volatile call_makes)(int, long) = makes;
long (*volatile call_sums)(struct big, int) = sums;
void (*volatile call_copies)(char *, const char *, size_t) = copies;

int main(void)
{
    static char to[4096], from[4096];
    long sum = 0;
    for (int i = 0; i < 300; i++) {
        sum += call_takes(i % 3 - 1, i * 10000000000, (signed char)-(i % 2), i * 0.5, -1.5f, "text", 200,
                          (short)(-7));
        sum += call_many(1, 2, 3, 4, 5, 6, 7, 8, i % 5, (short)-i);
        total = call_makes(i % 4, -5);
        sum += call_sums(total, 9);
        call_copies(to, from, (size_t)(i % 2 ? 16 : 1000));
    }
    printf("%ld %ld\n", sum, total.words[1]);
    return 0;
}
