/* Numbers of a line read by sscanf, which interprets its format each time and takes the length of the text first; strtol reads
   the same.
   build: gcc -O2
   says: calls potential cheaper
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper neoverse-v1 6.15 */
#include <stdio.h>
#include <stdlib.h>
#include "corpus.h"

enum { LINES = 100 };
static char lines[LINES][16];
static long sum;

KERNEL long kernel(char (*lines)[16], int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        sum += strtol(lines[i], NULL, 10);
#else
        long value = 0;
        sscanf(lines[i], "%ld", &value);
        sum += value;
#endif
    }
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < LINES; i++)
        snprintf(lines[i], sizeof lines[i], "%d", i * 7919);
}

void run(void)
{
    sum = kernel(lines, LINES);
}

double result(void)
{
    return sum;
}
