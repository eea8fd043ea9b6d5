/* A sum over the descriptions of the components of a picture: structures of 96 bytes, of which there are three.
   build: gcc -O2
   silent: not-vectorised reduction */
#include "corpus.h"

struct component {
    double horizontal, vertical, rest[10];
};
static struct component components[3];
static double total;

KERNEL double kernel(const struct component *components, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += components[i].vertical;
    return sum;
}

void set_up(void)
{
    for (int i = 0; i < 3; i++)
        components[i].vertical = i + 1;
}

void run(void)
{
    total = 0;
    for (int i = 0; i < N; i++)
        total += kernel(components, 3);
}

double result(void)
{
    return total;
}
