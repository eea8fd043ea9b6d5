/* The length of the string is computed in every iteration, because the loop stores to it.
   build: gcc -O2
   says: call-in-condition gain hoist
   remedy: call-in-condition hoist -DREMEDY
   measured: call-in-condition hoist golden-cove 12.94
   measured: call-in-condition hoist neoverse-v1 19.37 */
#include <string.h>
#include "corpus.h"

static char text[N];

KERNEL void kernel(char *text)
{
#ifdef REMEDY
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
#else
    for (size_t i = 0; i < strlen(text); i++)
#endif
        text[i] = text[i] == 'a' ? 'b' : 'a';
}

void set_up(void)
{
    memset(text, 'a', 300);
}

void run(void)
{
    kernel(text);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += text[i] * (i % 3 + 1);
    return sum;
}
