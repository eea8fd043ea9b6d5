/* A loop that calls a recursive function, which has a loop with an inlined function in it; next to it a loop of main's
   own, and time that the kernel takes for fresh pages below a loop.  Argument: seconds. */
#include "own_clock.h"
#include <sys/mman.h>
#include <unistd.h>

static double table[256];
static inline __attribute__((always_inline)) double mixed(double x, int i)
{
    return x * 0.5 + table[i & 255];
}
__attribute__((noinline)) double tree(double x, int depth)
{
    for (int i = 0; i < 300; i++)
        x = mixed(x, i);
    return depth ? tree(x, depth - 1) + tree(x + 1, depth - 1) : x;
}
__attribute__((noinline)) long touch(long size)
{
    volatile char *page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;
    if (page == MAP_FAILED || madvise((void *)page, (size_t)size, MADV_NOHUGEPAGE))
        return 0;
    for (long i = 0; i < size; i += 4096)
        sum += page[i]++;
    munmap((void *)page, (size_t)size);
    return sum;
}
int main(int argc, char **argv)
{
    double wanted = argc > 1 ? atof(argv[1]) : 1, in_tree = 0, in_touch = 0, x = 1;
    long sum = 0, rounds = 0;
    for (; in_tree + in_touch < wanted; rounds++) {
        double start = own_seconds();
        for (int i = 0; i < 10; i++)
            x += tree(x, 7);
        double middle = own_seconds();
        sum += touch(4 << 20);
        in_tree += middle - start;
        in_touch += own_seconds() - middle;
    }
    printf("tree %g\ntouch %g\npages %ld\n", in_tree, in_touch, rounds * ((4 << 20) / sysconf(_SC_PAGESIZE)));
    return x == (double)sum;
}
