/* Loops around others, whose own code is known: what an iteration of it takes follows from its chain or its
   number of operations.  An argument chooses one; no argument: all. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4096 };
static unsigned words[LENGTH];
static double reals[64];
#define NEVER_INLINE __attribute__((noinline, noclone))

/* Independent operations around a short loop. */
NEVER_INLINE unsigned wide(unsigned times, unsigned inner)
{
    unsigned a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    for (unsigned i = 0; i < times; i++) {
        a = (a ^ i) + 1; b = (b ^ i) + 2; c = (c ^ i) + 3; d = (d ^ i) + 4; e = (e ^ i) + 5; f = (f ^ i) + 6;
        for (unsigned k = 0; k < inner; k++)
            words[(i + k) & (LENGTH - 1)] += k;
    }
    return a + b + c + d + e + f;
}

/* A chain of eight multiplications. */
NEVER_INLINE unsigned chain(unsigned times, unsigned inner)
{
    unsigned t = 1;
    for (unsigned i = 0; i < times; i++) {
        t = t * 3 ^ i; t = t * 7 ^ i; t = t * 11 ^ i; t = t * 13 ^ i;
        t = t * 17 ^ i; t = t * 19 ^ i; t = t * 23 ^ i; t = t * 29 ^ i;
        for (unsigned k = 0; k < inner; k++)
            words[k] += i;
    }
    return t;
}

/* Three divisions that wait for each other. */
NEVER_INLINE double divisions(unsigned times, unsigned inner)
{
    double s = 1;
    for (unsigned i = 0; i < times; i++) {
        s = 1 / (1 + s); s = 1 / (2 + s); s = 1 / (3 + s);
        for (unsigned k = 0; k < inner; k++)
            reals[k] *= 0.5;
    }
    return s;
}

/* The chain goes on in the loop inside. */
NEVER_INLINE double through(unsigned times, unsigned inner)
{
    double s = 1;
    for (unsigned i = 0; i < times; i++) {
        s = s * 0.5 + 1; s = s * 0.25 + 1; s = s * 0.125 + 1;
        for (unsigned k = 0; k < inner; k++)
            s += reals[k];
    }
    return s;
}

/* One iteration of four goes the long way. */
NEVER_INLINE unsigned parts(unsigned times, unsigned inner)
{
    unsigned t = 1, s = 0;
    for (unsigned i = 0; i < times; i++) {
        if (i % 4 == 0) {
            t = t * 3 ^ i; t = t * 7 ^ i; t = t * 11 ^ i; t = t * 13 ^ i;
            t = t * 17 ^ i; t = t * 19 ^ i; t = t * 23 ^ i; t = t * 29 ^ i;
        }
        for (unsigned k = 0; k < inner; k++)
            s += words[(i + k) & (LENGTH - 1)];
        if (i & 1)
            s ^= t;
    }
    return s + t;
}

/* The loop inside has 1 to 8 iterations in any order. */
NEVER_INLINE unsigned unforeseen(unsigned times)
{
    unsigned t = 1, s = 0;
    for (unsigned i = 0; i < times; i++) {
        t = t * 1664525 + 1013904223;
        for (unsigned k = 0; k <= t >> 29; k++)
            s += words[(i + k) & (LENGTH - 1)];
    }
    return s;
}

/* Twelve conditions in a loop without others: 4096 paths. */
NEVER_INLINE unsigned many(unsigned times)
{
    unsigned s = 0;
    for (unsigned i = 0; i < times; i++) {
#define STEP(bit) if (words[i & 15] & 1u << bit) s = s * 3 + words[bit]; else s ^= words[bit + 1]
        STEP(0); STEP(1); STEP(2); STEP(3); STEP(4); STEP(5); STEP(6); STEP(7); STEP(8); STEP(9); STEP(10); STEP(11);
    }
    return s;
}

static int is_meant(int count, char **words_given, int number)
{
    return count < 2 || atoi(words_given[1]) == number;
}

int main(int count, char **arguments)
{
    unsigned all = 0, times = 30000000;
    double sum = 0;
    for (unsigned i = 0; i < LENGTH; i++)
        words[i] = i * 2654435761u;
    if (is_meant(count, arguments, 1)) all += wide(times, 6);
    if (is_meant(count, arguments, 2)) all += chain(times, 6);
    if (is_meant(count, arguments, 3)) sum += divisions(times / 2, 6);
    if (is_meant(count, arguments, 4)) sum += through(times, 4);
    if (is_meant(count, arguments, 5)) all += parts(times, 6);
    if (is_meant(count, arguments, 6)) all += unforeseen(times / 2);
    if (is_meant(count, arguments, 7)) all += many(times / 2);
    printf("%u %g\n", all, sum);
}
