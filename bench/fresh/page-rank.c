/* What flows to each page: ranks of others, divided by how many links they have.
   build: gcc -O2
   cure: divide-less -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { PAGES = 500, LINKS = 8 };
static int from[PAGES * LINKS], links[PAGES];
static double rank[PAGES], next[PAGES], share[PAGES];
KERNEL void kernel(double *R next, const double *R rank, const int *R from, const int *R links, int pages)
{
#if CURE == 1
    for (int i = 0; i < pages; i++)
        share[i] = rank[i] / links[i];
#endif
    for (int i = 0; i < pages; i++) {
        double sum = 0;
        for (int k = 0; k < LINKS; k++)
#if CURE == 1
            sum += share[from[LINKS * i + k]];
#else
            sum += rank[from[LINKS * i + k]] / links[from[LINKS * i + k]];
#endif
        next[i] = 0.15 + 0.85 * sum;
    }
}
void set_up(void)
{
    for (int i = 0; i < PAGES * LINKS; i++)
        from[i] = (int)(draw() % PAGES);
    for (int i = 0; i < PAGES; i++)
        rank[i] = uniform(), links[i] = 1 + (int)(draw() % 9);
}
void run(void)
{
    kernel(next, rank, from, links, PAGES);
}
RESULT(next, PAGES)
