/* Structures are reordered.  With -Os each of them is copied by rep movs, which is short, but is microcode that takes
   a long time to start. */
#include <stdio.h>
#include <stdlib.h>

struct particle {
    double value[20];
};
enum { COUNT = 100 };
static struct particle from[COUNT], to[COUNT];
static int order[COUNT];

__attribute__((noinline)) void kernel(int n, const struct particle *restrict old, const int *restrict place,
                                      struct particle *restrict new)
{
    for (int i = 0; i < n; i++)
        new[i] = old[place[i]];
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        order[i] = i * 7 % COUNT;
        for (int j = 0; j < 20; j++)
            from[i].value[j] = i + j;
    }
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, from, order, to);
    for (int i = 0; i < COUNT; i++)
        sum += to[i].value[i % 20];
    printf("%g\n", sum);
    return 0;
}
