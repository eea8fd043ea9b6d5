/* Counting the characters of UTF-8 text with checks: each step depends on the length of the last character.
   build: gcc -O2
   silent: * */
#include "corpus.h"

static unsigned char text[N + 4];
static double total;

KERNEL int kernel(const unsigned char *at, const unsigned char *end)
{
    int count = 0;
    while (at < end) {
        if (*at < 0x80)
            at += 1;
        else if (*at < 0xe0)
            at += 2;
        else if (*at < 0xf0)
            at += 3;
        else
            at += 4;
        count++;
    }
    return count;
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        text[i] = (unsigned char) (i % 9 == 0 ? 0xc3 : 'a');
}

void run(void)
{
    total = kernel(text, text + N);
}

double result(void)
{
    return total;
}
