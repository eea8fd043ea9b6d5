/* A loop around setjmp keeps its variables in memory, as it must; the file is optimised.
   build: gcc -O2
   silent: * */
#include <setjmp.h>
#include "corpus.h"

static jmp_buf place;
static double total;

__attribute__((noinline)) static void fail(int i)
{
    if (i % 3 == 0)
        longjmp(place, 1);
}

KERNEL int kernel(int n)
{
    volatile int failures = 0;
    for (volatile int i = 0; i < n; i++) {
        if (setjmp(place))
            failures = failures + 1;
        else
            fail(i);
    }
    return failures;
}

void set_up(void)
{
}

void run(void)
{
    total = kernel(20);
}

double result(void)
{
    return total;
}
