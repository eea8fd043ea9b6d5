/* A walk along a list that calls a small function of the same library through the PLT. The next element takes longer to arrive
   than the call, so inlining it brings nothing.
   build: gcc -O2 -fPIC
   link: library
   silent: plt-call */
#include "corpus.h"

struct element {
    struct element *next;
    long value, scaled;
};
static struct element list[N];
static double total;

long half(long value)
{
    return value >> 1;
}

KERNEL void kernel(struct element *e)
{
    for (; e; e = e->next)
        e->scaled = half(e->value);
}

void set_up(void)
{
    for (int i = 0; i < N; i++)
        list[i] = (struct element){i + 1 < N ? &list[i + 1] : 0, i, 0};
}

void run(void)
{
    kernel(list);
}

double result(void)
{
    for (int i = 0; i < N; i++)
        total += (double) list[i].scaled;
    return total;
}
