/* Structures are reordered. GCC copies each of them by rep movs: microcode, which takes long to start.
   build x86-64: gcc -O2
   says: front-end potential other-option
   without: front-end optimise intrinsics
   remedy: front-end other-option -mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
   measured: front-end other-option golden-cove 2.89 */
#include "corpus.h"

struct particle {
    double value[50];
};
enum { COUNT = 40 };
static struct particle from[COUNT], to[COUNT];
static int order[COUNT];

KERNEL void kernel(int n, const struct particle *restrict old, const int *restrict place, struct particle *restrict new)
{
    for (int i = 0; i < n; i++)
        new[i] = old[place[i]];
}

void set_up(void)
{
    for (int i = 0; i < COUNT; i++) {
        order[i] = i * 7 % COUNT;
        for (int j = 0; j < 50; j++)
            from[i].value[j] = i + j;
    }
}

void run(void)
{
    kernel(COUNT, from, order, to);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < 50; j++)
            sum += to[i].value[j] * (i % 3 + 1);
    return sum;
}
