/* A list is summed up: the address of each element is in the one before.
   build: gcc -O3
   silent: * */
#include "corpus.h"

struct element { struct element *next; long value; };
static struct element elements[N];
static double total;

KERNEL long kernel(const struct element *at)
{
    long sum = 0;
    for (; at; at = at->next)
        sum += at->value;
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < N; i++) {
        elements[i].value = i % 7;
        elements[i * 37 % N].next = i + 1 < N ? &elements[(i + 1) * 37 % N] : 0;
    }
}

void run(void)
{
    total = (double) kernel(elements);
}

double result(void)
{
    return total;
}
