/* Four results are kept in a structure behind a pointer.  A pointer to characters may point to anything, to this structure
   as well, so all four are stored for every single character. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct check {
    uint64_t sum, mixed, any, all;
};
enum { COUNT = 2000 };
static unsigned char text[COUNT];

__attribute__((noinline)) void kernel(int n, const unsigned char *from, struct check *check)
{
    for (int i = 0; i < n; i++) {
        uint64_t value = from[i];
        check->sum += value;
        check->mixed ^= value;
        check->any |= value;
        check->all &= value;
    }
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? atol(argv[1]) : 10;
    struct check check = {0, 0, 0, UINT64_MAX};
    for (int i = 0; i < COUNT; i++)
        text[i] = (unsigned char)(i * 7 % 256);
    for (long r = 0; r < repetitions; r++)
        kernel(COUNT, text, &check);
    printf("%g %u %u %u\n", (double)check.sum / (double)repetitions, (unsigned)check.mixed, (unsigned)check.any,
           (unsigned)check.all);
    return 0;
}
